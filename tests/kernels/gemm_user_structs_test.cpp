// Algebras over structs: members together and apart, one that counts, a product that does not commute. All against the
// reference.
#include "kernels/user_rings.hpp"

#include <algorithm>

namespace kleene::test::gemm_user_structs_test {
namespace {

// Shortest length, and how many paths have it.
struct counted {
  int length = 1 << 28, paths = 0;
  friend bool operator==(const counted&, const counted&) = default;
};
struct counting_shortest {
  using value_type = counted;
  static constexpr const char* name = "counting_shortest";
  static constexpr bool is_commutative = true;
  static constexpr counted zero() { return {}; }
  static constexpr counted one() { return {0, 1}; }
  static constexpr counted add(const counted& a, const counted& b) {
    if (a.length != b.length) return a.length < b.length ? a : b;
    return {a.length, a.paths + b.paths};
  }
  static constexpr counted mul(const counted& a, const counted& b) {
    return a.paths == 0 || b.paths == 0 ? counted{} : counted{a.length + b.length, a.paths * b.paths};
  }
};

// 2 x 2 upper triangular matrices over the integers modulo 2^32: (a, b, c) is {a b; 0 c}. Does not commute.
struct triangular {
  std::uint32_t a = 0, b = 0, c = 0;
  friend bool operator==(const triangular&, const triangular&) = default;
};
struct triangular_ring {
  using value_type = triangular;
  static constexpr triangular zero() { return {}; }
  static constexpr triangular one() { return {1, 0, 1}; }
  static constexpr triangular add(const triangular& x, const triangular& y) {
    return {x.a + y.a, x.b + y.b, x.c + y.c};
  }
  static constexpr triangular mul(const triangular& x, const triangular& y) {
    return {x.a * y.a, x.a * y.b + x.b * y.c, x.c * y.c};
  }
};

// Shortest length and, of those, fewest hops: members of two kinds, and a comparison with a branch in it.
struct route {
  float length = 0;
  std::int32_t hops = 0;
  friend bool operator==(const route&, const route&) = default;
};
struct fewest_hops {
  using value_type = route;
  static constexpr const char* name = "fewest_hops";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr route zero() { return {std::numeric_limits<float>::infinity(), 0}; }
  static constexpr route one() { return {0, 0}; }
  static constexpr route add(const route& a, const route& b) {
    return b.length < a.length || (b.length == a.length && b.hops < a.hops) ? b : a;
  }
  static constexpr route mul(const route& a, const route& b) {
    const float length = a.length + b.length;
    return length == zero().length ? zero() : route{length, a.hops + b.hops};
  }
};

// The same in half the bytes, and in a struct with bytes behind its members.
template <class Length, class Hops>
struct route_of {
  Length length;
  Hops hops;
  friend bool operator==(const route_of&, const route_of&) = default;
};
template <class R>
struct fewest_hops_in {
  using value_type = R;
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr R zero() {
    R none{};
    none.length = 10000;
    return none;
  }
  static constexpr R add(R a, R b) {
    if (a.length != b.length) return a.length < b.length ? a : b;
    return b.hops < a.hops ? b : a;
  }
  static constexpr R mul(R a, R b) {
    if (a == zero() || b == zero()) return zero();
    a.length += b.length, a.hops += b.hops;
    return a;
  }
};
static_assert(kernels::cpu::struct_of_words<route> && kernels::cpu::words<route>::count == 2);

TEST(gemm_user, structs) {
  check_made<counting_shortest>(
      [](problems::generator& g) { return g.chance(0.3) ? counted{} : counted{int(g.below(4)), int(1 + g.below(3))}; });
}

TEST(gemm_user, structs_of_words) {
  check_made<fewest_hops>([](problems::generator& g) {
    return g.chance(0.3) ? fewest_hops::zero() : route{float(g.below(4)), int(g.below(9))};
  });
  const auto check_routes = []<class R>(R) {
    check_made<fewest_hops_in<R>>([](problems::generator& g) {
      if (g.chance(0.3)) return fewest_hops_in<R>::zero();
      R drawn{};
      drawn.length = static_cast<decltype(drawn.length)>(g.below(4));
      drawn.hops = static_cast<decltype(drawn.hops)>(g.below(9));
      return drawn;
    });
  };
  check_routes(route_of<std::uint16_t, std::uint16_t>{});
  check_routes(route_of<double, std::int32_t>{});
}

// Structs whose members lie apart, and the k that gave each of them.
TEST(gemm_user, structs_with_witnesses) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    const index_t m = 9, n = 21, k = 70;
    problems::generator g(3);
    matrix<route> a(m, k), b(k, n), c(m, n), alone(m, n);
    matrix<std::int32_t> witness(m, n);
    for (matrix<route>* x : {&a, &b})
      for (index_t i = 0; i < x->size(); ++i) x->data()[i] = {float(g.below(4)), int(g.below(9))};
    gemm(ctx, fewest_hops{}, a, b, c, witness);
    gemm(ctx, fewest_hops{}, a, b, alone);
    EXPECT_TRUE(std::equal(c.data(), c.data() + c.size(), alone.data()));
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j) {
        index_t first = 0;
        while (!(fewest_hops::mul(a(i, first), b(first, j)) == c(i, j))) ++first;
        ASSERT_EQ(witness(i, j), first) << i << ", " << j << " " << isa;
      }
  }
}

TEST(gemm_user, products_that_do_not_commute) {
  check_made<triangular_ring>([](problems::generator& g) {
    return triangular{std::uint32_t(g.next()), std::uint32_t(g.next()), std::uint32_t(g.next())};
  });
}

}  // namespace
}  // namespace kleene::test::gemm_user_structs_test
