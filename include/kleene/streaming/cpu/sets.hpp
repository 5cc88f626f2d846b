// Set operations on the CPU: the balanced path never parts a matched pair, so the standard algorithm on each piece
// gives the whole's result. The pieces are counted first, to know where each one's output begins.
#pragma once

#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/base/set_kind.hpp"
#include "kleene/streaming/cpu/merge_steps.hpp"
#include "kleene/streaming/cpu/parts.hpp"

namespace kleene {

namespace detail {

// What becomes of an item that only a has, that only b has, and of a pair that both have.
template <set_kind Kind>
struct set_rule {
  static constexpr bool only_a = Kind != set_kind::intersection;
  static constexpr bool only_b = Kind == set_kind::union_ || Kind == set_kind::symmetric_difference;
  static constexpr bool both = Kind == set_kind::intersection || Kind == set_kind::union_;
};

// Walks through two pieces in step, without branches that depend on keys: on random ones they would be guessed wrong
// every second time. Each step takes the smaller item, or the pair of both; a's if each is said to be below the other,
// so that the walk ends with any `less`.
template <set_kind Kind, class A, class B, class Less>
index_t count_sets(A a, B b, path_point at, path_point end, const Less& less) {
  using rule = set_rule<Kind>;
  index_t i = at.a, j = at.b;
  index_t count = 0;
  while (i < end.a && j < end.b) {
    const bool below = less(a[i], b[j]), above = less(b[j], a[i]);
    count += (rule::only_a & below) | (rule::only_b & above) | (rule::both & !below & !above);
    i += below | !above;
    j += !below;
  }
  return count + (rule::only_a ? end.a - i : 0) + (rule::only_b ? end.b - j : 0);
}

// Writes the result's places [k, k_end) of two pieces that have that many.
template <set_kind Kind, class Less, class Move>
void write_set(path_point at, path_point end, index_t k, index_t k_end, Less less, Move move) {
  using rule = set_rule<Kind>;
  index_t i = at.a, j = at.b;
  while (i < end.a && j < end.b && k < k_end) {
    const bool below = less(move.a[i], move.b[j]), above = less(move.b[j], move.a[i]);
    move(k, above, i, j);  // stands if k moves on, else the next step overwrites it
    k += (rule::only_a & below) | (rule::only_b & above) | (rule::both & !below & !above);
    i += below | !above;
    j += !below;
  }
  if constexpr (rule::only_a)
    for (; i < end.a && k < k_end; ++i, ++k) move.take_a(k, i);
  if constexpr (rule::only_b)
    for (; j < end.b && k < k_end; ++j, ++k) move.take_b(k, j);
}

// work(part, from, to) for pieces that no matched pair is parted by.
template <class A, class B, class Less, class Work>
void for_each_set_part(const context& ctx, int parts, A a, index_t a_count, B b, index_t b_count, const Less& less,
                       const Work& work) {
  const index_t total = a_count + b_count;
  const auto cut = [&](int p) { return balanced_path(a, a_count, b, b_count, part_begin(total, parts, p), less); };
  for_each_cut_part(ctx, parts, cut, work);
}

// The places of each part's result: counts[p] is where part p begins. Returns the number of all.
template <set_kind Kind, class A, class B, class Less>
index_t count_set_parts(const context& ctx, int parts, A a, index_t a_count, B b, index_t b_count, const Less& less,
                        index_t* counts) {
  for_each_set_part(ctx, parts, a, a_count, b, b_count, less,
                    [&](int p, path_point from, path_point to) { counts[p] = count_sets<Kind>(a, b, from, to, less); });
  return exclusive_sums(counts, parts);
}

// Moves the result; returns its size.
template <set_kind Kind, class Less, class Move>
index_t write_sets(const context& ctx, index_t a_count, index_t b_count, const Less& less, const Move& move) {
  const int parts = parts_for(ctx, a_count + b_count);
  const scratch<index_t> begin(ctx, parts + 1);
  begin[parts] = count_set_parts<Kind>(ctx, parts, move.a, a_count, move.b, b_count, less, begin.data());
  for_each_set_part(ctx, parts, move.a, a_count, move.b, b_count, less, [&](int p, path_point from, path_point to) {
    write_set<Kind>(from, to, begin[p], begin[p + 1], less, move);
  });
  return begin[parts];
}

}  // namespace detail

namespace detail::cpu {

struct set_operations {
  static constexpr const char* header = "streaming/cuda/sets";

  // Each returns the size of the result.
  template <set_kind Kind, class A, class B, class Out, class Less>
  static index_t write(const context& ctx, A a, A a_last, B b, B b_last, Out out, const Less& less) {
    const detail::move_item move{detail::unwrap(a), detail::unwrap(b), detail::unwrap(out)};
    return detail::write_sets<Kind>(ctx, detail::length_of(a, a_last), detail::length_of(b, b_last), less, move);
  }

  template <set_kind Kind, class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut, class Less>
  static index_t write_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last, BValues b_values,
                              KeysOut keys_out, ValuesOut values_out, const Less& less) {
    const detail::move_item keys{detail::unwrap(a), detail::unwrap(b), detail::unwrap(keys_out)};
    const detail::move_item values{detail::unwrap(a_values), detail::unwrap(b_values), detail::unwrap(values_out)};
    return detail::write_sets<Kind>(ctx, detail::length_of(a, a_last), detail::length_of(b, b_last), less,
                                    detail::move_pair{keys, values});
  }

  template <set_kind Kind, class A, class B, class Less>
  static index_t count(const context& ctx, A a, A a_last, B b, B b_last, const Less& less) {
    const index_t a_count = detail::length_of(a, a_last), b_count = detail::length_of(b, b_last);
    const int parts = detail::parts_for(ctx, a_count + b_count);
    const detail::scratch<index_t> counts(ctx, parts);
    return detail::count_set_parts<Kind>(ctx, parts, detail::unwrap(a), a_count, detail::unwrap(b), b_count, less,
                                         counts.data());
  }

  template <set_kind Kind, class A, class B, class Out, class Count, class Less>
  static void write_to(const context& ctx, A a, A a_last, B b, B b_last, Out out, Count count, const Less& less) {
    *count = write<Kind>(ctx, a, a_last, b, b_last, out, less);
  }
};

}  // namespace detail::cpu
}  // namespace kleene
