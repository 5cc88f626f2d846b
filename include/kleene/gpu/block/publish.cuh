// Publish and poll: how thread blocks pass values to each other through global memory within one kernel. A word is 8
// bytes of value and a tag, written and read as one; a value of any size is a few words, and has arrived when all of
// them carry the tag of this kernel. No fences, and no memory to clear.
//
// Blocks start in the order of their numbers, so that a block may wait for what lower ones publish.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/integers.hpp"

#include <cstdint>
#include <cstring>

namespace kleene::gpu {

struct alignas(16) tagged_word {
  std::uint64_t value, tag;
};

__device__ __forceinline__ void store_tagged(tagged_word* to, std::uint64_t value, std::uint64_t tag) {
  asm volatile("{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.gpu.global.b128 [%0], w; }" ::"l"(to), "l"(value),
               "l"(tag)
               : "memory");
}
__device__ __forceinline__ tagged_word load_tagged(const tagged_word* from) {
  tagged_word w;
  asm volatile("{ .reg .b128 w; ld.relaxed.gpu.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }"
               : "=l"(w.value), "=l"(w.tag)
               : "l"(from)
               : "memory");
  return w;
}
// Fetches the word into L2 before it is written and read, which saves the reader a trip to memory.
__device__ __forceinline__ void prefetch_tagged(const tagged_word* word) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(word));
}

template <class T>
inline constexpr int words_of = ceil_div(sizeof(T), 8);

template <class T>
__device__ __forceinline__ void publish(tagged_word* slots, std::int64_t slot, const T& value, std::uint64_t tag) {
  std::uint64_t bits[words_of<T>] = {};
  std::memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (int w = 0; w < words_of<T>; ++w) store_tagged(slots + slot * words_of<T> + w, bits[w], tag);
}

// Whether the value has arrived.
template <class T>
__device__ __forceinline__ bool poll(const tagged_word* slots, std::int64_t slot, T& value, std::uint64_t tag) {
  std::uint64_t bits[words_of<T>];
  bool there = true;
#pragma unroll
  for (int w = 0; w < words_of<T>; ++w) {
    const tagged_word word = load_tagged(slots + slot * words_of<T> + w);
    bits[w] = word.value;
    there &= word.tag == tag;
  }
  std::memcpy(&value, bits, sizeof(T));
  return there;
}

// Polls until the value has arrived, and returns it.
template <class T>
__device__ __forceinline__ T await(const tagged_word* slots, std::int64_t slot, std::uint64_t tag) {
  T value;
  while (!poll(slots, slot, value, tag)) {
  }
  return value;
}

}  // namespace kleene::gpu
