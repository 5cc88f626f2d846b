// Segments by offsets, divided evenly: the merge path of the segments' ends and the items gives each part the same
// number of both together, so neither a giant segment nor a million empty ones fall to one thread.
#pragma once

#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/cpu/parts.hpp"

namespace kleene::detail {

// less(item, start): whether an item comes before a segment's start.
struct before_start {
  template <class Item, class Start>
  KLEENE_FUNCTION constexpr bool operator()(const Item& item, const Start& start) const {
    return static_cast<index_t>(item) < static_cast<index_t>(start);
  }
};

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
