// Lengths that leave the range of a floating type: finite weights whose path comes out infinitely long, or as no path.
// Integers are checked while they are added (S::overflows). Floats, whose infinities are values, are checked
// afterwards, and only where the weights are large enough for it.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/operations/detail/shortest_paths_problem.inl.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kleene::detail {

template <class Add, class Mul, class T>
constexpr bool lengths_round(const operations<Add, Mul, T>*) {
  return std::is_floating_point_v<T> && (std::is_same_v<Mul, ops::plus> || std::is_same_v<Mul, ops::times>);
}
constexpr bool lengths_round(const void*) { return false; }
// Whether mul is the sum or product of floats. An infinity that another mul makes may be intended.
template <class S>
inline constexpr bool can_leave_floats = lengths_round(static_cast<const S*>(nullptr));

// The extremes of the finite weights.
template <class S>
struct weight_range {
  using T = value_of<S>;
  T least{}, largest{};
  bool any = false, infinite = false;  // infinite: a weight other than zero() is; then lengths may be, too

  void add(const T& weight) {
    if constexpr (can_leave_floats<S>) {
      if (std::isinf(weight)) {
        infinite |= !(weight == S::zero());
        return;
      }
      least = any ? std::min(least, weight) : weight;
      largest = any ? std::max(largest, weight) : weight;
      any = true;
    }
  }
  // Whether a path through n vertices, or two of them one after the other, can be too long.
  bool can_overflow(index_t n) const {
    if constexpr (can_leave_floats<S>) {
      T low = least, high = largest;
      for (index_t arcs = 1; arcs < 2 * n; arcs *= 2) low = S::mul(low, low), high = S::mul(high, high);
      return any && (std::isinf(low) || std::isinf(high));
    }
    return false;
  }
};

// The first vertex in row i whose length is not finite only because of an overflow; -1: there is none. Its length is
// infinite although no weight is, or it has none although a finite arc leads there from a vertex with a finite length.
template <class S>
index_t first_too_far(const apsp_problem<S>& problem, const matrix_view<value_of<S>>& d, index_t i,
                      bool infinite_weights) {
  const index_t n = d.cols();
  bool missing = false;
  for (index_t j = 0; j < n; ++j) {
    if (!std::isinf(d(i, j))) continue;
    if (d(i, j) == S::zero()) missing = true;
    else if (!infinite_weights) return j;
  }
  if (!missing) return -1;
  index_t found = -1;
  for (index_t u = 0; u < n && found < 0; ++u)
    if (std::isfinite(d(i, u)))
      problem.for_each_arc_of(u, [&](index_t, index_t j, const value_of<S>& weight) {
        if (std::isfinite(weight) && std::isinf(d(i, j)) && d(i, j) == S::zero()) found = j;
        return found < 0;
      });
  return found;
}

template <class S>
void refuse_too_far(const apsp_problem<S>& problem, const apsp_result<S>& r, bool infinite_weights, int threads) {
  constexpr index_t none = std::numeric_limits<index_t>::max();
  std::atomic<index_t> first{none};  // row * vertices + column, so that the answer does not depend on the threads
  for_each_row(r.distances.rows(), r.distances.size(), threads, [&](index_t i) {
    const index_t j = first_too_far(problem, r.distances, i, infinite_weights);
    if (j < 0) return;
    const index_t at = i * r.vertices + j;
    for (index_t seen = first; at < seen && !first.compare_exchange_weak(seen, at);) {
    }
  });
  if (first == none) return;
  throw value_error(name_of<S>() + ": the distance from " +
                    problem.ends(r.sources[first / r.vertices], " to ", first % r.vertices) +
                    " is finite but too large for " + type_name<value_of<S>> +
                    (std::is_same_v<value_of<S>, double> ? "; use smaller weights" : "; use f64 or smaller weights"));
}

}  // namespace kleene::detail
