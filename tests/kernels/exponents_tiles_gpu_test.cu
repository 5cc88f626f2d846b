// A million tiles of minima of small whole numbers: gemm, which finds them by exponents where they are in range, and
// the kernel by mma.sync, beside gemm with the factor one(), which never does. All data is made and compared on the
// device.
#include "kleene/kernels/cuda/gemm/exponents/launch.cuh"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

constexpr index_t side = 16000, depth = 256;  // 250 x 250 tiles of 64 x 64, where gemm tries exponents

struct ranges {
  int high_a, high_b;  // levels, from 0 on; both ends are there in every line that is not infinite
  unsigned infinite;   // elements, of 256; all: the first two, too
};
constexpr unsigned all = 256;
// Sums up to 41, 50 and 62 levels are the limits of 63, 31 and 15 products: at them, and one beyond.
constexpr ranges all_ranges[] = {{20, 21, 25}, {21, 21, 25}, {31, 10, 0},  {32, 10, 0},  {25, 25, 25},  {25, 26, 25},
                                 {37, 13, 0},  {38, 13, 0},  {31, 31, 25}, {31, 32, 25}, {1, 1, 250},   {0, 50, 128},
                                 {0, 0, 0},    {3, 3, 25},   {41, 0, 25},  {50, 0, 0},   {12, 38, 200}, {47, 15, 25},
                                 {48, 14, 25}, {15, 47, 0},  {5, 5, all}};

__device__ unsigned drawn(unsigned seed, index_t line, index_t at) {
  return static_cast<unsigned>(splitmix64_output((std::uint64_t{seed} << 48) + std::uint64_t(line) * 1000003 + at) >>
                               32);
}

// Line i of A or B: an offset of its own, and every eleventh is infinite.
template <class S>
__global__ void fill_lines(value_of<S>* data, index_t stride_line, index_t stride_at, int high, unsigned infinite,
                           unsigned seed) {
  using T = value_of<S>;
  for (index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x; n < side * depth;
       n += index_t(gridDim.x) * blockDim.x) {
    const index_t line = n / depth, at = n % depth;
    const int offset = static_cast<int>(drawn(seed, line, 1000) % 2001) - 1000;
    const unsigned word = drawn(seed, line, at);
    const int level = at == 0 ? 0 : at == 1 ? high : static_cast<int>((word >> 8) % unsigned(high + 1));
    const bool nothing = infinite == all || drawn(seed, line, 1001) % 11 == 0 || (at > 1 && (word & 0xFF) < infinite);
    const int sign = S::zero() > S::one() ? 1 : -1;
    data[line * stride_line + at * stride_at] = nothing ? S::zero() : static_cast<T>(sign * (offset + level));
  }
}

template <class T>
__global__ void count_differences(const T* x, const T* y, unsigned long long* count) {
  for (index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x; n < side * side;
       n += index_t(gridDim.x) * blockDim.x)
    if (!(x[n] == y[n])) atomicAdd(count, 1ull);
}

// Offsets do not count, and lines that are infinite have no levels: sums of 15 products reach to 62.
bool is_in_range(const ranges& r) {
  return r.infinite == all || (r.high_a <= 47 && r.high_b <= 47 && r.high_a + r.high_b <= 62);
}

// C and the witness by mma.sync; whether they are there.
template <class S, kernels::cuda::exponents_kind Kind>
bool multiply_by_mma(const context& ctx, const device_matrix<value_of<S>>& a, const device_matrix<value_of<S>>& b,
                     device_matrix<value_of<S>>& c, device_matrix<std::int32_t>& witness) {
  kernels::gemm_arguments<S> g;
  g.m = g.n = side, g.k = depth;
  g.a = a.data(), g.b = b.data(), g.c = c.data();
  g.sa = {0, depth, 1}, g.sb = g.sc = g.switness = {0, side, 1};
  if (Kind == kernels::cuda::exponents_kind::keyed) g.witness = witness.data();
  void* const workspace = ctx.workspace(kernels::cuda::plan_exponents(side, side, depth).bytes);
  kernels::cuda::enqueue_exponents<decltype(g), Kind, kernels::cuda::exponent_engine::mma>(ctx, g, workspace);
  ctx.synchronise();
  kernels::cuda::exponent_findings found{};
  EXPECT_EQ(cudaMemcpy(&found, workspace, sizeof found, cudaMemcpyDeviceToHost), cudaSuccess);
  return found.done;
}

template <class S, bool ByMma = false>
void check_tiles(bool with_witness) {
  using T = value_of<S>;
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  device_matrix<T> a(ctx, side, depth), b(ctx, depth, side), c(ctx, side, side), want(ctx, side, side);
  device_matrix<std::int32_t> witness, first;
  if (with_witness) witness = {ctx, side, side}, first = {ctx, side, side};
  device_matrix<std::uint64_t> count(ctx, 1, 1);
  auto* const counter = reinterpret_cast<unsigned long long*>(count.data());
  unsigned seed = 0;
  for (const ranges& r : all_ranges) {
    fill_lines<S><<<1024, 256, 0, stream>>>(a.data(), depth, 1, r.high_a, r.infinite, ++seed);
    fill_lines<S><<<1024, 256, 0, stream>>>(b.data(), 1, side, r.high_b, r.infinite, ++seed);
    ASSERT_EQ(cudaMemsetAsync(counter, 0, sizeof *counter, stream), cudaSuccess);
    if constexpr (ByMma) {
      using enum kernels::cuda::exponents_kind;
      const bool done = with_witness ? multiply_by_mma<S, keyed>(ctx, a, b, c, witness)
                                     : multiply_by_mma<S, plain>(ctx, a, b, c, witness);
      EXPECT_EQ(done, is_in_range(r)) << "levels " << r.high_a << " and " << r.high_b;
      if (!done) continue;
    } else if (with_witness) {
      gemm(ctx, S{}, a, b, c, witness);
    } else {
      gemm(ctx, S{}, a, b, c);
    }
    if (with_witness) {
      gemm(ctx, S{}, a, b, want, first, {.alpha = S::one()});
      count_differences<<<1024, 256, 0, stream>>>(witness.data(), first.data(), counter);
    } else {
      gemm(ctx, S{}, a, b, want, {.alpha = S::one()});
    }
    count_differences<<<1024, 256, 0, stream>>>(c.data(), want.data(), counter);
    EXPECT_EQ(to_host(ctx, count)(0, 0), 0u) << "levels " << r.high_a << " and " << r.high_b << ", seed " << seed;
  }
}

TEST(exponents_of_a_million_tiles_on_cuda, min_plus_f32) { check_tiles<min_plus<f32>>(false); }
TEST(exponents_of_a_million_tiles_on_cuda, max_plus_f32) { check_tiles<max_plus<f32>>(false); }
TEST(exponents_of_a_million_tiles_on_cuda, witnesses_of_min_plus_i32) { check_tiles<min_plus<i32>>(true); }
TEST(exponents_of_a_million_tiles_on_cuda, min_plus_i32_by_mma) { check_tiles<min_plus<i32>, true>(false); }
TEST(exponents_of_a_million_tiles_on_cuda, witnesses_of_max_plus_f32_by_mma) { check_tiles<max_plus<f32>, true>(true); }

}  // namespace
}  // namespace kleene::test
