// Load balancing on the CPU: the merge path of the segments' starts and the items gives each thread the same number of
// both together, so neither a giant segment nor a million empty ones fall to one thread.
#pragma once

#include "kleene/streaming/cpu/merge.hpp"
#include "kleene/streaming/cpu/segment_parts.hpp"

namespace kleene {

namespace detail {

// stretch(item, item_end, segment, rank) for stretches of items of one segment, rank that of the first. The starts are
// trusted.
template <class Offsets, class Stretch>
void for_each_trusted_stretch(const context& ctx, index_t count, Offsets offsets, index_t segments,
                              const Stretch& stretch) {
  const counting_iterator<index_t> items(0);
  for_each_path_part(ctx, offsets, segments, items, count, segments + count, before_start{},
                     [&](path_point from, path_point to) {
                       index_t item = from.b;
                       for (index_t s = from.a; item < to.b; ++s) {  // the starts of s segments are behind us
                         const index_t end = s < to.a ? std::min<index_t>(offsets[s], to.b) : to.b;
                         if (item < end) stretch(item, end, s - 1, item - static_cast<index_t>(offsets[s - 1]));
                         item = end;
                       }
                     });
}

// The same of starts that a caller hands over: argument_error where they are none.
template <class Offsets, class Stretch>
void for_each_stretch(const context& ctx, index_t count, Offsets starts, index_t segments, const Stretch& stretch) {
  require_count("items", count);
  if (!has_segments(segments, count)) return;
  const auto offsets = unwrap(starts);
  if (static_cast<index_t>(offsets[0]) != 0)
    throw argument_error(
        "the first segment begins at item " + std::to_string(static_cast<index_t>(offsets[0])) + ", not at 0",
        fault_code::usage);
  require_ascending(ctx, offsets, segments, no_end);
  for_each_trusted_stretch(ctx, count, offsets, segments, stretch);
}

}  // namespace detail

namespace detail::cpu {

struct load_balancing {
  static constexpr const char* header = "streaming/cuda/load_balance";

  template <class Offsets, class Out>
  static void load_balancing_search(const context& ctx, index_t count, Offsets offsets, index_t segments, Out out) {
    detail::for_each_stretch(ctx, count, offsets, segments, [&](index_t item, index_t end, index_t segment, index_t) {
      for (; item < end; ++item) out[item] = segment;
    });
  }

  template <class Offsets, class Body>
  static void transform_lbs(const context& ctx, index_t count, Offsets offsets, index_t segments, const Body& body) {
    detail::for_each_stretch(ctx, count, offsets, segments,
                             [&](index_t item, index_t end, index_t segment, index_t rank) {
                               for (; item < end; ++item, ++rank) body(item, segment, rank);
                             });
  }

  template <class Offsets, class Values, class Out>
  static Out interval_expand(const context& ctx, index_t count, Offsets offsets, index_t segments, Values values,
                             Out out) {
    detail::for_each_stretch(ctx, count, offsets, segments, [&](index_t item, index_t end, index_t segment, index_t) {
      const detail::value_of_iterator<Values> value = values[segment];
      for (; item < end; ++item) out[item] = value;
    });
    return out + count;
  }

  template <class Offsets, class From, class In, class Out>
  static Out interval_gather(const context& ctx, index_t count, Offsets offsets, index_t segments, From from, In input,
                             Out out) {
    detail::for_each_stretch(ctx, count, offsets, segments,
                             [&](index_t item, index_t end, index_t segment, index_t rank) {
                               const In source = input + (static_cast<index_t>(from[segment]) + rank);
                               std::copy(source, source + (end - item), out + item);
                             });
    return out + count;
  }

  template <class Offsets, class From, class To, class In, class Out>
  static void interval_move(const context& ctx, index_t count, Offsets offsets, index_t segments, From from, To to,
                            In input, Out out) {
    detail::for_each_stretch(
        ctx, count, offsets, segments, [&](index_t item, index_t end, index_t segment, index_t rank) {
          const In source = input + (static_cast<index_t>(from[segment]) + rank);
          std::copy(source, source + (end - item), out + (static_cast<index_t>(to[segment]) + rank));
        });
  }
};

}  // namespace detail::cpu
}  // namespace kleene
