// Real mdspans, libcu++'s, as arguments: on the host in every layout, and over device memory.
#include "kleene/data/mdspan.cuh"
#include "kleene/operations/gemm.hpp"
#include "support/device.hpp"

#include <cuda/std/mdspan>

#include <cuda_fp16.h>

#include <numeric>

using namespace kleene;  // and cuda::std is still libcu++'s

namespace {

using extents = cuda::std::dims<2>;

TEST(mdspan, every_layout_on_the_host) {
  float a[12], c[4];
  std::iota(a, a + 12, 0.0f);
  const cuda::std::mdspan right(a, extents(2, 3));
  static_assert(std::is_same_v<decltype(as_view(right)), matrix_view<float>>);
  EXPECT_EQ(as_view(right)(1, 2), 5);
  const cuda::std::mdspan<float, extents, cuda::std::layout_left> left(a, extents(2, 3));
  EXPECT_EQ(as_view(left)(1, 2), 5);
  EXPECT_EQ(as_view(left)(0, 1), 2);
  const cuda::std::layout_stride::mapping<extents> steps(extents(2, 3), cuda::std::array<long, 2>{6, 2});
  const cuda::std::mdspan<const float, extents, cuda::std::layout_stride> strided(a, steps);
  static_assert(std::is_same_v<decltype(as_view(strided)), matrix_view<const float>>);
  EXPECT_EQ(as_view(strided)(1, 2), 10);
  const cuda::std::mdspan<float, cuda::std::extents<int, 3, 2>> fixed(a);
  const cuda::std::mdspan out(c, extents(2, 2));
  gemm(context::cpu({.threads = 1}), min_plus<float>{}, strided, fixed, out);
  EXPECT_EQ(out(0, 0), 0);  // 0 0 + 0 0, 2 + 2, 4 + 4
  EXPECT_EQ(out(1, 1), 7);  // 6 + 1, 8 + 3, 10 + 5
}

TEST(mdspan, of_device_memory) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const context ctx = context::cuda();
  device_matrix<float> a = to_device(ctx, matrix<float>{{0, 1, 2}, {3, 4, 5}}), c(ctx, 2, 2);
  const cuda::std::mdspan x(a.data(), extents(2, 3));
  const cuda::std::mdspan<float, extents, cuda::std::layout_left> y(a.data(), extents(3, 2));  // its transpose
  gemm(ctx, max_plus<float>{}, as_view<memory::device>(x), as_view<memory::device>(y), c);
  const matrix<float> got = to_host(ctx, c);
  EXPECT_EQ(got(0, 0), 4);   // 2 + 2
  EXPECT_EQ(got(1, 0), 7);   // 5 + 2
  EXPECT_EQ(got(1, 1), 10);  // 5 + 5
#if __has_include(<cuda/__mdspan/host_device_accessor.h>)
  const cuda::device_mdspan<float, extents> z(a.data(), extents(2, 3));
  static_assert(decltype(as_view(z))::space == memory::device);
  gemm(ctx, max_plus<float>{}, z, as_view<memory::device>(y), c);
  EXPECT_EQ(to_host(ctx, c)(1, 0), 7);
#endif
}

TEST(pointers, to_device_memory_with_a_leading_dimension) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const context ctx = context::cuda();
  device_matrix<float> a = to_device(ctx, matrix<float>{{0, 1, 2}, {3, 4, 5}}), c(ctx, 1, 2);
  const float* const p = a.data();
  gemm(ctx, min_plus<float>{}, row_major<memory::device>(p, 1, 2, 3), column_major<memory::device>(p + 1, 2, 2, 3), c);
  const matrix<float> got = to_host(ctx, c);
  EXPECT_EQ(got(0, 0), 1);  // 0 + 1, 1 + 2
  EXPECT_EQ(got(0, 1), 4);  // 0 + 4, 1 + 5
}

TEST(pointers, to_halves) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const context ctx = context::cuda();
  const matrix<__half> a(16, 16, __half(2.0f));
  const device_matrix<__half> d = to_device(ctx, a);
  device_matrix<float> c(ctx, 16, 16);
  gemm(ctx, plus_times<f16>{}, row_major<memory::device>(d.data(), 16, 16), d, c);
  EXPECT_EQ(to_host(ctx, c)(15, 15), 64);
}

}  // namespace
