// The optimum, and sums over all assignments.
#include "kleene/networks/solve.hpp"

#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/error.hpp"
#include "networks/clusters.hpp"
#include "solve_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace kleene {

namespace detail {

namespace {

// Whether a cost is the value: of floats, up to the roundings of two sums of the same numbers.
template <class T>
bool is_cost(const factor_graph<T>& g, std::span<const std::int32_t> assignment, T cost, T value) {
  if (cost == value) return true;
  if constexpr (std::is_floating_point_v<T>) {
    const double rounding = 2.0 * double(g.factors().size()) * double(std::numeric_limits<T>::epsilon());
    double bound = 0;  // no product of it and a sum of magnitudes, which could be too large
    for (const auto& f : g.factors()) bound += rounding * std::abs(static_cast<double>(g.entry(f, assignment)));
    return std::abs(static_cast<double>(cost) - static_cast<double>(value)) <= bound;
  }
  return false;
}

// Pairs of variables that rule out much of each other become one, where that pays and no order was given: the sum is
// over the same products but for those that are zero(). (A NaN or an infinity would make of these what it likes.)
template <class S>
partition_result sum_of_all(const context& ctx, const factor_graph<double>& g, const solve_options& options) {
  const auto is_zero = [](double value) { return value == S::zero(); };
  const auto is_plain = [&](double value) { return std::isfinite(value) || is_zero(value); };
  std::optional<networks::graph_of_clusters<double>> pairs;
  if (!options.found && std::all_of(g.factors().begin(), g.factors().end(), [&](const auto& f) {
        return std::all_of(f.table.begin(), f.table.end(), is_plain);
      }))
    pairs = networks::clustered<double>(g, is_zero, clustering::where_it_pays);
  const solve_network<S> n(pairs ? pairs->factors : g, true, [](double value) { return value; });
  partition_result result{};
  question_order order(ctx, options, result.report);
  result.value = order.contract(n, [&](const auto& found) { return n.value(ctx, found, options, result.report); });
  return result;
}

// Over max_plus<V>.
template <class V, class T>
optimum_result<T> optimum_in(const context& ctx, const factor_graph<T>& g, direction goal,
                             const solve_options& options) {
  using S = max_plus<V>;
  const gains<V, T> gain(g, goal);
  const solve_network<S> n(g, false, gain);
  optimum_result<T> result{};
  question_order order(ctx, options, result.report);
  if (!options.assignment) {
    const V best = order.contract(n, [&](const auto& pairs) { return n.value(ctx, pairs, options, result.report); });
    result.value = gain.cost_of(best), result.is_feasible = best != S::zero();
    return result;
  }
  configuration<V> best =
      order.contract(n, [&](const auto& pairs) { return n.best(ctx, pairs, options, result.report); });
  result.value = gain.cost_of(best.value), result.is_feasible = best.exists;
  if (!best.exists) return result;
  const T cost = g.cost(best.values);
  if (!is_cost(g, best.values, cost, result.value))
    throw error(fault_code::internal, "optimum: the assignment found costs " + to_text(cost) + ", but the optimum is " +
                                          to_text(result.value));
  result.value = cost;
  result.assignment = std::move(best.values);
  return result;
}

}  // namespace
}  // namespace detail

template <class T>
optimum_result<T> optimum(const context& ctx, const factor_graph<T>& g, direction goal, const solve_options& options) {
  if constexpr (std::is_same_v<T, float>)
    if (!detail::sums_fit(g)) return detail::optimum_in<double>(ctx, g, goal, options);
  return detail::optimum_in<T>(ctx, g, goal, options);
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
