// Names, numbered as they come: a hash table with linear probing. A slot holds the start of its name, so that looking
// one up takes one cache line of the table, and nothing else where the name is short. The names are kept in memory of
// the table's own.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Memory in huge pages where it is large: each name is somewhere else in a table, and walking to its page of 4 KB took
// most of the time of looking it up.
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

class name_table {
 public:
  // A name as slots have it: its first 23 bytes, and its length or 255.
  struct key {
    std::array<char, 24> start{};
    std::uint32_t hash = 0;

    explicit key(std::string_view name) : hash(static_cast<std::uint32_t>(std::hash<std::string_view>{}(name))) {
      const bool is_short = name.size() < start.size();
      name.copy(start.data(), start.size() - 1);
      start.back() = is_short ? static_cast<char>(name.size()) : static_cast<char>(255);
    }
    bool is_whole() const { return start.back() != static_cast<char>(255); }
  };

  // The number of a name whose position in the file is behind those of all names before.
  std::int32_t number(const key& k, std::string_view name, std::uint64_t position) {
    if (2 * names_.size() >= slots_.size()) grow();
    for (std::size_t at = k.hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      slot& here = slots_[at];
      if (here.number < 0) {
        here = {k.start, k.hash, static_cast<std::int32_t>(names_.size())};
        names_.push_back(keep(name));
        first_.push_back(position);
        return here.number;
      }
      if (here.hash == k.hash && here.start == k.start && (k.is_whole() || names_[here.number] == name))
        return here.number;
    }
  }
  // The same of a name at any position.
  std::int32_t number_anywhere(std::string_view name, std::uint64_t position) {
    const std::int32_t found = number(key(name), name, position);
    first_[found] = std::min(first_[found], position);
    return found;
  }
  // Fetches what number() will look at. Out of line, g++ takes it for a function without effect, and drops the call.
  [[gnu::always_inline]] void prefetch(const key& k) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[k.hash & (slots_.size() - 1)]);
  }

  std::size_t size() const { return names_.size(); }
  std::string_view name(std::size_t number) const { return names_[number]; }
  // Where it was seen first.
  std::uint64_t first(std::size_t number) const { return first_[number]; }

 private:
  struct alignas(32) slot {  // in one cache line
    std::array<char, 24> start{};
    std::uint32_t hash = 0;
    std::int32_t number = -1;  // of a name; -1: free
  };

  void grow() {
    std::vector<slot, huge_pages<slot>> old(slots_.empty() ? 1024 : 2 * slots_.size());
    slots_.swap(old);
    for (const slot& taken : old) {
      if (taken.number < 0) continue;
      std::size_t at = taken.hash & (slots_.size() - 1);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = taken;
    }
  }

  std::string_view keep(std::string_view name) {
    constexpr std::size_t piece = 1 << 16;
    if (room_ < name.size()) {
      room_ = std::max(piece, name.size());
      pieces_.push_back(std::make_unique_for_overwrite<char[]>(room_));
      next_ = pieces_.back().get();
    }
    char* const to = next_;
    std::memcpy(to, name.data(), name.size());
    next_ += name.size();
    room_ -= name.size();
    return {to, name.size()};
  }

  std::vector<slot, huge_pages<slot>> slots_;
  std::vector<std::string_view> names_;
  std::vector<std::uint64_t> first_;
  std::vector<std::unique_ptr<char[]>> pieces_;
  char* next_ = nullptr;
  std::size_t room_ = 0;  // behind next_
};

}  // namespace kleene::io::detail
