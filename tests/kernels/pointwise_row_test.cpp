// Products of single elements as a device's threads make them, gone through here beside the CPU's.
#include "kleene/kernels/cpu/pointwise/launch.hpp"
#include "kleene/kernels/cuda/pointwise/row.hpp"

#include "kleene/algebra/semirings.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace kleene::test::pointwise_row_test {
namespace {

using S = min_plus<std::int32_t>;
using G = kernels::gemm_arguments<S>;

struct buffers {
  std::vector<std::int32_t> a, b, c, witness;
};

// C, with holes, and its witness: rows or columns of 5, a batch of 7.
G problem(buffers& x, bool is_column, bool accumulate) {
  x.a.clear(), x.b.clear();
  for (int e = 0; e < 200; ++e) x.a.push_back(e * 37 % 101 - 20), x.b.push_back(e * 53 % 97 - 30);
  x.c.assign(200, -7), x.witness.assign(200, 99);
  G g;
  g.batch = 7, g.m = is_column ? 5 : 1, g.n = is_column ? 1 : 5, g.k = 1;
  g.a = x.a.data(), g.sa = {3, 20, 1}, g.b = x.b.data(), g.sb = {25, 1, 4};
  g.c = x.c.data(), g.sc = {2, 15, 17}, g.witness = x.witness.data(), g.switness = {5, 1, 1};
  if (accumulate) g.d = g.c, g.sd = g.sc;
  return g;
}

TEST(pointwise_row, elements_beside_the_cpu) {
  for (const bool is_column : {false, true})
    for (const bool accumulate : {false, true})
      for (const bool along_batch : {false, true}) {
        buffers want, got;
        ASSERT_TRUE(kernels::cpu::launch_pointwise(problem(want, is_column, accumulate)) == status::ok);
        const G g = problem(got, is_column, accumulate);
        const kernels::cuda::pointwise_axes<G> axes(g, along_batch);
        EXPECT_EQ(axes.inner, along_batch ? 7 : 5);
        for (index_t o = 0; o < axes.outer; ++o) {
          const kernels::cuda::pointwise_row<G> row(g, axes, o);
          for (index_t i = 0; i < axes.inner; ++i) EXPECT_FALSE(row.store(i, row.left(i), row.right(i)));
        }
        EXPECT_EQ(got.c, want.c);
        EXPECT_EQ(got.witness, want.witness);
      }
}

TEST(pointwise_row, results_that_do_not_fit) {
  buffers x;
  G g = problem(x, true, false);
  x.a.assign(200, 200000000), x.b.assign(200, 200000000);
  const kernels::cuda::pointwise_axes<G> axes(g, false);
  const kernels::cuda::pointwise_row<G> row(g, axes, 0);
  EXPECT_TRUE(row.store(0, row.left(0), row.right(0)));
}

}  // namespace
}  // namespace kleene::test::pointwise_row_test
