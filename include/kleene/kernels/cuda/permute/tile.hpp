// What the threads of a block do with a tile: functions of a thread's number, so that a CPU can go through them, too.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/kernels/cuda/permute/plan.hpp"

#include <cstdint>
#include <type_traits>

namespace kleene::kernels::cuda {

// Where an inner or an outer index lies: in memory, in the tile, and along the axes that are cut, 16 bits each.
struct permute_place {
  index_t global = 0;
  int shared = 0;
  unsigned cut = 0;
};
static_assert(sizeof(permute_place) == 16, "plan.hpp counts on it");

struct permute_tables {
  permute_place *in_inner, *in_outer, *out_inner, *out_outer;

  KLEENE_FUNCTION permute_tables(const permute_plan& p, permute_place* memory)
      : in_inner(memory),
        in_outer(in_inner + p.in.inner),
        out_inner(in_outer + p.in.outer),
        out_outer(out_inner + p.out.inner) {}
};

KLEENE_FUNCTION permute_place place_of(const permute_tile_axis* axes, int count, int index) {
  permute_place at;
  for (int a = 0; a < count; ++a) {
    const int step = index % axes[a].steps;
    index /= axes[a].steps;
    at.global += step * axes[a].global;
    at.shared += step * axes[a].shared;
    at.cut += static_cast<unsigned>(step * axes[a].cut_stride) << (axes[a].cut == 1 ? 0 : 16);
  }
  return at;
}

// A thread's share of the tables.
KLEENE_FUNCTION void tabulate(const permute_side& side, permute_place* inner, permute_place* outer, int thread) {
  for (int i = thread; i < side.inner; i += permute_threads) inner[i] = place_of(side.axis, side.inner_axes, i);
  for (int i = thread; i < side.outer; i += permute_threads)
    outer[i] = place_of(side.axis + side.inner_axes, side.axes - side.inner_axes, i);
}

// Where a tile begins, and how far it reaches along the axes that are cut.
struct permute_base {
  index_t from = 0, to = 0;
  int limit[2] = {};

  KLEENE_FUNCTION bool is_whole(const permute_plan& p) const {
    return limit[0] == p.cut[0].block && limit[1] == p.cut[1].block;
  }
  KLEENE_FUNCTION bool has(unsigned cut) const {
    return static_cast<int>(cut & 0xffff) < limit[0] && static_cast<int>(cut >> 16) < limit[1];
  }
};

// The tile's step along a loop.
KLEENE_FUNCTION index_t step_along(const permute_plan& p, int loop, index_t tile) {
  const permute_loop& l = p.loop[loop];
  if (p.tiles <= 0xffffffff)
    return static_cast<std::uint32_t>(tile) / static_cast<std::uint32_t>(l.before) %
           static_cast<std::uint32_t>(l.extent);
  return tile / l.before % l.extent;
}
KLEENE_FUNCTION int limit_of(const permute_cut& cut, index_t step) {
  const index_t left = cut.extent - step * cut.block;
  return left < cut.block ? static_cast<int>(left) : cut.block;
}

template <class E, int Count>
struct alignas(sizeof(E) * Count) permute_vector {
  E unit[Count];
};

// Which indices of a side a thread has, `Vector` units at a time: inner ones from `begin`, every `step`, and of each
// the outer ones from `first`, every `rows`.
template <int Vector>
struct permute_walk {
  int begin, step, first, rows;

  KLEENE_FUNCTION permute_walk(const permute_side& side, int thread)
      : begin((thread & ((1 << side.lanes_log2) - 1)) * Vector),
        step(Vector << side.lanes_log2),
        first(thread >> side.lanes_log2),
        rows(permute_threads >> side.lanes_log2) {}
};

// Where a thread begins on both sides: the same in every tile, as long as a side's lanes reach all inner indices.
template <int In, int Out>
struct permute_thread {
  permute_place in, out;
  int out_shared[Out];

  KLEENE_FUNCTION permute_thread(const permute_plan& p, const permute_tables& tables, int thread) {
    const int in_index = permute_walk<In>(p.in, thread).begin, out_index = permute_walk<Out>(p.out, thread).begin;
    if (in_index < p.in.inner) in = tables.in_inner[in_index];
    if (out_index < p.out.inner) out = tables.out_inner[out_index];
    for (int e = 0; e < Out; ++e) out_shared[e] = out_index < p.out.inner ? tables.out_inner[out_index + e].shared : 0;
  }
};

// Outer indices whose elements are under way at the same time: 64 bytes a thread, where elements are not smaller.
template <class E, int Vector>
inline constexpr int permute_depth = sizeof(E) * Vector == 16 ? 4 : 8;

// A thread's share of a tile, from the source into the tile.
template <class E, int Vector, int Out>
KLEENE_FUNCTION void load_tile(const permute_plan& p, const permute_tables& tables, const permute_base& base,
                               const permute_thread<Vector, Out>& mine, E* tile, int thread) {
  using V = permute_vector<E, Vector>;
  constexpr int depth = permute_depth<E, Vector>;
  const E* const from = reinterpret_cast<const E*>(p.from) + base.from;
  const auto [begin, step, first, rows] = permute_walk<Vector>(p.in, thread);
  const bool is_whole = base.is_whole(p);
  for (int i = begin; i < p.in.inner; i += step) {
    const permute_place inner = i == begin ? mine.in : tables.in_inner[i];
    for (int o = first; o < p.in.outer; o += depth * rows) {
      V values[depth];
      int at[depth];
      for (int d = 0; d < depth; ++d) {
        at[d] = -1;
        if (o + d * rows >= p.in.outer) continue;
        const permute_place outer = tables.in_outer[o + d * rows];
        if (!is_whole && !base.has(inner.cut + outer.cut)) continue;
        at[d] = inner.shared + outer.shared;
        values[d] = *reinterpret_cast<const V*>(from + (inner.global + outer.global));
      }
      for (int d = 0; d < depth; ++d) {
        if (at[d] < 0) continue;
        for (int e = 0; e < Vector; ++e) tile[at[d] + e] = values[d].unit[e];
      }
    }
  }
}

// The same for units of 1 and 2 bytes in vectors, whose rows begin at multiples of 16 bytes in the tile. copy(to, from)
// moves 16 bytes, and may do so later: no register waits for them, so a whole tile is under way.
template <class E, int Vector, int Out, class Copy>
KLEENE_FUNCTION void load_later(const permute_plan& p, const permute_tables& tables, const permute_base& base,
                                const permute_thread<Vector, Out>& mine, E* tile, int thread, const Copy& copy) {
  static_assert(sizeof(E) * Vector == 16);
  const E* const from = reinterpret_cast<const E*>(p.from) + base.from;
  const auto [begin, step, first, rows] = permute_walk<Vector>(p.in, thread);
  const bool is_whole = base.is_whole(p);
  for (int i = begin; i < p.in.inner; i += step) {
    const permute_place inner = i == begin ? mine.in : tables.in_inner[i];
    for (int o = first; o < p.in.outer; o += rows) {
      const permute_place outer = tables.in_outer[o];
      if (!is_whole && !base.has(inner.cut + outer.cut)) continue;
      copy(tile + (inner.shared + outer.shared), from + (inner.global + outer.global));
    }
  }
}

// And from there into the copy.
template <class E, int In, int Vector>
KLEENE_FUNCTION void store_tile(const permute_plan& p, const permute_tables& tables, const permute_base& base,
                                const permute_thread<In, Vector>& mine, const E* tile, int thread) {
  using V = permute_vector<E, Vector>;
  E* const to = reinterpret_cast<E*>(p.to) + base.to;
  const auto [begin, step, first, rows] = permute_walk<Vector>(p.out, thread);
  const bool is_whole = base.is_whole(p);
  for (int i = begin; i < p.out.inner; i += step) {
    const permute_place inner = i == begin ? mine.out : tables.out_inner[i];
    int at[Vector];
    for (int e = 0; e < Vector; ++e) at[e] = i == begin ? mine.out_shared[e] : tables.out_inner[i + e].shared;
    for (int o = first; o < p.out.outer; o += rows) {
      const permute_place outer = tables.out_outer[o];
      if (!is_whole && !base.has(inner.cut + outer.cut)) continue;
      V value;
      for (int e = 0; e < Vector; ++e) value.unit[e] = tile[at[e] + outer.shared];
      *reinterpret_cast<V*>(to + (inner.global + outer.global)) = value;
    }
  }
}

// The same for bytes, four outer indices at a time, whose bytes a word of the tile holds: a quarter of the loads, which
// took most of the time of a tile. turn(w) transposes four words: byte j of w[i] becomes byte i of w[j].
template <int In, class Turn>
KLEENE_FUNCTION void store_words(const permute_plan& p, const permute_tables& tables, const permute_base& base,
                                 const permute_thread<In, 16>& mine, const std::uint8_t* tile, int thread,
                                 const Turn& turn) {
  using V = permute_vector<std::uint32_t, 4>;
  auto* const to = reinterpret_cast<std::uint8_t*>(p.to) + base.to;
  const auto [begin, step, first, rows] = permute_walk<16>(p.out, thread);
  const bool is_whole = base.is_whole(p);
  for (int i = begin; i < p.out.inner; i += step) {
    const permute_place inner = i == begin ? mine.out : tables.out_inner[i];
    int at[16];
    for (int e = 0; e < 16; ++e) at[e] = i == begin ? mine.out_shared[e] : tables.out_inner[i + e].shared;
    for (int o = 4 * first; o < p.out.outer; o += 4 * rows) {
      const permute_place outer = tables.out_outer[o];
      if (!is_whole && !base.has(inner.cut + outer.cut)) continue;
      V values[4];
      for (int part = 0; part < 4; ++part) {
        std::uint32_t word[4];
        for (int e = 0; e < 4; ++e)
          word[e] = *reinterpret_cast<const std::uint32_t*>(tile + at[4 * part + e] + outer.shared);
        turn(word);
        for (int row = 0; row < 4; ++row) values[row].unit[part] = word[row];
      }
      for (int row = 0; row < 4; ++row)
        *reinterpret_cast<V*>(to + (inner.global + tables.out_outer[o + row].global)) = values[row];
    }
  }
}

// Where both sides have the same order: from memory to memory.
template <class E, int Vector>
KLEENE_FUNCTION void copy_tile(const permute_plan& p, const permute_tables& tables, const permute_base& base,
                               int thread) {
  using V = permute_vector<E, Vector>;
  constexpr int depth = permute_depth<E, Vector>;
  const E* const from = reinterpret_cast<const E*>(p.from) + base.from;
  E* const to = reinterpret_cast<E*>(p.to) + base.to;
  const auto [begin, step, first, rows] = permute_walk<Vector>(p.in, thread);
  const bool is_whole = base.is_whole(p);
  for (int i = begin; i < p.in.inner; i += step) {
    const permute_place inner = tables.in_inner[i];
    const index_t inner_to = tables.out_inner[i].global;
    for (int o = first; o < p.in.outer; o += depth * rows) {
      V values[depth];
      index_t at[depth];
      bool is_there[depth];
      for (int d = 0; d < depth; ++d) {
        is_there[d] = o + d * rows < p.in.outer;
        if (!is_there[d]) continue;
        const permute_place outer = tables.in_outer[o + d * rows];
        is_there[d] = is_whole || base.has(inner.cut + outer.cut);
        if (!is_there[d]) continue;
        at[d] = inner_to + tables.out_outer[o + d * rows].global;
        values[d] = *reinterpret_cast<const V*>(from + (inner.global + outer.global));
      }
      for (int d = 0; d < depth; ++d)
        if (is_there[d]) *reinterpret_cast<V*>(to + at[d]) = values[d];
    }
  }
}

}  // namespace kleene::kernels::cuda
