// Tropical and minimax products of f16 and bf16, which the library is not compiled with: by hand, and against the
// reference.
#include "kernels/user_rings.hpp"

namespace kleene::test::gemm_half_test {
namespace {

template <class S>
void check() {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const auto& [m, n, k] : user_sizes)
      for (const distribution values : {distribution::uniform, distribution::nans, distribution::infinities}) {
        check_product<S>(ctx, {.m = m, .n = n, .k = k, .values = values});
        check_product<S>(ctx, {.m = m, .n = n, .k = k, .values = values, .accumulate = true, .mask = true});
        check_product<S>(ctx, {.m = m, .n = n, .k = k, .b = layout::column, .values = values, .witness = true});
      }
  }
}
TEST(gemm_half, min_plus_of_f16) { check<min_plus<f16>>(); }
TEST(gemm_half, max_times_of_bf16) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<bf16> a{{bf16(0.5f), bf16(0.75f)}}, b{{bf16(0.5f)}, {bf16(0.25f)}};
  matrix<bf16> c(1, 1);
  matrix<std::int32_t> witness(1, 1);
  gemm(ctx, max_times<bf16>{}, a, b, c, witness);
  EXPECT_EQ(float(c(0, 0)), 0.25f);
  EXPECT_EQ(witness(0, 0), 0);
}
TEST(gemm_half, max_min_of_bf16) { check<max_min<bf16>>(); }

// bf16 has 8 bits: 256 + 1 is a tie, to 256; 3 + 255 is 258. Sums are kept until the factor has been added.
TEST(gemm_half, rounds_once) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<bf16> a{{bf16(256), bf16(3)}}, b{{bf16(1)}, {bf16(255)}};
  matrix<bf16> c(1, 1);
  matrix<std::int32_t> witness(1, 1);
  gemm(ctx, min_plus<bf16>{}, a, b, c, witness);
  EXPECT_EQ(float(c(0, 0)), 256.0f);
  EXPECT_EQ(witness(0, 0), 0);
  gemm(ctx, min_plus<bf16>{}, a, b, c, {.alpha = 1.0f});
  EXPECT_EQ(float(c(0, 0)), 258.0f);
  gemm(ctx, max_plus<bf16>{}, a, b, c);
  EXPECT_EQ(float(c(0, 0)), 258.0f);
}

// What is too large is infinite, as in every conversion to f16; infinity less infinity is no candidate.
TEST(gemm_half, the_ends_of_f16) {
  const context ctx = context::cpu({.threads = 1});
  const f16 infinity = std::numeric_limits<f16>::infinity();
  matrix<f16> a{{f16(40000), infinity}}, b{{f16(40000)}, {f16(-infinity)}}, c(1, 1);
  gemm(ctx, min_plus<f16>{}, a, b, c);
  EXPECT_EQ(float(c(0, 0)), float(infinity));
  b(0, 0) = f16(-40000);
  gemm(ctx, min_plus<f16>{}, a, b, c);
  EXPECT_EQ(float(c(0, 0)), 0.0f);
}

// One term an element: every f16 times some, whose products overflow, are subnormal, are ties, or nothing.
TEST(gemm_half, products_of_every_f16) {
  const index_t every = 65536;
  std::vector<f16> a, b;
  for (index_t bits = 0; bits < every; ++bits) a.push_back(f16::from_bits(static_cast<std::uint16_t>(bits)));
  for (const float factor : {1.0f, -1.0f, 0.0f, -0.0f, 65504.0f, 1.5f, 0x1p-1f, 0x1.8p-11f, -0x1p-14f, 0x1p-24f})
    b.push_back(f16(factor));
  for (const std::uint16_t bits : {0x7C00, 0xFC00, 0x7E00, 0xFE01}) b.push_back(f16::from_bits(bits));
  for (int bits = 3; b.size() < 70; bits += 1171) b.push_back(f16::from_bits(static_cast<std::uint16_t>(bits)));
  const index_t n = static_cast<index_t>(b.size());
  std::vector<f16> c(a.size() * b.size());
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    gemm(ctx, plus_times<f16>{}, row_major(a.data(), every, 1), row_major(b.data(), 1, n),
         row_major(c.data(), every, n));
    for (index_t i = 0; i < every; ++i)
      for (index_t j = 0; j < n; ++j) {
        const f16 want(0.0f + float(a[i]) * float(b[j])), got = c[i * n + j];
        const bool same = want == want ? got.bits == want.bits : got != got;
        ASSERT_TRUE(same) << float(a[i]) << " * " << float(b[j]) << ": " << float(got) << " on " << ctx.describe();
      }
  }
}

}  // namespace
}  // namespace kleene::test::gemm_half_test
