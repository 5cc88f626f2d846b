// How a copy with another order of axes is cut up for a device: tiles that are read in runs of what lies together in
// the source, turned round in shared memory, and written in runs of what lies together in the copy. Plain C++.
//
// A side of a tile (as it is read, as it is written) is walked by an inner index, along which neighbours lie together,
// and an outer one. Offsets are linear in the axes, so each is the sum of two tabulated ones.
#pragma once

#include "kleene/kernels/contract/permute_arguments.hpp"

#include <cstdint>
#include <string>

namespace kleene::kernels::cuda {

inline constexpr int permute_threads = 256;
// What a tile and its tables take at most where a block can have so many bytes of shared memory, some of which the
// kernel has declared. 160 KB: 2.25 tiles of 64 x 64 units of 8 bytes, and their tables.
constexpr std::size_t permute_room(std::size_t shared_bytes) {
  const std::size_t most = 160 * 1024, declared = 1024;
  return shared_bytes < most + declared ? shared_bytes - declared : most;
}
inline constexpr int most_tile_axes = 16;
inline constexpr int most_permute_loops = most_axes + 2;

// Speed, never a result: about so many units lie together on either side of a tile. The reverse of all bits of the
// index as a share of a plain copy's rate, 4 GiB on an H200 (side: share):
//   16 bytes   32: 0.90   64: 0.72       8 bytes   64: 0.91   128: 0.63       4 bytes   32: 0.42   64: 0.92   128: 0.81
// Of 2 bytes and, by words, of bytes, 1 GiB, in x out, two blocks resident (in brackets a matrix transposed):
//   2 bytes   128 x 128: 0.87 (0.89)   256 x 128: 0.87 (0.91)   128 x 256: 0.87 (0.90); 760^3, last two axes exchanged
//             0.61, 0.67 and 0.72
//   1 byte    256 x 256: 0.88 (0.91)   128 x 512: 0.79 (0.82)   512 x 128: 0.81 (0.85)
//             256 x 128: 0.80 (0.85), where a block loads a tile while it writes the one before
// Where there is no room for two such tiles, smaller ones.
// The order of the tiles made no difference on an H100: near in the copy first.
struct permute_sides {
  int in, out;
  constexpr int least() const { return in < out ? in : out; }
};
constexpr permute_sides permute_sides_of(int unit, std::size_t shared_bytes) {
  if (unit <= 2) return {256 / unit, shared_bytes >= 192 * 1024 ? 256 : 128};
  const int side = unit <= 8 ? 64 : 32;
  return {side, side};
}

// An axis of a tile, or a part of a long one. cut: 1 or 2 where its last block may be shorter, else 0.
struct permute_tile_axis {
  index_t global = 0;  // stride on the side's memory
  int shared = 0;      // stride in the tile
  int steps = 1;
  int cut = 0, cut_stride = 0;  // and its steps there
};

struct permute_side {
  permute_tile_axis axis[most_tile_axes];  // the one whose neighbours are nearest first
  int axes = 0, inner_axes = 0;
  int inner = 1, outer = 1;
  int vector = 1;      // units that are moved at once
  int lanes_log2 = 0;  // neighbouring threads that share an inner index
};

struct permute_loop {
  index_t extent = 1, from = 0, to = 0;
  index_t before = 1;  // tiles of the loops inside
};

// The last block of an axis that is cut into blocks.
struct permute_cut {
  int loop = -1;
  index_t extent = 0;
  int block = 0x7fff;
};

struct permute_plan {
  const char* from = nullptr;
  char* to = nullptr;
  permute_side in, out;
  permute_loop loop[most_permute_loops];  // from tile to tile, the innermost first
  permute_cut cut[2];
  index_t tiles = 1;
  index_t bytes = 0;  // of a copy that is one run
  int loops = 0;
  int unit = 1;            // bytes: 1, 2, 4, 8 or 16
  int tile_units = 0;      // in shared memory, with what pads its rows
  bool is_run = false;     // nothing to turn round: one contiguous copy
  bool is_direct = false;  // tiles lie together alike on both sides: copied without shared memory
  bool by_words = false;   // bytes: four outer indices of `out` in a row lie in one word of the tile

  constexpr int table_entries() const { return in.inner + in.outer + out.inner + out.outer; }
  std::size_t shared_bytes() const {
    return std::size_t(table_entries()) * 16 + (is_direct ? 0 : std::size_t(tile_units) * std::size_t(unit));
  }
};
static_assert(sizeof(permute_plan) <= 4000, "it is a kernel's parameter");

// Every extent is at least 1; shared_bytes: what a block can have on the device. std::bad_alloc.
permute_plan plan_permute(const permute_arguments& p, std::size_t shared_bytes);
permute_plan plan_permute(const permute_arguments& p, std::size_t shared_bytes, const permute_sides& sides);

// "permute on a device, 2097152 units of 4 bytes: 512 tiles of 64 x 64, 64 x 64".
std::string describe_permute(const permute_plan& plan);

}  // namespace kleene::kernels::cuda
