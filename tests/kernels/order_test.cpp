// Floats as integers of the same order (kernels/cpu/tile/order.hpp), and the products that are computed with them.
#include "kleene/kernels/cpu/tile/order.hpp"

#include "kleene/algebra/semiring.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "support/product.hpp"

#include <array>

namespace kleene::test::order_test {
namespace {

using kernels::cpu::only_compares;
using kernels::cpu::order_of;
using kernels::cpu::value_of_order;

constexpr f32 infinity = std::numeric_limits<f32>::infinity();
// From the least to the greatest.
constexpr std::array<f32, 15> ascending = {-infinity, -3.4028235e38f, -2.5f,   -1.0000001f, -1.0f, -1.1754944e-38f,
                                           -1e-45f,   0.0f,           1e-45f,  1e-38f,      1.0f,  1.0000001f,
                                           7.0f,      3.4028235e38f,  infinity};

TEST(order, of_integers_is_that_of_floats) {
  for (const f32 x : ascending) {
    EXPECT_EQ(value_of_order(order_of(x)), x);
    for (const f32 y : ascending) EXPECT_EQ(order_of(x) < order_of(y), x < y) << x << " " << y;
  }
  EXPECT_EQ(order_of(-0.0f), 0);
  EXPECT_EQ(order_of(0.0f), 0);
  EXPECT_EQ(order_of(1.0f), 0x3f800000);
  EXPECT_EQ(order_of(-1.0f), -0x3f800001);
}

TEST(order, is_for_algebras_that_only_compare) {
  EXPECT_TRUE(only_compares<max_min<f32>>);
  EXPECT_TRUE(only_compares<min_max<f32>>);
  EXPECT_TRUE(only_compares<max_min<f16>>);
  EXPECT_TRUE((only_compares<semiring<ops::max, ops::min, f32>>));
  EXPECT_FALSE(only_compares<max_min<f64>>);
  EXPECT_FALSE(only_compares<max_min<i32>>);
  EXPECT_FALSE(only_compares<min_plus<f32>>);
  EXPECT_FALSE(only_compares<max_times<f32>>);
}

// Products of those numbers, both zeros and NaN, in one pass over k and in two.
template <class S>
void check_products() {
  for (const std::string_view isa : instruction_sets())
    for (const index_t k : {40, 700})
      for (const bool with_witness : {false, true}) {
        const index_t m = 37, n = 53;
        problems::generator random(static_cast<std::uint64_t>(k));
        matrix<f32> a(m, k), b(k, n), c(m, n, 5), want(m, n, 5);
        matrix<std::int32_t> p(m, n, 5), first(m, n, 5);
        const auto draw = [&] {
          const index_t which = random.below(std::ssize(ascending) + 2);
          if (which == std::ssize(ascending)) return -0.0f;
          return which > std::ssize(ascending) ? std::numeric_limits<f32>::quiet_NaN() : ascending[which];
        };
        for (index_t i = 0; i < m * k; ++i) a.data()[i] = draw();
        for (index_t i = 0; i < k * n; ++i) b.data()[i] = draw();
        // By the algebra's meaning: a NaN is no candidate, and the first k of the best is the witness.
        for (index_t i = 0; i < m; ++i)
          for (index_t j = 0; j < n; ++j) {
            f32 best = S::zero();
            std::int32_t at = -1;
            for (index_t l = 0; l < k; ++l) {
              if (a(i, l) != a(i, l) || b(l, j) != b(l, j)) continue;
              const f32 term = S::mul(a(i, l), b(l, j));
              if (S::add(best, term) != best) best = term, at = static_cast<std::int32_t>(l);
            }
            want(i, j) = best, first(i, j) = at;
          }
        const context ctx = context::cpu({.threads = 2, .isa = isa});
        if (with_witness) gemm(ctx, S{}, a, b, c, p);
        else gemm(ctx, S{}, a, b, c);
        index_t wrong = 0;
        for (index_t i = 0; i < m; ++i)
          for (index_t j = 0; j < n; ++j) wrong += !(c(i, j) == want(i, j)) || (with_witness && p(i, j) != first(i, j));
        EXPECT_EQ(wrong, 0) << name_of<S>() << " " << isa << " " << k << " " << with_witness;
      }
}

// A semiring of a user's, without a widen: its operands are read by that of max_min.
struct widest {
  using value_type = f32;
  using computes_as = max_min<f32>;
  static constexpr const char* name = "widest";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr f32 zero() { return -infinity; }
  static constexpr f32 one() { return infinity; }
  static constexpr f32 add(f32 a, f32 b) { return a < b ? b : a; }
  static constexpr f32 mul(f32 a, f32 b) { return b < a ? b : a; }
};

TEST(order, products_are_those_of_floats) {
  check_products<widest>();
  check_products<max_min<f32>>();
  check_products<min_max<f32>>();
}

}  // namespace
}  // namespace kleene::test::order_test
