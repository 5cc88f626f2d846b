// Sums of bottlenecks over bytes on a CUDA device, on its ordinary units.
#pragma nv_diag_suppress 186  // whether a value is negative is asked of unsigned ones, too
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/device.hpp"

namespace kleene::test {
namespace {

TEST(plus_min_bytes_on_cuda, sums_in_64_bits) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda<plus_min<u8>, none, std::int64_t>();
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{{1, 1, 1}, {5, 65, 9}, {130, 257, 700}}) {
    matrix<u8> a(m, k), b(k, n);
    problems::generator g(static_cast<std::uint64_t>(m + n + k));
    for (index_t e = 0; e < a.size(); ++e) a.data()[e] = static_cast<u8>(g.below(256));
    for (index_t e = 0; e < b.size(); ++e) b.data()[e] = static_cast<u8>(g.below(256));
    matrix<std::int64_t> want(m, n, 0);
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j)
        for (index_t l = 0; l < k; ++l) want(i, j) += std::min(a(i, l), b(l, j));
    device_matrix<std::int64_t> c(ctx, m, n);
    const auto there = to_device(ctx, a), also_there = to_device(ctx, b);
    gemm(ctx, plus_min<u8>{}, there, also_there, c);
    EXPECT_TRUE(equal(to_host(ctx, c), want)) << m << " " << n << " " << k;
  }
}

}  // namespace
}  // namespace kleene::test
