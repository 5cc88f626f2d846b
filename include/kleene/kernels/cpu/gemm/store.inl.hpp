// From a finished (or partial) micro-tile to C. Whole rows with unit strides go through loops with a constant trip
// count, which compile to vector code; everything else goes element by element through the writer, which defines the
// meaning.
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/cpu/gemm/microkernel.inl.hpp"
#include "kleene/kernels/cpu/tile/halves.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

// Where a tile lies in C, and how much of it.
struct tile_place {
  index_t row, col;
  int rows, cols;
};

namespace detail {

template <class G>
inline constexpr bool c_holds_accumulators =
    std::is_same_v<accumulator_of<typename G::algebra>, std::remove_pointer_t<decltype(G::c)>>;

// Elements of a row of C can be stored as they come: no mask, scalars or epilogue, and unit strides.
template <class G>
bool plain_elements(const gemm_writer<G>& w) {
  const G& g = w.g;
  return !has_epilogue<decltype(g.epilogue)> && !g.mask && !g.alpha && !g.beta && g.sc[2] == 1 &&
         (!g.d || g.sd[2] == 1);
}
// And whole rows of a tile.
template <class Tile, class G>
bool plain_rows(const gemm_writer<G>& w, const tile_place& at) {
  return at.cols == Tile::cols && plain_elements(w);
}

}  // namespace detail

// Asks for a tile of C (and of the witness) while another one is computed: its rows lie far apart, and no hardware
// prefetcher foresees them.
template <class E>
[[gnu::always_inline]] inline void prefetch_rows(const E* first, index_t row_stride, int rows, int cols) {
  constexpr int line = 64 / sizeof(E) > 0 ? 64 / sizeof(E) : 1;
  for (int i = 0; i < rows; ++i) {
    const E* row = first + i * row_stride;
    for (int j = 0; j < cols; j += line) __builtin_prefetch(row + j, 1);
    __builtin_prefetch(row + cols - 1, 1);
  }
}
template <class G>
[[gnu::always_inline]] inline void prefetch_c(const gemm_writer<G>& w, const tile_place& at) {
  if (w.g.sc[2] == 1) prefetch_rows(&w.c_at(at.row, at.col), w.g.sc[1], at.rows, at.cols);
  if (w.g.witness && w.g.switness[2] == 1)
    prefetch_rows(&w.witness_at(at.row, at.col), w.g.switness[1], at.rows, at.cols);
}

// Partial sums wait in C between passes over k (only where C holds accumulators: see plan_gemm).
template <class Tile, class G>
[[gnu::always_inline]] inline void read_partial(Tile& tile, const gemm_writer<G>& w, const tile_place& at) {
  if constexpr (detail::c_holds_accumulators<G>)
    for (int i = 0; i < at.rows; ++i) {
      auto* to = tile.value + i * Tile::cols;
      const auto* c = &w.c_at(at.row + i, at.col);
      if (at.cols == Tile::cols && w.g.sc[2] == 1)
        for (int j = 0; j < Tile::cols; ++j) to[j] = c[j];
      else
        for (int j = 0; j < at.cols; ++j) to[j] = c[j * w.g.sc[2]];
    }
}
template <class Tile, class G>
[[gnu::always_inline]] inline void write_partial(const Tile& tile, const gemm_writer<G>& w, const tile_place& at) {
  if constexpr (detail::c_holds_accumulators<G>)
    for (int i = 0; i < at.rows; ++i) {
      const auto* from = tile.value + i * Tile::cols;
      auto* c = &w.c_at(at.row + i, at.col);
      if (at.cols == Tile::cols && w.g.sc[2] == 1)
        for (int j = 0; j < Tile::cols; ++j) c[j] = from[j];
      else
        for (int j = 0; j < at.cols; ++j) c[j * w.g.sc[2]] = from[j];
    }
}

// `N` neighbours of C, of a row whose results are known. f16 by vectors: one by one they took a fifth of a product of
// 128 x 128 x 128.
template <int N, class G, class Out, class X>
[[gnu::always_inline]] inline void store_finished(Out* to, const X* result, const gemm_writer<G>& w) {
  using V = vector_of<float, 32>;
  constexpr int width = sizeof(V) / sizeof(float);
  constexpr bool is_rounded_alone = G::keeps_sums || !requires { G::algebra::normalise(*result); };
  if constexpr (std::is_same_v<Out, f16> && std::is_same_v<X, float> && is_rounded_alone && N % width == 0) {
    for (int j = 0; j < N; j += width) {
      V value;
      load(value, result + j);
      store_halves(to + j, value);
    }
  } else {
    for (int j = 0; j < N; ++j) to[j] = static_cast<Out>(w.finished(result[j]));
  }
}

// One whole row: C = sum (+) D, as the writer has it. Where `changed` is given it tells what the product improved.
template <class Tile, class G>
[[gnu::always_inline]] inline void store_row(const typename Tile::A* sum, gemm_writer<G>& w, index_t i, index_t j0,
                                             counter_of<typename Tile::A>* changed) {
  using S = typename G::algebra;
  using X = typename G::combined;
  if constexpr (!has_epilogue<decltype(w.g.epilogue)>) {
    X before[Tile::cols], result[Tile::cols];
    const X zero = w.zero();
    if (w.g.d) {
      const auto* d = w.g.d + w.batch * w.g.sd[0] + i * w.g.sd[1] + j0;
      for (int j = 0; j < Tile::cols; ++j) before[j] = w.read(d[j]);
      for (int j = 0; j < Tile::cols; ++j) result[j] = S::add(static_cast<X>(sum[j]), before[j]);
    } else {
      for (int j = 0; j < Tile::cols; ++j) before[j] = zero, result[j] = static_cast<X>(sum[j]);
    }
    if constexpr (can_overflow<S>) {
      int bad = 0;
      for (int j = 0; j < Tile::cols; ++j) bad |= w.flags_overflow(result[j]);
      w.overflow |= bad != 0;
    }
    auto* c = &w.c_at(i, j0);
    if (changed)
      for (int j = 0; j < Tile::cols; ++j) changed[j] = -!(w.finished(result[j]) == w.finished(before[j]));
    store_finished<Tile::cols>(c, result, w);
  }
}

// Everything that is not plain, element by element.
template <class A, class G>
[[gnu::always_inline]] inline void store_each(const A* sum, int stride, gemm_writer<G>& w, const tile_place& at) {
  for (int i = 0; i < at.rows; ++i)
    for (int j = 0; j < at.cols; ++j) w.store(at.row + i, at.col + j, sum[i * stride + j]);
}
// Where nothing is rounded and nothing of the caller's runs this is scalar code whatever the instruction set, and there
// once for all of them. (Elsewhere the target has its say: fused multiply-add of beta D, vectors in an epilogue.)
template <class A, class G>
[[gnu::noinline]] void store_each_apart(const A* sum, int stride, gemm_writer<G>& w, const tile_place& at) {
  store_each(sum, stride, w, at);
}

template <class Tile, class G>
[[gnu::always_inline]] inline void store_tile(const Tile& tile, gemm_writer<G>& w, const tile_place& at) {
  if (detail::plain_rows<Tile>(w, at)) {
    for (int i = 0; i < at.rows; ++i) store_row<Tile>(tile.value + i * Tile::cols, w, at.row + i, at.col, nullptr);
  } else if constexpr (is_selective<typename G::algebra> && !has_epilogue<decltype(w.g.epilogue)>) {
    store_each_apart(tile.value, Tile::cols, w, at);
  } else {
    store_each(tile.value, Tile::cols, w, at);
  }
}

// n elements, 1 to Lanes, in copies of fixed lengths that may overlap: short loops, and memcpy of any length, take
// several times as long.
template <int Lanes, class T>
[[gnu::always_inline]] inline void copy_lanes(T* to, const T* from, int n) {
  if constexpr (Lanes == 1) {
    *to = *from;
  } else {
    constexpr int half = Lanes / 2;
    if (n < half) return copy_lanes<half>(to, from, n);
    std::memcpy(to, from, half * sizeof(T));
    std::memcpy(to + n - half, from + n - half, half * sizeof(T));
  }
}

// The same for small products, whose tiles are often narrower than a vector.
template <class Tile, class G>
[[gnu::always_inline]] inline void store_small(Tile& tile, gemm_writer<G>& w, const tile_place& at) {
  using S = typename G::algebra;
  using X = typename G::combined;
  using Out = std::remove_pointer_t<decltype(w.g.c)>;
  constexpr int cols = Tile::cols;
  constexpr bool stores_sums =
      detail::c_holds_accumulators<G> && !requires(typename Tile::A sum) { S::normalise(sum); };
  if constexpr (!has_epilogue<decltype(w.g.epilogue)> && std::is_same_v<X, typename Tile::A>)
    if (detail::plain_elements(w)) {
      typename G::source before[cols] = {};
      for (int i = 0; i < at.rows; ++i) {
        typename Tile::A* sum = tile.value + i * cols;
        Out* c = &w.c_at(at.row + i, at.col);
        if (w.g.d) {
          copy_lanes<cols>(before, w.g.d + w.batch * w.g.sd[0] + (at.row + i) * w.g.sd[1] + at.col, at.cols);
          for (int j = 0; j < cols; ++j) sum[j] = S::add(sum[j], w.read(before[j]));
        }
        if constexpr (can_overflow<S>) {
          int bad = 0;
          for (int j = 0; j < cols; ++j) bad |= w.flags_overflow(sum[j]) & (j < at.cols);
          w.overflow |= bad != 0;
        }
        if constexpr (std::is_same_v<Out, typename Tile::A>) {
          if constexpr (!stores_sums)
            for (int j = 0; j < cols; ++j) sum[j] = w.finished(sum[j]);
          copy_lanes<cols>(c, sum, at.cols);
        } else {
          Out stored[cols];
          store_finished<cols>(stored, sum, w);
          copy_lanes<cols>(c, stored, at.cols);
        }
      }
      return;
    }
  if constexpr (is_selective<S> && !has_epilogue<decltype(w.g.epilogue)>) store_each_apart(tile.value, cols, w, at);
  else store_each(tile.value, cols, w, at);
}

// Closures: plain rows whose improved elements take what was looked up for them (tile.group, see
// multiply_panels_lookup).
template <class Tile, class G>
[[gnu::always_inline]] inline void store_with_lookup(const Tile& tile, gemm_writer<G>& w, const tile_place& at) {
  constexpr int cols = Tile::cols;
  counter_of<typename Tile::A> changed[cols];
  for (int i = 0; i < at.rows; ++i) {
    store_row<Tile>(tile.value + i * cols, w, at.row + i, at.col, changed);
    std::int32_t* witness = &w.witness_at(at.row + i, at.col);
    for (int j = 0; j < cols; j += Tile::width) {  // vectors by hand: GCC 12 takes a branch per element here
      typename Tile::I improved, found, before;
      load(improved, changed + j);
      load(found, tile.group + i * cols + j);
      load(before, witness + j);
      store(witness + j, improved ? found : before);
    }
  }
}

// The same with witnesses. tile.group is -1 where this pass over k changed nothing; smallest(i, j) is the k of element
// (i, j) of the tile elsewhere. Partial passes leave the witness so far in its matrix.
template <class Tile, class G, class Smallest>
[[gnu::always_inline]] inline void store_with_witness(const Tile& tile, gemm_writer<G>& w, const tile_place& at,
                                                      bool first, bool last, const Smallest& smallest) {
  const bool plain = last && detail::plain_rows<Tile>(w, at);
  if (!last) write_partial(tile, w, at);
  for (int i = 0; i < at.rows; ++i) {
    const index_t row = at.row + i;
    counter_of<typename Tile::A> changed[Tile::cols];
    if constexpr (has_epilogue<decltype(w.g.epilogue)>) std::fill_n(changed, Tile::cols, 0);  // then nothing is plain
    if (plain) store_row<Tile>(tile.value + i * Tile::cols, w, row, at.col, changed);
    for (int j = 0; j < at.cols; ++j) {
      const index_t col = at.col + j;
      const bool improves = !last ? true : plain ? changed[j] != 0 : w.store(row, col, tile.value[i * Tile::cols + j]);
      if (improves && tile.group[i * Tile::cols + j] >= 0) w.store_witness(row, col, true, smallest(i, j));
      else if (!improves || first) w.store_witness(row, col, false, -1);
    }
  }
}

}  // namespace kleene::kernels::cpu
