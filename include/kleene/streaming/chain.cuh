// One pass over data of which each tile needs what all tiles before it come to: a chain of tiles in one kernel.
//
// Tiles leave what they hold in global memory and pick up what the tiles before them left ("decoupled look-back",
// Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016), with two changes:
//
//   order    Tiles are combined in a fixed order whatever the timing: first within groups of 32 tiles, by a fixed tree,
//            then group by group from the left. So results repeat to the last bit for floats too (where the nearest
//            finished tile decides, as in the paper, they do not).
//   tags     What tiles leave are tagged words (tagged_words.cuh): no fences, and no memory to clear.
//
// A block works on the tile of its number, waiting only for lower ones: blocks start in that order.
#pragma once

#include "kleene/streaming/tagged_words.cuh"
#include "kleene/streaming/warp.cuh"

namespace kleene::streaming {

template <class T>
struct chain {
  static constexpr int group = warp_size;  // tiles

  detail::tagged_word *tiles, *groups, *through;  // what a tile holds; what a group holds; all through that group
  std::uint64_t tag;

  // Room for that many tiles; for one kernel.
  static chain make(const context& ctx, std::int64_t tile_count) {
    const std::int64_t group_count = (tile_count + group - 1) / group;
    const std::size_t word_count = static_cast<std::size_t>(detail::words_of<T>) * (tile_count + 2 * group_count);
    const kleene::detail::tagged_memory room = ctx.tagged(word_count * sizeof(detail::tagged_word));
    auto* const words = static_cast<detail::tagged_word*>(room.memory);
    return {words, words + detail::words_of<T> * tile_count, words + detail::words_of<T> * (tile_count + group_count),
            room.tag};
  }

  // One whole warp of the block that has `tile`: leaves what it holds (`mine`, in every lane) and returns what all
  // tiles before it hold. For tile 0 not to be used. op is associative.
  template <class Op>
  __device__ T before(std::int64_t tile, const T& mine, const Op& op) const {
    const int lane = lane_id(), place = static_cast<int>(tile % group);
    const std::int64_t g = tile / group;
    if (lane == 0) detail::leave(tiles, tile, mine, tag);

    T value = lane < place ? detail::await<T>(tiles, tile - place + lane, tag) : mine;
    __syncwarp();
    value = warp_inclusive_scan(value, op);
    const bool closes = place == group - 1;
    if (closes && lane == group - 1) {
      detail::leave(groups, g, value, tag);
      if (g == 0) detail::leave(through, g, value, tag);
    }
    const T beside = warp_from(value, place > 0 ? place - 1 : 0);
    if (g == 0) return beside;

    const T left = before_group(g, op);
    if (closes && lane == group - 1) detail::leave(through, g, op(left, value), tag);
    return place > 0 ? op(left, beside) : left;
  }

 private:
  // All through group g - 1: the nearest group whose `through` is known, then group by group.
  template <class Op>
  __device__ T before_group(std::int64_t g, const Op& op) const {
    const std::int64_t mine = g - 1 - lane_id();
    T all{}, own{};
    for (;;) {
      const bool has_all = mine >= 0 && detail::pick_up(through, mine, all, tag);
      const bool has_own = mine >= 0 && detail::pick_up(groups, mine, own, tag);
      const unsigned with_all = __ballot_sync(all_lanes, has_all), with_own = __ballot_sync(all_lanes, has_own);
      if (with_all == 0) continue;
      const int nearest = __ffs(static_cast<int>(with_all)) - 1;
      const unsigned nearer = (1u << nearest) - 1;
      if ((with_own & nearer) != nearer) continue;
      T result = warp_from(all, nearest);
      for (int lane = nearest - 1; lane >= 0; --lane) result = op(result, warp_from(own, lane));
      return result;
    }
  }
};

}  // namespace kleene::streaming
