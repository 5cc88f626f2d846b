// From keys to elements of C and their witnesses: a key says how small the minimum is and in which sum of 15 products
// it is; the first of them that reaches it is looked up in the codes.
#pragma once

#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

inline constexpr int key_threads = 256, keys_of_thread = 4;

// The 16 codes of a line for one sum, two to a word.
__device__ __forceinline__ void load_codes(const exponent_panels& x, index_t line, index_t sum, index_t steps,
                                           unsigned (&codes)[8]) {
  const index_t panel = line / x.rows;
  const int row = static_cast<int>(line % x.rows), chunk = static_cast<int>(sum % 4) * 2;
  const uint4* const at = x.piece(panel, sum / 4, steps) + row * 8;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const uint4 read = at[gpu::swizzled_chunk(row, chunk + h)];
    codes[4 * h] = read.x, codes[4 * h + 1] = read.y, codes[4 * h + 2] = read.z, codes[4 * h + 3] = read.w;
  }
}

// The first product of a sum whose levels add up to `level`; there is one.
__device__ __forceinline__ int find_term(const unsigned (&a)[8], const unsigned (&b)[8], int level) {
  const unsigned wanted = exponent_key::sum_of_codes(level) * 0x10001u;
  int term = 0;
#pragma unroll
  for (int w = 7; w >= 0; --w) {
    const unsigned equal = __vcmpeq2(a[w] + b[w], wanted);  // no sum of two codes needs a seventeenth bit
    if (equal) term = 2 * w + (equal & 1 ? 0 : 1);
  }
  return term;
}

// A block takes a row and 1024 columns; blocks of the same columns follow each other, whose codes stay in the L2.
template <class G>
__global__ void __launch_bounds__(key_threads)
    find_exponent_witnesses(const __grid_constant__ exponents_arguments<G> p) {
  using S = typename G::algebra;
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (!p.found->done) return;
  gemm_writer<G> writer{p.g, 0};
  const index_t i = blockIdx.x;
  const index_t steps = exponent_pieces::steps(p.g.k, exponent_key::terms), last = steps * 4 - 1;
  const std::int32_t least_a = p.least_a[i];
#pragma unroll
  for (int e = 0; e < keys_of_thread; ++e) {
    const index_t j = (index_t{blockIdx.y} * keys_of_thread + e) * key_threads + threadIdx.x;
    if (j >= p.g.n) continue;
    const std::int32_t key = writer.witness_at(i, j);
    auto value = widen<S>(S::zero());
    index_t k = -1;
    if (!exponent_key::is_empty(key)) {
      const int level = exponent_key::level(key);
      const index_t sum = last - exponent_key::sums_after(key);
      unsigned a[8], b[8];
      load_codes(p.a, i, sum, steps, a);
      load_codes(p.b, j, sum, steps, b);
      k = sum * exponent_key::terms + find_term(a, b, level);
      value = widen<S>(static_cast<value_of<S>>(level_sign<S> * (least_a + p.least_b[j] + level)));
    }
    const bool improves = writer.store(i, j, value);
    writer.store_witness(i, j, improves, k);
  }
}

template <class G>
void enqueue_exponent_witnesses(const exponents_arguments<G>& p, cudaStream_t stream) {
  const auto columns = static_cast<unsigned>(ceil_div(p.g.n, key_threads * keys_of_thread));
  gpu::launch(find_exponent_witnesses<G>, {{static_cast<unsigned>(p.g.m), columns}, key_threads, 0, stream, true}, p);
}

}  // namespace kleene::kernels::cuda
