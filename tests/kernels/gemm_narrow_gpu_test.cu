// Tropical products of 8 and 16 bits on a CUDA device, against the reference.
#include "kleene/operations/own/gemm.inl.cuh"

#include "kleene/kernels/reference/gemm.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

template <class S>
void check_narrow(problems::distribution values) {
  using T = value_of<S>;
  const context ctx = context::cuda();
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{
           {1, 1, 1}, {3, 4, 5}, {70, 65, 33}, {129, 130, 600}, {40, 256, 0}}) {
    const matrix<T> a = problems::random_matrix<S>(m, k, values, 1), b = problems::random_matrix<S>(k, n, values, 2);
    matrix<T> want(m, n);
    matrix<std::int32_t> first(m, n);
    kernels::gemm_arguments<S> g;
    g.m = m, g.n = n, g.k = k;
    g.a = a.data(), g.sa = {0, k, 1};
    g.b = b.data(), g.sb = {0, n, 1};
    g.c = want.data(), g.sc = {0, n, 1};
    g.witness = first.data(), g.switness = {0, n, 1};
    ASSERT_EQ(kernels::reference::gemm(g), status::ok);
    device_matrix<T> c(ctx, m, n), with_witness(ctx, m, n);
    device_matrix<std::int32_t> witness(ctx, m, n);
    const auto at_a = to_device(ctx, a), at_b = to_device(ctx, b);
    gemm(ctx, S{}, at_a, at_b, c);
    gemm(ctx, S{}, at_a, at_b, with_witness, witness);
    const std::string what = name_of<S>() + " " + type_name<T> + " " + std::to_string(m) + "x" + std::to_string(n);
    EXPECT_TRUE(equal(to_host(ctx, c), want)) << what;
    EXPECT_TRUE(equal(to_host(ctx, with_witness), want)) << what;
    EXPECT_TRUE(equal(to_host(ctx, witness), first)) << what;
  }
}
template <class S>
void check_narrow() {
  KLEENE_NEEDS_GPU();
  enable_cuda<S>();
  for (const auto values : {problems::distribution::infinities, problems::distribution::sparse})
    check_narrow<S>(values);
}

TEST(gemm_narrow_on_cuda, unsigned_bytes) { check_narrow<min_plus<u8>>(); }
TEST(gemm_narrow_on_cuda, unsigned_16_bits) { check_narrow<min_plus<u16>>(); }
TEST(gemm_narrow_on_cuda, signed_16_bits) {
  check_narrow<min_plus<i16>>();
  check_narrow<max_plus<i16>>();
}
TEST(gemm_narrow_on_cuda, minimax_of_bytes) { check_narrow<max_min<u8>>(); }

}  // namespace
}  // namespace kleene::test
