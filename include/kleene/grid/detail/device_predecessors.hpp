// The kernels that find predecessors on a grid of devices (device_recovery.inl.hpp), as plain functions. All put their
// work on the context's stream.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"
#include "kleene/grid/distribution.hpp"

#include <cstdint>

namespace kleene::detail {

// A worker's share of a closed matrix and of the arcs that it came from, and where it stands.
template <class T>
struct closed_share {
  view<const T, 2, memory::device> closed, arcs;
  cyclic_axis rows, cols;
  int row = 0, col = 0;
};

// Of a share's columns (heads), those from `first` on.
struct head_range {
  index_t first = 0, size = 0;
};

// Best arcs (kernels/cuda/closure/predecessors) into some heads from all rows of the grid, one part behind the other:
// those of part q into head first + h are base[q] + (offsets[q (size + 1) + h] .. the next one).
template <class T>
struct best_arcs_of_column {
  int parts = 0;
  const index_t* base = nullptr;
  const unsigned* offsets = nullptr;
  const std::int32_t* tails = nullptr;  // global rows
  const T* weights = nullptr;
};

template <class T>
struct recovery_arguments {
  closed_share<T> share;
  head_range heads;
  best_arcs_of_column<T> arcs;
  view<std::int32_t, 2, memory::device> p;  // the worker's share
  index_t first_row = 0;                    // of the share,
  view<const T, 2, memory::device> whole;   // whose whole rows from there on these are
  unsigned* ties = nullptr;                 // set to 1 for each row of the share that has one
};

template <class T>
struct predecessor_kernels {
  // offsets (size + 1): of this share's best arcs into these heads. `total` becomes their number.
  void (*count)(const context&, const closed_share<T>&, head_range, unsigned* offsets, unsigned long long* total);
  // Lists them. cursor: `size` zeros.
  void (*list)(const context&, const closed_share<T>&, head_range, const unsigned* offsets, unsigned* cursor,
               std::int32_t* tails, T* weights);
  // P of these heads, for some rows.
  void (*recover)(const context&, const recovery_arguments<T>&);
};
// Over a row of the catalog; null where it is not selective, and in a library without CUDA.
template <class S>
const predecessor_kernels<value_of<S>>* find_predecessor_kernels() {
  return nullptr;
}
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  const predecessor_kernels<type>* find_predecessor_kernels<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

// Rows of one worker's columns to their places in whole rows. element: 1, 4 or 8 bytes.
struct column_pieces {
  const void* from = nullptr;
  void* to = nullptr;
  std::size_t element = 0;
  index_t rows = 0;
  cyclic_axis cols;
  int col = 0;  // whose they are
};
void place_columns(const context&, const column_pieces&);

// Follows the predecessors of some rows of P: adds to `broken` how many have a chain that does not reach their vertex.
struct chain_arguments {
  view<const std::int32_t, 2, memory::device> p;  // whole rows, of the vertices from first_vertex on
  index_t first_vertex = 0;
  const std::int32_t* rows = nullptr;  // which of them, on the device
  index_t count = 0;
  unsigned* broken = nullptr;
};
void follow_chains(const context&, const chain_arguments&);

}  // namespace kleene::detail
