// How a copy with another order of axes is cut up: which axes are walked inside a tile, and which from tile to tile.
//
// A tile has some axes whose neighbours lie together in the source, and some whose neighbours lie together in the copy.
// So it is read in runs of whole cache lines and written in such runs, whatever the order of axes is.
#pragma once

#include "kleene/kernels/contract/permute_arguments.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace kleene::kernels::cpu {

// A tile, all of whose offsets are tabulated. There are up to four: the last ones along an axis that is cut may be
// shorter.
struct permute_tile {
  index_t units = 0;
  index_t run_in = 1, run_out = 1;         // units that lie together in the source, in the copy
  std::vector<index_t> rows_in, rows_out;  // where each run begins
  int lanes = 1;                           // blocks of lanes x lanes units are transposed in registers
  std::array<index_t, 16> lane_in{};
  std::array<std::int32_t, 16> lane_out{};
  struct place {
    index_t in;        // where the tile is read: in the source, or where it is gathered
    std::int32_t out;  // in the tile as it is written
  };
  std::vector<place> inner, outer;  // a block lies at the sum of one of each
};

struct permute_plan {
  const char* from = nullptr;
  char* to = nullptr;
  int unit = 1;                       // bytes that are moved at once: 1, 2, 4, 8 or 16
  std::vector<permute_axis> axes;     // those that lie together joined, the one that varies fastest in the copy last
  std::vector<permute_axis> loops;    // from tile to tile, the innermost first
  int cut_in = -1, cut_out = -1;      // loops whose last tile may be shorter
  std::array<permute_tile, 4> tiles;  // + 1: the last along cut_in, + 2: along cut_out
  bool copies_runs = false;           // the innermost axis is copied as it is, a tile is a run of it
  bool streams = false;               // the copy bypasses the caches
  index_t group = 1;  // so many tiles in a row, whose runs lie together in the source, are gathered first
  index_t pitch = 0;  // units from row to row there
  int threads = 1;

  index_t count() const {
    index_t tiles_in_all = 1;
    for (const permute_axis& a : loops) tiles_in_all *= a.extent;
    return tiles_in_all;
  }
};

// Every extent is at least 1. Allocates its tables: std::bad_alloc.
permute_plan plan_permute(const permute_arguments& p);
// Speed, never a result: copies of so many bytes bypass the caches, and of those the ones are gathered whose rows have
// so many bytes, and of whose rows so many share a set of a cache.
struct permute_limits {
  index_t stream_bytes, gathered_row_bytes, rows_a_set;
};
permute_plan plan_permute(const permute_arguments& p, const permute_limits& limits);

}  // namespace kleene::kernels::cpu
