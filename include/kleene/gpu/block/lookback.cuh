// Decoupled look-back: a single pass over data in which each tile needs the total of all tiles before it.
//
// Tiles publish what they hold in global memory and poll what the tiles before them published (Merrill and Garland,
// "Single-pass parallel prefix scan with decoupled look-back", 2016), with two changes:
//
//   order    Tiles are combined in a fixed order whatever the timing: first within groups of 32 tiles, by a fixed tree,
//            then group by group from the left. So results repeat to the last bit for floats too (where the nearest
//            finished tile decides, as in the paper, they do not).
//   tags     Tiles publish tagged words (publish.cuh): no fences, and no memory to clear.
//
// A block works on the tile of its number, waiting only for lower ones: blocks start in that order.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/gpu/block/publish.cuh"
#include "kleene/gpu/block/warp.cuh"

namespace kleene::gpu {

template <class T>
struct lookback {
  static constexpr int group = warp_size;  // tiles

  tagged_word *tiles, *groups, *through;  // totals of a tile, of a group, of all groups through that one
  std::uint64_t tag;

  // Memory for that many tiles; for one kernel.
  static lookback make(const context& ctx, std::int64_t tile_count) {
    const std::int64_t group_count = ceil_div(tile_count, group);
    const std::size_t word_count = static_cast<std::size_t>(words_of<T>) * (tile_count + 2 * group_count);
    const kleene::detail::tagged_memory memory = ctx.tagged(word_count * sizeof(tagged_word));
    auto* const words = static_cast<tagged_word*>(memory.memory);
    return {words, words + words_of<T> * tile_count, words + words_of<T> * (tile_count + group_count), memory.tag};
  }

  // Called by one whole warp of the block that works on `tile`: publishes the tile's total (`mine`, in every lane) and
  // returns the total of all tiles before it, which has no meaning for tile 0. op is associative.
  template <class Op>
  __device__ T exclusive_prefix(std::int64_t tile, const T& mine, const Op& op) const {
    const int lane = lane_id(), place = static_cast<int>(tile % group);
    const std::int64_t g = tile / group;
    if (lane == 0) publish(tiles, tile, mine, tag);

    T value = lane < place ? await<T>(tiles, tile - place + lane, tag) : mine;
    __syncwarp();
    value = warp_inclusive_scan(value, op);
    const bool closes = place == group - 1;
    if (closes && lane == group - 1) {
      publish(groups, g, value, tag);
      if (g == 0) publish(through, g, value, tag);
    }
    const T beside = warp_from(value, place > 0 ? place - 1 : 0);
    if (g == 0) return beside;

    const T left = before_group(g, op);
    if (closes && lane == group - 1) publish(through, g, op(left, value), tag);
    return place > 0 ? op(left, beside) : left;
  }

 private:
  // The total through group g - 1: from the nearest group whose `through` is known, then group by group.
  template <class Op>
  __device__ T before_group(std::int64_t g, const Op& op) const {
    const std::int64_t mine = g - 1 - lane_id();
    T all{}, own{};
    for (;;) {
      const bool has_all = mine >= 0 && poll(through, mine, all, tag);
      const bool has_own = mine >= 0 && poll(groups, mine, own, tag);
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

}  // namespace kleene::gpu
