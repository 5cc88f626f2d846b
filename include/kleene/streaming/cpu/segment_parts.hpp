// Segments by offsets, divided evenly: the merge path of the segments' ends and the items gives each part the same
// number of both together, so neither a giant segment nor a million empty ones fall to one thread.
#pragma once

#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/cpu/parts.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace kleene::detail {

// less(item, start): whether an item comes before a segment's start.
struct before_start {
  template <class Item, class Start>
  KLEENE_FUNCTION constexpr bool operator()(const Item& item, const Start& start) const {
    return static_cast<index_t>(item) < static_cast<index_t>(start);
  }
};

inline constexpr index_t no_end = std::numeric_limits<index_t>::max();

// Whether there are segments: argument_error where there are none and yet items.
inline bool has_segments(index_t segments, index_t items) {
  if (require_count("segments", segments) == 0 && items > 0)
    throw argument_error(std::to_string(items) + " items in no segments", fault_code::usage);
  return segments > 0;
}

// argument_error unless `offsets`, `count` of them, ascend within [0, items]. Threads look at a part each, and the
// first offset that is none is named.
template <class Offsets>
void require_ascending(const context& ctx, Offsets offsets, index_t count, index_t items) {
  const int parts = parts_for(ctx, count);
  const auto at = [&](index_t i) { return static_cast<index_t>(offsets[i]); };
  const scratch<index_t> wrong(ctx, parts);
  for_each_part(parts, [&](int p) {
    const index_t end = part_begin(count, parts, p + 1);
    wrong[p] = count;
    for (index_t i = part_begin(count, parts, p), last = i > 0 ? at(i - 1) : 0; i < end; last = at(i++))
      if (at(i) < last || at(i) > items) {
        wrong[p] = i;
        return;
      }
  });
  const index_t first = *std::min_element(wrong.data(), wrong.data() + parts);
  if (first == count) return;
  const std::string before = first > 0 ? " after " + std::to_string(at(first - 1)) : "";
  const std::string end = items < no_end ? " to " + std::to_string(items) + " items" : "";
  throw argument_error(
      "offset " + std::to_string(first) + " is " + std::to_string(at(first)) + before + ": offsets ascend from 0" + end,
      fault_code::usage);
}
// The same of the offsets of segments that are all of the items.
template <class Offsets>
void require_segments(const context& ctx, Offsets offsets, index_t segments, index_t items) {
  require_ascending(ctx, offsets, segments + 1, items);
  const index_t begin = static_cast<index_t>(offsets[0]), end = static_cast<index_t>(offsets[segments]);
  if (begin != 0 || end != items)
    throw argument_error("segments from " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                             std::to_string(items) + " items: the first begins at 0, the last ends with the items",
                         fault_code::usage);
}

// Segments by offsets, cut into parts: `a` of a cut is the segment it is in, `b` the item before which it is.
template <class Offsets>
class segment_parts {
 public:
  segment_parts(const context& ctx, Offsets offsets, index_t segments)
      : ends_(offsets + 1),
        segments_(require_count("segments", segments)),
        start_(static_cast<index_t>(offsets[0])),
        count_(static_cast<index_t>(offsets[segments_]) - start_),
        parts_(parts_for(ctx, segments + count_)) {}

  int parts() const { return parts_; }
  index_t items() const { return count_; }
  index_t end_of(index_t segment) const { return static_cast<index_t>(ends_[segment]); }

  // body(p, from, to) for each part.
  template <class Body>
  void for_each(const Body& body) const {
    for_each_part(parts_, [&](int p) { body(p, cut(p), cut(p + 1)); });
  }

 private:
  path_point cut(int p) const {
    const index_t diagonal = part_begin(segments_ + count_, parts_, p);
    const counting_iterator<index_t> items(start_);
    const index_t s = merge_path(ends_, segments_, items, count_, diagonal, before_start{});
    return {s, start_ + diagonal - s};
  }

  Offsets ends_;
  index_t segments_, start_, count_;
  int parts_;
};

}  // namespace kleene::detail
