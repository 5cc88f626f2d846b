// Products over small whole numbers, large enough that gemm tries exponents on the tensor cores by itself, against the
// same products on the CPU: whether or not they can be coded, nobody can tell but by the time.
#include "kleene/operations/gemm.hpp"

#include "kleene/algebra/catalog.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

constexpr index_t m = 2980, n = 3010, k = 2990;

// Numbers from 0 to `high`, a tenth of them infinite.
template <class S>
matrix<value_of<S>> numbers(index_t rows, index_t cols, int high, std::uint64_t seed) {
  using T = value_of<S>;
  problems::generator g(seed);
  matrix<T> x(rows, cols);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) x(i, j) = g.chance(0.1) ? S::zero() : T(g.below(high + 1));
  return x;
}

template <class S>
void check(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b, const matrix<value_of<S>>& c,
           bool accumulate = false) {
  using T = value_of<S>;
  const context cpu = context::cpu(), ctx = context::cuda();
  matrix<T> want = c;
  gemm(cpu, S{}, a, b, want, {.accumulate = accumulate});
  auto got = to_device(ctx, c);
  const auto there_a = to_device(ctx, a), there_b = to_device(ctx, b);
  gemm(ctx, S{}, there_a, there_b, got, {.accumulate = accumulate});
  EXPECT_TRUE(equal(to_host(ctx, got), want));
}

template <class S>
void check_algebra() {
  using T = value_of<S>;
  SCOPED_TRACE(testing::Message() << name_of<S>() << " " << type_name<T>);
  const matrix<T> c(m, n, T(7));
  check<S>(numbers<S>(m, k, 20, 1), numbers<S>(k, n, 20, 2), c);        // sums of 63 products
  check<S>(numbers<S>(m, k, 25, 3), numbers<S>(k, n, 25, 4), c);        // of 31
  check<S>(numbers<S>(m, k, 40, 3), numbers<S>(k, n, 22, 4), c);        // of 15
  check<S>(numbers<S>(m, k, 25, 5), numbers<S>(k, n, 25, 6), c, true);  // (+) with C
  check<S>(numbers<S>(m, k, 40, 7), numbers<S>(k, n, 30, 8), c);        // too wide
  matrix<T> late = numbers<S>(k, n, 20, 9);
  late(k - 1, n - 1) = T(9000000);  // one number, the last, cannot be coded
  check<S>(numbers<S>(m, k, 20, 10), late, c);
}

TEST(exponents_choice_on_cuda, f32) {
  KLEENE_NEEDS_GPU();
  check_algebra<min_plus<float>>();
  check_algebra<max_plus<float>>();
}
TEST(exponents_choice_on_cuda, f64) {
  KLEENE_NEEDS_GPU();
  check_algebra<min_plus<double>>();
}
TEST(exponents_choice_on_cuda, integers) {
  KLEENE_NEEDS_GPU();
  check_algebra<min_plus<std::int32_t>>();
  check_algebra<max_plus<std::int64_t>>();
}

// Values outside the domain are refused as ever, and C stays as it was: in A, in B, and in C where it accumulates.
TEST(exponents_choice_on_cuda, values_outside_the_domain_are_refused) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  const context ctx = context::cuda();
  for (const int wrong : {0, 1, 2}) {
    SCOPED_TRACE(wrong);
    matrix<std::int32_t> a = numbers<S>(m, k, 20, 1), b = numbers<S>(k, n, 20, 2), c(m, n, 7);
    (wrong == 0 ? a : wrong == 1 ? b : c)(1234, 567) = 500000000;  // finite values stay below 2^28
    const auto there_a = to_device(ctx, a), there_b = to_device(ctx, b);
    auto there_c = to_device(ctx, c);
    gemm(ctx, S{}, there_a, there_b, there_c, {.accumulate = true});
    EXPECT_THROW(ctx.synchronise(), value_error);
    EXPECT_TRUE(equal(to_host(ctx, there_c), c));
  }
}

// Calls of both kinds in turns on one context: their workspaces are the same memory.
TEST(exponents_choice_on_cuda, in_turns_with_others) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context cpu = context::cpu(), ctx = context::cuda();
  const matrix<float> narrow = numbers<S>(m, m, 15, 1), wide = numbers<S>(m, m, 10000, 2);
  const auto there_narrow = to_device(ctx, narrow), there_wide = to_device(ctx, wide);
  device_matrix<float> first(ctx, m, m), second(ctx, m, m), third(ctx, m, m);
  gemm(ctx, S{}, there_narrow, there_narrow, first);
  gemm(ctx, S{}, there_narrow, there_wide, second);
  gemm(ctx, S{}, there_narrow, there_narrow, third);
  matrix<float> want(m, m), want_wide(m, m);
  gemm(cpu, S{}, narrow, narrow, want);
  gemm(cpu, S{}, narrow, wide, want_wide);
  EXPECT_TRUE(equal(to_host(ctx, first), want));
  EXPECT_TRUE(equal(to_host(ctx, second), want_wide));
  EXPECT_TRUE(equal(to_host(ctx, third), want));
}

template <class S>
void check_witness(int high_a, int high_b, bool accumulate) {
  using T = value_of<S>;
  SCOPED_TRACE(testing::Message() << name_of<S>() << " " << type_name<T> << " to " << high_a << " and " << high_b);
  const context cpu = context::cpu(), ctx = context::cuda();
  const matrix<T> a = numbers<S>(m, k, high_a, 1), b = numbers<S>(k, n, high_b, 2), c(m, n, T(7));
  matrix<T> want = c;
  matrix<std::int32_t> want_witness(m, n, -5);
  gemm(cpu, S{}, a, b, want, want_witness, {.accumulate = accumulate});
  const auto there_a = to_device(ctx, a), there_b = to_device(ctx, b);
  auto got = to_device(ctx, c);
  auto witness = to_device(ctx, matrix<std::int32_t>(m, n, -5));
  gemm(ctx, S{}, there_a, there_b, got, witness, {.accumulate = accumulate});
  EXPECT_TRUE(equal(to_host(ctx, got), want));
  EXPECT_TRUE(equal(to_host(ctx, witness), want_witness));
}

TEST(exponents_choice_on_cuda, witnesses) {
  KLEENE_NEEDS_GPU();
  check_witness<min_plus<float>>(25, 25, false);
  check_witness<min_plus<float>>(3, 3, true);
  check_witness<max_plus<std::int32_t>>(40, 22, false);
  check_witness<min_plus<double>>(40, 30, false);  // too wide
}

}  // namespace
}  // namespace kleene::test
