// A block's stretch of a sequence, in and out of shared memory.
//
// Ranges of pointers to trivially copyable elements are moved by TMA (sm_90), any alignment: the stretch
// lies in shared memory as far from a 16-byte boundary as it does in global memory, its middle is one bulk copy, and
// threads move the few bytes at its ends. Everything else goes element by element.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "kleene/streaming/base/grain.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace kleene::streaming {

// What a kernel's arrays take of the 48 KiB of shared memory that it may declare; half a KiB is for all that does not
// grow with a tile or its elements. Grains shrink as elements grow, but not below 32 threads of one element.
template <std::size_t Bytes>
struct declared_shared {
  static constexpr std::size_t most = 48 * 1024 - 512;
  static_assert(Bytes <= most,
                "a tile of these elements does not fit a thread block's shared memory: take a smaller grain, or work "
                "on keys or positions in the place of large elements");
  static constexpr bool fits = Bytes <= most;
};

// Shared memory for `Count` elements at any distance from a 16-byte boundary.
template <class T, int Count>
struct tile_buffer {
  static constexpr int bytes = round_up(Count * static_cast<int>(sizeof(T)), 16) + 16;
  alignas(32) unsigned char memory[bytes];  // see two_tile_buffer
};

namespace detail {

template <class It, class T>
inline constexpr bool moves_as_bytes =
    std::is_pointer_v<It> && std::is_same_v<std::remove_cv_t<std::remove_pointer_t<It>>, T> &&
    std::is_trivially_copyable_v<T>;

__device__ __forceinline__ int misalignment(const void* p) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(p) % 16);
}

// Bytes before the first 16-byte boundary, in the aligned middle, and after it.
struct stretch {
  int head, middle, tail;
  __device__ stretch(const void* p, int bytes) {
    head = min((16 - misalignment(p)) % 16, bytes);
    middle = (bytes - head) / 16 * 16;
    tail = bytes - head - middle;
  }
};

// Up to 15 bytes; units of 4 where everything is a multiple of it.
__device__ __forceinline__ void copy_few(unsigned char* to, const unsigned char* from, int bytes, int thread) {
  if (((reinterpret_cast<std::uintptr_t>(from) | static_cast<unsigned>(bytes)) & 3) == 0) {
    if (4 * thread < bytes)
      reinterpret_cast<std::uint32_t*>(to)[thread] = reinterpret_cast<const std::uint32_t*>(from)[thread];
  } else if (thread < bytes) {
    to[thread] = from[thread];
  }
}

}  // namespace detail

// Buffers one after the other in one piece of shared memory, each aligned as its stretch in global memory; 31 bytes
// more for each than its items.
class tile_allocator {
 public:
  __device__ explicit tile_allocator(unsigned char* memory) : memory_(memory) {}

  // A buffer for `count` items that are at `like` in global memory.
  template <class T, class It>
  __device__ __forceinline__ T* take(It like, int count) {
    used_ = round_up(used_, 16);
    if constexpr (detail::moves_as_bytes<It, T>) used_ += detail::misalignment(like);
    T* const tile = reinterpret_cast<T*>(memory_ + used_);
    used_ += count * static_cast<int>(sizeof(T));
    return tile;
  }

 private:
  unsigned char* memory_;
  int used_ = 0;
};

// Where a tile from `from` on goes in the buffer: as far from a 16-byte boundary.
template <class T, int Count, class It>
__device__ __forceinline__ T* tile_in(tile_buffer<T, Count>& buffer, It from) {
  int offset = 0;
  if constexpr (detail::moves_as_bytes<It, T>) offset = detail::misalignment(from);
  return reinterpret_cast<T*>(buffer.memory + offset);
}

// Starts to load from[0 .. count) to `to` (a tile_in of it). All threads call it; the first of them puts the bulk bytes
// on `done`, which finish_load_tile then waits for. Between the two the block does not touch `to`.
template <int Threads, class T, class It>
__device__ __forceinline__ void start_load_tile(T* to, It from, int count, gpu::mbarrier* done) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (detail::moves_as_bytes<It, T>) {
    if (gpu::has_tma()) {
      const int bytes = count * static_cast<int>(sizeof(T));
      const detail::stretch s(from, bytes);
      auto* const target = reinterpret_cast<unsigned char*>(to);
      const auto* const source = reinterpret_cast<const unsigned char*>(from);
      if (thread == 0 && s.middle > 0) {
        gpu::mbarrier_arrive_expect_tx(done, s.middle);
        gpu::tma_load(target + s.head, source + s.head, s.middle, done);
      } else if (thread == 0) {
        gpu::mbarrier_arrive(done);
      }
      detail::copy_few(target, source, s.head, thread);
      detail::copy_few(target + s.head + s.middle, source + s.head + s.middle, s.tail, thread);
      return;
    }
  }
  if (thread == 0) gpu::mbarrier_arrive(done);
  constexpr int batch = 8;  // loads in flight at once, no condition between them
  int i = thread;
  for (; i + (batch - 1) * Threads < count; i += batch * Threads) {
    T value[batch];
#pragma unroll
    for (int j = 0; j < batch; ++j) value[j] = from[i + j * Threads];
#pragma unroll
    for (int j = 0; j < batch; ++j) to[i + j * Threads] = value[j];
  }
  for (; i < count; i += Threads) to[i] = from[i];
}

// The same of a stretch with `before` items of its array in front of it and `behind` behind it: where there are some,
// TMA loads the 16 bytes that hold the stretch's first and its last byte whole, and no thread has to wait
// for a few bytes (two trips to memory, one after the other, as each is loaded and then stored).
template <int Threads, class T, class It>
__device__ __forceinline__ void start_load_tile(T* to, It from, int count, index_t before, index_t behind,
                                                gpu::mbarrier* done) {
  if constexpr (detail::moves_as_bytes<It, T>) {
    if (gpu::has_tma()) {
      constexpr index_t enough = (15 + sizeof(T)) / sizeof(T);
      const int thread = static_cast<int>(threadIdx.x), bytes = count * static_cast<int>(sizeof(T));
      const int skew = detail::misalignment(from);
      const int first = before >= enough ? -skew : (16 - skew) % 16;
      const int last = (skew + bytes + (behind >= enough ? 15 : 0)) / 16 * 16 - skew;
      const int head = min(max(first, 0), bytes), tail = min(max(last, head), bytes);  // ends and starts there
      const bool some = bytes > 0 && last > first;
      auto* const target = reinterpret_cast<unsigned char*>(to);
      const auto* const source = reinterpret_cast<const unsigned char*>(from);
      if (thread == 0 && some) {
        gpu::mbarrier_arrive_expect_tx(done, last - first);
        gpu::tma_load(target + first, source + first, last - first, done);
      } else if (thread == 0) {
        gpu::mbarrier_arrive(done);
      }
      if (head > 0) detail::copy_few(target, source, head, thread);
      if (tail < bytes) detail::copy_few(target + tail, source + tail, bytes - tail, thread);
      return;
    }
  }
  start_load_tile<Threads>(to, from, count, done);
}

// A barrier for `stretches` of start_load_tile; all threads call it, and may go on to start_load_tile.
__device__ __forceinline__ void set_up(gpu::mbarrier* done, int stretches) {
  if (threadIdx.x == 0) {
    gpu::mbarrier_init(done, stretches);
    gpu::mbarrier_init_fence();
  }
}

__device__ __forceinline__ void finish_load_tile(gpu::mbarrier* done, int parity = 0) {
  __syncthreads();
  gpu::mbarrier_wait(done, parity);
}

// What the block wrote to from[0 .. count) goes to `to`; `from` is tile_in(buffer, to). All threads call it without
// a barrier before. The buffer may be used again after the next barrier.
template <int Threads, class T, class It>
__device__ __forceinline__ void store_tile(It to, T* from, int count) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (detail::moves_as_bytes<It, T>) {
    if (gpu::has_tma()) {
      const detail::stretch s(to, count * static_cast<int>(sizeof(T)));
      auto* const target = reinterpret_cast<unsigned char*>(to);
      const auto* const source = reinterpret_cast<const unsigned char*>(from);
      gpu::tma_store_fence();
      __syncthreads();
      if (thread == 0 && s.middle > 0) gpu::tma_store(target + s.head, source + s.head, s.middle);
      detail::copy_few(target, source, s.head, thread);
      detail::copy_few(target + s.head + s.middle, source + s.head + s.middle, s.tail, thread);
      if (thread == 0 && s.middle > 0) gpu::tma_store_wait();
      return;
    }
  }
  __syncthreads();
#pragma unroll 4
  for (int i = thread; i < count; i += Threads) to[i] = from[i];
}

}  // namespace kleene::streaming
