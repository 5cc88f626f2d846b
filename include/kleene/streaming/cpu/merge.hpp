// Merging on the CPU: merge path gives each thread its share of the output, which it merges on its own.
#pragma once

#include "kleene/streaming/base/partition.hpp"
#include "kleene/streaming/cpu/merge_steps.hpp"
#include "kleene/streaming/cpu/parts.hpp"

namespace kleene {

namespace detail {

// body(from, to) for parts of the first `total` items of the merge, each between two points of the merge path.
template <class A, class B, class Less, class Body>
void for_each_path_part(const context& ctx, A a, index_t a_count, B b, index_t b_count, index_t total, const Less& less,
                        const Body& body) {
  const int parts = parts_for(ctx, total);
  const auto cut = [&](int p) {
    const index_t diagonal = part_begin(total, parts, p);
    const index_t i = merge_path(a, a_count, b, b_count, diagonal, less);
    return path_point{i, diagonal - i};
  };
  for_each_cut_part(ctx, parts, cut, [&](int, path_point from, path_point to) { body(from, to); });
}

template <class A, class B, class Out, class Less>
void merge_first(const context& ctx, A a, index_t a_count, B b, index_t b_count, index_t total, Out out,
                 const Less& less) {
  for_each_path_part(ctx, a, a_count, b, b_count, total, less, [&](path_point from, path_point to) {
    merge_piece(from, to, less, move_item<A, B, Out>{a, b, out});
  });
}

}  // namespace detail

namespace detail::cpu {

struct merges {
  static constexpr const char* header = "streaming/cuda/merge";

  template <class A, class B, class Out, class Less>
  static Out merge(const context& ctx, A a, A a_last, B b, B b_last, Out out, const Less& less) {
    const index_t a_count = detail::length_of(a, a_last), b_count = detail::length_of(b, b_last);
    detail::merge_first(ctx, detail::unwrap(a), a_count, detail::unwrap(b), b_count, a_count + b_count,
                        detail::unwrap(out), less);
    return out + (a_count + b_count);
  }

  template <class A, class B, class Out, class Less>
  static Out merge_smallest(const context& ctx, A a, A a_last, B b, B b_last, index_t k, Out out, const Less& less) {
    const index_t a_count = detail::length_of(a, a_last), b_count = detail::length_of(b, b_last);
    k = std::min(detail::require_count("items asked for", k), a_count + b_count);
    detail::merge_first(ctx, detail::unwrap(a), a_count, detail::unwrap(b), b_count, k, detail::unwrap(out), less);
    return out + k;
  }

  template <class A, class AValues, class B, class BValues, class KeysOut, class ValuesOut, class Less>
  static std::pair<KeysOut, ValuesOut> merge_by_key(const context& ctx, A a, A a_last, AValues a_values, B b, B b_last,
                                                    BValues b_values, KeysOut keys_out, ValuesOut values_out,
                                                    const Less& less) {
    const index_t a_count = detail::length_of(a, a_last), b_count = detail::length_of(b, b_last),
                  total = a_count + b_count;
    const auto x = detail::unwrap(a);
    const auto y = detail::unwrap(b);
    const detail::move_item keys{x, y, detail::unwrap(keys_out)};
    const detail::move_item values{detail::unwrap(a_values), detail::unwrap(b_values), detail::unwrap(values_out)};
    detail::for_each_path_part(ctx, x, a_count, y, b_count, total, less, [&](path_point from, path_point to) {
      detail::merge_piece(from, to, less, detail::move_pair{keys, values});
    });
    return {keys_out + total, values_out + total};
  }
};

}  // namespace detail::cpu
}  // namespace kleene
