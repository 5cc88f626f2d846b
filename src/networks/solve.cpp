// The optimum, and sums over all assignments.
#include "kleene/networks/solve.hpp"

#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/error.hpp"
#include "solve_order.hpp"

#include <cmath>
#include <limits>

namespace kleene {

namespace detail {

namespace {

// Whether a cost is the value: of floats, up to the roundings of two sums of the same numbers.
template <class T>
bool is_cost(const factor_graph<T>& g, std::span<const std::int32_t> assignment, T cost, T value) {
  if (cost == value) return true;
  if constexpr (std::is_floating_point_v<T>) {
    double magnitudes = 0;
    for (const auto& f : g.factors()) magnitudes += std::abs(static_cast<double>(g.entry(f, assignment)));
    const double bound = 2.0 * double(g.factors().size()) * double(std::numeric_limits<T>::epsilon()) * magnitudes;
    return std::abs(static_cast<double>(cost) - static_cast<double>(value)) <= bound;
  }
  return false;
}

template <class S>
partition_result sum_of_all(const context& ctx, const factor_graph<double>& g, const solve_options& options) {
  const solve_network<S> n(g, true, [](double value) { return value; });
  partition_result result{};
  question_order order(ctx, options, result.report);
  result.value = order.contract(n, [&](const auto& pairs) { return n.value(ctx, pairs, options, result.report); });
  return result;
}

}  // namespace
}  // namespace detail

template <class T>
optimum_result<T> optimum(const context& ctx, const factor_graph<T>& g, direction goal, const solve_options& options) {
  using S = max_plus<T>;
  const detail::solve_network<S> n(g, false, [goal](T value) { return detail::as_gain<T>(value, goal); });
  optimum_result<T> result{};
  detail::question_order order(ctx, options, result.report);
  if (!options.assignment) {
    const T gain = order.contract(n, [&](const auto& pairs) { return n.value(ctx, pairs, options, result.report); });
    result.value = detail::from_gain<T>(gain, goal), result.is_feasible = gain != S::zero();
    return result;
  }
  configuration<T> best =
      order.contract(n, [&](const auto& pairs) { return n.best(ctx, pairs, options, result.report); });
  result.value = detail::from_gain<T>(best.value, goal), result.is_feasible = best.exists;
  if (!best.exists) return result;
  const T cost = g.cost(best.values);
  if (!detail::is_cost(g, best.values, cost, result.value))
    throw error(fault_code::internal, "optimum: the assignment found costs " + detail::to_text(cost) +
                                          ", but the optimum is " + detail::to_text(result.value));
  result.value = cost;
  result.assignment = std::move(best.values);
  return result;
}

partition_result partition(const context& ctx, const factor_graph<double>& weights, const solve_options& options) {
  return detail::sum_of_all<plus_times<double>>(ctx, weights, options);
}
partition_result log_partition(const context& ctx, const factor_graph<double>& logarithms,
                               const solve_options& options) {
  return detail::sum_of_all<log_plus<double>>(ctx, logarithms, options);
}

#define KLEENE_SOLVES(T) \
  template optimum_result<T> optimum(const context&, const factor_graph<T>&, direction, const solve_options&);
KLEENE_SOLVES(std::int32_t)
KLEENE_SOLVES(std::int64_t)
KLEENE_SOLVES(float)
KLEENE_SOLVES(double)
#undef KLEENE_SOLVES

}  // namespace kleene
