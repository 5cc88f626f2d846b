// Codes of both operands, in panels. Lines and numbers behind the operand's are coded as infinity.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/wgmma_bits.cuh"
#include "kleene/kernels/cuda/gemm/exponents/arguments.cuh"

namespace kleene::kernels::cuda {

inline constexpr int pack_exponent_threads = 256;

// One piece: 64 numbers of each of a panel's lines, eight to a thread at a time.
template <class S>
__device__ __forceinline__ void pack_piece(const exponent_lines<S>& x, const exponent_panels& to, index_t piece) {
  using code = exponent_code<exponents_sm90::terms>;
  const index_t panel = piece / to.steps, step = piece % to.steps;
  uint4* const at = to.piece(panel, step);
  const bool along = x.stride == 1 || x.line_stride != 1;  // neighbouring threads read what lies next to each other
  for (int n = static_cast<int>(threadIdx.x); n < to.rows * 8; n += pack_exponent_threads) {
    const int row = along ? n / 8 : n % to.rows, chunk = along ? n % 8 : n / to.rows;
    const index_t line = panel * to.rows + row, first = step * exponents_sm90::depth + chunk * 8;
    unsigned words[4] = {};
    if (line < x.lines) {
      const value_of<S>* const from = x.data + line * x.line_stride;
      const std::int32_t least = x.least[line];
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        const index_t k = first + e;
        const whole_number number =
            k < x.depth ? whole_number_of<S>(from[k * x.stride]) : whole_number{whole_number::infinite};
        const unsigned bits = number.kind == whole_number::finite ? code::of(number.value - least) : code::none;
        words[e / 2] |= bits << (e % 2 * 16);
      }
    }
    at[row * 8 + gpu::swizzled_chunk(row, chunk)] = make_uint4(words[0], words[1], words[2], words[3]);
  }
}

// A's pieces first; nothing where the operands cannot be coded.
template <class S>
__global__ void __launch_bounds__(pack_exponent_threads)
    pack_exponents(const __grid_constant__ exponent_lines<S> a, const __grid_constant__ exponent_lines<S> b,
                   const exponent_panels to_a, const exponent_panels to_b, const exponent_findings* found) {
  gpu::grid_dependency_wait();
  gpu::launch_dependents();
  if (!found->template coded<exponents_sm90::terms>()) return;
  const index_t pieces_a = to_a.panels * to_a.steps;
  if (blockIdx.x < pieces_a) pack_piece(a, to_a, blockIdx.x);
  else pack_piece(b, to_b, blockIdx.x - pieces_a);
}

template <class S>
void enqueue_pack_exponents(const exponent_lines<S>& a, const exponent_lines<S>& b, const exponent_panels& to_a,
                            const exponent_panels& to_b, const exponent_findings* found, cudaStream_t stream) {
  const unsigned blocks = gpu::grid_of(to_a.panels * to_a.steps + to_b.panels * to_b.steps);
  gpu::launch(pack_exponents<S>, {blocks, pack_exponent_threads, 0, stream, true}, a, b, to_a, to_b, found);
}

}  // namespace kleene::kernels::cuda
