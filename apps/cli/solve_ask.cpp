// kleene solve: the problem in its element type, whether it is too entangled, and the questions.
#include "solve_ask.hpp"

#include "kleene/networks/clusters.hpp"
#include "session.hpp"
#include "solve_cliques.hpp"
#include "solve_order.hpp"
#include "solve_problem.hpp"
#include "solve_room.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>

namespace kleene::cli {

namespace {

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

// The questions to one problem, all by one order.
template <class T>
class question_list {
 public:
  question_list(const context& ctx, const problem<T>& p, const solve_flags& flags, const solve_numbers& numbers,
                const contraction_order& order)
      : ctx_(ctx), problem_(p), flags_(flags), numbers_(numbers) {
    options_.memory = static_cast<std::size_t>(flags.memory);
    options_.found = &order;
  }

  void ask_value(solve_answer& answer) const {
    const optimum_result<T> best = optimum(ctx_, problem_, options_);
    answer.report = best.report;
    answer.is_feasible = best.is_feasible;
    add(answer, best.report);
    if (!best.is_feasible) return;
    answer.configuration = problem_.own_values(best.assignment);
    answer.value = value_of_number(checked_value(problem_, answer.configuration, best), numbers_);
  }
  void ask_count(solve_answer& answer) const {
    const count_result<T> counted = count_within_range();
    if (counted.is_feasible != answer.is_feasible)
      throw error(fault_code::internal, problem_.name + ": one contraction finds an answer, another none");
    answer.count = counted.is_feasible ? counted.count : "0";
    add(answer, counted.report);
  }
  void ask_best(solve_answer& answer) const {
    const several_result<T> several = several_best(ctx_, problem_, flags_.best, options_);
    answer.best.emplace();
    for (const T value : several.values) answer.best->push_back(value_of_number(value, numbers_));
    add(answer, several.report);
  }
  void ask_partition(solve_answer& answer) const {
    if constexpr (std::is_same_v<T, double>) {
      const partition_result sum =
          log_partition(ctx_, numbers_.is_log2 ? natural(problem_.factors) : problem_.factors, options_);
      answer.log_partition = sum.value;
      add(answer, sum.report);
    }
  }

 private:
  count_result<T> count_within_range() const {
    try {
      return count_optima(ctx_, problem_, options_);
    } catch (const value_error&) {
      throw;
    } catch (const argument_error&) {  // more than residues tell apart
      throw error(fault_code::bad_input,
                  fmt::format("{}: --count: there are too many answers; counts end at 2^991", flags_.input.file));
    }
  }
  static factor_graph<double> natural(const factor_graph<double>& binary) {
    factor_graph<double> g;
    for (int v = 0; v < binary.variables(); ++v) g.add_variable(binary.values(v));
    for (const auto& f : binary.factors()) {
      std::vector<double> table = f.table;
      for (double& element : table) element *= std::numbers::ln2;
      g.add_factor(f.variables, std::move(table));
    }
    return g;
  }
  static void add(solve_answer& answer, const solve_report& report) {
    answer.contract_seconds += report.contract_seconds;
    answer.bytes = std::max(answer.bytes, report.bytes);
  }

  const context& ctx_;
  const problem<T>& problem_;
  const solve_flags& flags_;
  const solve_numbers& numbers_;
  solve_options options_;
};

// What is too entangled.
std::string subject_of(const solve_input& input, const solve_flags& flags) {
  if (flags.kind != solve_kind::clique) return input.path + ": ";
  const index_t edges = input.parts * (input.parts - 1) / 2 - std::ssize(input.graph.edges);
  return fmt::format("{}: the complement of the graph, {}, is ", input.path, counted(edges, "edge", "edges"));
}

template <class T>
void ask_network(solve_machine& machine, const solve_input& input, const solve_flags& flags, const shared_flags& shared,
                 const solve_numbers& numbers, solve_answer& answer) {
  const solve_work work = work_of(input, flags, sizeof(T));
  problem<T> given = problem_of<T>(input, flags, numbers);
  const stopwatch watch;
  const problem<T> p = clustered(std::move(given));
  answer.variables = p.factors.variables();
  answer.factors = p.factors.factors().size();
  const order_search_line line(shared.prints_text());
  const network whole = p.factors.to_network();
  const contraction_order order = find_untangled_order(whole, subject_of(input, flags), work, flags, line, machine);
  answer.order_seconds = watch.seconds();
  answer.log2_work = std::max(order.cost.operations, 0.0) + std::log2(work.operations);
  machine.decide(answer.log2_work);
  const question_list<T> questions(machine.contractor(), p, flags, numbers, order);
  try {
    questions.ask_value(answer);
    if (flags.count) questions.ask_count(answer);
    if (flags.best > 0) questions.ask_best(answer);
    if (flags.partition) questions.ask_partition(answer);
  } catch (const error& wrong) {
    if (wrong.code() != fault_code::memory) throw;
    throw error(fault_code::memory, fmt::format("{}: {}; --memory allows more, and --seconds looks longer for an order "
                                                "that takes less",
                                                input.path, wrong.what()));
  }
}

// Cliques of a sparse graph: one small problem for each vertex.
template <class T>
void ask_cliques(const context& ctx, const solve_input& input, const solve_flags& flags, const solve_numbers& numbers,
                 solve_answer& answer) {
  const std::vector<T> weights = numbers_as<T>(input.weights, numbers);
  clique_search<T> search(ctx, input.graph, weights);
  const auto best = search.best();
  T weight = 0;
  for (std::size_t i = 0; i < best.vertices.size(); ++i) {
    const std::int32_t u = best.vertices[i];
    weight += weights.empty() ? T(1) : weights[static_cast<std::size_t>(u)];
    for (std::size_t j = i + 1; j < best.vertices.size(); ++j)
      if (!std::ranges::binary_search(input.graph.edges, std::pair(u, best.vertices[j])))
        throw error(fault_code::internal, "clique: the answer found does not pass its check: two are no neighbours");
  }
  const double difference = std::abs(static_cast<double>(weight) - static_cast<double>(best.weight));
  if (difference > (std::is_floating_point_v<T> ? 1e-12 * std::abs(static_cast<double>(weight)) : 0.0))
    throw error(fault_code::internal, fmt::format("clique: the answer found is worth {}, not {}", weight, best.weight));
  answer.is_feasible = true;
  answer.value = value_of_number(weight, numbers);
  answer.configuration.assign(static_cast<std::size_t>(input.parts), 0);
  for (const std::int32_t v : best.vertices) answer.configuration[static_cast<std::size_t>(v)] = 1;
  if (flags.count) answer.count = search.count(best.weight);
  if (flags.best > 0) {
    answer.best.emplace();
    for (const T value : search.several(flags.best)) answer.best->push_back(value_of_number(value, numbers));
  }
  answer.problems = search.problems();
  answer.report = search.report();
  answer.report.method = "one problem a neighbourhood";
  answer.log2_work = std::max(answer.report.cost.operations, 0.0);
  answer.contract_seconds = answer.report.contract_seconds;
  answer.bytes = answer.report.bytes;
}

template <class T>
void ask_as(solve_machine& machine, const solve_input& input, const solve_flags& flags, const shared_flags& shared,
            const solve_numbers& numbers, solve_answer& answer) {
  require_room(input, flags, sizeof(T));
  const bool in_parts =
      flags.kind == solve_kind::clique && !is_dense(static_cast<std::size_t>(input.parts), input.graph.edges.size());
  if (in_parts) ask_cliques<T>(machine.processor(), input, flags, numbers, answer);
  else ask_network<T>(machine, input, flags, shared, numbers, answer);
}

}  // namespace

solve_answer ask(solve_machine& machine, const solve_input& input, const solve_flags& flags,
                 const shared_flags& shared) {
  const solve_numbers numbers = numbers_of(input, flags);
  solve_answer answer{.dtype = numbers.dtype(), .is_exact = numbers.is_exact};
  using enum solve_numbers::type;
  if (numbers.computed == f64) ask_as<double>(machine, input, flags, shared, numbers, answer);
  else if (numbers.computed == i64) ask_as<std::int64_t>(machine, input, flags, shared, numbers, answer);
  else ask_as<std::int32_t>(machine, input, flags, shared, numbers, answer);
  return answer;
}

}  // namespace kleene::cli
