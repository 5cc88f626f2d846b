// What every CPU form of this room begins with: parts of equal work, scratch memory for one value a part, cuts of two
// sequences. Host only.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/data/view.hpp"
#include "kleene/streaming/base/grain.hpp"
#include "kleene/streaming/base/order.hpp"
#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/base/range.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace kleene::detail {

// Fewer items than this are not worth waking a thread for (a few microseconds).
inline constexpr index_t least_part = 4096;

// How many parts to divide `work` items into: as many as the context has threads, fewer where there is little work.
inline int parts_for(const context& ctx, index_t work) {
  return threads_for(static_cast<double>(work), double{least_part}, ctx.threads());
}

// Where part p of n items begins; part p is [part_begin(p), part_begin(p + 1)). Sizes differ by one at most.
inline index_t part_begin(index_t n, int parts, int p) { return n / parts * p + std::min<index_t>(n % parts, p); }

// body(p) for each part, all at once where there are threads enough. What it throws ends the parts of that thread, and
// arrives here when the others are done.
template <class Body>
void for_each_part(int parts, const Body& body) {
  run_team(parts, [&](const team_member& member) {
    for (int p = member.thread; p < parts; p += member.threads) body(p);
  });
}

// body(begin, end) for the parts of [0, n).
template <class Body>
void for_each_range(const context& ctx, index_t n, const Body& body) {
  const int parts = parts_for(ctx, n);
  for_each_part(parts, [&](int p) { body(part_begin(n, parts, p), part_begin(n, parts, p + 1)); });
}

// n elements of host memory, not initialised; error(memory) when there is none to be had.
template <class T>
class scratch {
  static_assert(std::is_trivially_copyable_v<T>, "elements that pass through scratch memory are moved about as bytes");

 public:
  scratch(const context& ctx, index_t n) : memory_(ctx.temporary(static_cast<std::size_t>(n) * sizeof(T))) {}
  T* data() const { return static_cast<T*>(memory_.get()); }
  T& operator[](index_t i) const { return data()[i]; }

 private:
  decltype(std::declval<const context&>().temporary(0)) memory_;
};

// The cut `to` behind the cut `from`: itself, unless a comparator that is no order made it go back on one side. Then
// that side stays, and the other gives way as far as it can, so that the number of items before the cut is as it was.
inline path_point cut_behind(path_point from, path_point to) {
  if (to.a < from.a) return {from.a, std::max(from.b, to.b - (from.a - to.a))};
  if (to.b < from.b) return {std::max(from.a, to.a - (from.b - to.b)), from.b};
  return to;
}

// body(p, from, to) for parts between the cuts cut(0), ..., cut(parts) of two sequences. Whatever comparator the cuts
// come from, each item is in exactly one part: no memory is touched outside of the sequences, and all results are
// written.
template <class Cut, class Body>
void for_each_cut_part(const context& ctx, int parts, const Cut& cut, const Body& body) {
  const scratch<path_point> cuts(ctx, parts + 1);
  run_team(parts, [&](const team_member& member) {
    for (int p = member.thread; p < parts; p += member.threads) cuts[p] = cut(p);
    if (member.thread == 0) cuts[parts] = cut(parts);
    member.barrier();
    path_point from = cuts[0];
    for (int p = 0; p < parts; ++p) {
      const path_point to = cut_behind(from, cuts[p + 1]);
      if (p % member.threads == member.thread) body(p, from, to);
      from = to;
    }
  });
}

template <class It>
using value_of_iterator = typename std::iterator_traits<It>::value_type;

// An iterator over memory as a pointer, so that one instance of an algorithm serves vectors, spans and pointers.
template <class It>
auto unwrap(It it) {
  if constexpr (std::contiguous_iterator<It>) return std::to_address(it);
  else return it;
}

// Replaces counts[p] by the sum of those before it, and returns the sum of all.
inline index_t exclusive_sums(index_t* counts, int n) {
  index_t total = 0;
  for (int p = 0; p < n; ++p) total += std::exchange(counts[p], total);
  return total;
}

}  // namespace kleene::detail
