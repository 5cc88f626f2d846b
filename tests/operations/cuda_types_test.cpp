// CUDA's floats of 16 bits as elements: here they are what the forward declarations of algebra/half.hpp see of them.
#include "kleene/operations/gemm.hpp"
#include "support/equal.hpp"

struct __half {
  std::uint16_t bits;
};
struct __nv_bfloat16 {
  std::uint16_t bits;
};

namespace kleene::test::cuda_types_test {
namespace {

TEST(cuda_types, halves_are_read_as_f16) {
  const __half a[] = {{0x3C00}, {0x4000}, {0x4200}, {0x4400}};  // 1, 2; 3, 4
  __half c[4] = {};
  const context ctx = context::cpu({.threads = 1});
  gemm(ctx, plus_times<f16>{}, row_major(a, 2, 2), row_major(a, 2, 2), row_major(c, 2, 2));
  EXPECT_EQ(c[0].bits, 0x4700);  // 7
  EXPECT_EQ(c[3].bits, 0x4D80);  // 22
  matrix<float> sums(2, 2);
  gemm(ctx, plus_times<f16>{}, row_major(a, 2, 2), row_major(a, 2, 2), sums, {.source = sums});
  EXPECT_EQ(sums(1, 0), 15);
  matrix<f16> copied(2, 2);
  copy(ctx, row_major(a, 2, 2), copied);
  EXPECT_EQ(float(copied(1, 1)), 4);
}

TEST(cuda_types, bfloats_are_read_as_bf16) {
  const __nv_bfloat16 a[] = {{0x3F80}, {0x4000}, {0x4040}, {0x4080}};  // 1, 2; 3, 4
  matrix<__nv_bfloat16> c(2, 2);
  gemm(context::cpu({.threads = 1}), plus_times<bf16>{}, column_major(a, 2, 2), row_major(a, 2, 2), c);
  EXPECT_EQ(c(0, 0).bits, 0x4120);  // 1 1 + 3 3 = 10
  EXPECT_EQ(c(1, 1).bits, 0x41A0);  // 2 2 + 4 4 = 20
}

TEST(local_matrix, lives_where_the_context_works) {
  const context ctx = context::cpu({.threads = 1});
  const local_matrix<bf16> a = to_context(ctx, matrix<bf16>{{bf16(1), bf16(2)}, {bf16(3), bf16(4)}});
  local_matrix<float> c(ctx, 2, 2);
  EXPECT_EQ(a.where(), memory::host);
  gemm(ctx, plus_times<bf16>{}, a, a, c);
  EXPECT_EQ(to_host(ctx, c)(1, 0), 15);
  EXPECT_EQ(c.rows(), 2);
}

}  // namespace
}  // namespace kleene::test::cuda_types_test
