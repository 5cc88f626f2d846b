// Networks contracted over several algebras, beside plain loops over all assignments.
#include "kleene/networks/contract.hpp"

#include "kleene/data/splitmix64.hpp"
#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace kleene::test {
namespace {

const context& two_threads() {
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

int below(splitmix64& random, int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); }

// Any two tensors that are left, until one is.
std::vector<std::pair<int, int>> any_pairs(splitmix64& random, int tensors) {
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

void slice(splitmix64& random, network& n, contraction_order& order) {
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

template <class S, class Draw>
void agrees_with_plain_loops(const Draw& draw, double bound = 0) {
  splitmix64 random{7};
  for (int trial = 0; trial < 400; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 7), 1 + below(random, 7), 4, 4, trial % 4}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    const auto got = contract(two_threads(), S{}, s.n, s.views(), s.order);
    ASSERT_TRUE(same_elements(got, by_plain_loops<S>(s), bound)) << "trial " << trial;
  }
}

template <class S>
value_of<S> small_or_zero(splitmix64& random) {
  return below(random, 6) == 0 ? S::zero() : static_cast<value_of<S>>(below(random, 21) - 10);
}

TEST(contract, agrees_with_plain_loops_over_selective_algebras) {
  agrees_with_plain_loops<min_plus<std::int32_t>>(small_or_zero<min_plus<std::int32_t>>);
  agrees_with_plain_loops<max_plus<double>>(small_or_zero<max_plus<double>>);
  agrees_with_plain_loops<max_plus<std::int64_t>>(small_or_zero<max_plus<std::int64_t>>);
  agrees_with_plain_loops<or_and<bool>>([](splitmix64& random) { return below(random, 3) > 0; });
}

TEST(contract, agrees_with_plain_loops_over_sums) {
  agrees_with_plain_loops<plus_times<double>>([](splitmix64& random) { return below(random, 5) * 0.5; }, 1e-12);
  agrees_with_plain_loops<log_plus<double>>([](splitmix64& random) { return below(random, 5) * 0.5; }, 1e-9);
  agrees_with_plain_loops<plus_times<std::int32_t>>([](splitmix64& random) { return below(random, 3) - 1; });
}

// Tensors large enough that pairs are streamed, copied and multiplied as matrices.
template <class S, class Draw>
void agrees_where_pairs_are_large(const Draw& draw) {
  splitmix64 random{3};
  for (int trial = 0; trial < 60; ++trial) {
    sample<value_of<S>> s;
    const int indices = 14 + below(random, 4);
    s.n.extents.assign(static_cast<std::size_t>(indices), 2);
    s.n.extents[0] = 3;
    const int sizes[] = {10 + below(random, 3), 3 + below(random, 8)};
    for (const int size : sizes) {
      std::vector<int> labels(static_cast<std::size_t>(indices));
      for (int i = 0; i < indices; ++i) labels[static_cast<std::size_t>(i)] = i;
      for (int i = indices - 1; i > 0; --i)
        std::swap(labels[static_cast<std::size_t>(i)], labels[static_cast<std::size_t>(below(random, i + 1))]);
      labels.resize(static_cast<std::size_t>(size));
      axis_values extents;
      for (const int label : labels) extents.push_back(s.n.extents[static_cast<std::size_t>(label)]);
      tensor<value_of<S>> t(extents);
      for (index_t e = 0; e < t.size(); ++e) t.data()[e] = draw(random);
      s.n.tensors.push_back(labels);
      s.tensors.push_back(std::move(t));
    }
    for (int i = 0; i < indices; ++i) {
      bool is_used = false;
      for (const auto& labels : s.n.tensors) is_used |= std::find(labels.begin(), labels.end(), i) != labels.end();
      if (is_used && below(random, 3) > 0 && s.n.open.size() < 11) s.n.open.push_back(i);
    }
    s.order.pairs = {{0, 1}};
    const auto got = contract(two_threads(), S{}, s.n, s.views(), s.order);
    ASSERT_TRUE(same_elements(got, by_plain_loops<S>(s))) << "trial " << trial;
  }
}

TEST(contract, agrees_with_plain_loops_where_pairs_are_large) {
  agrees_where_pairs_are_large<max_plus<float>>(small_or_zero<max_plus<float>>);
  agrees_where_pairs_are_large<min_plus<std::int32_t>>(small_or_zero<min_plus<std::int32_t>>);
  agrees_where_pairs_are_large<or_and<bool>>([](splitmix64& random) { return below(random, 3) > 0; });
}

// A row of tensors with long indices, of which all are matrices: gemm's part.
TEST(contract, multiplies_matrices) {
  using S = min_plus<std::int32_t>;
  splitmix64 random{5};
  const index_t sides[] = {40, 50, 60, 35};
  sample<std::int32_t> s;
  s.n.extents.assign(std::begin(sides), std::end(sides));
  s.n.open = {3, 0};
  s.n.tensors = {{0, 1}, {1, 2}, {2, 3}};
  for (int t = 0; t < 3; ++t) {
    s.tensors.emplace_back(axis_values{sides[t], sides[t + 1]});
    for (index_t e = 0; e < s.tensors.back().size(); ++e) s.tensors.back().data()[e] = below(random, 1000);
  }
  s.order.pairs = {{2, 1}, {0, 3}};
  tensor<std::int32_t> half({40, 60}, S::zero()), want({35, 40}, S::zero());
  for (index_t i = 0; i < 40; ++i)
    for (index_t k = 0; k < 60; ++k)
      for (index_t j = 0; j < 50; ++j) half(i, k) = std::min(half(i, k), s.tensors[0](i, j) + s.tensors[1](j, k));
  for (index_t i = 0; i < 40; ++i)
    for (index_t l = 0; l < 35; ++l)
      for (index_t k = 0; k < 60; ++k) want(l, i) = std::min(want(l, i), half(i, k) + s.tensors[2](k, l));
  EXPECT_TRUE(same_elements(contract(two_threads(), S{}, s.n, s.views(), s.order), want));
  s.order.sliced = {1};
  EXPECT_TRUE(same_elements(contract(two_threads(), S{}, s.n, s.views(), s.order), want));
}

TEST(contract, what_little_there_is) {
  using S = plus_times<double>;
  network n;
  EXPECT_EQ(contract(two_threads(), S{}, n, {}, {}).data()[0], 1);
  n.extents = {3, 5, 0};
  n.tensors = {{0, 0}};  // a diagonal; index 1 is nowhere
  tensor<double> t({3, 3}, 0.0);
  t(0, 0) = 1, t(1, 1) = 2, t(2, 2) = 4, t(0, 1) = 100;
  EXPECT_EQ(contract(two_threads(), S{}, n, std::vector{tensor_view<const double>(t)}, {}).data()[0], 7);
  contraction_order sliced;
  sliced.sliced = {0};
  contraction_report report;
  EXPECT_EQ(
      contract(two_threads(), S{}, n, std::vector{tensor_view<const double>(t)}, sliced, {.report = &report}).data()[0],
      7);
  EXPECT_EQ(report.slices, 3);
  n.tensors = {{0, 2}};  // a sum over nothing
  const tensor<double> empty({3, 0});
  EXPECT_EQ(contract(two_threads(), S{}, n, std::vector{tensor_view<const double>(empty)}, {}).data()[0], 0);
}

TEST(contract, refuses_with_the_numbers) {
  using S = min_plus<std::int32_t>;
  network n;
  n.extents = {2, 3};
  n.tensors = {{0, 1}, {1}};
  const tensor<std::int32_t> a({2, 3}, 1), b({3}, 1), wrong({2}, 1);
  using views = std::vector<tensor_view<const std::int32_t>>;
  contraction_order order;
  order.pairs = {{0, 1}};
  const auto said = [&](const network& net, const views& tensors, const contraction_order& by) {
    return refusal<argument_error>(fault_code::bad_input,
                                   [&] { (void)contract(two_threads(), S{}, net, tensors, by); });
  };
  EXPECT_TRUE(contains(said(n, views{a, wrong}, order), "tensor 1 is 2, but index 1"));
  EXPECT_TRUE(contains(said(n, views{a}, order), "2 tensors, but 1"));
  EXPECT_TRUE(contains(said(n, views{a, a}, order), "rank 2"));
  EXPECT_TRUE(contains(said(n, views{a, b}, {}), "1 pairs, not 0"));
  contraction_order twice = order;
  twice.pairs = {{0, 0}};
  EXPECT_TRUE(contains(said(n, views{a, b}, twice), "pair 0"));
  contraction_order sliced = order;
  sliced.sliced = {0, 0};
  EXPECT_TRUE(contains(said(n, views{a, b}, sliced), "index 0 is sliced"));
  const tensor<std::int32_t> outside({3}, std::numeric_limits<std::int32_t>::max());
  EXPECT_TRUE(contains(said(n, views{a, outside}, order), "tensor 1(0)"));
  const tensor<std::int32_t> high({3}, (1 << 28) - 2), higher({2, 3}, (1 << 28) - 2);
  EXPECT_TRUE(contains(said(n, views{higher, high}, order), "too large"));
}

TEST(contract, counts_its_memory_before_it_runs) {
  using S = max_plus<float>;
  network n;
  n.extents = {64, 64, 2};
  n.tensors = {{0}, {1}, {0, 1}};
  const tensor<float> a({64}, 1), b({64}, 2), c({64, 64}, 3);
  const std::vector<tensor_view<const float>> views{a, b, c};
  contraction_order order;
  order.pairs = {{0, 1}, {2, 3}};
  const std::string said = refusal<error>(
      fault_code::memory, [&] { (void)contract(two_threads(), S{}, n, views, order, {.memory = 10000}); });
  EXPECT_TRUE(contains(said, "64 x 64") || contains(said, "bytes of workspace, but 10000 bytes are allowed")) << said;
  contraction_report report;
  EXPECT_EQ(contract(two_threads(), S{}, n, views, order, {.memory = 40000, .report = &report}).data()[0], 6);
  EXPECT_GE(report.bytes, 64u * 64u * 4u);
  order.sliced = {0};
  EXPECT_EQ(contract(two_threads(), S{}, n, views, order, {.memory = 10000}).data()[0], 6);
}

template <class S, class Draw>
void finds_a_configuration(const Draw& draw) {
  splitmix64 random{11};
  int found = 0;
  for (int trial = 0; trial < 400; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 7), 1 + below(random, 9), 4, 4, 0}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    const auto want = by_plain_loops<S>(s).data()[0];
    const auto got = best_configuration(two_threads(), S{}, s.n, s.views(), s.order);
    ASSERT_EQ(got.value, want) << "trial " << trial;
    ASSERT_EQ(got.exists, !(want == S::zero()));
    if (!got.exists) continue;
    ++found;
    ASSERT_EQ(got.values.size(), s.n.extents.size());
    ASSERT_EQ(normalise<S>(product_at<S>(s, got.values)), want) << "trial " << trial;
  }
  EXPECT_GT(found, 200);
}

TEST(contract, finds_a_configuration) {
  finds_a_configuration<min_plus<std::int32_t>>(small_or_zero<min_plus<std::int32_t>>);
  finds_a_configuration<max_plus<float>>(small_or_zero<max_plus<float>>);
  finds_a_configuration<or_and<bool>>([](splitmix64& random) { return below(random, 8) > 0; });
}

// A chain, of which each result is 4 KiB and more: as little memory as the value itself takes is enough, whatever has
// to be contracted again.
TEST(contract, finds_a_configuration_in_little_memory) {
  using S = min_plus<std::int32_t>;
  splitmix64 random{13};
  sample<std::int32_t> s;
  const int length = 12;
  s.n.extents.assign(length + 2, 40);
  for (int t = 0; t <= length; ++t) {
    s.n.tensors.push_back({t, t + 1});
    s.tensors.emplace_back(axis_values{40, 40});
    for (index_t e = 0; e < 1600; ++e) s.tensors.back().data()[e] = below(random, 100000);
  }
  s.n.tensors.push_back({0, length + 1});
  s.tensors.emplace_back(axis_values{40, 40}, 0);
  for (int t = 1; t < length + 2; ++t) s.order.pairs.push_back({t == 1 ? 0 : length + t, t});
  contraction_report all, little;
  const auto want = best_configuration(two_threads(), S{}, s.n, s.views(), s.order, {.report = &all});
  std::size_t needed = all.bytes;
  while (needed > 0) {
    try {
      const auto got = best_configuration(two_threads(), S{}, s.n, s.views(), s.order,
                                          {.memory = needed * 3 / 4, .report = &little});
      ASSERT_EQ(got.value, want.value);
      ASSERT_EQ(normalise<S>(product_at<S>(s, got.values)), want.value);
      ASSERT_LE(little.bytes, needed * 3 / 4);
      needed = needed * 3 / 4;
    } catch (const error& e) {
      EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(fault_code::memory));
      break;
    }
  }
  EXPECT_LT(needed * 3, all.bytes);
}

}  // namespace
}  // namespace kleene::test
