// Blocks stay and take tile after tile: one warp works out where the next tile lies while the others still write, all
// threads read, turn and write it. Tables of offsets are made once a block.
#pragma once

#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/kernels/cuda/permute/tile.hpp"

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

// Where a tile begins, by the lanes of a warp, a loop each.
__device__ __forceinline__ void warp_find_base(const permute_plan& p, index_t tile, permute_base* base) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  index_t from = 0, to = 0;
  if (lane < 2) base->limit[lane] = p.cut[lane].block;
  __syncwarp();
  for (int l = lane; l < p.loops; l += 32) {
    const index_t step = step_along(p, l, tile);
    from += step * p.loop[l].from, to += step * p.loop[l].to;
    for (int c = 0; c < 2; ++c)
      if (p.cut[c].loop == l) base->limit[c] = limit_of(p.cut[c], step);
  }
#pragma unroll
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    from += __shfl_xor_sync(0xffffffff, from, lanes);
    to += __shfl_xor_sync(0xffffffff, to, lanes);
  }
  if (lane == 0) base->from = from, base->to = to;
}

struct later_copy {
  __device__ void operator()(void* tile, const void* from) const { gpu::cp_async(tile, from); }
};

struct byte_turner {
  __device__ void operator()(std::uint32_t (&w)[4]) const {
    const std::uint32_t a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[2], w[3], 0x5140);
    const std::uint32_t c = __byte_perm(w[0], w[1], 0x7362), d = __byte_perm(w[2], w[3], 0x7362);
    w[0] = __byte_perm(a, b, 0x5410), w[1] = __byte_perm(a, b, 0x7632);
    w[2] = __byte_perm(c, d, 0x5410), w[3] = __byte_perm(c, d, 0x7632);
  }
};

// Resident blocks a multiprocessor that the compiler is asked to leave registers for; 0: not asked. Of bytes there is
// shared memory for two, which leaves 96 registers a thread.
template <class E>
inline constexpr int permute_blocks = sizeof(E) == 1 ? 2 : 0;

template <class E, int In, int Out, bool Direct>
__global__ void __launch_bounds__(permute_threads, permute_blocks<E>)
    permute_tiles(const __grid_constant__ permute_plan p) {
  extern __shared__ uint4 permute_memory[];
  __shared__ permute_base bases[2];
  const permute_tables tables(p, reinterpret_cast<permute_place*>(permute_memory));
  E* const tile = reinterpret_cast<E*>(permute_memory + p.table_entries());
  const int thread = static_cast<int>(threadIdx.x);
  tabulate(p.in, tables.in_inner, tables.in_outer, thread);
  tabulate(p.out, tables.out_inner, tables.out_outer, thread);
  __syncthreads();
  const permute_thread<In, Out> mine(p, tables, thread);
  int turn = 0;
  for (index_t t = blockIdx.x; t < p.tiles; t += gridDim.x, turn ^= 1) {
    if (thread < 32) warp_find_base(p, t, &bases[turn]);
    __syncthreads();  // the base is there, and the tile before is written
    const permute_base base = bases[turn];
    if constexpr (Direct) {
      copy_tile<E, Out>(p, tables, base, thread);
    } else {
      if constexpr (sizeof(E) <= 2 && In > 1) {
        load_later(p, tables, base, mine, tile, thread, later_copy{});
        gpu::cp_async_commit(), gpu::cp_async_wait<0>();
      } else {
        load_tile<E>(p, tables, base, mine, tile, thread);
      }
      __syncthreads();
      if constexpr (sizeof(E) == 1 && In > 1 && Out > 1)
        if (p.by_words) {
          store_words(p, tables, base, mine, tile, thread, byte_turner{});
          continue;
        }
      store_tile<E>(p, tables, base, mine, tile, thread);
    }
  }
}

}  // namespace kleene::kernels::cuda
