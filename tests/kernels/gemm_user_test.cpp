// Algebras that the library was not compiled with: a user's scalar functions, narrow integers, bool. All against the
// reference.
#include "kernels/user_rings.hpp"

#include <algorithm>

namespace kleene::test::gemm_user_test {
namespace {

// Two-byte integers modulo 251: a ring with no facts at all.
struct modular {
  using value_type = std::int16_t;
  static constexpr std::int16_t zero() { return 0; }
  static constexpr std::int16_t add(std::int16_t a, std::int16_t b) { return static_cast<std::int16_t>((a + b) % 251); }
  static constexpr std::int16_t mul(std::int16_t a, std::int16_t b) { return static_cast<std::int16_t>(a * b % 251); }
};

// Widest capacity on one byte: witnesses need counters wider than the values.
struct widest_byte {
  using value_type = std::uint8_t;
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr std::uint8_t zero() { return 0; }
  static constexpr std::uint8_t add(std::uint8_t a, std::uint8_t b) { return a < b ? b : a; }
  static constexpr std::uint8_t mul(std::uint8_t a, std::uint8_t b) { return b < a ? b : a; }
};

TEST(gemm_user, scalar_functions) {
  for (const std::string_view isa : instruction_sets())
    for (const auto& [m, n, k] : user_sizes)
      for (const bool witness : {false, true})
        check_product<shortest>(context::cpu({.threads = 2, .isa = isa}),
                                {.m = m, .n = n, .k = k, .values = distribution::uniform, .witness = witness});
}

TEST(gemm_user, narrow_integers_without_facts) {
  check_made<modular>([](problems::generator& g) { return static_cast<std::int16_t>(g.below(251)); });
}

TEST(gemm_user, bool_with_masks_and_witnesses) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const auto& [m, n, k] : user_sizes) {
      check_product<or_and<bool>>(ctx, {.m = m, .n = n, .k = k, .values = distribution::sparse});
      check_product<or_and<bool>>(
          ctx, {.m = m, .n = n, .k = k, .values = distribution::sparse, .mask = true, .witness = true});
      check_product<xor_and<bool>>(ctx, {.m = m, .n = n, .k = k, .values = distribution::sparse, .accumulate = true});
    }
  }
}

// One byte counts 127 groups of k only; the single best term lies far beyond.
TEST(gemm_user, witnesses_of_one_byte_values_count_beyond_one_byte) {
  for (const std::string_view isa : instruction_sets())
    for (const index_t k : {1015, 1016, 1017, 1024, 1025, 2032, 2033, 3000})
      for (const index_t at : {index_t{0}, index_t{1000}, k / 2, k - 1}) {
        const context ctx = context::cpu({.threads = 2, .isa = isa});
        matrix<bool> a(7, k, false), b(k, 150, true), c(7, 150);
        matrix<std::uint8_t> x(7, k, 3), y(k, 150, 200), z(7, 150);
        matrix<std::int32_t> w(7, 150, -9), v(7, 150, -9);
        for (index_t i = 0; i < 7; ++i) a(i, std::min(at, k - 1)) = true, x(i, std::min(at, k - 1)) = 9;
        gemm(ctx, or_and<bool>{}, a, b, c, w);
        gemm(ctx, widest_byte{}, x, y, z, v);
        const matrix<std::int32_t> want(7, 150, static_cast<std::int32_t>(std::min(at, k - 1)));
        ASSERT_TRUE(equal(c, matrix<bool>(7, 150, true)));
        ASSERT_TRUE(equal(w, want)) << isa << " k " << k;
        ASSERT_TRUE(equal(v, want)) << isa << " k " << k;
      }
}

}  // namespace
}  // namespace kleene::test::gemm_user_test
