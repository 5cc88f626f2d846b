// What products give for rows beside C, against a plain loop over the C that they stored: every way in which elements
// are stored (boxes, single elements, split-K, no k, doubles, any algebra), at sizes on and off the edges of tiles and
// boxes, in any layout of C.
#include "kleene/operations/epilogues.hpp"
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/device.hpp"

#include <array>
#include <cmath>

namespace kleene::test {
namespace {

using namespace epilogues;

struct row_case {
  index_t m, n, k, batch = 1;
  index_t gap = 0;          // elements between the lines of C
  bool by_columns = false;  // which are its columns then
  bool doubled = false;     // by alpha
  bool has_nan = false;     // in one row of A
};

// Results on the device, with an element before and behind that nobody may touch.
template <class R>
struct result_memory {
  device_matrix<R> there;
  result_memory(const context& ctx, index_t rows) : there(to_device(ctx, matrix<R>(1, rows + 2, R(-77)))) {}
  R* first() { return there.data() + 1; }
  matrix<R> read(const context& ctx) const {
    const matrix<R> all = to_host(ctx, there);
    EXPECT_EQ(all(0, 0), R(-77));
    EXPECT_EQ(all(0, all.cols() - 1), R(-77));
    return all;
  }
};

// One product with f(greatest, sums) for an epilogue. Sums of floats are within n eps of the sum of the magnitudes.
template <class S, class Out, bool Sums, class Sum, class F>
void check(const context& ctx, const row_case& p, const F& f) {
  using T = value_of<S>;
  using Greatest = std::conditional_t<std::is_integral_v<Out>, Out, double>;
  auto a = problems::random_matrix<S>(p.batch * p.m, p.k, distribution::small_integers, 1);
  if constexpr (!std::is_integral_v<T>)
    if (p.has_nan && p.k > 0) a(p.m / 2, p.k / 2) = T(std::numeric_limits<float>::quiet_NaN());
  const auto b = problems::random_matrix<S>(p.k, p.n, distribution::small_integers, 2);
  const index_t line = (p.by_columns ? p.m : p.n) + p.gap, lines = p.by_columns ? p.n : p.m;
  device_matrix<Out> c = to_device(ctx, matrix<Out>(p.batch * lines, line, Out(-77)));
  const std::array<index_t, 3> strides{p.batch == 1 ? 0 : lines * line, p.by_columns ? 1 : line,
                                       p.by_columns ? line : 1};
  const device_matrix<T> there_a = to_device(ctx, a), there_b = to_device(ctx, b);
  result_memory<Greatest> greatest(ctx, p.batch * p.m);
  result_memory<Sum> sums(ctx, p.batch * p.m);
  const auto epilogue = f(greatest.first(), sums.first());
  enable_cuda<S, decltype(epilogue), Out>();
  using E = std::remove_const_t<decltype(epilogue)>;
  kernels::gemm_arguments<S, E, Out> g;  // as gemm fills it
  g.batch = p.batch, g.m = p.m, g.n = p.n, g.k = p.k, g.epilogue = epilogue;
  g.a = there_a.data(), g.sa = {p.batch == 1 ? 0 : p.m * p.k, p.k, 1}, g.b = there_b.data(), g.sb = {0, p.n, 1};
  g.c = c.data(), g.sc = strides;
  const scalar_of<S> two(2);
  if (p.doubled) g.alpha = &two;
  kernels::cuda::gemm_entry<S, E, Out>(ctx, g);

  const matrix<Out> stored = to_host(ctx, c);
  const matrix<Greatest> got_greatest = greatest.read(ctx);
  const matrix<Sum> got_sums = sums.read(ctx);
  for (index_t i = 0; i < p.batch * p.m; ++i) {
    Greatest high =
        std::is_integral_v<Out> ? std::numeric_limits<Out>::lowest() : -std::numeric_limits<Greatest>::infinity();
    Sum sum = 0;
    double size = 0;
    for (index_t j = 0; j < p.n; ++j) {
      const auto x = static_cast<Greatest>(stored.data()[i / p.m * strides[0] + i % p.m * strides[1] + j * strides[2]]);
      high = ops::maximum{}(high, x), sum += static_cast<Sum>(x), size += std::abs(double(x));
    }
    ASSERT_TRUE(got_greatest(0, i + 1) == high || (high != high && got_greatest(0, i + 1) != got_greatest(0, i + 1)))
        << p.m << "x" << p.n << "x" << p.k << " row " << i << ": " << got_greatest(0, i + 1) << ", not " << high;
    if (!Sums || sum != sum) continue;
    const double eps = std::is_integral_v<Out> ? 0 : std::is_same_v<Out, double> ? 0x1p-52 : 0x1p-23;
    ASSERT_NEAR(double(got_sums(0, i + 1)), double(sum), double(p.n + 2) * eps * size)
        << p.m << "x" << p.n << "x" << p.k << " row " << i;
    if (std::is_integral_v<Out>) {
      ASSERT_EQ(got_sums(0, i + 1), sum);
    }
  }
}

// Every size in every layout; then batches, alpha, and a NaN.
template <class S, class Out, bool Sums, class Sum, class F>
void check_all(index_t step, const F& f) {
  const context ctx = context::cuda();
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{{1, 1, 1},
                                                                             {5, 7, 0},
                                                                             {9, 0, 4},
                                                                             {63, 65, 33},
                                                                             {64, 64, 64},
                                                                             {130, 64, 72},
                                                                             {129, 257, 40},
                                                                             {257, 264, 24},
                                                                             {2305, 576, 8},
                                                                             {70, 130, 4096},
                                                                             {3, 70000, 16},
                                                                             {1153, 2056, 8}})
    for (const bool by_columns : {false, true})
      for (const index_t gap : {index_t{0}, step}) check<S, Out, Sums, Sum>(ctx, {m, n, k, 1, gap, by_columns}, f);
  check<S, Out, Sums, Sum>(ctx, {70, 128, 64, 3}, f);
  check<S, Out, Sums, Sum>(ctx, {128, 1030, 24, 3}, f);
  check<S, Out, Sums, Sum>(ctx, {257, 264, 24, 2, step, true}, f);
  check<S, Out, Sums, Sum>(ctx, {300, 512, 64, 1, 0, false, true}, f);
  check<S, Out, Sums, Sum>(ctx, {300, 576, 64, 1, 0, false, false, true}, f);
  check<S, Out, Sums, Sum>(ctx, {300, 333, 64, 1, 0, false, false, true}, f);
}

// The greatest is found before elements are rounded.
TEST(row_results_on_cuda, greatest_of_bf16) {
  KLEENE_NEEDS_GPU();
  check_all<plus_times<bf16>, bf16, false, float>(8, [](double* greatest, float*) { return row_max(greatest); });
}

// Rows whose elements are all negative, two results at once.
struct lowered {
  KLEENE_FUNCTION float operator()(float value, index_t, index_t column) const {
    return value * 0.37f - 1000 - static_cast<float>(column & 3);
  }
};
TEST(row_results_on_cuda, both_of_f16) {
  KLEENE_NEEDS_GPU();
  const auto both = [](double* greatest, double* sums) { return row_sum(row_max(lowered{}, greatest), sums); };
  check_all<plus_times<bf16>, f16, true, double>(8, both);
}

TEST(row_results_on_cuda, both_of_integers) {
  KLEENE_NEEDS_GPU();
  const auto both = [](i32* greatest, i64* sums) { return row_max(row_sum(sums), greatest); };
  check_all<plus_times<i8>, i32, true, i64>(4, both);
}

// By a pass over C.
TEST(row_results_on_cuda, both_of_doubles) {
  KLEENE_NEEDS_GPU();
  const auto both = [](double* greatest, double* sums) { return row_max(row_sum(sums), greatest); };
  check_all<plus_times<double>, double, true, double>(2, both);
}

// Another algebra, and f32.
TEST(row_results_on_cuda, greatest_of_shortest) {
  KLEENE_NEEDS_GPU();
  check_all<min_plus<float>, float, false, float>(4, [](double* greatest, float*) { return row_max(greatest); });
}

// Boxes and single elements of one block, one after the other.
TEST(row_results_on_cuda, edges_behind_whole_tiles) {
  KLEENE_NEEDS_GPU();
  const auto greatest = [](double* p, float*) { return row_max(p); };
  check<plus_times<bf16>, bf16, false, float>(context::cuda(), {4096, 8200, 64}, greatest);
}

// Magnitudes of what C holds, which is rounded.
TEST(row_results_on_cuda, greatest_magnitudes) {
  KLEENE_NEEDS_GPU();
  using S = plus_times<bf16>;
  const context ctx = context::cuda();
  const index_t m = 300, k = 64;
  const auto a = problems::random_matrix<S>(m, k, distribution::small_integers, 1);
  for (const index_t n : {384, 336, 333}) {  // in boxes, the last not, none
    const auto b = problems::random_matrix<S>(k, n, distribution::small_integers, 2);
    const device_matrix<bf16> there_a = to_device(ctx, a), there_b = to_device(ctx, b);
    result_memory<float> results(ctx, m);
    const auto finish = row_max(lowered{}, results.first(), magnitude{});
    using E = std::remove_const_t<decltype(finish)>;
    enable_cuda<S, E, bf16>();
    device_matrix<bf16> c(ctx, m, n);
    kernels::gemm_arguments<S, E, bf16> g;
    g.m = m, g.n = n, g.k = k, g.epilogue = finish;
    g.a = there_a.data(), g.sa = {0, k, 1}, g.b = there_b.data(), g.sb = {0, n, 1}, g.c = c.data(), g.sc = {0, n, 1};
    kernels::cuda::gemm_entry<S, E, bf16>(ctx, g);
    const matrix<bf16> stored = to_host(ctx, c);
    const matrix<float> got = results.read(ctx);
    for (index_t i = 0; i < m; ++i) {
      float high = 0;
      for (index_t j = 0; j < n; ++j) high = std::max(high, std::abs(float(stored(i, j))));
      ASSERT_EQ(got(0, i + 1), high) << "row " << i;
    }
  }
}

// Elements as they are stored, two at a time, and back.
template <class T>
__global__ void round_trip(float* values) {
  const unsigned low = blockIdx.x * 256 + threadIdx.x, high = 65535 - low;
  const float x = T::from_bits(static_cast<std::uint16_t>(low)), y = T::from_bits(static_cast<std::uint16_t>(high));
  const kernels::cuda::two_floats<T> both(kernels::cuda::two_halves<T>(x, y));
  values[2 * low] = both.low, values[2 * low + 1] = both.high;
}
template <class T>
void check_round_trip(const context& ctx) {
  device_matrix<float> values(ctx, 65536, 2);
  round_trip<T><<<256, 256, 0, static_cast<cudaStream_t>(ctx.stream())>>>(values.data());
  const matrix<float> got = to_host(ctx, values);
  for (index_t i = 0; i < 65536; ++i)
    for (index_t e = 0; e < 2; ++e) {
      const float want = T::from_bits(static_cast<std::uint16_t>(e == 0 ? i : 65535 - i));
      ASSERT_TRUE(got(i, e) == want || (want != want && got(i, e) != got(i, e))) << i;
    }
}
TEST(row_results_on_cuda, halves_as_floats) {
  KLEENE_NEEDS_GPU();
  check_round_trip<bf16>(context::cuda());
  check_round_trip<f16>(context::cuda());
}

}  // namespace
}  // namespace kleene::test
