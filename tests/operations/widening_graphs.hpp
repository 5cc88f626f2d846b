// Graphs whose longest best path is just as long as a type of integers holds, or longer by one; the lengths by the
// reference over i64. Shared by the tests of both machines.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/reference/closure.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kleene::test {

template <class S>
struct as_i64;
template <template <class> class Algebra, class T>
struct as_i64<Algebra<T>> {
  using type = Algebra<i64>;
};

// The same graph over i64.
template <class S>
matrix<i64> over_i64(const matrix<value_of<S>>& graph) {
  using W = typename as_i64<S>::type;
  matrix<i64> a(graph.rows(), graph.cols(), W::zero());
  for (index_t e = 0; e < a.size(); ++e)
    if (graph.data()[e] != S::zero()) a.data()[e] = graph.data()[e];
  return a;
}

// Its lengths.
template <class S>
matrix<i64> lengths_over_i64(const matrix<value_of<S>>& graph) {
  using W = typename as_i64<S>::type;
  matrix<i64> a = over_i64<S>(graph);
  for (index_t i = 0; i < a.rows(); ++i) a(i, i) = W::add(W::one(), a(i, i));
  EXPECT_EQ(kernels::reference::closure<W>(a.view()).state, status::ok);
  return a;
}

// A random graph with detours far longer than its best paths, weights up to `most` (negated over max_plus), and one
// more vertex behind it, so that the longest best path has length `longest`.
template <class S>
matrix<value_of<S>> straddling(index_t n, int most, i64 longest, std::uint64_t seed) {
  using T = value_of<S>;
  constexpr int sign = S::zero() > 0 ? 1 : -1;
  problems::generator g(seed);
  matrix<T> a(n + 1, n + 1, S::zero());
  const double density = std::min(0.5, 12.0 / static_cast<double>(n));
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      if (g.chance(density) || j == (i + 1) % n) a(i, j) = static_cast<T>(sign * (1 + g.below(most)));
  const matrix<i64> lengths = lengths_over_i64<S>(a);
  const index_t last = g.below(n);
  i64 farthest = 0, diameter = 0;
  for (index_t i = 0; i < n; ++i) {
    farthest = std::max<i64>(farthest, std::abs(lengths(i, last)));
    for (index_t j = 0; j < n; ++j) diameter = std::max<i64>(diameter, std::abs(lengths(i, j)));
  }
  EXPECT_LT(diameter, longest);
  a(last, n) = static_cast<T>(sign * (longest - farthest));
  return a;
}

// A chain of arcs of one weight, whose first vertex is numbered last.
template <class S>
matrix<value_of<S>> chain(index_t n, value_of<S> weight) {
  matrix<value_of<S>> a(n, n, S::zero());
  for (index_t i = 0; i + 1 < n; ++i) a(i == 0 ? n - 1 : i - 1, i) = weight;
  return a;
}

}  // namespace kleene::test
