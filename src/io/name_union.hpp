// The names that several threads have found, brought together by as many: each takes those with hashes of its part.
#pragma once

#include "io/edge_list_graph.hpp"
#include "io/name_table.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kleene::io::detail {

class name_union {
 public:
  // Takes the names out of the shards.
  name_union(std::vector<edge_shard>& shards, int threads)
      : threads_(threads), parts_(shards.size()), shards_(shards.size()) {
    in_parallel(shards.size(), threads, [&](std::size_t s) { shards_[s].take(std::move(shards[s].names)); });
    in_parallel(parts_.size(), threads, [&](std::size_t p) {
      // From another shard each, as they write into the same numbers.
      for (std::size_t s = 0; s < shards_.size(); ++s) add(p, shards_[(p + s) % shards_.size()]);
      const name_table& names = names_of(p);
      for (std::size_t n = 0; n < names.size(); ++n) parts_[p].digits &= is_plain_number(names.name(n));
    });
    for (std::size_t p = 0; p < parts_.size(); ++p) start_.push_back(start_[p] + names_of(p).size());
  }

  // Whether all names are whole numbers.
  bool are_numbers() const { return std::ranges::all_of(parts_, &part::digits); }

  // Ranks the names, and returns them in that order: numbers ascending, other names as they come in the file.
  std::vector<std::string> rank() {
    std::vector<place> order(start_.back());
    const auto from = [&](std::size_t p) { return order.begin() + static_cast<std::ptrdiff_t>(start_[p]); };
    const auto before = [this, numbers = are_numbers()](const place& a, const place& b) {
      if (!numbers) return a.first < b.first;
      const std::string_view x = name(a), y = name(b);
      return x.size() != y.size() ? x.size() < y.size() : x < y;
    };
    in_parallel(parts_.size(), threads_, [&](std::size_t p) {
      const name_table& names = names_of(p);
      for (std::size_t n = 0; n < names.size(); ++n)
        from(p)[static_cast<std::ptrdiff_t>(n)] = {names.first(n), static_cast<std::int32_t>(p),
                                                   static_cast<std::int32_t>(n)};
      if (!std::is_sorted(from(p), from(p + 1), before)) std::sort(from(p), from(p + 1), before);
      parts_[p].ranks.resize(names.size());
    });
    for (std::size_t p = 1; p < parts_.size(); ++p) std::inplace_merge(order.begin(), from(p), from(p + 1), before);
    std::vector<std::string> names(order.size());
    constexpr std::size_t some = 4096;
    in_parallel((order.size() + some - 1) / some, threads_, [&](std::size_t t) {
      for (std::size_t v = some * t; v < std::min(some * (t + 1), order.size()); ++v) {
        names[v] = name(order[v]);
        parts_[order[v].part].ranks[order[v].number] = static_cast<std::int32_t>(v);
      }
    });
    return names;
  }

  // The rank of each name of a shard.
  std::vector<std::int32_t> ranks(std::size_t s) const {
    const shard& own = shards_[s];
    std::vector<std::int32_t> all(own.numbers.size());
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = parts_[part_of(own.hashes[v])].ranks[own.numbers[v]];
    return all;
  }

 private:
  struct shard {
    name_table names{};
    std::vector<std::uint32_t> hashes{};
    std::vector<std::int32_t> numbers{};  // in the part that has the name

    void take(name_table&& table) {
      names = std::move(table);
      hashes.resize(names.size());
      numbers.resize(names.size());
      for (std::size_t v = 0; v < names.size(); ++v) hashes[v] = name_table::hash(names.name(v));
    }
  };
  struct part {
    name_table names{};
    bool digits = true;
    std::vector<std::int32_t> ranks{};
  };
  struct place {
    std::uint64_t first = 0;
    std::int32_t part = 0, number = 0;
  };

  // The tables look at the low bits of a hash.
  std::size_t part_of(std::uint32_t hash) const { return std::uint64_t{hash} * parts_.size() >> 32; }
  // The names of one thread are there already.
  const name_table& names_of(std::size_t p) const { return parts_.size() == 1 ? shards_[0].names : parts_[p].names; }
  std::string_view name(const place& at) const { return names_of(at.part).name(at.number); }

  void add(std::size_t p, shard& from) {
    if (parts_.size() == 1) return std::iota(from.numbers.begin(), from.numbers.end(), 0);
    std::vector<std::int32_t> mine;
    for (std::size_t v = 0; v < from.hashes.size(); ++v)
      if (part_of(from.hashes[v]) == p) mine.push_back(static_cast<std::int32_t>(v));
    name_table& names = parts_[p].names;
    constexpr std::size_t some = 32;
    std::array<std::uint32_t, some> guess;
    for (std::size_t begin = 0, end; begin < mine.size(); begin = end) {
      end = std::min(begin + some, mine.size());
      for (std::size_t m = begin; m < end; ++m) names.fetch_slot(from.hashes[mine[m]]);
      for (std::size_t m = begin; m < end; ++m) guess[m - begin] = names.fetch_record(from.hashes[mine[m]]);
      for (std::size_t m = begin; m < end; ++m) {
        const std::int32_t v = mine[m];
        from.numbers[v] =
            names.number_anywhere(from.hashes[v], from.names.name(v), from.names.first(v), guess[m - begin]);
      }
    }
  }

  int threads_;
  std::vector<part> parts_;
  std::vector<shard> shards_;
  std::vector<std::size_t> start_{0};  // of the parts, in all names
};

}  // namespace kleene::io::detail
