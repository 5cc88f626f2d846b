// Names, numbered as they come: a hash table with linear probing. Slots are 8 bytes and the records of names lie one
// behind another, so that 400,000 names take 16 MB of the cache that all threads share; slots of 32 bytes with the
// start of the name took 32 MB, and a quarter more time. Slots filled up to four fifths instead of half take a sixth
// more. Looking a name up goes to two places that are not at hand: who has several names fetches the slots of all, then
// the records of all, and then asks for the numbers.
#pragma once

#include "io/words.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
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
  static std::uint32_t hash(std::string_view name) {
    std::uint64_t sum = name.size();
    any_word(name, [&sum](std::uint64_t word) {
      const auto product = static_cast<unsigned __int128>(sum ^ word ^ 0xa0761d6478bd642fu) * 0xe7037ed1a0b428dbu;
      sum = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
      return false;
    });
    return static_cast<std::uint32_t>(sum);
  }

  // The number of a name whose position in the file is behind those of all names before. guess: from fetch_record().
  std::int32_t number(std::uint32_t hash, std::string_view name, std::uint64_t position, std::uint32_t guess = 0) {
    if (guess != 0 && is_name(guess, name)) return number_of(guess);
    if (2 * size() >= slots_.size()) grow();
    std::size_t at = hash & mask();
    for (; slots_[at].record != 0; at = (at + 1) & mask())
      if (slots_[at].hash == hash && is_name(slots_[at].record, name)) return number_of(slots_[at].record);
    slots_[at] = {hash, keep(name)};
    first_.push_back(position);
    return static_cast<std::int32_t>(first_.size() - 1);
  }
  // The same of a name at any position.
  std::int32_t number_anywhere(std::uint32_t hash, std::string_view name, std::uint64_t position,
                               std::uint32_t guess = 0) {
    const std::int32_t found = number(hash, name, position, guess);
    first_[found] = std::min(first_[found], position);
    return found;
  }
  // Fetches what fetch_record() will look at. Out of line, g++ takes it for a function without effect, and drops the
  // call.
  [[gnu::always_inline]] void fetch_slot(std::uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & mask()]);
  }
  // Fetches what number() will look at, a name with this hash; 0: there is none yet.
  std::uint32_t fetch_record(std::uint32_t hash) const {
    if (slots_.empty()) return 0;
    std::size_t at = hash & mask();
    while (slots_[at].record != 0 && slots_[at].hash != hash) at = (at + 1) & mask();
    __builtin_prefetch(&records_[slots_[at].record]);
    return slots_[at].record;
  }

  std::size_t size() const { return first_.size(); }
  // Valid until the next name.
  std::string_view name(std::size_t number) const {
    const std::uint32_t record = record_of_[number];
    return {text_of(record), records_[record + 1]};
  }
  // Where it was seen first.
  std::uint64_t first(std::size_t number) const { return first_[number]; }

 private:
  struct slot {
    std::uint32_t hash = 0, record = 0;  // of a name: where in records_; 0: free
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::int32_t number_of(std::uint32_t record) const { return static_cast<std::int32_t>(records_[record]); }
  const char* text_of(std::uint32_t record) const { return reinterpret_cast<const char*>(&records_[record + 2]); }

  // Words of 8 bytes in line: memcmp is a call, and names are short.
  bool is_name(std::uint32_t record, std::string_view name) const {
    const char* const text = text_of(record);
    if (records_[record + 1] != name.size()) return false;
    for (std::size_t at = 0; at + 8 < name.size(); at += 8)
      if (load<std::uint64_t>(text + at) != load<std::uint64_t>(name.data() + at)) return false;
    return last_word(text, name.size()) == last_word(name.data(), name.size());
  }

  void grow() {
    std::vector<slot, huge_pages<slot>> old(slots_.empty() ? 1024 : 2 * slots_.size());
    slots_.swap(old);
    for (const slot& taken : old) {
      if (taken.record == 0) continue;
      std::size_t at = taken.hash & mask();
      while (slots_[at].record != 0) at = (at + 1) & mask();
      slots_[at] = taken;
    }
  }

  // The record of the next number: it, the bytes of the name, and these.
  std::uint32_t keep(std::string_view name) {
    const std::size_t record = records_.size(), end = record + 2 + (name.size() + 3) / 4;
    if (end > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();  // 16 GB of names
    records_.resize(end);
    records_[record] = static_cast<std::uint32_t>(size());
    records_[record + 1] = static_cast<std::uint32_t>(name.size());
    std::memcpy(&records_[record + 2], name.data(), name.size());
    record_of_.push_back(static_cast<std::uint32_t>(record));
    return static_cast<std::uint32_t>(record);
  }

  std::vector<slot, huge_pages<slot>> slots_;
  std::vector<std::uint32_t, huge_pages<std::uint32_t>> records_{0};  // none is at 0
  std::vector<std::uint32_t> record_of_;                              // of each number
  std::vector<std::uint64_t> first_;
};

}  // namespace kleene::io::detail
