#include "solve_room.hpp"

#include "kleene/algebra/counting.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/error.hpp"
#include "kleene/networks/residues.hpp"
#include "solve_subgraphs.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kleene::cli {

namespace {

// How much longer operations take than those of a value, on two cores of a Zen 5 at tensors of 2^21 elements: a pass
// of counts, in f64 or modulo eight primes, and lists of the 4 and of the 16 best.
constexpr double count_operations = 25, four_operations = 130, sixteen_operations = 1500, sum_operations = 4;
constexpr int primes_at_once = 8;
constexpr double exact_bits = 53;

// Of a table with its variable, in the factor graph, the network, the searches for an order and the plan: as 10^6 take.
constexpr double bytes_of_table = 2000;
// Whatever --memory says, a program may take as much.
constexpr double always_allowed = 0x1p28;

struct table_sum {
  double tables = 0, elements = 0;
  void add(double count, double each) { tables += count, elements += count * each; }
};

table_sum tables_of(const solve_input& input, const solve_flags& flags) {
  const double n = static_cast<double>(input.parts), m = static_cast<double>(input.graph.edges.size());
  table_sum sum;
  switch (flags.kind) {
    case solve_kind::clique:
      if (is_dense(static_cast<std::size_t>(input.parts), input.graph.edges.size()))
        sum.add(n, 2), sum.add(n * (n - 1) / 2 - m, 4);
      else sum.elements = 16 * n + 4 * m;  // lists of neighbours
      return sum;
    case solve_kind::coloring:
      sum.add(n, static_cast<double>(flags.colors));
      sum.add(m, static_cast<double>(flags.colors) * static_cast<double>(flags.colors));
      return sum;
    case solve_kind::dominating_set:
      sum.add(2 * n, 2), sum.add(2 * m, 8);  // a table of three for each neighbour, where there are many
      return sum;
    case solve_kind::set_packing:
      sum.add(n, 2);
      for (const auto& set : input.sets) sum.add(static_cast<double>(set.size()), 8);
      return sum;
    case solve_kind::sat:
      sum.add(n, 2);
      for (const io::cnf_clause& c : input.clauses.clauses) sum.add(1 + double(c.literals.size()), 8);
      return sum;
    case solve_kind::factors: {
      for (const io::uai_factor& f : input.factors.factors) sum.add(1, static_cast<double>(f.table.size()));
      std::vector<bool> is_used(input.factors.values.size(), false);
      for (const io::uai_factor& f : input.factors.factors)
        for (const int v : f.variables) is_used[static_cast<std::size_t>(v)] = true;
      for (std::size_t v = 0; v < is_used.size(); ++v)
        if (!is_used[v]) sum.add(1, static_cast<double>(input.factors.values[v]));
      return sum;
    }
    default:
      sum.add(n, 2), sum.add(m, 4);
      return sum;
  }
}

// log2 of how many answers there are at most.
double log2_answers(const solve_input& input, const solve_flags& flags) {
  if (flags.kind == solve_kind::factors) {
    double bits = 0;
    for (const index_t values : input.factors.values) bits += std::log2(static_cast<double>(values));
    return bits;
  }
  const double each = flags.kind == solve_kind::coloring ? std::log2(static_cast<double>(flags.colors)) : 1;
  return each * static_cast<double>(input.parts);
}

double count_passes(double bits) {
  if (bits < exact_bits) return 1;
  const int primes =
      bits < 31.0 * most_residues ? std::min(residues_needed(std::min(bits, 990.0)), most_residues) : most_residues;
  return 1 + (primes + primes_at_once - 1) / primes_at_once;
}

template <class S>
constexpr std::size_t bytes_of = sizeof(value_of<S>);

std::string grouped_or_power(double count) {
  return count < 1e15 ? grouped(static_cast<index_t>(count)) : fmt::format("2^{:.1f}", std::log2(count));
}
std::string counted_or_power(double count, const char* one, const char* many) {
  return grouped_or_power(count) + " " + (count == 1 ? one : many);
}

std::string advice_of(const solve_flags& flags, bool is_asked, double bytes) {
  if (flags.kind == solve_kind::coloring)
    return fmt::format("; each edge has a table of {0} x {0} (--colors)", flags.colors);
  if (flags.kind == solve_kind::clique)
    return "; they are those of the complement, a table for each two vertices apart";
  return is_asked ? fmt::format("; --memory {:.0f}MB allows it", std::ceil(bytes / 1e6)) : "";
}

}  // namespace

solve_work work_of(const solve_input& input, const solve_flags& flags, std::size_t value_bytes) {
  solve_work work{.operations = 2, .element = value_bytes};  // the way back to an answer may contract all once more
  const auto add = [&](double operations, std::size_t bytes) {
    work.operations += operations;
    work.element = std::max(work.element, bytes);
  };
  using gain = max_plus<double>;
  if (flags.partition) add(sum_operations, sizeof(double));
  if (flags.count) {
    const double passes = count_passes(log2_answers(input, flags));
    add(count_operations * passes,
        passes > 1 ? bytes_of<counting<gain, first_residues<primes_at_once>>> : bytes_of<counting<gain>>);
  }
  if (flags.best > 4) add(sixteen_operations, bytes_of<k_best<gain, 16>>);
  else if (flags.best > 0) add(four_operations, bytes_of<k_best<gain, 4>>);
  return work;
}

void require_room(const solve_input& input, const solve_flags& flags, std::size_t value_bytes) {
  const table_sum sum = tables_of(input, flags);
  // The problem's values and those of the question; of factors the file's and those of the check, too.
  const double copies = flags.kind == solve_kind::factors ? 3 : 1;
  const double each =
      copies * static_cast<double>(value_bytes) + static_cast<double>(work_of(input, flags, value_bytes).element);
  const double bytes = sum.tables * bytes_of_table + sum.elements * each;
  const double free = static_cast<double>(available_memory());
  const bool is_asked = flags.memory > 0 && flags.memory < free;
  const double allowed = is_asked ? std::max(flags.memory, always_allowed) : free;
  if (bytes <= allowed) return;
  throw error(
      fault_code::memory,
      fmt::format("{}: {} of {} values in all take about {} before they are contracted, and {} are {}{}", input.path,
                  counted_or_power(sum.tables, "table", "tables"), grouped_or_power(sum.elements), bytes_text(bytes),
                  bytes_text(allowed), is_asked ? "allowed" : "free", advice_of(flags, is_asked, bytes)));
}

}  // namespace kleene::cli
