// Epilogues of products on the tensor cores: every way in which their elements are stored (boxes, single elements,
// split-K, no k), at sizes on and off the edges of tiles and boxes, in any layout of C. Sums are exact, so that only
// the epilogue rounds.
#include "kleene/operations/epilogues.hpp"
#include "kleene/operations/own/gemm.inl.cuh"

#include "support/device.hpp"
#include "support/sample.hpp"

#include <array>
#include <cmath>

namespace kleene::test {
namespace {

using S = plus_times<bf16>;

// A functor of one's own, which knows where it is.
struct checkered {
  KLEENE_FUNCTION float operator()(float value, index_t row, index_t column) const {
    return (row + column) % 2 == 0 ? value : -value + static_cast<float>(column);
  }
};

// One product into a C of Out, its rows `gap` elements apart (or its columns): f on the device against `want` of the
// exact sum on the host, within `bound` relative to it. Nothing beside C may change.
template <class Out, class F, class Want>
void check(const context& ctx, const std::array<index_t, 3>& size, index_t gap, bool by_columns, const F& f,
           const Want& want, double bound) {
  if (!sampled()) return;
  const auto [m, n, k] = size;
  const auto a = problems::random_matrix<S>(m, k, distribution::small_integers, 1);
  const auto b = problems::random_matrix<S>(k, n, distribution::small_integers, 2);
  const index_t line = (by_columns ? m : n) + gap, lines = by_columns ? n : m;
  device_matrix<Out> c = to_device(ctx, matrix<Out>(lines, line, Out(-77)));
  const view<Out, 2, memory::device> out(c.data(), {m, n}, {by_columns ? 1 : line, by_columns ? line : 1});
  const device_matrix<bf16> there_a = to_device(ctx, a), there_b = to_device(ctx, b);
  kernels::gemm_arguments<S, F, Out> g;  // as gemm fills it, which would compile the CPU's product too
  g.m = m, g.n = n, g.k = k, g.epilogue = f;
  g.a = there_a.data(), g.sa = {0, k, 1}, g.b = there_b.data(), g.sb = {0, n, 1};
  g.c = c.data(), g.sc = {0, out.stride(0), out.stride(1)};
  kernels::cuda::gemm_entry<S, F, Out>(ctx, g);
  const matrix<Out> got = to_host(ctx, c);
  matrix<float> sums(m, n, 0.0f);  // exact
  for (index_t i = 0; i < m; ++i)
    for (index_t l = 0; l < k; ++l) {
      const float left = float(a(i, l));
      const bf16* right = b.data() + l * n;
      for (index_t j = 0; j < n; ++j) sums.data()[i * n + j] += left * float(right[j]);
    }
  for (index_t x = 0; x < lines; ++x)
    for (index_t y = 0; y < line; ++y) {
      const index_t i = by_columns ? y : x, j = by_columns ? x : y;
      if (i >= m || j >= n) {
        ASSERT_EQ(float(got(x, y)), -77) << i << " " << j;
        continue;
      }
      const double expected = want(double(sums(i, j)), i, j);
      ASSERT_NEAR(double(got(x, y)), expected, 3e-7 + bound * std::abs(expected))
          << m << "x" << n << "x" << k << " at " << i << " " << j;
    }
}

constexpr std::array<index_t, 3> sizes[] = {{1, 1, 1},        {5, 7, 0},       {63, 65, 33},     {64, 64, 64},
                                            {130, 64, 72},    {129, 257, 40},  {255, 8, 16},     {257, 264, 24},
                                            {2305, 576, 8},   {70, 130, 4096}, {128, 192, 5000}, {1153, 2056, 8},
                                            {1200, 2056, 520}};  // the last: in turns
                                                                 // (tests/kernels/wgmma_policy_test.cpp)

TEST(epilogues_on_cuda, bias_and_gelu) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr index_t most = 2056;
  matrix<float> bias(1, most + 1);
  for (index_t j = 0; j <= most; ++j) bias(0, j) = float(j * 37 % 101) / 16 - 3;
  const auto there = to_device(ctx, bias);
  for (const auto& size : sizes)
    for (const bool by_columns : {false, true}) {  // the bias ends with its buffer
      const index_t first = most + 1 - size[1];
      const auto f = epilogues::then(epilogues::bias_by_column(std::as_const(there).data() + first), epilogues::gelu{});
      enable_cuda<S, decltype(f), bf16>();
      const auto want = [&](double sum, index_t, index_t j) {
        const double x = sum + bias(0, first + j);
        return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
      };
      check<bf16>(ctx, size, 8, by_columns, f, want, 0x1.01p-9 * 2);
      check<bf16>(ctx, size, 0, by_columns, f, want, 0x1.01p-9 * 2);
    }
}

TEST(epilogues_on_cuda, scales_by_row_and_a_functor_of_ones_own) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  matrix<float> scale(1, 2305);
  for (index_t i = 0; i < scale.size(); ++i) scale(0, i) = float(i % 9 + 1) / 4;
  const auto there = to_device(ctx, scale);
  for (const auto& size : sizes)
    for (const bool by_columns : {false, true}) {
      const index_t first = 2305 - size[0];
      const auto f = epilogues::then(epilogues::scale_by_row(std::as_const(there).data() + first), checkered{});
      enable_cuda<S, decltype(f), float>();
      const auto want = [&](double sum, index_t i, index_t j) {
        const double x = sum * scale(0, first + i);
        return (i + j) % 2 == 0 ? x : -x + double(j);
      };
      check<float>(ctx, size, 4, by_columns, f, want, 0x1p-23);
    }
}

}  // namespace
}  // namespace kleene::test
