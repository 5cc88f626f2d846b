// Products of a few rows and columns, mostly of batches: rows of A come one by one from where they lie, rows of B as
// whole vectors where they are that, else through a small buffer, and a block of C stays in registers. What follows the
// sum is the writer's, as everywhere. Matrices that lie one behind the other, no wider than a vector, have loops of
// their own (run_rows): what surrounds a product of 4 x 4 costs more than the product (f32, Zen 5: 11.5 ns, now 4.7).
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/cpu/gemm/microkernel.inl.hpp"
#include "kleene/kernels/cpu/gemm/store.inl.hpp"
#include "kleene/kernels/cpu/gemm/tuning.hpp"

#include <algorithm>
#include <type_traits>

namespace kleene::kernels::cpu {

// Whether elements are accumulators as they lie in memory.
template <class S>
inline constexpr bool reads_in_place =
    std::is_same_v<accumulator_of<S>, value_of<S>> && !requires(value_of<S> x) { S::widen(x); };

// Products whose rows of C are vectors, or shorter ones: as many of a batch's as can be had so.
template <class G, int Bytes>
struct whole_rows {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  using T = value_of<S>;
  using V = vector_of<A, Bytes>;
  using Out = std::remove_pointer_t<decltype(G::c)>;
  static constexpr index_t width = lanes<A, Bytes>::count;
  // Elements are accumulators as they lie in memory, and so are results.
  static constexpr bool may_be = reads_in_place<S> && std::is_same_v<Out, A> &&
                                 std::is_same_v<typename G::combined, A> && !has_epilogue<decltype(G::epilogue)>;

  // Matrices [first, last) by whole vectors, as far as that can be; returns how far. Where a row is shorter than a
  // vector, its loads and stores reach into what follows: a matrix of B that is there, one of C that comes next.
  [[gnu::always_inline]] static index_t run(const gemm_writer<G>& writer, index_t first, index_t last, bool& overflow) {
    const G& g = writer.g;
    const index_t m = g.m, n = g.n, k = g.k;
    if (m < 1 || n < 1 || k < 1 || n > width || g.d || g.sb[2] != 1 || !detail::plain_elements(writer)) return first;
    if (n < width) {
      if (g.sb[1] != n || g.sb[0] != k * n || g.sc[1] != n || g.sc[0] != m * n) return first;
      last = std::min(g.batch - ceil_div(width - n, k * n), last - ceil_div(width - n, m * n));
    }
    const few_rows s{k, g.sa[1], g.sa[2], g.sb[1], g.sc[1], static_cast<int>(n)};
    const index_t next_a = g.sa[0], next_b = g.sb[0], next_c = g.sc[0];
    const T* a = g.a + first * next_a;
    const T* b = g.b + first * next_b;
    Out* c = g.c + first * next_c;
    for (; first < last; ++first, a += next_a, b += next_b, c += next_c) {
      index_t i = 0;
      for (; i + small_rows <= m; i += small_rows)
        overflow |= s.template multiply<small_rows>(a + i * s.a_row, b, c + i * s.c_row);
      // GCC 12 makes vectors of a loop over lanes where it takes it for a hot one only.
      const T* rest = a + i * s.a_row;
      if (m - i == 1) [[likely]]
        overflow |= s.template multiply<1>(rest, b, c + i * s.c_row);
      if (m - i == 2) [[likely]]
        overflow |= s.template multiply<2>(rest, b, c + i * s.c_row);
      if (m - i == 3) [[likely]]
        overflow |= s.template multiply<3>(rest, b, c + i * s.c_row);
    }
    return first;
  }

 private:
  [[gnu::always_inline]] static void spread(V& v, const A& value) {
    A lane[width];
    for (int l = 0; l < width; ++l) lane[l] = value;
    load(v, lane);
  }

  struct few_rows {
    index_t k, a_row, a_step, b_row, c_row;  // strides: of A along a row, too
    int cols;

    // `Rows` rows of C from as many of A and all of B. Whether a result did not fit.
    template <int Rows>
    [[gnu::always_inline]] bool multiply(const T* a, const T* b, Out* c) const {
      V acc[Rows];
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) spread(acc[r], widen<S>(S::zero()));
#pragma GCC unroll 1
      for (index_t left = k; left > 0; --left, a += a_step, b += b_row) {
        V column;
        load(column, b);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) {
          V row;
          spread(row, a[r * a_row]);
          multiply_add<S>(acc[r], row, column);
        }
      }
      bool overflow = false;
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) {
        if constexpr (can_overflow<S> || requires(A sum) { S::normalise(sum); }) overflow |= finish(acc[r]);
        store(c + r * c_row, acc[r]);
      }
      return overflow;
    }

    [[gnu::always_inline]] bool finish(V& sums) const {
      A sum[width], finished[width];
      store(sum, sums);
      int bad = 0;
      for (int l = 0; l < width; ++l) bad |= gemm_writer<G>::flags_overflow(sum[l]) & (l < cols);
      for (int l = 0; l < width; ++l) finished[l] = gemm_writer<G>::finished(sum[l]);
      load(sums, finished);
      return bad != 0;
    }
  };
};

// One thread's matrices of a batch, of any strides and with all that a writer does.
template <class G, int Bytes>
struct small_products {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  using T = value_of<S>;
  using Tile = micro_tile<S, Bytes, small_rows, 1>;

  const G& g;
  gemm_writer<G> writer;
  Tile tile;
  alignas(64) A columns[small_extent * Tile::cols];

  [[gnu::always_inline]] explicit small_products(const G& problem) : g(problem), writer{problem} {
    std::fill_n(columns, small_extent * Tile::cols, widen<S>(S::zero()));  // what no column of B fills
  }

  [[gnu::always_inline]] void run(index_t first, index_t last) {
    first = run_whole_rows(first, last);
    for (index_t matrix = first; matrix < last; ++matrix) {
      writer.batch = matrix;
      for (index_t j = 0; j < g.n; j += Tile::cols) {
        const int cols = static_cast<int>(std::min<index_t>(Tile::cols, g.n - j));
        multiply(j, cols, rows_of_b(g.b + matrix * g.sb[0] + j * g.sb[2], cols));
      }
    }
  }

 private:
  // Half the length where a row of C fits it, which AVX2 has, too: but for these rows it would not be worth a second
  // copy. (Rows that half a vector of AVX-512 holds come here by AVX2: see instruction_set_for.)
  [[gnu::always_inline]] index_t run_whole_rows(index_t first, index_t last) {
    if constexpr (whole_rows<G, Bytes>::may_be) {
      if constexpr (Bytes == 32)
        if (g.n * index_t{sizeof(A)} <= Bytes / 2)
          return whole_rows<G, Bytes / 2>::run(writer, first, last, writer.overflow);
      return whole_rows<G, Bytes>::run(writer, first, last, writer.overflow);
    }
    return first;
  }

  // Rows of at least a vector, `step` apart, but for the last.
  struct vector_rows {
    const A* first;
    index_t step;
    const A* last;
  };

  // Where rows follow each other, a vector may reach beyond `cols` columns into the next; the last row has none.
  [[gnu::always_inline]] vector_rows rows_of_b(const T* b, int cols) {
    const bool rows_are_vectors = g.sb[2] == 1 && (cols == Tile::cols || (g.sb[1] == g.n && g.n >= Tile::cols - cols));
    const T* b_last = b + std::max<index_t>(g.k - 1, 0) * g.sb[1];
    if constexpr (reads_in_place<S>)
      if (rows_are_vectors) {
        if (cols == Tile::cols || g.k == 0) return {b, g.sb[1], b_last};
        copy_lanes<Tile::cols>(columns, b_last, cols);
        return {b, g.sb[1], columns};
      }
    for (index_t k = 0; k < g.k; ++k, b += g.sb[1]) {
      A* to = columns + k * Tile::cols;
      if (rows_are_vectors && b != b_last)
        for (int j = 0; j < Tile::cols; ++j) to[j] = widen<S>(b[j]);
      else
        for (int j = 0; j < cols; ++j) to[j] = widen<S>(b[j * g.sb[2]]);
    }
    return {columns, Tile::cols, columns + std::max<index_t>(g.k - 1, 0) * Tile::cols};
  }

  // Columns [j, j + cols) of C.
  [[gnu::always_inline]] void multiply(index_t j, int cols, const vector_rows& b) {
    for (index_t i = 0; i < g.m; i += small_rows) {
      const int rows = static_cast<int>(std::min<index_t>(small_rows, g.m - i));
      const T* a[small_rows];  // rows beyond the edge repeat the last one
      const T* next = g.a + writer.batch * g.sa[0] + i * g.sa[1];
#pragma GCC unroll 16
      for (int r = 0; r < small_rows; ++r) {
        a[r] = next;
        if (r + 1 < rows) next += g.sa[1];
      }
      multiply_rows(a, b);
      store_small(tile, writer, {i, j, rows, cols});
    }
  }

  // Loops over lanes, which compile to vector code as fast as operations on vectors here, and sooner where the algebra
  // takes scalars alone.
  [[gnu::always_inline]] void multiply_rows(const T* const (&a)[small_rows], const vector_rows& b) {
    A sum[small_rows][Tile::cols];
#pragma GCC unroll 16
    for (int r = 0; r < small_rows; ++r)
      for (int l = 0; l < Tile::cols; ++l) sum[r][l] = widen<S>(S::zero());
#pragma GCC unroll 1
    for (index_t k = 0; k < g.k; ++k) {
      const A* column = k + 1 < g.k ? b.first + k * b.step : b.last;
#pragma GCC unroll 16
      for (int r = 0; r < small_rows; ++r) {
        const A row = widen<S>(a[r][k * g.sa[2]]);
        for (int l = 0; l < Tile::cols; ++l) sum[r][l] = S::add(sum[r][l], S::mul(row, column[l]));
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < small_rows; ++r)
      for (int l = 0; l < Tile::cols; ++l) tile.value[r * Tile::cols + l] = sum[r][l];
  }
};

}  // namespace kleene::kernels::cpu
