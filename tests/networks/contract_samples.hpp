// Networks with elements for the tests of contract, and what they are worth by plain loops over all assignments.
#pragma once

#include "kleene/data/splitmix64.hpp"
#include "kleene/networks/own/contract.inl.hpp"
#include "networks/factor_samples.hpp"  // below
#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace kleene::test {

inline const context& two_threads() {
  static const context ctx = context::cpu({.threads = 2});
  return ctx;
}

// A network with elements, and an order of its pairs.
template <class T>
struct sample {
  network n;
  std::vector<tensor<T>> tensors;
  contraction_order order;

  std::vector<tensor_view<const T>> views() const {
    std::vector<tensor_view<const T>> all;
    for (const tensor<T>& t : tensors) all.push_back(t.view());
    return all;
  }
};

struct shape {
  int indices, tensors, most_axes, most_extent, open;
};

// Any two tensors that are left, until one is.
inline std::vector<std::pair<int, int>> any_pairs(splitmix64& random, int tensors) {
  std::vector<int> there(static_cast<std::size_t>(tensors));
  for (int t = 0; t < tensors; ++t) there[static_cast<std::size_t>(t)] = t;
  std::vector<std::pair<int, int>> pairs;
  const auto take = [&] {
    const auto at = there.begin() + below(random, static_cast<int>(there.size()));
    const int t = *at;
    there.erase(at);
    return t;
  };
  while (there.size() > 1) {
    const int x = take(), y = take();
    pairs.push_back({x, y});
    there.push_back(tensors + static_cast<int>(pairs.size()) - 1);
  }
  return pairs;
}

template <class T, class Draw>
sample<T> random_sample(splitmix64& random, const shape& s, const Draw& draw) {
  sample<T> result;
  for (int i = 0; i < s.indices; ++i) result.n.extents.push_back(1 + below(random, s.most_extent));
  std::vector<bool> used(static_cast<std::size_t>(s.indices), false);
  for (int t = 0; t < s.tensors; ++t) {
    std::vector<int> labels;
    axis_values extents;
    for (int r = below(random, s.most_axes + 1); r > 0; --r) {
      labels.push_back(below(random, s.indices));
      used[static_cast<std::size_t>(labels.back())] = true;
      extents.push_back(result.n.extents[static_cast<std::size_t>(labels.back())]);
    }
    tensor<T> elements(extents);
    for (index_t e = 0; e < elements.size(); ++e) elements.data()[e] = draw(random);
    result.n.tensors.push_back(labels);
    result.tensors.push_back(std::move(elements));
  }
  for (int i = 0; i < s.indices; ++i)
    if (used[static_cast<std::size_t>(i)] && static_cast<int>(result.n.open.size()) < s.open && below(random, 2) == 0)
      result.n.open.insert(result.n.open.begin() + below(random, static_cast<int>(result.n.open.size()) + 1), i);
  result.order.pairs = any_pairs(random, s.tensors);
  return result;
}

inline void slice(splitmix64& random, network& n, contraction_order& order) {
  for (int i = 0; i < n.indices(); ++i) {
    bool is_used = false;
    for (const auto& labels : n.tensors) is_used |= std::find(labels.begin(), labels.end(), i) != labels.end();
    if (is_used && below(random, 3) == 0 && std::find(n.open.begin(), n.open.end(), i) == n.open.end()) {
      order.sliced.push_back(i);
      order.slices *= n.extents[static_cast<std::size_t>(i)];
    }
  }
}

// The product of all tensors at one value for each index.
template <class S>
accumulator_of<S> product_at(const sample<value_of<S>>& s, const std::vector<std::int32_t>& at) {
  accumulator_of<S> product = widen<S>(S::one());
  for (std::size_t t = 0; t < s.tensors.size(); ++t) {
    std::vector<index_t> index;
    for (const int label : s.n.tensors[t]) index.push_back(at[static_cast<std::size_t>(label)]);
    product = widen<S>(normalise<S>(S::mul(product, widen<S>(s.tensors[t][index]))));
  }
  return product;
}

// All assignments, one after the other; indices in no tensor stay 0.
template <class S>
tensor<value_of<S>> by_plain_loops(const sample<value_of<S>>& s) {
  axis_values extents;
  for (const int label : s.n.open) extents.push_back(s.n.extents[static_cast<std::size_t>(label)]);
  tensor<value_of<S>> result(extents, S::zero());
  std::vector<bool> used(s.n.extents.size(), false);
  for (const auto& labels : s.n.tensors)
    for (const int label : labels) used[static_cast<std::size_t>(label)] = true;
  std::vector<std::int32_t> at(s.n.extents.size(), 0);
  for (;;) {
    std::vector<index_t> index;
    for (const int label : s.n.open) index.push_back(at[static_cast<std::size_t>(label)]);
    value_of<S>& c = result[index];
    c = normalise<S>(S::add(widen<S>(c), product_at<S>(s, at)));
    std::size_t i = 0;
    for (; i < at.size(); ++i) {
      if (!used[i]) continue;
      if (++at[i] < s.n.extents[i]) break;
      at[i] = 0;
    }
    if (i == at.size()) return result;
  }
}

template <class T>
testing::AssertionResult same_elements(const tensor<T>& got, const tensor<T>& want, double bound = 0) {
  if (!(got.extents() == want.extents())) return testing::AssertionFailure() << "the extents differ";
  for (index_t e = 0; e < got.size(); ++e) {
    const T x = got.data()[e], y = want.data()[e];
    const double off = std::abs(static_cast<double>(x) - static_cast<double>(y));
    if (!same(x, y) && !(off <= bound * std::max(1.0, std::abs(static_cast<double>(y)))))
      return testing::AssertionFailure() << "element " << e << " is " << +x << ", not " << +y;
  }
  return testing::AssertionSuccess();
}

template <class S>
value_of<S> small_or_zero(splitmix64& random) {
  return below(random, 6) == 0 ? S::zero() : static_cast<value_of<S>>(below(random, 21) - 10);
}

// Two tensors large enough that their pair is streamed, copied and multiplied as matrices.
template <class T, class Draw>
sample<T> two_large(splitmix64& random, const Draw& draw) {
  sample<T> s;
  const int indices = 14 + below(random, 4);
  s.n.extents.assign(static_cast<std::size_t>(indices), 2);
  s.n.extents[0] = 3;
  std::vector<bool> used(static_cast<std::size_t>(indices), false);
  for (const int size : {10 + below(random, 3), 3 + below(random, 9)}) {
    std::vector<int> labels(static_cast<std::size_t>(indices));
    std::iota(labels.begin(), labels.end(), 0);
    for (int i = indices - 1; i > 0; --i)
      std::swap(labels[static_cast<std::size_t>(i)], labels[static_cast<std::size_t>(below(random, i + 1))]);
    labels.resize(static_cast<std::size_t>(size));
    axis_values extents;
    for (const int label : labels) {
      extents.push_back(s.n.extents[static_cast<std::size_t>(label)]);
      used[static_cast<std::size_t>(label)] = true;
    }
    tensor<T> t(extents, uninitialised{});
    for (index_t e = 0; e < t.size(); ++e) t.data()[e] = draw(random);
    s.n.tensors.push_back(labels);
    s.tensors.push_back(std::move(t));
  }
  for (int i = 0; i < indices; ++i)
    if (used[static_cast<std::size_t>(i)] && below(random, 3) > 0 && s.n.open.size() < 11) s.n.open.push_back(i);
  s.order.pairs = {{0, 1}};
  return s;
}

// The larger of two products, by hand: an algebra of one's own over numbers, which own/gemm.inl.hpp compiles here.
struct likeliest {
  using value_type = double;
  static constexpr const char* name = "likeliest";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr double zero() { return 0; }
  static constexpr double one() { return 1; }
  static constexpr double add(double a, double b) { return a < b ? b : a; }
  static constexpr double mul(double a, double b) { return a * b; }
};

// Two tensors of a pair that both have indices of their own: each is summed over first, in little memory.
template <class S>
void expect_sums_before_products(const context& ctx, bool small_on_processor = true) {
  using T = value_of<S>;
  network n;
  n.extents = {100, 100, 100, 100, 3};
  n.tensors = {{0, 4, 1}, {2, 3}, {4}};
  tensor<T> a({100, 3, 100}, T(1)), b({100, 100}, T(1)), c({3}, T(1));
  a(7, 1, 8) = T(5), b(99, 0) = T(4), c(2) = T(2);
  const std::vector<tensor_view<const T>> views{a, b, c};
  std::array<T, 3> want;
  T whole = S::zero();
  for (int v = 0; v < 3; ++v) {
    T of_a = S::zero(), of_b = S::zero();
    for (index_t i = 0; i < 100; ++i)
      for (index_t j = 0; j < 100; ++j) of_a = S::add(of_a, a(i, v, j)), of_b = S::add(of_b, b(i, j));
    whole = S::add(whole, want[v] = S::mul(S::mul(of_a, of_b), c(v)));
  }
  constexpr std::size_t most_bytes = 16u << 20;  // a device has 1 MB for parts of sums; each product would be 400 MB
  using order_pairs = std::vector<std::pair<int, int>>;
  for (const order_pairs& pairs :
       {order_pairs{{0, 1}, {3, 2}}, order_pairs{{1, 0}, {2, 3}}, order_pairs{{1, 2}, {0, 3}}})
    for (const std::vector<int>& sliced : {std::vector<int>{}, std::vector<int>{4}, std::vector<int>{0, 4}}) {
      contraction_order order;
      order.pairs = pairs, order.sliced = sliced;
      contraction_report report;
      contract_options options{.memory = most_bytes, .report = &report};
      options.small_on_processor = small_on_processor;
      n.open = {};
      EXPECT_EQ(contract(ctx, S{}, n, views, order, options).data()[0], whole);
      EXPECT_LE(report.bytes, most_bytes);
      if constexpr (is_selective<S>) {
        const configuration<T> best = best_configuration(ctx, S{}, n, views, order, options);
        const auto& at = best.values;
        EXPECT_EQ(best.value, whole);
        EXPECT_EQ(S::mul(S::mul(a(at[0], at[4], at[1]), b(at[2], at[3])), c(at[4])), whole);
      }
      if (!sliced.empty()) continue;
      n.open = {4};
      const tensor<T> found = contract(ctx, S{}, n, views, order, options);
      EXPECT_TRUE(std::equal(want.begin(), want.end(), found.data()));
    }
}

}  // namespace kleene::test
