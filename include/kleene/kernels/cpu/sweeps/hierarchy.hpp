// A graph whose vertices were contracted one after another: removed, with a shortcut between each two neighbours that
// had a path through them. A vertex's rank is its place in that order; each arc, of the graph or a shortcut, is known
// to its lower end. Some best path between any two vertices then first ascends and afterwards descends.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>
#include <vector>

namespace kleene::kernels::cpu {

template <class T>
struct hierarchy_arc {
  std::int32_t other;  // the rank of the upper end
  std::int32_t last;   // the vertex of the graph before the arc's head, on the path that the arc stands for
  T weight;
};

template <class T>
struct hierarchy {
  std::vector<std::int32_t> rank;        // of each vertex of the graph
  std::vector<index_t> up_offsets{0};    // arcs that leave rank r upwards: [up_offsets[r], up_offsets[r + 1])
  std::vector<index_t> down_offsets{0};  // arcs that reach rank r from above
  std::vector<hierarchy_arc<T>> up, down;

  index_t vertices() const { return static_cast<index_t>(rank.size()); }
  index_t arcs() const { return static_cast<index_t>(up.size() + down.size()); }
};

}  // namespace kleene::kernels::cpu
