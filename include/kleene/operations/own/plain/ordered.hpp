// Sorts, merges and set operations of keys that take their positions along, over any order, as a plain function.
#pragma once

#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/error.hpp"
#include "kleene/operations/own/plain/call.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/sort.hpp"

#include <cstdint>
#include <string>

namespace kleene::plain {

enum class ordered_operation : int {
  sort,
  merge,
  set_union,
  set_intersection,
  set_difference,
  set_symmetric_difference
};

// Vectors of keys, each with the positions that go along. A sort has its keys where it leaves them; a and b are of the
// other operations, which have room for all of them there.
struct ordered_request {
  ordered_operation operation;
  const void *a, *b;
  const std::int64_t *a_positions, *b_positions;
  std::int64_t a_count, b_count;
  const std::int64_t* offsets;  // of a sort, may be null: each segment for itself
  std::int64_t segments;
  void* keys;
  std::int64_t* positions;
  std::int64_t count;  // of a sort
};

template <class T, class Less>
void require_sorted(const char* name, const T* keys, index_t count, const Less& less) {
  for (index_t i = 1; i < count; ++i)
    if (less(keys[i], keys[i - 1]))
      throw value_error(std::string("the keys of ") + name + " are not in order: " + detail::to_text(keys[i]) +
                        ", at " + std::to_string(i) + ", comes before " + detail::to_text(keys[i - 1]));
}

// How many keys there are in the result. T: their type. value_error where a or b is not in the order.
template <class T, class Less>
index_t run_ordered(const context& ctx, const ordered_request& r, const Less& less) {
  T* const keys = static_cast<T*>(r.keys);
  const T *const a = static_cast<const T*>(r.a), *const b = static_cast<const T*>(r.b);
  const T *const a_last = a + r.a_count, *const b_last = b + r.b_count;
  require_sorted("a", a, r.a_count, less);
  require_sorted("b", b, r.b_count, less);
  const auto written = [&](const auto& ends) { return ends.first - keys; };
  switch (r.operation) {
    case ordered_operation::sort:
      if (r.offsets) segmented_sort_by_key(ctx, keys, keys + r.count, r.positions, r.offsets, r.segments, less);
      else merge_sort_by_key(ctx, keys, keys + r.count, r.positions, less);
      return r.count;
    case ordered_operation::merge:
      return written(merge_by_key(ctx, a, a_last, r.a_positions, b, b_last, r.b_positions, keys, r.positions, less));
    case ordered_operation::set_union:
      return written(
          set_union_by_key(ctx, a, a_last, r.a_positions, b, b_last, r.b_positions, keys, r.positions, less));
    case ordered_operation::set_intersection:
      return written(
          set_intersection_by_key(ctx, a, a_last, r.a_positions, b, b_last, r.b_positions, keys, r.positions, less));
    case ordered_operation::set_difference:
      return written(
          set_difference_by_key(ctx, a, a_last, r.a_positions, b, b_last, r.b_positions, keys, r.positions, less));
    case ordered_operation::set_symmetric_difference:
      return written(set_symmetric_difference_by_key(ctx, a, a_last, r.a_positions, b, b_last, r.b_positions, keys,
                                                     r.positions, less));
  }
  return 0;
}

// Less: an order with value_type.
template <class Less>
int run(const ordered_request& r, std::int64_t* written, int threads, message* said) {
  return answer_of(said, [&] { *written = run_ordered<typename Less::value_type>(context_of(threads), r, Less{}); });
}

}  // namespace kleene::plain
