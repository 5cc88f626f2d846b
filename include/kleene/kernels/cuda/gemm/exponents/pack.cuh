// Codes of both operands, in panels. Lines and numbers behind the operand's are coded as infinity, and so is the last
// code of every sum: 15, 31 or 63 products.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

namespace kleene::kernels::cuda {

inline constexpr int pack_exponent_threads = 256, pack_exponent_chunks = exponents_sm90::block_rows * 8;

// How numbers become codes.
struct exponent_coding {
  int terms, bits, top;  // products of a sum; of a level; of level 0
  int most_level;        // that of what is more

  // The first number of a chunk of eight codes of a piece, and how many of them are numbers.
  __device__ index_t first(index_t step, int chunk) const {
    return step * exponent_pieces::numbers(terms) + chunk * 8 - chunk * 8 / (terms + 1);
  }
  __device__ int count(int chunk) const { return (chunk + 1) * 8 % (terms + 1) == 0 ? 7 : 8; }
};

// The numbers of a line from k on as a chunk of codes.
template <class S>
__device__ __forceinline__ uint4 code_chunk(const exponent_lines<S>& x, const exponent_coding& code, index_t line,
                                            index_t k, int count) {
  const value_of<S>* const from = x.data + line * x.line_stride + k * x.stride;
  value_of<S> values[8];
#pragma unroll
  for (int e = 0; e < 8; ++e) values[e] = e < count && k + e < x.depth ? from[e * x.stride] : S::zero();
  const std::int32_t least = x.least ? x.least[line] : 0;
  unsigned words[4] = {};
#pragma unroll
  for (int e = 0; e < 8; ++e) {
    const whole_number number = whole_number_of<S>(values[e]);
    const int level =
        number.kind == whole_number::finite ? min(number.value - least, code.most_level) : code.most_level;
    const unsigned bits = number.kind == whole_number::infinite ? 0u : code_of_level(code.bits, code.top, level);
    words[e / 2] |= bits << (e % 2 * 16);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

// One piece: 64 codes of each of a panel's lines. Threads read what lies next to each other, and write through shared
// memory, for the same reason.
template <class S>
__device__ __forceinline__ void pack_piece(const exponent_lines<S>& x, const exponent_panels& to, index_t piece,
                                           index_t steps, const exponent_coding& code) {
  __shared__ uint4 chunks[pack_exponent_chunks];
  const index_t panel = piece / steps, step = piece % steps;
  const int all = to.rows * 8;
#pragma unroll 2
  for (int n = static_cast<int>(threadIdx.x); n < all; n += pack_exponent_threads) {
    const int row = x.along ? n / 8 : n % to.rows, chunk = x.along ? n % 8 : n / to.rows;
    const index_t line = panel * to.rows + row;
    uint4 codes{};
    if (line < x.lines) codes = code_chunk(x, code, line, code.first(step, chunk), code.count(chunk));
    chunks[row * 8 + gpu::swizzled_chunk(row, chunk)] = codes;
  }
  __syncthreads();
  uint4* const at = to.piece(panel, step, steps);
  for (int n = static_cast<int>(threadIdx.x); n < all; n += pack_exponent_threads) at[n] = chunks[n];
}

// A's pieces first; nothing where the operands cannot be coded.
template <class S>
__global__ void __launch_bounds__(pack_exponent_threads)
    pack_exponents(const __grid_constant__ exponent_lines<S> a, const __grid_constant__ exponent_lines<S> b,
                   const __grid_constant__ exponent_panels to_a, const __grid_constant__ exponent_panels to_b,
                   const exponent_findings* found) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (!found->done) return;
  const int terms = found->terms, bits = 31 - __clz(terms + 1);
  const int most_level = a.least ? most_whole_number : clamped_level;
  const index_t steps = exponent_pieces::steps(a.depth, terms), pieces_a = to_a.panels * steps;
  if (blockIdx.x < pieces_a)
    pack_piece(a, to_a, blockIdx.x, steps, {terms, bits, exponent_key::code::top_a, most_level});
  else if (blockIdx.x < pieces_a + to_b.panels * steps)
    pack_piece(b, to_b, blockIdx.x - pieces_a, steps, {terms, bits, exponent_key::code::top_b, most_level});
}

// The grid is for as many pieces as there may be.
template <class S>
void enqueue_pack_exponents(const exponent_lines<S>& a, const exponent_lines<S>& b, const exponent_panels& to_a,
                            const exponent_panels& to_b, const exponent_findings* found, cudaStream_t stream) {
  const unsigned blocks = gpu::grid_of((to_a.panels + to_b.panels) * exponent_pieces::most_steps(a.depth));
  gpu::launch(pack_exponents<S>, {blocks, pack_exponent_threads, 0, stream, true}, a, b, to_a, to_b, found);
}

}  // namespace kleene::kernels::cuda
