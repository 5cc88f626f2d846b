// Memory in huge pages where it is large: each name is somewhere else in a table, and walking to its page of 4 KB took
// most of the time of looking it up.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace kleene::io::detail {

// An allocator.
template <class T>
struct huge_pages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;

  huge_pages() = default;
  template <class U>
  huge_pages(const huge_pages<U>&) {}
  static std::align_val_t alignment(std::size_t count) {
    return std::align_val_t(count * sizeof(T) < page ? 64 : page);
  }
  T* allocate(std::size_t count) {
    void* const memory = ::operator new(count * sizeof(T), alignment(count));
    if (count * sizeof(T) >= page) (void)::madvise(memory, count * sizeof(T), MADV_HUGEPAGE);  // where there are any
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count)); }
  bool operator==(const huge_pages&) const = default;
};

// Memory that is taken piece by piece, and given back all at once.
class huge_memory {
 public:
  // So many bytes, uninitialised, from a multiple of 64 on.
  void* take(std::size_t bytes) {
    bytes = (bytes + 63) / 64 * 64;
    if (bytes > left_) {
      const std::size_t more = std::max(bytes, std::clamp(taken_, least, most));
      block next(huge_pages<std::byte>().allocate(more), give_back{more});
      blocks_.push_back(std::move(next));
      at_ = blocks_.back().get();
      left_ = more;
    }
    taken_ += bytes;
    left_ -= bytes;
    return std::exchange(at_, at_ + bytes);
  }

 private:
  // Blocks grow with what is taken, to two huge pages: malloc keeps such for the next who asks.
  static constexpr std::size_t least = std::size_t{1} << 16, most = std::size_t{1} << 22;
  struct give_back {
    std::size_t bytes;
    void operator()(std::byte* memory) const { huge_pages<std::byte>().deallocate(memory, bytes); }
  };
  using block = std::unique_ptr<std::byte[], give_back>;

  std::vector<block> blocks_;
  std::byte* at_ = nullptr;           // in the last block
  std::size_t left_ = 0, taken_ = 0;  // in it, and in all
};

}  // namespace kleene::io::detail
