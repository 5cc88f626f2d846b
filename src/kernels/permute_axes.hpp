// What every kernel that copies a tensor with its axes in another order makes of the axes first: those that lie
// together joined, units as large as can be, and a tile.
#pragma once

#include "kleene/kernels/contract/permute_arguments.hpp"

#include <vector>

namespace kleene::kernels {

using permute_axes = std::vector<permute_axis>;

// The largest power of two up to 16 that divides the size of an element.
int unit_of(std::size_t element);

// Axes of one step are dropped, the rest ordered by the stride in the copy, the longest first, and an axis that goes on
// where the next one ends is joined to it (as in data/detail/copy_shape.hpp).
permute_axes joined_axes(const permute_arguments& p, int unit);

// What lies together on both sides is moved in larger units, up to `most` bytes.
void widen_units(permute_axes& all, int& unit, int most);

// Axes by rising stride: in the copy, or in the source, where those that stand still come last.
std::vector<int> order_of(const permute_axes& all, index_t permute_axis::* stride);

// How much of an axis goes into a tile that has room for `room` of it: all, a divisor, or all that there is room for.
index_t block_of(index_t extent, index_t room);

// Blocks of axes in that order until they are `side` units together; those that have a block already count. Gives the
// axis that is cut, or -1.
int take_axes(const permute_axes& all, const std::vector<int>& order, index_t side, std::vector<index_t>& block);

// How much of each axis is in a tile. First what lies together in the copy, then what does in the source; at the last
// axis of each that may be a part of it (`cut`). Then whole axes, as long as the tile is small.
struct tile_choice {
  std::vector<index_t> block;
  int cut_in = -1, cut_out = -1;
};
// About how many units are to lie together in the source, and in the copy.
tile_choice choose_tile(const permute_axes& all, index_t side_in, index_t side_out);

}  // namespace kleene::kernels
