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
    const auto got = contract(ctx, S{}, s.n, s.views(), s.order);
    ASSERT_TRUE(same_elements(got, by_plain_loops<S>(s), bound)) << name_of<S>() << " trial " << trial;
  }
  for (int trial = 0; trial < 20; ++trial) {
    const auto s = two_large<value_of<S>>(random, draw);
    if (!sampled()) continue;
    const auto got = contract(ctx, S{}, s.n, s.views(), s.order);
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
    const auto energy = ising(undirected(grid));
    EXPECT_EQ(optimum(ctx, energy, options).value, optimum(two_threads(), energy, options).value);
    const auto set = independent_set<float>(undirected(grid));
    EXPECT_EQ(optimum(ctx, set, options).value, 128.0f);
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
  EXPECT_THROW((void)best_configuration(ctx, max_plus<float>{}, n, views, order), error);
  EXPECT_EQ(contract(ctx, max_plus<float>{}, n, views, order)(), 2.0f);
  EXPECT_THROW((void)contract(ctx, max_plus<float>{}, n, views, order, {.memory = 1000}), error);
}

}  // namespace
}  // namespace kleene::test
