// Algebras that the library was not compiled with: a user's scalar functions, structs, a product that does not commute,
// bool, epilogues. All against the reference.
#include "kleene/operations/own/gemm.inl.hpp"

#include "support/product.hpp"

#include <stdexcept>
#include <vector>

namespace kleene::test::gemm_user_test {
namespace {

constexpr index_t sizes[][3] = {{1, 1, 1}, {2, 3, 4}, {5, 0, 3}, {4, 6, 0}, {13, 33, 17}, {40, 7, 70}, {9, 130, 1100}};

// The ten lines of the header, spelled with plain functions on scalars.
struct shortest {
  using value_type = float;
  static constexpr const char* name = "shortest";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
  static constexpr float one() { return 0; }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};
static_assert(closed_semiring<shortest>);

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

// C = alpha A B + D through gemm and through the reference, from values that make(generator) draws.
template <class S, class Make>
void check_made(const Make& make) {
  using T = value_of<S>;
  for (const std::string_view isa : instruction_sets())
    for (const auto& [m, n, k] : sizes) {
      problems::generator g(7);
      matrix<T> a(m, k), b(k, n), d(m, n), got(m, n), want(m, n);
      for (matrix<T>* x : {&a, &b, &d})
        for (index_t i = 0; i < x->size(); ++i) x->data()[i] = make(g);
      const T alpha = make(g);
      gemm(context::cpu({.threads = 2, .isa = isa}), S{}, a, b.view(), got, {.alpha = alpha, .source = d});
      kernels::gemm_arguments<S> r;
      r.m = m, r.n = n, r.k = k;
      r.a = a.data(), r.sa = {0, k, 1};
      r.b = b.data(), r.sb = {0, n, 1};
      r.c = want.data(), r.d = d.data(), r.sc = r.sd = {0, n, 1};
      r.alpha = &alpha;
      ASSERT_EQ(kernels::reference::gemm(r), status::ok);
      for (index_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got.data()[i] == want.data()[i]) << isa << " " << m << "x" << n << "x" << k << " at " << i;
    }
}

TEST(gemm_user, scalar_functions) {
  for (const std::string_view isa : instruction_sets())
    for (const auto& [m, n, k] : sizes)
      for (const bool witness : {false, true})
        check_product<shortest>(context::cpu({.threads = 2, .isa = isa}),
                                {.m = m, .n = n, .k = k, .values = distribution::uniform, .witness = witness});
}

TEST(gemm_user, narrow_integers_without_facts) {
  check_made<modular>([](problems::generator& g) { return static_cast<std::int16_t>(g.below(251)); });
}

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

TEST(gemm_user, bool_with_masks_and_witnesses) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 2, .isa = isa});
    for (const auto& [m, n, k] : sizes) {
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

struct floor_plus_place {
  std::int64_t operator()(float value, index_t i, index_t j) const {
    return std::int64_t(value) + 1000 * i + 1000000 * j;
  }
};

TEST(gemm_user, epilogues_change_the_type_and_know_the_place) {
  for (const std::string_view isa : instruction_sets())
    for (const bool tall : {false, true}) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      const index_t m = tall ? 70 : 15, n = tall ? 15 : 70;
      const auto a = problems::random_matrix<plus_times<float>>(m, 600, distribution::small_integers, 1);
      const auto b = problems::random_matrix<plus_times<float>>(600, n, distribution::small_integers, 2);
      matrix<float> plain(m, n);
      matrix<std::int64_t> c(m, n, -5), want(m, n, -5);
      matrix<bool> mask(m, n, true);
      mask(3, 4) = false;
      gemm(ctx, plus_times<float>{}, a, b, plain);
      gemm(ctx, plus_times<float>{}, a, b, c, gemm_options<float, floor_plus_place>{.mask = mask});
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j)
          if (mask(i, j)) want(i, j) = floor_plus_place{}(plain(i, j), i, j);
      EXPECT_TRUE(equal(c, want));
      // The element type of the options may be left to the algebra.
      gemm(ctx, plus_times<float>{}, a, b, c, gemm_options<none, floor_plus_place>{.mask = mask, .replace = true});
      want(3, 4) = 0;
      EXPECT_TRUE(equal(c, want));
    }
}

// Made of nothing: an epilogue may give it, but the algebra's zero() does not turn into it.
struct opaque {
  opaque() = default;
  explicit opaque(float*) {}
};
struct to_opaque {
  opaque operator()(float, index_t, index_t) const { return {}; }
};

// A thread that throws leaves the others at their work, and what it threw arrives at the caller.
TEST(gemm_user, what_an_epilogue_throws_arrives) {
  const matrix<float> a(200, 50, 1.0f), b(50, 150, 2.0f);
  batch<float> many(9, 200, 150);
  matrix<float> c(200, 150);
  for (const int threads : {1, 2, 3}) {
    const context ctx = context::cpu({.threads = threads});
    auto throws = [](float value, index_t i, index_t j) {
      if (i == 3 && j >= 3) throw std::range_error("epilogue at 3");
      return value;
    };
    try {
      gemm(ctx, shortest{}, a, b, c, gemm_options<none, decltype(throws)>{.epilogue = throws});
      ADD_FAILURE() << "nothing was thrown by " << threads;
    } catch (const std::range_error& e) {
      EXPECT_STREQ(e.what(), "epilogue at 3");
    }
    EXPECT_THROW(gemm(ctx, shortest{}, a, b, many, gemm_options<none, decltype(throws)>{.epilogue = throws}),
                 std::range_error);
    auto one_more = [](float value, index_t, index_t) { return value + 1; };
    gemm(ctx, shortest{}, a, b, c, gemm_options<none, decltype(one_more)>{.epilogue = one_more});
    EXPECT_EQ(c(199, 149), 4);
  }
}

TEST(gemm_user, replace_needs_a_c_that_can_hold_zero) {
  const matrix<float> a{{1}};
  const matrix<bool> mask{{false}};
  matrix<opaque> c(1, 1);
  const std::string said = refusal<argument_error>(fault_code::bad_input, [&] {
    gemm(context::cpu(), min_plus<float>{}, a, a, c, gemm_options<float, to_opaque>{.mask = mask, .replace = true});
  });
  EXPECT_TRUE(contains(said, "zero()")) << said;
}

}  // namespace
}  // namespace kleene::test::gemm_user_test
