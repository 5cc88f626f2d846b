// Closures by plain iteration, and what a closure over a user's own ring is held against.
#pragma once

#include "kleene/kernels/reference/closure.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "support/equal.hpp"

#include <random>

namespace kleene::test {

// A* as the least solution of X = I + A X, by plain loops.
template <class S>
matrix<value_of<S>> by_iteration(const matrix<value_of<S>>& a) {
  const index_t n = a.rows();
  matrix<value_of<S>> x(n, n, S::zero());
  for (bool changed = true; changed;) {
    changed = false;
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) {
        value_of<S> sum = i == j ? S::one() : S::zero();
        for (index_t k = 0; k < n; ++k) sum = S::add(sum, S::mul(a(i, k), x(k, j)));
        changed |= !(sum == x(i, j));
        x(i, j) = sum;
      }
  }
  return x;
}

template <class S>
index_t differences(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b) {
  index_t wrong = 0;
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < a.cols(); ++j) wrong += !(a(i, j) == b(i, j));
  return wrong;
}

// A graph with loops; each vertex has about `degree` arcs.
template <class S, class Weight>
matrix<value_of<S>> graph(index_t n, int degree, const Weight& weight) {
  std::mt19937 random(7);
  matrix<value_of<S>> a(n, n, S::zero());
  for (index_t i = 0; i < n; ++i)
    for (int e = 0; e < degree; ++e) a(i, static_cast<index_t>(random() % static_cast<unsigned>(n))) = weight(random());
  return a;
}
template <class S>
void expect_closed(const matrix<value_of<S>>& a) {
  const matrix<value_of<S>> want = by_iteration<S>(a);
  matrix<value_of<S>> reference = a;
  EXPECT_EQ(kernels::reference::closure<S>(reference.view()).state, status::ok);
  EXPECT_EQ(differences<S>(reference, want), 0) << "reference, n = " << a.rows();
  for (const index_t block : {0, 64, 70}) {
    matrix<value_of<S>> closed = a;
    EXPECT_TRUE(closure(context::cpu({.threads = 2}), S{}, closed, {.block = block}).exists);
    EXPECT_EQ(differences<S>(closed, want), 0) << "n = " << a.rows() << ", blocks of " << block;
  }
}

}  // namespace kleene::test
