// Contractions on a device beside the same on the CPU: random networks in any order and slices, and one that is large.
#include "networks/contract_samples.hpp"

#include "kleene/algebra/counting.hpp"
#include "kleene/networks/problems.hpp"
#include "kleene/networks/solve.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

template <class S, class Draw>
void agrees_with_plain_loops(const context& ctx, const Draw& draw, double bound = 0) {
  splitmix64 random{7};
  for (int trial = 0; trial < 200; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 7), 1 + below(random, 7), 4, 4, trial % 4}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    if (!sampled()) continue;
    const auto got = contract(ctx, S{}, s.n, s.views(), s.order, {.small_on_processor = false});
    ASSERT_TRUE(same_elements(got, by_plain_loops<S>(s), bound)) << name_of<S>() << " trial " << trial;
  }
  for (int trial = 0; trial < 20; ++trial) {
    const auto s = two_large<value_of<S>>(random, draw);
    if (!sampled()) continue;
    const auto got = contract(ctx, S{}, s.n, s.views(), s.order, {.small_on_processor = false});
    ASSERT_TRUE(same_elements(got, by_plain_loops<S>(s), bound)) << name_of<S>() << " large trial " << trial;
  }
}

TEST(contract_on_cuda, agrees_with_plain_loops) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  agrees_with_plain_loops<min_plus<std::int32_t>>(ctx, small_or_zero<min_plus<std::int32_t>>);
  agrees_with_plain_loops<max_plus<double>>(ctx, small_or_zero<max_plus<double>>);
  agrees_with_plain_loops<max_plus<float>>(ctx, small_or_zero<max_plus<float>>);
  agrees_with_plain_loops<max_plus<std::int64_t>>(ctx, small_or_zero<max_plus<std::int64_t>>);
  agrees_with_plain_loops<or_and<bool>>(ctx, [](splitmix64& random) { return below(random, 3) > 0; });
  agrees_with_plain_loops<plus_times<double>>(ctx, [](splitmix64& random) { return below(random, 5) * 0.5; }, 1e-12);
  agrees_with_plain_loops<log_plus<double>>(ctx, [](splitmix64& random) { return below(random, 5) * 0.5; }, 1e-9);
}

TEST(contract_on_cuda, sums_over_what_one_tensor_has_before_it_multiplies) {
  KLEENE_NEEDS_GPU();
  for (const bool small_on_processor : {false, true}) {
    expect_sums_before_products<max_plus<float>>(context::cuda(), small_on_processor);
    expect_sums_before_products<plus_times<double>>(context::cuda(), small_on_processor);
  }
}

// Sums of so many terms that blocks share them, of few elements and of one.
TEST(contract_on_cuda, long_sums) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  splitmix64 random{5};
  for (const index_t open : {1, 3, 700}) {
    sample<std::int32_t> s;
    s.n.extents = {open, 50, 60, 70};
    s.n.tensors = {{0, 1, 2, 3}, {3, 2, 1}};
    s.n.open = {0};
    for (const axis_values& extents : {axis_values{open, 50, 60, 70}, axis_values{70, 60, 50}}) {
      tensor<std::int32_t> t(extents);
      for (index_t e = 0; e < t.size(); ++e) t.data()[e] = below(random, 100000);
      s.tensors.push_back(std::move(t));
    }
    s.order.pairs = {{0, 1}};
    const auto got = contract(ctx, min_plus<std::int32_t>{}, s.n, s.views(), s.order);
    const auto want = contract(two_threads(), min_plus<std::int32_t>{}, s.n, s.views(), s.order);
    EXPECT_TRUE(same_elements(got, want)) << open;
  }
}

// Largest independent sets and ground states, by an order with tensors of some megabytes, whole and in slices.
TEST(contract_on_cuda, optima_of_graphs) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  splitmix64 random{11};
  coo<std::int32_t> grid;
  grid.rows = grid.cols = 16 * 16;
  for (std::int32_t i = 0; i < 16; ++i)
    for (std::int32_t j = 0; j < 16; ++j) {
      if (j < 15) grid.add(16 * i + j, 16 * i + j + 1, 2 * below(random, 2) - 1);
      if (i < 15) grid.add(16 * i + j, 16 * i + j + 16, 2 * below(random, 2) - 1);
    }
  for (const index_t most : {index_t{1} << 20, index_t{1} << 12}) {
    solve_options options;
    options.assignment = false, options.order.sweeps = 200, options.order.most_elements = most;
    options.small_on_processor = most > 1 << 12;
    const auto energy = ising(undirected(grid));
    EXPECT_EQ(optimum(ctx, energy, options).value, optimum(two_threads(), energy, options).value);
    const auto set = independent_set<float>(undirected(grid));
    EXPECT_EQ(optimum(ctx, set, options).value, 128.0f);
  }
}

// The same configuration as the CPU's, of equal ones too.
template <class S, class Draw>
void agrees_with_the_cpu(const context& ctx, const Draw& draw) {
  splitmix64 random{11};
  int found = 0;
  for (int trial = 0; trial < 200; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 7), 1 + below(random, 9), 4, 4, 0}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    if (!sampled()) continue;
    const auto want = best_configuration(two_threads(), S{}, s.n, s.views(), s.order);
    const auto got = best_configuration(ctx, S{}, s.n, s.views(), s.order, {.small_on_processor = false});
    ASSERT_EQ(got.value, want.value) << "trial " << trial;
    ASSERT_EQ(got.exists, want.exists);
    ASSERT_EQ(got.values, want.values) << "trial " << trial;
    found += got.exists;
  }
  EXPECT_TRUE(found > 100 || sample_one_in() > 1);
}

TEST(contract_on_cuda, configurations) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  agrees_with_the_cpu<min_plus<std::int32_t>>(ctx, small_or_zero<min_plus<std::int32_t>>);
  agrees_with_the_cpu<max_plus<float>>(ctx, small_or_zero<max_plus<float>>);
  agrees_with_the_cpu<max_plus<double>>(ctx, small_or_zero<max_plus<double>>);
  agrees_with_the_cpu<or_and<bool>>(ctx, [](splitmix64& random) { return below(random, 8) > 0; });
}

// A ring whose results do not all fit, and whose last pair has many terms.
TEST(contract_on_cuda, configurations_in_little_memory) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  const context ctx = context::cuda();
  splitmix64 random{13};
  sample<std::int32_t> s;
  const int length = 12, n = 100, tensors = length + 1;
  s.n.extents.assign(length + 1, n);
  for (int t = 0; t < tensors; ++t) {
    s.n.tensors.push_back(t < length ? std::vector<int>{t, t + 1} : std::vector<int>{0, length});
    s.tensors.emplace_back(axis_values{n, n});
    for (index_t e = 0; e < n * n; ++e) s.tensors.back().data()[e] = below(random, 100000);
  }
  for (int t = 1; t < tensors; ++t) s.order.pairs.push_back({t == 1 ? 0 : tensors + t - 2, t});
  contraction_report all, little;
  const auto want = best_configuration(two_threads(), S{}, s.n, s.views(), s.order);
  const auto got = best_configuration(ctx, S{}, s.n, s.views(), s.order, {.small_on_processor = false, .report = &all});
  EXPECT_EQ(got.value, want.value);
  EXPECT_EQ(got.values, want.values);
  const std::size_t memory = all.bytes - 4 * n * n * sizeof(std::int32_t);
  const auto again = best_configuration(ctx, S{}, s.n, s.views(), s.order,
                                        {.memory = memory, .small_on_processor = false, .report = &little});
  EXPECT_EQ(again.values, want.values);
  EXPECT_LE(little.bytes, memory);
}

// Every question of solve.hpp, in the types that it is asked in.
TEST(contract_on_cuda, counts_and_several_of_the_best) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  splitmix64 random{17};
  coo<std::int32_t> grid;
  const std::int32_t n = 9;
  grid.rows = grid.cols = n * n;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) {
      if (j + 1 < n) grid.add(n * i + j, n * i + j + 1, 2 * below(random, 2) - 1);
      if (i + 1 < n) grid.add(n * i + j, n * i + j + n, 2 * below(random, 2) - 1);
    }
  order_options quick;
  quick.sweeps = 50;
  solve_options options;
  const auto ask = [&](const auto& p) {
    const contraction_order order = find_order(p.factors.to_network(), quick);
    options.found = &order, options.small_on_processor = false;
    const auto want = optimum(two_threads(), p, options), got = optimum(ctx, p, options);
    EXPECT_EQ(got.value, want.value);
    EXPECT_EQ(got.assignment, want.assignment);
    EXPECT_EQ(count_optima(ctx, p, options).count, count_optima(two_threads(), p, options).count);
    for (const int best : {3, 11})
      EXPECT_EQ(several_best(ctx, p, best, options).values, several_best(two_threads(), p, best, options).values);
  };
  ask(ising(undirected(grid)));
  ask(independent_set<std::int64_t>(undirected(grid)));
  ask(independent_set<float>(undirected(grid)));
  ask(independent_set<double>(undirected(grid)));
  // 3 colours of a grid: so many that only remainders hold their number.
  const auto colours = proper_coloring<std::int32_t>(undirected(grid), 3);
  const contraction_order order = find_order(colours.factors.to_network(), quick);
  options.found = &order;
  EXPECT_EQ(count_optima(ctx, colours, options).count, count_optima(two_threads(), colours, options).count);
  EXPECT_EQ(count_solutions(ctx, colours.factors, options).count,
            count_solutions(two_threads(), colours.factors, options).count);
}

// A lattice with trees of small tensors on it: the same as on the CPU, with few launches.
TEST(contract_on_cuda, small_pairs_are_the_processors) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  const context ctx = context::cuda();
  splitmix64 random{23};
  sample<std::int32_t> s;
  constexpr int rows = 16, columns = 16, hanging = 20000;
  const auto add = [&](int u, int v) {
    s.n.tensors.push_back({u, v});
    s.tensors.emplace_back(axis_values{2, 2});
    for (index_t e = 0; e < 4; ++e) s.tensors.back().data()[e] = below(random, 100);
  };
  s.n.extents.assign(rows * columns + hanging, 2);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      if (r + 1 < rows) add(c * rows + r, c * rows + r + 1);
      if (c + 1 < columns) add(c * rows + r, (c + 1) * rows + r);
    }
  for (int t = 0; t < hanging; ++t) add(below(random, rows * columns + t), rows * columns + t);
  order_options quick;
  quick.seconds = 0, quick.sweeps = 1;
  s.order = find_order(s.n, quick);
  const auto want = best_configuration(two_threads(), S{}, s.n, s.views(), s.order);
  for (const bool slices : {false, true}) {
    if (slices) s.order.sliced = {7, 8}, s.order.slices = 4;
    contraction_report report;
    EXPECT_EQ(contract(ctx, S{}, s.n, s.views(), s.order, {.report = &report})(), want.value);
    EXPECT_EQ(report.pairs, s.n.size() - 1);
    EXPECT_GT(report.launched, 0);
    EXPECT_LT(report.launched, 480);
    const auto got = best_configuration(ctx, S{}, s.n, s.views(), s.order);
    EXPECT_EQ(got.value, want.value);
    EXPECT_EQ(got.values,
              slices ? best_configuration(two_threads(), S{}, s.n, s.views(), s.order).values : want.values);
  }
}

TEST(contract_on_cuda, what_it_does_not_do_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  network n;
  n.extents = {2}, n.tensors = {{0}, {0}};
  const tensor<float> t({2}, 1.0f);
  const tensor_view<const float> views[] = {t.view(), t.view()};
  contraction_order order;
  order.pairs = {{0, 1}};
  EXPECT_EQ(contract(ctx, max_plus<float>{}, n, views, order)(), 2.0f);
  EXPECT_THROW((void)contract(ctx, max_plus<float>{}, n, views, order, {.memory = 1000, .small_on_processor = false}),
               error);
  EXPECT_TRUE(
      contains(refusal<error>(fault_code::device, [&] { (void)contract(ctx, max_times<float>{}, n, views, order); }),
               "contract has no CUDA kernels for max_times"));
}

}  // namespace
}  // namespace kleene::test
