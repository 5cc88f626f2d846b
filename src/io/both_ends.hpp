// Whether every edge of an undirected graph is in the rows of both of its ends, once and with one weight, as files tell
// that list the neighbours of each vertex. By all threads, without a transpose: the neighbours of a vertex are looked
// through for the one that lists it, those of a vertex with many in their order.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/data/sparse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace kleene::io::detail {

// The first vertex of a wrong edge: it has a neighbour twice (other: -1), or `other`, which has it as its neighbour, is
// none of its own, or one with another weight.
struct end_fault {
  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  std::int32_t vertex = none, other = none;

  auto operator<=>(const end_fault&) const = default;
  bool is_one() const { return vertex != none; }
};

class both_ends {
 public:
  // Ascending rows, no entry on the diagonal. It must outlive this.
  both_ends(const coo<std::int64_t>& edges, int threads)
      : edges_(edges),
        threads_(threads),
        start_(static_cast<std::size_t>(edges.rows) + 1, 0),
        sorted_(std::make_unique_for_overwrite<std::uint64_t[]>(edges.value.size())) {}

  // O(vertices + edges), times the logarithm of the neighbours where those are many.
  end_fault first_fault() {
    in_slices([this](index_t from, index_t to) {
      index_rows(from, to);
      return end_fault{};
    });
    return in_slices([this](index_t from, index_t to) { return look_back(from, to); });
  }

 private:
  static constexpr index_t few = 32;  // entries of a row that are looked through as they are
  static constexpr auto bits = [] {
    std::array<std::uint32_t, few> of{};
    for (std::size_t k = 0; k < of.size(); ++k) of[k] = std::uint32_t{1} << k;
    return of;
  }();
  static constexpr index_t absent = -1, twice = -2;  // in place of an entry

  // The least fault that work(from, to) finds in slices of whole rows.
  template <class Work>
  end_fault in_slices(const Work& work) const {
    const index_t entries = edges_.entries(), slices = entries / 65536 + 1;
    const auto cut = [&](index_t slice) {
      index_t e = entries / slices * slice + std::min(slice, entries % slices);
      while (e > 0 && e < entries && edges_.row[e] == edges_.row[e - 1]) ++e;
      return e;
    };
    task_queue queue;
    std::mutex mutex;
    end_fault first;
    run_tasks(threads_for(static_cast<double>(entries), elements_per_thread, threads_), [&](const team_member&) {
      for (std::int64_t s; (s = queue.next()) < slices;) {
        const end_fault found = work(cut(s), cut(s + 1));
        const std::lock_guard lock(mutex);
        first = std::min(first, found);
      }
    });
    return first;
  }

  // Puts where rows start, and sorts those that are looked up by halves.
  void index_rows(index_t from, index_t to) {
    for (index_t begin = from, end; begin < to; begin = end) {
      const std::int32_t v = edges_.row[begin];
      for (end = begin + 1; end < to && edges_.row[end] == v;) ++end;
      std::fill(start_.begin() + (begin == 0 ? 0 : edges_.row[begin - 1] + 1), start_.begin() + v + 1, begin);
      if (end == edges_.entries()) std::fill(start_.begin() + v + 1, start_.end(), end);
      if (!is_sorted(begin, end)) continue;
      for (index_t e = begin; e < end; ++e)
        sorted_[e] = std::uint64_t(edges_.col[e]) << 32 | static_cast<std::uint64_t>(e - begin);
      std::sort(&sorted_[begin], &sorted_[end]);
    }
  }
  // Also rows at the end of the list, behind which there are not `few` entries to look at.
  bool is_sorted(index_t begin, index_t end) const { return end - begin > few || begin + few > edges_.entries(); }

  // The entry (v, u).
  index_t find(std::int32_t v, std::int32_t u) const {
    const index_t begin = start_[v], end = start_[v + 1];
    if (is_sorted(begin, end)) {
      const std::uint64_t *const first = &sorted_[begin], *const last = &sorted_[end];
      const std::uint64_t* const at = std::lower_bound(first, last, std::uint64_t(u) << 32);
      if (at == last || *at >> 32 != std::uint64_t(u)) return absent;
      return at + 1 != last && at[1] >> 32 == std::uint64_t(u) ? twice : begin + index_t(*at & 0xffffffff);
    }
    // As many comparisons for every row: a loop over its own entries would end where no processor expects it.
    std::uint32_t hits = 0;
    for (index_t k = 0; k < few; ++k) hits |= (0u - static_cast<std::uint32_t>(edges_.col[begin + k] == u)) & bits[k];
    hits &= static_cast<std::uint32_t>((std::uint64_t{1} << (end - begin)) - 1);
    if (hits == 0) return absent;
    return (hits & (hits - 1)) != 0 ? twice : begin + std::countr_zero(hits);
  }

  end_fault look_back(index_t from, index_t to) const {
    end_fault first;
    for (index_t e = from; e < to; ++e) {
      const std::int32_t u = edges_.row[e], v = edges_.col[e];
      const index_t back = find(v, u);
      if (back >= 0 && edges_.value[back] == edges_.value[e]) continue;
      first = std::min(first, {v, back == twice ? -1 : u});
      if (back == absent && find(u, v) == twice) first = std::min(first, {u, -1});
    }
    return first;
  }

  const coo<std::int64_t>& edges_;
  int threads_;
  std::vector<index_t> start_;               // of each row
  std::unique_ptr<std::uint64_t[]> sorted_;  // of rows that are: column << 32 | place in the row
};

}  // namespace kleene::io::detail
