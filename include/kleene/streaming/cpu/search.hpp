// Sorted search on the CPU: both sequences are cut by the merge path, each thread walks through its pieces.
#pragma once

#include "kleene/streaming/base/search_outputs.hpp"
#include "kleene/streaming/cpu/merge.hpp"

namespace kleene {

namespace detail {

template <class Out, class T>
void put(Out out, index_t i, const T& value) {
  if constexpr (!std::is_same_v<Out, no_output>) out[i] = value;
}

// out[i] = the number of hay items before needle i in the merge of both, for the items between two points of the path.
// Upper: hay items before equal needles, else behind them.
template <bool Upper, class Needles, class Hay, class Out, class Less>
void walk_needles(Needles needles, index_t needle, index_t needle_end, Hay hay, index_t at, index_t end, Out out,
                  const Less& less) {
  const auto before = [&](index_t j, index_t i) {  // whether hay[j] comes before needles[i]
    if constexpr (Upper) return !less(needles[i], hay[j]);
    else return static_cast<bool>(less(hay[j], needles[i]));
  };
  while (needle < needle_end && at < end) {
    const bool step = before(at, needle);
    out[needle] = at;  // stands until the next step overwrites it
    at += step;
    needle += !step;
  }
  for (; needle < needle_end; ++needle) out[needle] = at;
}

// One thread's sorted search. The pieces hold whole runs of equivalent items.
template <class A, class B, class Outputs, class Less>
void walk_both(A a, B b, path_point at, path_point end, const Outputs& outputs, const Less& less) {
  index_t i = at.a, j = at.b;
  const auto put_a = [&](index_t lower, index_t upper, bool found) {
    put(outputs.a_lower, i, lower);
    put(outputs.a_upper, i, upper);
    put(outputs.a_found, i, found);
  };
  const auto put_b = [&](index_t lower, index_t upper, bool found) {
    put(outputs.b_lower, j, lower);
    put(outputs.b_upper, j, upper);
    put(outputs.b_found, j, found);
  };
  while (i < end.a || j < end.b) {
    if (j == end.b || (i < end.a && less(a[i], b[j]))) {
      put_a(j, j, false);
      ++i;
    } else if (i == end.a || less(b[j], a[i])) {
      put_b(i, i, false);
      ++j;
    } else {
      const index_t a_start = i, b_start = j;
      index_t a_end = i + 1, b_end = j + 1;
      while (a_end < end.a && !less(b[j], a[a_end])) ++a_end;
      while (b_end < end.b && !less(a[i], b[b_end])) ++b_end;
      for (; i < a_end; ++i) put_a(b_start, b_end, true);
      for (; j < b_end; ++j) put_b(a_start, a_end, true);
    }
  }
}

// Moves a cut back to the start of the run of equivalent items that it stands in.
template <class A, class B, class Less>
path_point start_of_run(A a, index_t a_count, B b, index_t b_count, path_point cut, const Less& less) {
  if (cut.a < a_count && (cut.b == b_count || !less(b[cut.b], a[cut.a]))) {
    const auto& key = a[cut.a];
    return {lower_position(a, 0, cut.a, key, less), lower_position(b, 0, cut.b, key, less)};
  }
  if (cut.b < b_count) {
    const auto& key = b[cut.b];
    return {lower_position(a, 0, cut.a, key, less), lower_position(b, 0, cut.b, key, less)};
  }
  return cut;
}

}  // namespace detail

namespace detail::cpu {

struct searches {
  static constexpr const char* header = "streaming/cuda/search";

  template <class Needles, class Hay, class Out, class Less>
  static void lower_bound(const context& ctx, Needles needles, Needles needles_last, Hay hay, Hay hay_last, Out out,
                          const Less& less) {
    const index_t count = detail::length_of(needles, needles_last), size = detail::length_of(hay, hay_last);
    const auto x = detail::unwrap(needles);
    const auto y = detail::unwrap(hay);
    detail::for_each_path_part(ctx, x, count, y, size, count + size, less, [&](path_point from, path_point to) {
      detail::walk_needles<false>(x, from.a, to.a, y, from.b, to.b, out, less);
    });
  }

  template <class Needles, class Hay, class Out, class Less>
  static void upper_bound(const context& ctx, Needles needles, Needles needles_last, Hay hay, Hay hay_last, Out out,
                          const Less& less) {
    const index_t count = detail::length_of(needles, needles_last), size = detail::length_of(hay, hay_last);
    const auto x = detail::unwrap(needles);
    const auto y = detail::unwrap(hay);
    detail::for_each_path_part(ctx, y, size, x, count, count + size, less, [&](path_point from, path_point to) {
      detail::walk_needles<true>(x, from.b, to.b, y, from.a, to.a, out, less);
    });
  }

  template <class A, class B, class Outputs, class Less>
  static void sorted_search(const context& ctx, A a, A a_last, B b, B b_last, const Outputs& outputs,
                            const Less& less) {
    const index_t a_count = detail::length_of(a, a_last), b_count = detail::length_of(b, b_last);
    const auto x = detail::unwrap(a);
    const auto y = detail::unwrap(b);
    const index_t total = a_count + b_count;
    const int parts = detail::parts_for(ctx, total);
    const auto cut = [&](int p) {
      const index_t diagonal = detail::part_begin(total, parts, p);
      const index_t i = merge_path(x, a_count, y, b_count, diagonal, less);
      return detail::start_of_run(x, a_count, y, b_count, {i, diagonal - i}, less);
    };
    detail::for_each_cut_part(ctx, parts, cut, [&](int, path_point from, path_point to) {
      detail::walk_both(x, y, from, to, outputs, less);
    });
  }
};

}  // namespace detail::cpu
}  // namespace kleene
