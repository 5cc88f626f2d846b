// Sums of bottlenecks over bytes, which the library is not compiled with: C holds the sums as they are formed.
#include "kleene/operations/own/gemm.inl.hpp"

#include "support/product.hpp"

namespace kleene::test::plus_min_bytes_test {
namespace {

TEST(plus_min_bytes, by_hand) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<u8> a{{3, 200}, {255, 0}}, b{{5, 255}, {100, 7}};
  matrix<std::int64_t> c(2, 2);
  gemm(ctx, plus_min<u8>{}, a, b, c);
  EXPECT_TRUE(equal(c, matrix<std::int64_t>{{103, 10}, {5, 255}}));
  matrix<u8> narrow(2, 2);
  gemm(ctx, plus_min<u8>{}, a, b, narrow);
  EXPECT_TRUE(equal(narrow, matrix<u8>{{103, 10}, {5, 255}}));
  const matrix<u8> twice{{255, 255}}, full{{255}, {255}};
  matrix<u8> one(1, 1);
  EXPECT_THROW(gemm(ctx, plus_min<u8>{}, twice, full, one), value_error);
}

// Sums in 64 bits, and in bytes where they fit.
template <class S>
void check(index_t m, index_t n, index_t k) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const layout b : {layout::row, layout::column}) {
      check_product<S, std::int64_t>(ctx, {.m = m, .n = n, .k = k, .b = b, .values = distribution::small_integers});
      check_product<S, std::int64_t>(
          ctx,
          {.m = m, .n = n, .k = k, .b = b, .values = distribution::small_integers, .accumulate = true, .mask = true});
    }
  }
}
TEST(plus_min_bytes, sums_in_64_bits) {
  constexpr index_t sizes[][3] = {{1, 1, 1}, {5, 65, 9}, {13, 130, 64}, {70, 40, 257}, {33, 33, 700}};
  for (const auto& [m, n, k] : sizes) check<plus_min<u8>>(m, n, k), check<plus_min<i8>>(m, n, k);
}

// The largest byte everywhere: 255 k, beyond 16 bits.
TEST(plus_min_bytes, largest_sums) {
  const context ctx = context::cpu({.threads = 2});
  const matrix<u8> a(3, 1000, u8{255}), b(1000, 70, u8{255});
  matrix<std::int64_t> c(3, 70);
  gemm(ctx, plus_min<u8>{}, a, b, c);
  EXPECT_TRUE(equal(c, matrix<std::int64_t>(3, 70, 255000)));
}

}  // namespace
}  // namespace kleene::test::plus_min_bytes_test
