// What a block that sorts its tile starts from: each thread's own items, sorted in registers, and the shared memory for
// the merges that follow.
#pragma once

#include "kleene/gpu/block/warp.cuh"
#include "kleene/streaming/base/grain.hpp"
#include "kleene/streaming/cuda/tiles/tile.cuh"

#include <bit>

namespace kleene::streaming {

// Sorts items with their numbers, stably, by comparing neighbours (odd-even transposition): Values rounds, no branches.
// Those between head flags alone: bit i of `heads` is set where a segment starts with key[i] (0: one segment).
template <bool Numbered, int Values, class T, class Less>
__device__ __forceinline__ void sort_in_registers(T (&key)[Values], int (&number)[Values], unsigned heads,
                                                  const Less& less) {
#pragma unroll
  for (int round = 0; round < Values; ++round)
#pragma unroll
    for (int i = round & 1; i + 1 < Values; i += 2) {
      const bool swap = !(heads >> (i + 1) & 1) && less(key[i + 1], key[i]);
      const T low = swap ? key[i + 1] : key[i], high = swap ? key[i] : key[i + 1];
      key[i] = low;
      key[i + 1] = high;
      if constexpr (Numbered) {
        const int low_number = swap ? number[i + 1] : number[i], high_number = swap ? number[i] : number[i + 1];
        number[i] = low_number;
        number[i + 1] = high_number;
      }
    }
}

// What sorting a tile takes of shared memory.
template <class T, int Threads, int Size, bool Keyed>
struct sort_buffers {
  tile_buffer<T, Size + Threads / gpu::warp_size> items;  // an item more for each warp
  int numbers[Keyed ? Size : 1];
};

// Runs double until they are the tile: threads are a power of two.
template <class Grain>
using doubling = grain<static_cast<int>(std::bit_floor(static_cast<unsigned>(Grain::threads))), Grain::values>;

}  // namespace kleene::streaming
