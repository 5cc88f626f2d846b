// How much all tiles before a tile count, found by one block of the kernel while the others go on: it adds up, in
// order, what tiles have published, and publishes each tile its sum, which a block polls after it has worked on another
// tile. (With look-back, blocks add up for themselves and wait: gpu/block/lookback.cuh.)
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/gpu/block/publish.cuh"
#include "kleene/gpu/block/scan.cuh"

namespace kleene::streaming {

struct tile_scan {
  gpu::tagged_word *counts, *before;  // of a tile; of all tiles before it
  std::uint64_t tag;

  // Room for that many tiles; for one kernel.
  static tile_scan make(const context& ctx, index_t tile_count) {
    const kleene::detail::tagged_memory tagged = ctx.tagged(2 * tile_count * sizeof(gpu::tagged_word));
    auto* const first = static_cast<gpu::tagged_word*>(tagged.memory);
    return {first, first + tile_count, tagged.tag};
  }

  // One thread for each tile.
  __device__ void publish(index_t tile, index_t count) const { gpu::publish(counts, tile, count, tag); }
  // One thread; waits until all tiles before that one have published their counts, and for no others.
  __device__ index_t before_tile(index_t tile) const { return gpu::await<index_t>(before, tile, tag); }

  // The block that scans, all of its threads; the sum over all tiles, in every thread. Blocks start in order: it should
  // be the first, so that it runs whatever the others do.
  template <int Threads>
  __device__ index_t scan(index_t tile_count) const {
    constexpr int each = Threads < 256 ? 256 / Threads : 1;  // tiles of a thread: in flight at the same time
    __shared__ typename gpu::block_scan<int, Threads>::storage known;
    __shared__ typename gpu::block_scan<index_t, Threads>::storage sums;
    const int mine = each * static_cast<int>(threadIdx.x);
    index_t all = 0;
    for (index_t base = 0; base < tile_count;) {
      index_t count[each];
      int missing = each * Threads;  // the first tile from `base` on that has left nothing yet
#pragma unroll
      for (int i = each - 1; i >= 0; --i)
        if (base + mine + i >= tile_count || !gpu::poll(counts, base + mine + i, count[i], tag)) missing = mine + i;
      const int here = gpu::block_scan<int, Threads>::fold(known, missing, ops::min{});
      index_t sum = 0;
#pragma unroll
      for (int i = 0; i < each; ++i) sum += mine + i < here ? count[i] : 0;
      const index_t left = gpu::block_scan<index_t, Threads>::exclusive(sums, sum, ops::plus{});
      index_t next = threadIdx.x == 0 ? all : all + left;
#pragma unroll
      for (int i = 0; i < each; ++i)
        if (mine + i < here) {
          gpu::publish(before, base + mine + i, next, tag);
          next += count[i];
        }
      all += gpu::block_scan<index_t, Threads>::total(sums, ops::plus{});
      base += here;
    }
    return all;
  }
};

}  // namespace kleene::streaming
