// An algebra of one's own that computes as one of Kleene's: the same instructions, its own domain, its own tiles.
#include "kleene/operations/own/closure.inl.cuh"
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/device.hpp"

namespace kleene::test {

// The chance that all goes well, of the best of several ways.
struct chance {
  using value_type = float;
  using computes_as = max_times<float>;
  static constexpr const char* name = "chance";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return 0; }
  static constexpr float one() { return 1; }
  static constexpr float add(float a, float b) { return a < b ? b : a; }
  static constexpr float mul(float a, float b) { return a * b; }
  static constexpr bool in_domain(float a) { return 0 <= a && a <= 1; }
};

}  // namespace kleene::test

namespace kleene::kernels::cuda {

// clang-format off
template <>
struct policy_for<test::chance> {
  static constexpr simt_policy value{
      .copy = copies::bulk,
      .bm = 64, .bn = 64, .bk = 16, .tm = 8, .tn = 8, .lanes_m = 4, .stages = 2, .blocks = 4, .unroll = 8, .group = 4};
  static constexpr simt_policy witness{
      .copy = copies::async,
      .bm = 64, .bn = 64, .bk = 16, .tm = 4, .tn = 8, .lanes_m = 4, .stages = 2, .blocks = 2, .unroll = 4, .group = 4};
};
// clang-format on

static_assert(has_own_policy<test::chance> && !has_own_policy<max_times<float>>);
static_assert(policy_of<test::chance, false>::value == policy_for<test::chance>::value);
static_assert(policy_of<test::chance, true>::value == policy_for<test::chance>::witness);
static_assert(policy_of<max_times<float>, false>::row == workload::four_bytes);

static_assert(has_atom<test::chance, sign_class::non_negative>);
static_assert(std::is_same_v<atom_of<test::chance, sign_class::non_negative, true>,
                             bits_atom<max_times<float>, sign_class::non_negative>>);
static_assert(std::is_same_v<atom_of<test::chance, sign_class::any, false>, plain_atom<max_times<float>>>);

}  // namespace kleene::kernels::cuda

static_assert(kleene::classify<kleene::test::chance>({0, 1}, {0, 1}) == kleene::sign_class::non_negative);
static_assert(kleene::classify<kleene::test::chance>({-1, 1}, {0, 1}) == kleene::sign_class::any);

namespace kleene::test {
namespace {

// 0 and powers of 1/2: products are exact.
matrix<float> chances(index_t rows, index_t cols, std::uint64_t seed) {
  problems::generator g(seed);
  matrix<float> a(rows, cols);
  for (index_t e = 0; e < a.size(); ++e) {
    const auto bits = g.below(6);
    a.data()[e] = bits == 5 ? 0 : 1.0f / static_cast<float>(1 << bits);
  }
  return a;
}

TEST(own_arithmetic, products_and_witnesses) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda<chance>();
  for (const auto& [m, n, k] :
       std::initializer_list<std::array<index_t, 3>>{{1, 1, 1}, {65, 130, 33}, {200, 64, 700}}) {
    const matrix<float> a = chances(m, k, 1), b = chances(k, n, 2);
    matrix<float> want(m, n);
    matrix<std::int32_t> want_k(m, n);
    gemm(context::cpu(), max_times<float>{}, a, b, want, want_k);
    device_matrix<float> c(ctx, m, n);
    device_matrix<std::int32_t> witness(ctx, m, n);
    for (const std::optional<sign_class> signs : {std::optional<sign_class>{}, {sign_class::non_negative}}) {
      gemm(ctx, chance{}, to_device(ctx, a), to_device(ctx, b), c, {.signs = signs});
      EXPECT_TRUE(equal(to_host(ctx, c), want)) << m << "x" << n << "x" << k;
      gemm(ctx, chance{}, to_device(ctx, a), to_device(ctx, b), c, witness, {.signs = signs});
      EXPECT_TRUE(equal(to_host(ctx, c), want) && equal(to_host(ctx, witness), want_k)) << m << "x" << n << "x" << k;
    }
  }
}

TEST(own_arithmetic, its_domain_is_its_own) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda<chance>();
  device_matrix<float> c(ctx, 1, 1);
  const auto there = to_device(ctx, matrix<float>{{2}});
  gemm(ctx, max_times<float>{}, there, there, c);
  EXPECT_EQ(to_host(ctx, c)(0, 0), 4);
  gemm(ctx, chance{}, there, there, c);
  EXPECT_THROW(ctx.synchronise(), value_error);
}

TEST(own_arithmetic, closures) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  enable_cuda<chance>(), enable_cuda_closure<chance>();
  for (const index_t n : {5, 100, 300}) {
    const matrix<float> a = chances(n, n, 3);
    matrix<float> want = a;
    EXPECT_TRUE(closure(context::cpu(), max_times<float>{}, want).exists);
    device_matrix<float> d = to_device(ctx, a);
    EXPECT_TRUE(closure(ctx, chance{}, d).exists);
    EXPECT_TRUE(equal(to_host(ctx, d), want)) << n;
  }
}

}  // namespace
}  // namespace kleene::test
