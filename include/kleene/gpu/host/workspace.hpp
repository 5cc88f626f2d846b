// Several arrays in one piece of device memory: each is added, then all is asked for at once, then each is found in it.
//
//   workspace_layout layout;
//   const auto cuts = layout.add<index_t>(tiles + 1);
//   const auto sums = layout.add<float>(tiles);
//   void* memory = ctx.workspace(layout.bytes());
//   kernel(cuts.in(memory), sums.in(memory));
#pragma once

#include "kleene/data/integers.hpp"

#include <cstddef>

namespace kleene::gpu {

// Where an array lies.
template <class T>
struct workspace_array {
  std::size_t offset = 0;
  T* in(void* memory) const { return reinterpret_cast<T*>(static_cast<unsigned char*>(memory) + offset); }
};

class workspace_layout {
 public:
  static constexpr std::size_t alignment = 256;  // whole lines of memory, and what every copy and tensor map asks for

  template <class T>
  workspace_array<T> add(index_t count) {
    const std::size_t offset = bytes_;
    bytes_ += round_up(static_cast<std::size_t>(count) * sizeof(T), alignment);
    return {offset};
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

}  // namespace kleene::gpu
