// Tropical products of 8 and 16 bits, which the library is not compiled with, against the reference.
#include "kernels/user_rings.hpp"

namespace kleene::test::gemm_narrow_test {
namespace {

// Over every instruction set, with and without the options that read C or write more than it.
template <class S>
void check(std::initializer_list<distribution> distributions) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const auto& [m, n, k] : user_sizes)
      for (const distribution values : distributions) {
        check_product<S>(ctx, {.m = m, .n = n, .k = k, .values = values});
        check_product<S>(ctx, {.m = m, .n = n, .k = k, .values = values, .accumulate = true, .mask = true});
        check_product<S>(ctx, {.m = m, .n = n, .k = k, .b = layout::column, .values = values, .witness = true});
      }
  }
}
constexpr auto numbers = {distribution::small_integers, distribution::infinities, distribution::sparse};

// Bytes go 2048 of k deep in a pass, 16 bits 1024: one pass and the rest.
template <class S>
void check_passes(index_t k) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const index_t depth : {k - 1, k, k + 1, 2 * k + 7})
      check_product<S>(ctx, {.m = 29, .n = 131, .k = depth, .values = distribution::sparse});
  }
}

TEST(gemm_narrow, unsigned_bytes) {
  check<min_plus<u8>>(numbers);
  check_passes<min_plus<u8>>(2048);
  check<min_max<u8>>(numbers);
  check<max_min<u8>>(numbers);
}
// Sums of two are below 15.
TEST(gemm_narrow, signed_bytes) {
  check<min_plus<i8>>({distribution::negative_zeros});
  check<max_plus<i8>>({distribution::negative_zeros});
}
TEST(gemm_narrow, unsigned_16_bits) {
  check<min_plus<u16>>(numbers);
  check_passes<min_plus<u16>>(1024);
}
TEST(gemm_narrow, signed_16_bits) {
  check<min_plus<i16>>(numbers);
  check<max_plus<i16>>(numbers);
}

// One beyond the range: refused as an operand, reported as a result.
TEST(gemm_narrow, what_does_not_fit_is_an_error) {
  const context ctx = context::cpu({.threads = 1});
  matrix<u8> a{{40, 127}}, b{{23}, {63}}, c(1, 1);
  gemm(ctx, min_plus<u8>{}, a, b, c);
  EXPECT_EQ(c(0, 0), 63);
  b(0, 0) = 24;
  EXPECT_THROW(gemm(ctx, min_plus<u8>{}, a, b, c), value_error);
  b(0, 0) = 64;
  EXPECT_THROW(gemm(ctx, min_plus<u8>{}, a, b, c), value_error);
  a(0, 0) = 127, b(0, 0) = 63;
  gemm(ctx, min_plus<u8>{}, a, b, c);
  EXPECT_EQ(c(0, 0), 127);
}

}  // namespace
}  // namespace kleene::test::gemm_narrow_test
