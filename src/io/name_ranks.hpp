// The names that all threads have found, in their order.
#pragma once

#include "io/edge_list_graph.hpp"
#include "io/memory.hpp"
#include "io/name_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kleene::io::detail {

// A name, by where it was seen first.
struct first_place {
  std::uint64_t first = 0;
  const name_table::record* name = nullptr;

  bool is_before(const first_place& other) const { return first < other.first; }
  // As a number.
  bool is_less(const first_place& other) const {
    const std::string_view x = name->name(), y = other.name->name();
    return x.size() != y.size() ? x.size() < y.size() : x < y;
  }
};

using first_places = std::vector<first_place>;
using place_order = bool (first_place::*)(const first_place&) const;

template <place_order Before>
first_places merge(const first_places& a, const first_places& b) {
  first_places both(a.size() + b.size());
  std::ranges::merge(a, b, both.begin(), [](const auto& x, const auto& y) { return (x.*Before)(y); });
  return both;
}
// Sorted lists as one: pairs of them at once, then pairs of those.
template <place_order Before>
first_places merge(std::vector<first_places> lists, int threads) {
  while (lists.size() > 1) {
    std::vector<first_places> pairs((lists.size() + 1) / 2);
    in_parallel(pairs.size(), threads, [&](std::size_t p) {
      const bool alone = 2 * p + 1 == lists.size() || lists[2 * p + 1].empty();
      pairs[p] = alone ? std::move(lists[2 * p]) : merge<Before>(lists[2 * p], lists[2 * p + 1]);
    });
    lists = std::move(pairs);
  }
  return std::move(lists.front());
}

// What a thread has added, in the order of the file. It mostly meets names in that order; those that another thread has
// then seen further in front, a few, are sorted, and merged with the others.
inline first_places in_order(const name_finder& names) {
  first_places ascending, others;
  ascending.reserve(names.size());
  for (std::size_t n = 0; n < names.size(); ++n) {
    const name_table::record& name = names.added(n);
    const first_place place{name.first.load(std::memory_order_relaxed), &name};
    (ascending.empty() || ascending.back().is_before(place) ? ascending : others).push_back(place);
  }
  std::ranges::sort(others, [](const auto& a, const auto& b) { return a.is_before(b); });
  return others.empty() ? ascending : merge<&first_place::is_before>(ascending, others);
}

struct ranked_names {
  std::vector<std::string> names{};   // numbers ascending, other names as they come in the file
  std::vector<std::int32_t> ranks{};  // of each number in the table
  bool are_numbers = true;            // all are whole numbers
};

// The names in the table that the shards share.
inline ranked_names rank_names(const edge_shards& shards, int threads) {
  std::vector<first_places> lists(shards.of_thread.size());
  std::vector<char> digits(lists.size());
  in_parallel(lists.size(), threads, [&](std::size_t s) {
    lists[s] = in_order(shards.of_thread[s].names);
    digits[s] = std::ranges::all_of(lists[s], [](const first_place& p) { return is_plain_number(p.name->name()); });
  });
  ranked_names all;
  all.are_numbers = std::ranges::find(digits, 0) == digits.end();
  if (all.are_numbers)
    in_parallel(lists.size(), threads, [&](std::size_t s) {
      std::ranges::sort(lists[s], [](const auto& a, const auto& b) { return a.is_less(b); });
    });
  const first_places order = all.are_numbers ? merge<&first_place::is_less>(std::move(lists), threads)
                                             : merge<&first_place::is_before>(std::move(lists), threads);
  all.ranks.resize(shards.names.numbers());
  all.names.reserve(order.size());
  fill_huge_pages(all.names.data(), order.size() * sizeof(std::string));
  all.names.resize(order.size());
  constexpr std::size_t some = 4096;
  in_parallel((order.size() + some - 1) / some, threads, [&](std::size_t t) {
    for (std::size_t v = some * t; v < std::min(some * (t + 1), order.size()); ++v) {
      all.names[v] = order[v].name->name();
      all.ranks[order[v].name->number] = static_cast<std::int32_t>(v);
    }
  });
  return all;
}

}  // namespace kleene::io::detail
