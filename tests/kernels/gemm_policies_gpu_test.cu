// Rows of the table of tile policies, whatever shape they are tuned for, and each way of copying, at the edges of their
// tiles. (Those of witnesses and of long steps are the only ones of their products: gemm_gpu_test.cpp runs them.)
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/device.hpp"

namespace kleene::test {
namespace {

using namespace kernels::cuda;

// gemm with one policy against the reference on the host: sizes around multiples of its tile, a long k, and a promise.
template <class S, class Policy>
void check_policy(distribution values, std::optional<sign_class> signs = {}) {
  const context ctx = context::cuda();
  constexpr simt_policy p = Policy::value;
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{{p.bm, p.bn, p.bk},
                                                                             {p.bm + 1, p.bn - 1, p.bk + 1},
                                                                             {p.bm - 1, p.bn + 1, 2 * p.bk - 1},
                                                                             {2 * p.bm + 3, 5, 3 * p.bk},
                                                                             {1, p.bn, 700}}) {
    const matrix<value_of<S>> a = problems::random_matrix<S>(m, k, values, 1),
                              b = problems::random_matrix<S>(k, n, values, 2);
    const matrix<value_of<S>> d = problems::random_matrix<S>(m, n, values, 3);
    for (const bool accumulate : {false, true}) {
      matrix<value_of<S>> want = d;
      gemm(context::cpu(), S{}, a, b, want, {.accumulate = accumulate});
      device_matrix<value_of<S>> c = to_device(ctx, d);
      gemm_with<Policy>(ctx, S{}, to_device(ctx, a), to_device(ctx, b), c, {.accumulate = accumulate, .signs = signs});
      EXPECT_TRUE(equal(to_host(ctx, c), want))
          << S::name << " " << m << "x" << n << "x" << k << (accumulate ? " accumulate" : "");
    }
  }
}

template <workload Row>
struct by_cp_async {
  static constexpr simt_policy value = [] {
    simt_policy p = tuned<Row>::value;
    p.copy = copies::async;
    p.stages = 3;
    return p;
  }();
};

constexpr auto exact = distribution::small_integers, negative = distribution::signed_integers;

TEST(gemm_policies, four_bytes) {
  KLEENE_NEEDS_GPU();
  check_policy<min_plus<f32>, tuned<workload::four_bytes>>(exact),
      check_policy<min_plus<f32>, tuned<workload::four_bytes>>(negative);
}
TEST(gemm_policies, four_bytes_few_tiles) {
  KLEENE_NEEDS_GPU();
  check_policy<max_plus<f32>, tuned<workload::four_bytes_few_tiles>>(exact, sign_class::non_negative),
      check_policy<max_plus<f32>, tuned<workload::four_bytes_few_tiles>>(negative);
}
TEST(gemm_policies, four_bytes_fewer_tiles) {
  KLEENE_NEEDS_GPU();
  check_policy<min_plus<i32>, tuned<workload::four_bytes_fewer_tiles>>(negative);
}
TEST(gemm_policies, four_bytes_one_round) {
  KLEENE_NEEDS_GPU();
  check_policy<min_plus<f32>, tuned<workload::four_bytes_one_round>>(exact),
      check_policy<min_plus<f32>, tuned<workload::four_bytes_one_round>>(negative);
  check_policy<max_plus<f32>, tuned<workload::four_bytes_one_round>>(exact, sign_class::non_negative),
      check_policy<min_plus<i32>, by_cp_async<workload::four_bytes_one_round>>(negative);
}
TEST(gemm_policies, sums) {
  KLEENE_NEEDS_GPU();
  check_policy<plus_times<f32>, tuned<workload::sums>>(negative);
}
TEST(gemm_policies, counts) {
  KLEENE_NEEDS_GPU();
  check_policy<or_and<f32>, tuned<workload::counts>>(exact), check_policy<xor_and<i32>, tuned<workload::counts>>(exact);
}
TEST(gemm_policies, eight_bytes) {
  KLEENE_NEEDS_GPU();
  check_policy<min_plus<f64>, tuned<workload::eight_bytes>>(negative);
}
TEST(gemm_policies, wide) {
  KLEENE_NEEDS_GPU();
  check_policy<min_plus<f64>, tuned<workload::wide>>(negative);
}
TEST(gemm_policies, small) {
  KLEENE_NEEDS_GPU();
  check_policy<min_plus<f32>, tuned<workload::small>>(negative);
}
TEST(gemm_policies, cp_async) {
  KLEENE_NEEDS_GPU();
  check_policy<max_min<f32>, by_cp_async<workload::four_bytes_few_tiles>>(negative),
      check_policy<max_min<f32>, by_cp_async<workload::four_bytes_few_tiles>>(exact);
}

struct doubled {
  KLEENE_FUNCTION double operator()(float value, index_t, index_t) const { return 2.0 * value; }
};
TEST(gemm_policies, with_an_epilogue_that_changes_the_type) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const device_matrix<float> a = to_device(ctx, matrix<float>(70, 70, 3));
  device_matrix<double> c(ctx, 70, 70);
  gemm_with<tuned<workload::four_bytes>>(ctx, min_plus<f32>{}, a, a, c, gemm_options<none, doubled>{});
  EXPECT_EQ(to_host(ctx, c)(69, 69), 12);
}

}  // namespace
}  // namespace kleene::test
