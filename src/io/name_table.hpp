// Names, numbered as they come, in one hash table that all threads share. Looking a name up takes no lock: slots are
// read and written whole, and what they lead to never moves. Adding one takes the lock of a part of the table, of which
// there are many. Slots are 8 bytes and records 16 before the text, so that 400,000 names take 21 MB of the cache that
// all threads share; slots of 32 bytes with the start of the name took a quarter more time, slots filled up to four
// fifths instead of half a sixth. A table for each thread, and all of them brought together at the end, took a sixth
// more with two threads, and had the names in the cache as often as there were threads. Looking a name up goes to two
// places that are not at hand: who has several names fetches the slots of all, then the records of all, and then asks
// for the numbers.
#pragma once

#include "io/huge_memory.hpp"
#include "io/words.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

class name_table {
 public:
  // A name: its text stands behind it.
  struct record {
    std::atomic<std::uint64_t> first;  // where it was seen first
    std::int32_t number;
    std::uint32_t size;

    const char* text() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view name() const { return {text(), size}; }
  };

  name_table() {
    for (auto& slots : slots_) slots = free_slots(first_slots);
  }

  static std::uint32_t hash(std::string_view name) {
    std::uint64_t sum = name.size();
    any_word(name, [&sum](std::uint64_t word) {
      const auto product = static_cast<unsigned __int128>(sum ^ word ^ 0xa0761d6478bd642fu) * 0xe7037ed1a0b428dbu;
      sum = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
      return false;
    });
    return static_cast<std::uint32_t>(sum);
  }

  // Numbers are below this. Not all of them are of names where several threads have added some.
  std::size_t numbers() const { return static_cast<std::size_t>(numbers_.load(std::memory_order_relaxed)); }

 private:
  friend class name_finder;

  using slot = std::atomic<std::uint64_t>;  // 0: free; else the hash of a name, and below it where its record is
  static constexpr int parts_log2 = 6;
  static constexpr std::size_t parts = std::size_t{1} << parts_log2, first_slots = 16;
  static constexpr std::int32_t numbers_at_once = 4096;

  // Where records are, in units of 8 bytes: places go by pieces, each of so many units, or less where it is an early
  // one, or several pieces in one for a long name.
  static constexpr int piece_log2 = 18;
  static constexpr std::size_t piece_units = std::size_t{1} << piece_log2, most_pieces = std::size_t{1} << 14;

  // The slots of a part, a power of two of them, which stand behind.
  struct alignas(64) slot_array {
    std::size_t mask;

    slot* begin() { return reinterpret_cast<slot*>(this + 1); }
  };
  // What names with the same high bits of their hashes are added by.
  struct alignas(64) part {
    std::mutex adding{};
    std::size_t names = 0;
  };

  static std::size_t part_of(std::uint32_t hash) { return hash >> (32 - parts_log2); }
  slot_array& slots_for(std::uint32_t hash) const { return *slots_[part_of(hash)].load(std::memory_order_acquire); }
  record& at(std::uint32_t place) const {
    return *reinterpret_cast<record*>(pieces_[place >> piece_log2] + (place & (piece_units - 1)));
  }

  // Words of 8 bytes in line: memcmp is a call, and names are short.
  static bool is_name(const record& one, std::string_view name) {
    const char* const text = one.text();
    if (one.size != name.size()) return false;
    for (std::size_t at = 0; at + 8 < name.size(); at += 8)
      if (load<std::uint64_t>(text + at) != load<std::uint64_t>(name.data() + at)) return false;
    return last_word(text, name.size()) == last_word(name.data(), name.size());
  }

  // The record of a name, or nullptr, with the free slot in which the search has ended.
  struct found_name {
    record* found;
    slot* end;
  };
  found_name find(slot_array& slots, std::uint32_t hash, std::string_view name) const {
    for (std::size_t s = hash & slots.mask;; s = (s + 1) & slots.mask) {
      const std::uint64_t taken = slots.begin()[s].load(std::memory_order_acquire);
      if (taken == 0) return {nullptr, &slots.begin()[s]};
      if (taken >> 32 != hash) continue;
      if (record& one = at(static_cast<std::uint32_t>(taken)); is_name(one, name)) return {&one, nullptr};
    }
  }

  slot_array* free_slots(std::size_t count) {
    void* memory = nullptr;
    {
      const std::lock_guard lock(memory_lock_);
      memory = memory_.take(sizeof(slot_array) + count * sizeof(slot));
    }
    auto* const slots = ::new (memory) slot_array{count - 1};
    std::uninitialized_value_construct_n(slots->begin(), count);
    return slots;
  }
  // Twice as many slots for a part, whose lock is held. Who still reads the old ones misses no name that was there, and
  // looks again, with the lock, for one that was not.
  void grow(std::size_t part) {
    slot_array& old = *slots_[part].load(std::memory_order_relaxed);
    slot_array& twice = *free_slots(2 * (old.mask + 1));
    for (std::size_t s = 0; s <= old.mask; ++s) {
      const std::uint64_t taken = old.begin()[s].load(std::memory_order_relaxed);
      if (taken == 0) continue;
      std::size_t free = (taken >> 32) & twice.mask;
      while (twice.begin()[free].load(std::memory_order_relaxed) != 0) free = (free + 1) & twice.mask;
      twice.begin()[free].store(taken, std::memory_order_relaxed);
    }
    slots_[part].store(&twice, std::memory_order_release);
  }

  // The place of so many units.
  std::uint32_t take_pieces(std::size_t units) {
    const std::size_t count = (units + piece_units - 1) / piece_units;
    const std::lock_guard lock(memory_lock_);
    if (count > most_pieces - piece_count_) throw std::bad_alloc();  // 32 GB of names
    pieces_[piece_count_] = static_cast<std::uint64_t*>(memory_.take(units * sizeof(std::uint64_t)));
    piece_count_ += count;
    return static_cast<std::uint32_t>((piece_count_ - count) << piece_log2);
  }

  std::mutex memory_lock_;
  huge_memory memory_;
  std::unique_ptr<std::uint64_t*[]> pieces_ = std::make_unique_for_overwrite<std::uint64_t*[]>(most_pieces);
  std::size_t piece_count_ = 1;  // no record is at 0
  std::atomic<std::int32_t> numbers_{0};
  alignas(64) std::array<std::atomic<slot_array*>, parts> slots_;
  std::array<part, parts> parts_;
};

// What one thread looks names up by, and adds them. It must not outlive the table.
class alignas(64) name_finder {
 public:
  explicit name_finder(name_table& table) : table_(&table) {}

  // The number of a name that is seen at a position in the file; new names get ascending ones. guess: from
  // fetch_record().
  std::int32_t number(std::uint32_t hash, std::string_view name, std::uint64_t position, std::uint32_t guess = 0) {
    name_table::record* one = guess != 0 ? &table_->at(guess) : nullptr;
    if (!one || !name_table::is_name(*one, name)) one = table_->find(table_->slots_for(hash), hash, name).found;
    if (!one) one = &add(hash, name, position);
    std::uint64_t first = one->first.load(std::memory_order_relaxed);
    while (position < first && !one->first.compare_exchange_weak(first, position, std::memory_order_relaxed)) continue;
    return one->number;
  }
  // Fetches what fetch_record() will look at. Out of line, g++ takes it for a function without effect, and drops the
  // call.
  [[gnu::always_inline]] void fetch_slot(std::uint32_t hash) const {
    name_table::slot_array& slots = table_->slots_for(hash);
    __builtin_prefetch(slots.begin() + (hash & slots.mask));
  }
  // Fetches what number() will look at, a name with this hash; 0: there is none yet.
  std::uint32_t fetch_record(std::uint32_t hash) const {
    name_table::slot_array& slots = table_->slots_for(hash);
    for (std::size_t s = hash & slots.mask;; s = (s + 1) & slots.mask) {
      const std::uint64_t taken = slots.begin()[s].load(std::memory_order_acquire);
      if (taken != 0 && taken >> 32 != hash) continue;
      const auto place = static_cast<std::uint32_t>(taken);
      if (place != 0) __builtin_prefetch(&table_->at(place));
      return place;
    }
  }

  // The names that this thread has added, in the order in which it did.
  std::size_t size() const { return places_.size(); }
  const name_table::record& added(std::size_t n) const { return table_->at(places_[n]); }

 private:
  name_table::record& add(std::uint32_t hash, std::string_view name, std::uint64_t position) {
    const std::size_t own = name_table::part_of(hash);
    name_table::part& p = table_->parts_[own];
    const std::lock_guard lock(p.adding);
    if (2 * p.names > table_->slots_for(hash).mask) table_->grow(own);
    const auto [found, end] = table_->find(table_->slots_for(hash), hash, name);
    if (found) return *found;
    const std::uint32_t place = keep(name, position);
    end->store(std::uint64_t{hash} << 32 | place, std::memory_order_release);
    ++p.names;
    return table_->at(place);
  }

  // The place of a new record.
  std::uint32_t keep(std::string_view name, std::uint64_t position) {
    if (name.size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
    const std::size_t units = (sizeof(name_table::record) + name.size() + 7) / 8;
    places_.push_back(place_of(units));
    if (next_number_ == end_of_numbers_) {
      next_number_ = table_->numbers_.fetch_add(name_table::numbers_at_once, std::memory_order_relaxed);
      end_of_numbers_ = next_number_ + name_table::numbers_at_once;
    }
    auto* const made = ::new (static_cast<void*>(&table_->at(places_.back())))
        name_table::record{position, next_number_++, static_cast<std::uint32_t>(name.size())};
    std::memcpy(reinterpret_cast<char*>(made + 1), name.data(), name.size());
    return places_.back();
  }
  // Pieces grow with what the thread has added. A long name has one of its own.
  std::uint32_t place_of(std::size_t units) {
    if (units > left_) {
      const bool is_long = units > piece_ / 4;
      const std::uint32_t place = table_->take_pieces(is_long ? units : piece_);
      if (!is_long) next_ = place, left_ = piece_;
      piece_ = std::min(4 * piece_, name_table::piece_units);
      if (is_long) return place;
    }
    left_ -= units;
    next_ += static_cast<std::uint32_t>(units);
    return next_ - static_cast<std::uint32_t>(units);
  }

  name_table* table_;
  std::vector<std::uint32_t, huge_pages<std::uint32_t>> places_{};
  std::uint32_t next_ = 0;  // the place of the next record, with so many units left
  std::size_t left_ = 0, piece_ = std::size_t{1} << 12;
  std::int32_t next_number_ = 0, end_of_numbers_ = 0;
};

}  // namespace kleene::io::detail
