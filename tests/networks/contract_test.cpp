// Networks contracted over several algebras, beside plain loops over all assignments.
#include "networks/contract_samples.hpp"

#include "kleene/algebra/counting.hpp"

#include <limits>

namespace kleene::test::contract_test {
namespace {

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

template <class S, class Draw>
void agrees_where_pairs_are_large(const Draw& draw) {
  splitmix64 random{3};
  for (int trial = 0; trial < 60; ++trial) {
    const auto s = two_large<value_of<S>>(random, draw);
    const auto got = contract(two_threads(), S{}, s.n, s.views(), s.order);
    ASSERT_TRUE(same_elements(got, by_plain_loops<S>(s))) << "trial " << trial;
  }
}

TEST(contract, agrees_with_plain_loops_where_pairs_are_large) {
  agrees_where_pairs_are_large<max_plus<float>>(small_or_zero<max_plus<float>>);
  agrees_where_pairs_are_large<min_plus<std::int32_t>>(small_or_zero<min_plus<std::int32_t>>);
  agrees_where_pairs_are_large<or_and<bool>>([](splitmix64& random) { return below(random, 3) > 0; });
}

TEST(contract, takes_algebras_of_ones_own) {
  agrees_with_plain_loops<likeliest>([](splitmix64& random) { return below(random, 5) * 0.5; });
  agrees_where_pairs_are_large<likeliest>([](splitmix64& random) { return below(random, 5) * 0.5; });
}

// The best value and how many terms have it, each by plain loops.
template <class S>
void counts_as_plain_loops() {
  const auto draw = [](splitmix64& random) { return S::of(below(random, 8) == 0 ? -HUGE_VAL : below(random, 3)); };
  splitmix64 random{19};
  const auto agrees = [](const sample<value_of<S>>& s) {
    const auto got = contract(two_threads(), S{}, s.n, s.views(), s.order);
    const auto want = by_plain_loops<S>(s);
    return std::equal(got.data(), got.data() + got.size(), want.data(), want.data() + want.size());
  };
  for (int trial = 0; trial < 200; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 7), 1 + below(random, 7), 4, 4, trial % 4}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    ASSERT_TRUE(agrees(s)) << "trial " << trial;
  }
  for (int trial = 0; trial < 60; ++trial) ASSERT_TRUE(agrees(two_large<value_of<S>>(random, draw))) << trial;
}

TEST(contract, counts) {
  counts_as_plain_loops<counting<max_plus<double>, plus_times<double>>>();
  counts_as_plain_loops<counting<max_plus<float>, plus_times<float>>>();
  counts_as_plain_loops<counting<max_plus<double>>>();
}

// A sum of 2^16 terms over structs, which gemm has no part in.
TEST(contract, sums_more_terms_than_are_tabulated) {
  using S = counting<max_plus<double>, plus_times<double>>;
  sample<value_of<S>> s;
  s.n.extents = {256, 256, 2};
  s.n.tensors = {{0, 1}, {2, 0, 1}};
  s.n.open = {2};
  s.tensors.emplace_back(axis_values{256, 256}, S::of(1));
  s.tensors.emplace_back(axis_values{2, 256, 256}, S::of(2));
  s.tensors[0](7, 9) = S::of(4), s.tensors[1](1, 200, 100) = S::of(5);
  s.order.pairs = {{0, 1}};
  const auto got = contract(two_threads(), S{}, s.n, s.views(), s.order);
  EXPECT_EQ(got(0).value, 6);
  EXPECT_EQ(got(0).count, 1);
  EXPECT_EQ(got(1).value, 6);
  EXPECT_EQ(got(1).count, 2);
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

// A chain of four matrices of numbers with rounding, its inner index sliced: 64 slices over two indices, or 8 over one.
sample<double> sliced_chain() {
  splitmix64 random{31};
  sample<double> s;
  s.n.extents = {5, 8, 6, 8, 5};
  s.n.open = {0, 4};
  s.n.tensors = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  for (const auto& labels : s.n.tensors) {
    s.tensors.emplace_back(axis_values{s.n.extents[std::size_t(labels[0])], s.n.extents[std::size_t(labels[1])]});
    for (index_t e = 0; e < s.tensors.back().size(); ++e)
      s.tensors.back().data()[e] = static_cast<double>(random() >> 11) * 0x1p-53;
  }
  s.order.pairs = {{0, 1}, {2, 3}, {4, 5}};
  s.order.sliced = {1, 3};
  return s;
}

TEST(contract, slices_of_floats_are_added_in_their_order_by_any_threads) {
  using S = plus_times<double>;
  const auto s = sliced_chain();
  const auto want = contract(context::cpu({.threads = 1}), S{}, s.n, s.views(), s.order);
  EXPECT_TRUE(same_elements(want, by_plain_loops<S>(s), 1e-12));
  for (const int threads : {2, 3, 8}) {
    const context ctx = context::cpu({.threads = threads});
    for (int again = 0; again < 20; ++again)
      ASSERT_TRUE(same_elements(contract(ctx, S{}, s.n, s.views(), s.order), want)) << threads;
  }
}

TEST(contract, each_thread_has_a_workspace_where_memory_holds_them) {
  using S = plus_times<double>;
  const auto s = sliced_chain();
  const auto bytes = [&](int threads, std::size_t memory) {
    contraction_report report;
    (void)contract(context::cpu({.threads = threads}), S{}, s.n, s.views(), s.order,
                   {.memory = memory, .report = &report});
    return report.bytes;
  };
  const std::size_t result = 25 * sizeof(double), one = bytes(1, 0) - result;
  EXPECT_EQ(bytes(4, 0), 4 * one + result);
  EXPECT_EQ(bytes(4, 4 * one + result), 4 * one + result);
  EXPECT_EQ(bytes(4, 4 * one + result - 1), one + result);
  EXPECT_EQ(bytes(48, 0), one + result);  // 64 slices: some would wait for the others' second one
}

TEST(contract, a_slice_that_fails_ends_the_others) {
  using S = max_plus<std::int32_t>;
  network n;
  n.extents = {64, 3};
  n.tensors = {{0, 1}, {1}};
  tensor<std::int32_t> a({64, 3}, 1);
  const tensor<std::int32_t> b({3}, (1 << 28) - 2);
  a(40, 1) = (1 << 28) - 2;
  contraction_order order;
  order.pairs = {{0, 1}};
  order.sliced = {0};
  const std::vector<tensor_view<const std::int32_t>> views{a, b};
  for (const int threads : {1, 4})
    EXPECT_TRUE(contains(
        refusal<value_error>(fault_code::bad_input,
                             [&] { (void)contract(context::cpu({.threads = threads}), S{}, n, views, order); }),
        "too large"))
        << threads;
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

TEST(contract, sums_over_what_one_tensor_has_before_it_multiplies) {
  expect_sums_before_products<max_plus<float>>(two_threads());
  expect_sums_before_products<plus_times<std::int64_t>>(two_threads());
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
  EXPECT_TRUE(contains(said, "bytes of workspace, but 10000 bytes are allowed")) << said;
  contraction_report report;
  EXPECT_EQ(contract(two_threads(), S{}, n, views, order, {.memory = 40000, .report = &report}).data()[0], 6);
  EXPECT_GE(report.bytes, 64u * 64u * 4u);
  order.sliced = {0};
  EXPECT_EQ(contract(two_threads(), S{}, n, views, order, {.memory = 10000}).data()[0], 6);
}

}  // namespace
}  // namespace kleene::test::contract_test
