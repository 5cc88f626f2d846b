// How many assignments are allowed, or optimal: exact, of any size.
#include "kleene/algebra/counting.hpp"
#include "kleene/networks/residues.hpp"
#include "kleene/networks/solve.hpp"
#include "solve_order.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace kleene {

namespace detail {
namespace {

constexpr int few_primes = 4, primes_at_once = 8;
constexpr double exact_floats = 0x1p24, exact_doubles = 0x1p53;

using remainders = std::vector<std::uint64_t>;

// By all primes from 0 to `needed`, 8 at a time, or the first 4 where they are enough, as for most counts above 2^53:
// half the bytes, of which the time is made. take(algebra of remainders) gives those of its own.
template <class Take, int... I>
remainders by_primes(int needed, const Take& take, std::integer_sequence<int, I...>) {
  remainders all;
  const auto append = [&](auto residues) {
    if (static_cast<int>(all.size()) >= needed) return;
    for (const auto r : take(residues).of) all.push_back(r);
  };
  if (needed <= few_primes) append(first_residues<few_primes>{});
  (append(first_residues<primes_at_once, I * primes_at_once>{}), ...);
  return all;
}

// A number of which f64 says about how large it is, in decimal. All numbers that it was summed up of are below it, so
// that below 2^53 nothing was rounded.
template <class T, class Take>
std::string exact_count(double about, const factor_graph<T>& g, const Take& take) {
  if (about < exact_doubles) return std::to_string(static_cast<std::uint64_t>(about));
  double bits = 0;
  for (int v = 0; v < g.variables(); ++v) bits += std::log2(static_cast<double>(g.values(v)));
  if (std::isfinite(about)) bits = std::min(bits, std::log2(about) + 0.01);
  constexpr int batches = most_residues / primes_at_once;
  const remainders all = by_primes(residues_needed(bits), take, std::make_integer_sequence<int, batches>{});
  return number_from_residues(all, {counting_primes, all.size()});
}

}  // namespace
}  // namespace detail

template <class T>
count_result<T> count_optima(const context& ctx, const factor_graph<T>& g, direction goal,
                             const solve_options& options) {
  using V = detail::gain_of<T>;
  count_result<T> result{};
  detail::question_order order(ctx, options, result.report);
  const auto counted_in = [&]<class U, class C>(const detail::gains<U, T>& gain, C) {
    using S = counting<max_plus<U>, C>;
    const detail::solve_network<S> n(g, true, [&](T cost) { return S::of(gain(cost)); });
    return order.contract(n, [&](const auto& pairs) { return n.value(ctx, pairs, options, result.report); });
  };
  const auto take = [&]<class U>(const detail::gains<U, T>& gain, const auto& found) {
    result.value = gain.cost_of(found.value);
    result.is_feasible = found.value != max_plus<U>::zero();
    result.about = result.is_feasible ? static_cast<double>(found.count) : 0;
  };
  // Half the memory, and half the time: tried first on processors, where few are likely to be as good, and where every
  // sum of costs is exact.
  if constexpr (std::is_integral_v<T>)
    if (ctx.kind() == device_kind::cpu && detail::most_of_sums(g) <= detail::exact_floats) {
      const detail::gains<float, T> gain(g, goal);
      take(gain, counted_in(gain, plus_times<float>{}));
      if (result.about < detail::exact_floats) {
        result.count = std::to_string(static_cast<std::uint64_t>(result.about));
        return result;
      }
    }
  const detail::gains<V, T> gain(g, goal);
  take(gain, counted_in(gain, plus_times<double>{}));
  result.count = detail::exact_count(result.about, g, [&](auto residues) { return counted_in(gain, residues).count; });
  return result;
}

template <class T>
count_result<T> count_solutions(const context& ctx, const factor_graph<T>& g, const solve_options& options) {
  count_result<T> result{};
  detail::question_order order(ctx, options, result.report);
  const auto counted_over = [&]<class C>(C) {
    const detail::solve_network<C> n(
        g, true, [](T value) { return detail::is_nan(value) || is_forbidden(value) ? C::zero() : C::one(); });
    return order.contract(n, [&](const auto& pairs) { return n.value(ctx, pairs, options, result.report); });
  };
  result.about = counted_over(plus_times<double>{});
  result.is_feasible = result.about != 0;
  result.count = detail::exact_count(result.about, g, counted_over);
  return result;
}

#define KLEENE_SOLVES(T)                                                                                          \
  template count_result<T> count_optima(const context&, const factor_graph<T>&, direction, const solve_options&); \
  template count_result<T> count_solutions(const context&, const factor_graph<T>&, const solve_options&);
KLEENE_SOLVES(std::int32_t)
KLEENE_SOLVES(std::int64_t)
KLEENE_SOLVES(float)
KLEENE_SOLVES(double)
#undef KLEENE_SOLVES

}  // namespace kleene
