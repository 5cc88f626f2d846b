// How a matrix lies on a grid: ScaLAPACK's two-dimensional block-cyclic distribution. Rows are cut into blocks of MB,
// which go to the rows of the grid in turns; columns into blocks of NB, which go to its columns. So each worker has
// blocks from all over the matrix, and as much to do as the others until an elimination ends.
//
// Source: Blackford et al., ScaLAPACK Users' Guide (SIAM, 1997), "Two-Dimensional Block-Cyclic Distribution"; the
// functions are its TOOLS routines NUMROC, INDXG2P, INDXG2L and INDXL2G, with indices from 0.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"

#include <algorithm>
#include <string>

namespace kleene {

// The descriptor of a distributed matrix, in ScaLAPACK's words.
struct distribution {
  index_t m = 0, n = 0;    // M, N: rows and columns
  index_t mb = 0, nb = 0;  // MB, NB: those of a block
  int rsrc = 0, csrc = 0;  // RSRC, CSRC: the row and the column of the grid that have the first block

  bool operator==(const distribution&) const = default;
};

// One dimension of it: `extent` indices in blocks, over so many processes.
struct cyclic_axis {
  index_t extent = 0, block = 1;
  int source = 0, processes = 1;

  // NUMROC: how many indices below `end` the process has; local indices are counted in the order of the global ones.
  constexpr index_t numroc(int process, index_t end) const {
    const int turn = (process + processes - source) % processes;
    const index_t blocks = end / block, all = blocks / processes, left = blocks % processes;
    return all * block + (turn < left ? block : turn == left ? end % block : 0);
  }
  constexpr index_t numroc(int process) const { return numroc(process, extent); }
  // INDXG2P: the process that has a global index.
  constexpr int indxg2p(index_t global) const { return static_cast<int>((source + global / block) % processes); }
  // INDXG2L: its index there.
  constexpr index_t indxg2l(index_t global) const { return global / block / processes * block + global % block; }
  // INDXL2G: the global index of a local one.
  constexpr index_t indxl2g(index_t local, int process) const {
    const int turn = (process + processes - source) % processes;
    return (local / block * processes + turn) * block + local % block;
  }
  // visit(local index, global index, how many) for each run of a process's indices that follow each other in both.
  template <class Visit>
  constexpr void for_each_run(int process, const Visit& visit) const {
    const index_t end = numroc(process), longest = processes == 1 ? std::max<index_t>(extent, 1) : block;
    for (index_t local = 0; local < end; local += longest)
      visit(local, indxl2g(local, process), std::min(longest, end - local));
  }
  constexpr index_t blocks() const { return ceil_div(extent, block); }
};

// "1000 x 1000 in blocks of 256 x 256 from (0, 0)".
std::string to_string(const distribution& d);

}  // namespace kleene
