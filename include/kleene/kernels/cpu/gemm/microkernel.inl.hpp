// The inner loops of the CPU product: one micro-tile of accumulators in registers, walking down a panel of A and one of
// B.
//
// A panel is packed[k][Rows], a B panel packed[k][Vectors][lanes], both of accumulators, padded with zero(). The result
// goes to a small row-major tile in the first-level cache; the writer takes it from there to C.
// Rows, Vectors are register-blocking constants: the loops over them are fully unrolled and acc stays in registers.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/order.hpp"
#include "kleene/kernels/cpu/tile/sums.hpp"
#include "kleene/kernels/cpu/tile/words.hpp"

#include <bit>
#include <cstdint>

namespace kleene::kernels::cpu {

template <class S, int Bytes, int Rows, int Vectors>
struct micro_tile {
  using A = accumulator_of<S>;
  using V = vector_of<A, Bytes>;
  using I = std::conditional_t<std::is_same_v<V, A>, counter_of<A>, vector_of<counter_of<A>, Bytes>>;
  static constexpr int width = lanes<A, Bytes>::count;
  static constexpr int rows = Rows;
  static constexpr int cols = Vectors * width;

  alignas(64) A value[rows * cols];
  alignas(64) counter_of<A> group[rows * cols];  // only with a witness: the group of k that gave the value, or -1
};

// A tile of integers in the order of floats (tile/order.hpp) becomes a tile of these before it is stored.
template <class Tile, class Sums>
inline constexpr bool is_in_order = !std::is_same_v<typename Tile::A, typename Sums::A>;

template <class Tile, class Sums>
[[gnu::always_inline]] inline void put_in_order(Tile& tile, const Sums& sums) {
  for (int e = 0; e < Tile::rows * Tile::cols; ++e) tile.value[e] = order_of(sums.value[e]);
}
template <bool WithGroups, class Sums, class Tile>
[[gnu::always_inline]] inline void take_values(Sums& sums, const Tile& tile) {
  for (int e = 0; e < Tile::rows * Tile::cols; ++e) sums.value[e] = value_of_order(tile.value[e]);
  if constexpr (WithGroups) std::memcpy(sums.group, tile.group, sizeof(tile.group));
}
// Where the finished tile lies: where it was computed, unless that is in order.
template <class Sums, class Tile>
[[gnu::always_inline]] inline Sums& finished_of(Tile& tile, [[maybe_unused]] Sums& converted) {
  if constexpr (is_in_order<Tile, Sums>) return converted;
  else return tile;
}

// A panel of B outgrows the first-level cache; asking for it this many steps early is worth 3 % (f32, depth 512).
inline constexpr int prefetch_steps = 16;

// tile.value = (resume ? tile.value : zero()) (+) panel of A times panel of B, for the first Rows rows of the tile.
// ByMultiplying: see tile/sums.hpp.
template <class Tile, class S, bool ByMultiplying, int Rows = Tile::rows, class A>
[[gnu::always_inline]] inline void multiply_panels(Tile& tile, index_t depth, const A* __restrict a,
                                                   const A* __restrict b, bool resume) {
  using V = typename Tile::V;
  constexpr int rows = Rows, width = Tile::width, vectors = Tile::cols / width;
  V acc[rows][vectors];
  V zero;
  if constexpr (std::is_same_v<A, V>) zero = widen<S>(S::zero());
  else zero = widen<S>(S::zero()) - V{};
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) acc[i][v] = zero;
  if (resume)
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) load(acc[i][v], tile.value + i * Tile::cols + v * width);
  [[maybe_unused]] V one;
  if constexpr (ByMultiplying) hide_one(one);

#pragma GCC unroll 1
  for (index_t k = 0; k < depth; ++k) {
    V column[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      load(column[v], b + (k * vectors + v) * width);
      if (v * sizeof(V) % 64 == 0) __builtin_prefetch(b + ((k + prefetch_steps) * vectors + v) * width);
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      V row;  // spelled here: inside a function of its own, GCC 12 lowers it lane by lane before it knows the target
      if constexpr (std::is_same_v<A, V>) row = a[k * rows + i];
      else row = a[k * rows + i] - V{};
      if constexpr (ByMultiplying) row = row * one;
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) multiply_add<S>(acc[i][v], row, column[v]);
    }
  }

#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) store(tile.value + i * Tile::cols + v * width, acc[i][v]);
}

// The same over structs, with B's panel word by word: loops over the words that one vector holds, which GCC vectorises
// whatever add and mul do with the members, if it can turn their branches into choices.
template <class Tile, class S, struct_of_words A>
[[gnu::always_inline]] inline void multiply_words(Tile& tile, index_t depth, const A* a, const A* panel, bool resume) {
  using W = words<A>;
  using word = typename W::word;
  constexpr int rows = Tile::rows, lanes = Tile::cols;
  word sum[rows][W::count * lanes];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
    for (int l = 0; l < lanes; ++l) W::put(sum[i], l, lanes, resume ? tile.value[i * lanes + l] : widen<S>(S::zero()));
  const word* b = reinterpret_cast<const word*>(panel);
#pragma GCC unroll 1
  for (index_t k = 0; k < depth; ++k, b += W::count * lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const A left = a[k * rows + i];
      for (int l = 0; l < lanes; ++l)
        W::put(sum[i], l, lanes, S::add(W::get(sum[i], l, lanes), S::mul(left, W::get(b, l, lanes))));
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
    for (int l = 0; l < lanes; ++l) tile.value[i * lanes + l] = W::get(sum[i], l, lanes);
}

// The same, and tile.group = the first group of Group consecutive k in which the element took its value; -1 if none
// did. depth is a multiple of Group: panels are padded with zero(), which never changes an accumulator.
template <class Tile, class S, int Group, bool ByMultiplying, class A>
[[gnu::always_inline]] inline void multiply_panels_witness(Tile& tile, index_t depth, const A* __restrict a,
                                                           const A* __restrict b, bool resume) {
  using V = typename Tile::V;
  using I = typename Tile::I;
  constexpr int rows = Tile::rows, width = Tile::width, vectors = Tile::cols / width;
  V acc[rows][vectors];
  I mark[rows][vectors];
  V zero;
  if constexpr (std::is_same_v<A, V>) zero = widen<S>(S::zero());
  else zero = widen<S>(S::zero()) - V{};
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      acc[i][v] = zero;
      if (resume) load(acc[i][v], tile.value + i * Tile::cols + v * width);
      mark[i][v] = I{} - 1;
    }

  [[maybe_unused]] V one;
  if constexpr (ByMultiplying) hide_one(one);
  I group{};
#pragma GCC unroll 1
  for (index_t k = 0; k < depth; k += Group, group += 1) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      V next[vectors];
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) next[v] = acc[i][v];
#pragma GCC unroll 16
      for (int u = 0; u < Group; ++u) {
        V row;
        if constexpr (std::is_same_v<A, V>) row = a[(k + u) * rows + i];
        else row = a[(k + u) * rows + i] - V{};
        if constexpr (ByMultiplying) row = row * one;
#pragma GCC unroll 16
        for (int v = 0; v < vectors; ++v) {
          V column;
          load(column, b + ((k + u) * vectors + v) * width);
          multiply_add<S>(next[v], row, column);
        }
      }
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) {
        mark_changes(mark[i][v], acc[i][v], next[v], group);
        acc[i][v] = next[v];
      }
    }
  }

#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      store(tile.value + i * Tile::cols + v * width, acc[i][v]);
      store(tile.group + i * Tile::cols + v * width, mark[i][v]);
    }
}

// For closures: tile.group = what `looked_up` (a panel like B's) holds for the smallest k in which the element took its
// value; -1 if none did. It is carried along beside the value, k by k: a comparison and a choice more than the product
// alone, and nothing to find out afterwards.
template <class Tile, class S, bool ByMultiplying, class A>
[[gnu::always_inline]] inline void multiply_panels_lookup(Tile& tile, index_t depth, const A* __restrict a,
                                                          const A* __restrict b,
                                                          const counter_of<A>* __restrict looked_up) {
  using V = typename Tile::V;
  using I = typename Tile::I;
  constexpr int rows = Tile::rows, width = Tile::width, vectors = Tile::cols / width;
  V acc[rows][vectors];
  I mark[rows][vectors];
  V zero;
  if constexpr (std::is_same_v<A, V>) zero = widen<S>(S::zero());
  else zero = widen<S>(S::zero()) - V{};
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) acc[i][v] = zero, mark[i][v] = I{} - 1;
  [[maybe_unused]] V one;
  if constexpr (ByMultiplying) hide_one(one);

#pragma GCC unroll 1
  for (index_t k = 0; k < depth; ++k) {
    V column[vectors];
    I found[vectors];
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      load(column[v], b + (k * vectors + v) * width);
      load(found[v], looked_up + (k * vectors + v) * width);
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      V row;
      if constexpr (std::is_same_v<A, V>) row = a[k * rows + i];
      else row = a[k * rows + i] - V{};
      if constexpr (ByMultiplying) row = row * one;
#pragma GCC unroll 16
      for (int v = 0; v < vectors; ++v) {
        V next = acc[i][v];
        multiply_add<S>(next, row, column[v]);
        mark_changes(mark[i][v], acc[i][v], next, found[v]);
        acc[i][v] = next;
      }
    }
  }

#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 16
    for (int v = 0; v < vectors; ++v) {
      store(tile.value + i * Tile::cols + v * width, acc[i][v]);
      store(tile.group + i * Tile::cols + v * width, mark[i][v]);
    }
}

// The smallest k in [group * Group, + Group) whose term is `value`. `row` and `column` hold the element's k side by
// side, so that a group is one vector: no branch depends on which k it is (nobody could predict it). Walking the packed
// panels step by step instead cost as much as the product itself: GCC turns some of the comparisons of scalars into
// branches.
template <class S, int Group, class A>
[[gnu::always_inline]] inline index_t smallest_k(const A* row, const A* column, index_t group, const A& value) {
  const index_t first = group * Group;
  if constexpr (std::is_arithmetic_v<A>) {
    using V = vector_of<A, Group * sizeof(A)>;
    V x, y, term;
    load(x, row + first);
    load(y, column + first);
    multiply<S>(term, x, y);
    return first + std::countr_zero(lane_bits(term == value - V{}) | std::uint64_t{1} << Group);
  } else {
    int u = 0;
    while (u < Group && !(S::mul(row[first + u], column[first + u]) == value)) ++u;
    return first + u;
  }
}

}  // namespace kleene::kernels::cpu
