// The k best values.
#include "kleene/algebra/counting.hpp"
#include "kleene/data/error.hpp"
#include "kleene/networks/solve.hpp"
#include "solve_order.hpp"

#include <string>

namespace kleene {

namespace detail {
namespace {

template <int K, class T>
several_result<T> best_of(const context& ctx, const factor_graph<T>& g, direction goal, int count,
                          const solve_options& options) {
  using V = gain_of<T>;
  using S = k_best<max_plus<V>, K>;
  const gains<V, T> gain(g, goal);
  const solve_network<S> n(g, true, [&](T cost) { return S::of(gain(cost)); });
  several_result<T> result;
  question_order order(ctx, options, result.report);
  const auto best = order.contract(n, [&](const auto& pairs) { return n.value(ctx, pairs, options, result.report); });
  for (int k = 0; k < count && best.value[k] != max_plus<V>::zero(); ++k)
    result.values.push_back(gain.cost_of(best.value[k]));
  return result;
}

}  // namespace
}  // namespace detail

template <class T>
several_result<T> several_best(const context& ctx, const factor_graph<T>& g, direction goal, int count,
                               const solve_options& options) {
  if (count < 1 || count > 16)
    throw argument_error("several_best: " + std::to_string(count) + " values are asked for; it gives 1 to 16");
  if (count <= 4) return detail::best_of<4>(ctx, g, goal, count, options);
  return detail::best_of<16>(ctx, g, goal, count, options);
}

#define KLEENE_SOLVES(T) \
  template several_result<T> several_best(const context&, const factor_graph<T>&, direction, int, const solve_options&);
KLEENE_SOLVES(std::int32_t)
KLEENE_SOLVES(std::int64_t)
KLEENE_SOLVES(float)
KLEENE_SOLVES(double)
#undef KLEENE_SOLVES

}  // namespace kleene
