// Matrices whose closures exist, and what predecessors must satisfy: shared by the tests of closures on every machine.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "support/problems.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace kleene::test {

// About `density` of the arcs, weights that never improve a cycle and do not round.
template <class S>
matrix<value_of<S>> closable(index_t n, double density, std::uint64_t seed) {
  using T = value_of<S>;
  const std::string name = S::name;
  problems::generator g(seed);
  matrix<T> a(n, n, S::zero());
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      if (!g.chance(density)) continue;
      const std::int64_t whole = 1 + g.below(50);
      if (name == "max_plus") a(i, j) = static_cast<T>(-whole);
      else if (name == "max_times")
        a(i, j) = std::is_integral_v<T> ? T(1) : static_cast<T>(std::exp2(-double(whole % 8)));
      else if (name == "min_times")
        a(i, j) = std::is_integral_v<T> ? T(1 + (whole == 1)) : static_cast<T>(std::exp2(double(whole % 8)));
      else if (name == "or_and") a(i, j) = 1;
      else a(i, j) = static_cast<T>(whole);
    }
  return a;
}

// Every chain of predecessors leads from j home to i along arcs of `graph` whose product is closed(i, j), exactly or
// within `relative`; there is one exactly where j can be reached.
template <class S>
testing::AssertionResult reaches_source(const matrix_view<const value_of<S>>& graph,
                                        const matrix_view<const value_of<S>>& closed,
                                        const matrix_view<const std::int32_t>& p, double relative = 0) {
  const index_t n = graph.rows();
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      const auto fail = [&](const std::string& what) {
        return testing::AssertionFailure() << what << " from " << i << " to " << j;
      };
      if (i == j || closed(i, j) == S::zero()) {
        if (p(i, j) != -1) return fail("a predecessor where there is none to be");
        continue;
      }
      std::vector<index_t> walk{j};
      for (index_t v = j; v != i;) {
        v = p(i, v);
        if (v < 0 || v >= n) return fail("a chain that ends on the way");
        walk.push_back(v);
        if (static_cast<index_t>(walk.size()) > n) return fail("a chain that goes round");
      }
      auto sum = widen<S>(S::one());
      for (std::size_t e = walk.size() - 1; e > 0; --e) {
        if (graph(walk[e], walk[e - 1]) == S::zero()) return fail("a chain along an arc that is not there");
        sum = S::mul(sum, widen<S>(graph(walk[e], walk[e - 1])));
      }
      const auto total = normalise<S>(sum);
      const double off = total == closed(i, j) ? 0 : std::abs(double(total) - double(closed(i, j)));
      if (!(off <= relative * std::abs(double(closed(i, j))))) return fail("a chain that does not sum up");
    }
  return testing::AssertionSuccess();
}

}  // namespace kleene::test
