// Sums as multiply-adds (kernels/cpu/tile/sums.hpp): which algebras have them, and that they are the same numbers.
#include "kleene/algebra/semiring.hpp"
#include "kleene/kernels/cpu/gemm/microkernel.inl.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"
#include "support/product.hpp"

#include <bit>
#include <cstring>

namespace kleene::test::sums_test {
namespace {

using kernels::cpu::adds_by_multiplying;

// A user's scalar functions, which say nothing of themselves.
struct shortest {
  using value_type = float;
  static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};
struct trust {  // a sum less a constant, cut off at zero
  using value_type = float;
  static constexpr float zero() { return 0; }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return a + b - 1 < 0 ? 0 : a + b - 1; }
};
struct unknown {  // that no compiler can work out beforehand
  using value_type = float;
  static float zero() { return std::numeric_limits<float>::infinity(); }
  static float add(float a, float b) { return b < a ? b : a; }
  static float mul(float a, float b);
};

TEST(sums, known_by_what_mul_does) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  EXPECT_TRUE(adds_by_multiplying<min_plus<f32>>);
  EXPECT_TRUE(adds_by_multiplying<max_plus<f64>>);
  EXPECT_TRUE(adds_by_multiplying<shortest>);
  EXPECT_TRUE(adds_by_multiplying<trust>);
#endif
  EXPECT_FALSE(adds_by_multiplying<unknown>);
  EXPECT_FALSE(adds_by_multiplying<plus_times<f32>>);
  EXPECT_FALSE(adds_by_multiplying<max_times<f32>>);
  EXPECT_FALSE(adds_by_multiplying<max_min<f32>>);
  EXPECT_FALSE(adds_by_multiplying<min_max<f64>>);
  EXPECT_FALSE(adds_by_multiplying<min_plus<i32>>);
}

// One micro-tile by sums and by multiply-adds, from the same panels.
template <class S>
struct both_ways {
  using A = accumulator_of<S>;
  static constexpr int rows = 4, vectors = 2, depth = 96;
  std::vector<A> a, b;
  std::vector<A> sums, products;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    kernels::cpu::micro_tile<S, Bytes, rows, vectors> tile;
    using Tile = decltype(tile);
    kernels::cpu::multiply_panels<Tile, S, false>(tile, depth, a.data(), b.data(), false);
    sums.assign(tile.value, tile.value + Tile::rows * Tile::cols);
    kernels::cpu::multiply_panels<Tile, S, true>(tile, depth, a.data(), b.data(), false);
    products.assign(tile.value, tile.value + Tile::rows * Tile::cols);
  }
};

// Any bits: subnormal numbers, infinities, both zeros, NaNs; and small numbers, which tie.
template <class S>
void check_bits() {
  using A = accumulator_of<S>;
  using bits = std::conditional_t<sizeof(A) == 4, std::uint32_t, std::uint64_t>;
  constexpr A special[] = {A(0),
                           -A(0),
                           std::numeric_limits<A>::infinity(),
                           -std::numeric_limits<A>::infinity(),
                           std::numeric_limits<A>::denorm_min(),
                           std::numeric_limits<A>::max()};
  for (const std::string_view isa : instruction_sets())
    for (const int kind : {0, 1, 2}) {
      problems::generator random(static_cast<std::uint64_t>(kind) + 1);
      both_ways<S> work;
      const auto draw = [&] {
        if (kind == 0) return std::bit_cast<A>(static_cast<bits>(random.next()));
        if (kind == 1) return special[random.below(std::ssize(special))];
        return static_cast<A>(random.below(7)) - A(3);
      };
      work.a.resize(std::size_t{work.rows} * work.depth);
      work.b.resize(std::size_t{work.vectors} * 64 / sizeof(A) * (work.depth + kernels::cpu::prefetch_steps));
      for (A& value : work.a) value = draw();
      for (A& value : work.b) value = draw();
      kernels::cpu::run_on(instruction_set_from(isa), work);
      ASSERT_FALSE(work.sums.empty());
      EXPECT_EQ(std::memcmp(work.sums.data(), work.products.data(), work.sums.size() * sizeof(A)), 0)
          << name_of<S>() << " " << isa << " " << kind;
    }
}

TEST(sums, multiply_adds_give_the_same_bits) {
  check_bits<min_plus<f32>>();
  check_bits<max_plus<f64>>();
  check_bits<trust>();
}

}  // namespace
}  // namespace kleene::test::sums_test
