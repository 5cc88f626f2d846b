// kleene solve: the problem in its element type, whether it is too entangled, and the questions.
#include "solve_ask.hpp"

#include "kleene/algebra/counting.hpp"
#include "kleene/networks/problems.hpp"
#include "session.hpp"
#include "solve_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kleene::cli {

namespace {

bool is_real(const number_list& list) { return std::holds_alternative<std::vector<double>>(list); }

double magnitude_of(const number_list& list) {
  return std::visit(
      [](const auto& numbers) {
        double sum = 0;
        for (const auto n : numbers) sum += std::abs(static_cast<double>(n));
        return sum;
      },
      list);
}

template <class T>
std::vector<T> numbers_as(const number_list& list) {
  return std::visit([](const auto& numbers) { return std::vector<T>(numbers.begin(), numbers.end()); }, list);
}

// The sum of the magnitudes of all that may be added up; what the library refuses is left to it.
double magnitude_of(const solve_input& input) {
  double sum = magnitude_of(input.edges) + magnitude_of(input.weights);
  for (const io::cnf_clause& c : input.clauses.clauses) sum += c.is_hard ? 0.0 : static_cast<double>(c.weight);
  return sum + static_cast<double>(input.graph.edges.size()) + static_cast<double>(input.parts);
}

template <class T>
undirected_graph<T> weighted(const solve_input& input) {
  undirected_graph<T> g{input.graph, {}};
  const std::vector<T> weights = numbers_as<T>(input.edges);
  g.weights.assign(weights.begin(), weights.end());
  return g;
}

template <class T>
problem<T> of_clauses(const io::cnf_file& file) {
  std::vector<clause<T>> clauses;
  clauses.reserve(file.clauses.size());
  for (const io::cnf_clause& c : file.clauses) clauses.push_back({c.literals, static_cast<T>(c.weight), c.is_hard});
  return max_sat<T>(file.variables, clauses);
}

// Products as sums: of logarithms.
factor_graph<double> logarithms_of(const io::uai_file& file) {
  factor_graph<double> g;
  for (const index_t values : file.values) g.add_variable(values);
  for (const io::uai_factor& f : file.factors) {
    std::vector<double> table;
    table.reserve(f.table.size());
    for (const double element : f.table) table.push_back(std::log(element));
    g.add_factor(f.variables, std::move(table));
  }
  return g;
}

template <class T>
problem<T> problem_of(const solve_input& input, const solve_flags& flags) {
  const std::vector<T> weights = numbers_as<T>(input.weights);
  switch (flags.kind) {
    case solve_kind::ising:
      return ising<T>(weighted<T>(input), weights);
    case solve_kind::cut:
      return cut<T>(weighted<T>(input));
    case solve_kind::independent_set:
      return independent_set<T>(input.graph, weights);
    case solve_kind::vertex_cover:
      return vertex_cover<T>(input.graph, weights);
    case solve_kind::clique:
      return clique<T>(input.graph, weights);
    case solve_kind::coloring:
      return coloring<T>(input.graph, flags.colors);
    case solve_kind::dominating_set:
      return dominating_set<T>(input.graph, weights);
    case solve_kind::set_packing:
      return set_packing<T>(input.elements, input.sets, weights);
    case solve_kind::sat:
      return of_clauses<T>(input.clauses);
    case solve_kind::factors:
      break;
  }
  if constexpr (std::is_same_v<T, double>) return general(logarithms_of(input.factors), direction::maximise);
  else throw error(fault_code::internal, "factors are real");
}

// The bytes of an element of each question, and of the one that takes the largest.
constexpr std::size_t count_bytes = sizeof(value_of<counting<max_plus<double>>>);
constexpr std::size_t best_bytes(int best) {
  return best > 4 ? sizeof(value_of<k_best<max_plus<double>, 16>>) : sizeof(value_of<k_best<max_plus<double>, 4>>);
}
template <class T>
std::size_t element_bytes(const solve_flags& flags) {
  std::size_t most = sizeof(T);
  if (flags.partition) most = std::max(most, sizeof(double));
  if (flags.count) most = std::max(most, count_bytes);
  return flags.best > 0 ? std::max(most, best_bytes(flags.best)) : most;
}

template <class T>
solve_value value_of_number(T value) {
  return {number_json(value), number_text(value)};
}

// What the problem says of the answer, which is not asked of the factors.
template <class T>
T checked_value(const problem<T>& p, const std::vector<std::int32_t>& answer, const optimum_result<T>& best) {
  const verdict<T> verdict = p.check(answer);
  bool same = verdict.value == best.value;
  if constexpr (std::is_floating_point_v<T>) {  // sums in another order
    double magnitudes = 0;
    for (const auto& f : p.factors.factors()) magnitudes += std::abs(p.factors.entry(f, best.assignment));
    same = std::abs(verdict.value - best.value) <= 1e-12 * magnitudes;
  }
  if (!verdict.is_feasible || !same)
    throw error(fault_code::internal,
                fmt::format("{}: the answer found does not pass its check: {}", p.name,
                            verdict.is_feasible ? fmt::format("it is worth {}, not {}", verdict.value, best.value)
                                                : verdict.why));
  return verdict.value;
}

// How much slower operations are than those of a value: of counts, which are contracted several times, and of sorted
// lists.
constexpr double slowness_of_counts = 100, slowness_of_four = 50, slowness_of_sixteen = 300, slowness_of_sums = 4;

// The questions to one problem, each with its own order.
template <class T>
class question_list {
 public:
  question_list(const context& ctx, const problem<T>& p, const solve_flags& flags, const order_search_line& line)
      : ctx_(ctx), problem_(p), flags_(flags), line_(line) {}

  void ask_value(solve_answer& answer) const {
    const optimum_result<T> best =
        within_memory(1, sizeof(T), [&](const solve_options& o) { return optimum(ctx_, problem_, o); });
    answer.report = best.report;
    answer.is_feasible = best.is_feasible;
    add(answer, best.report);
    if (!best.is_feasible) return;
    answer.configuration = problem_.own_values(best.assignment);
    answer.value = value_of_number(checked_value(problem_, answer.configuration, best));
  }
  void ask_count(solve_answer& answer) const {
    const count_result<T> counted = within_memory(
        slowness_of_counts, count_bytes, [&](const solve_options& o) { return count_optima(ctx_, problem_, o); });
    if (counted.is_feasible != answer.is_feasible)
      throw error(fault_code::internal, problem_.name + ": one contraction finds an answer, another none");
    answer.count = counted.is_feasible ? counted.count : "0";
    add(answer, counted.report);
  }
  void ask_best(solve_answer& answer) const {
    const double slowness = flags_.best <= 4 ? slowness_of_four : slowness_of_sixteen;
    const several_result<T> several = within_memory(slowness, best_bytes(flags_.best), [&](const solve_options& o) {
      return several_best(ctx_, problem_, flags_.best, o);
    });
    answer.best.emplace();
    for (const T value : several.values) answer.best->push_back(value_of_number(value));
    add(answer, several.report);
  }
  void ask_partition(solve_answer& answer) const {
    if constexpr (std::is_same_v<T, double>) {
      const partition_result sum = within_memory(slowness_of_sums, sizeof(double), [&](const solve_options& o) {
        return log_partition(ctx_, problem_.factors, o);
      });
      answer.log_partition = sum.value;
      add(answer, sum.report);
    }
  }

 private:
  // Asks with tensors so small that about five of them fit; where an order needs more workspace than that, with smaller
  // ones.
  template <class Ask>
  auto within_memory(double slowness, std::size_t element, const Ask& question) const {
    const double memory = flags_.memory > 0 ? flags_.memory : static_cast<double>(ctx_.available());
    solve_options options;
    options.memory = static_cast<std::size_t>(flags_.memory);
    options.order = order_options_of(flags_.seconds, slowness, ctx_, line_);
    for (double tensors = tensors_at_a_time;; tensors *= 2) {
      options.order.most_elements = most_elements_in(memory, element, tensors);
      try {
        return question(options);
      } catch (const error& wrong) {
        if (wrong.code() != fault_code::memory || tensors >= 8 * tensors_at_a_time) throw;
      }
    }
  }
  static void add(solve_answer& answer, const solve_report& report) {
    answer.order_seconds += report.order_seconds;
    answer.contract_seconds += report.contract_seconds;
    answer.bytes = std::max(answer.bytes, report.bytes);
  }

  const context& ctx_;
  const problem<T>& problem_;
  const solve_flags& flags_;
  const order_search_line& line_;
};

template <class T>
solve_answer ask_as(const context& ctx, const solve_input& input, const solve_flags& flags, const shared_flags& shared,
                    const char* dtype) {
  const problem<T> p = problem_of<T>(input, flags);
  solve_answer answer{.dtype = dtype};
  answer.variables = p.factors.variables();
  answer.factors = p.factors.factors().size();
  const order_search_line line(shared.prints_text());
  require_untangled(p.factors.to_network(), input.path, element_bytes<T>(flags), flags, line, ctx);
  const question_list<T> questions(ctx, p, flags, line);
  questions.ask_value(answer);
  if (flags.count) questions.ask_count(answer);
  if (flags.best > 0) questions.ask_best(answer);
  if (flags.partition) questions.ask_partition(answer);
  return answer;
}

}  // namespace

solve_answer ask(const context& ctx, const solve_input& input, const solve_flags& flags, const shared_flags& shared) {
  if (flags.kind == solve_kind::factors || is_real(input.edges) || is_real(input.weights))
    return ask_as<double>(ctx, input, flags, shared, "f64");
  constexpr double limit = std::numeric_limits<std::int32_t>::max() / 8;  // algebra/semirings.hpp
  if (magnitude_of(input) < limit) return ask_as<std::int32_t>(ctx, input, flags, shared, "i32");
  return ask_as<std::int64_t>(ctx, input, flags, shared, "i64");
}

}  // namespace kleene::cli
