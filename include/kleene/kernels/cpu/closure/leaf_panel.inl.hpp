// Four vertices of a leaf at a time: each other row is read and written once for all four, which is what a leaf's time
// goes into. The sums, and their order in each element, are those of one vertex after the other.
//
// For algebras that compute in their element type: whole vectors stay in registers.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/kernels/contract/closure_order.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

template <class S>
inline constexpr bool takes_panels = std::is_arithmetic_v<value_of<S>> && sizeof(value_of<S>) >= 4 &&
                                     std::is_same_v<value_of<S>, accumulator_of<S>> && has_unit_star<S>;

// What predecessors are kept in beside elements of T: as wide as these, so that one mask of lanes serves both. (With
// int32 beside f64 a closure of 32 vertices took 1.7 times as long on AVX2.)
template <class T>
using leaf_vertex = std::conditional_t<std::is_arithmetic_v<T> && sizeof(T) == 8, std::int64_t, std::int32_t>;

template <class S>
struct leaf_panel {
  using T = value_of<S>;
  using vertex = leaf_vertex<T>;
  static constexpr index_t width = closure_leaf, depth = 4;

  alignas(64) T inner[depth * depth];  // [q][r]: from the panel's vertex r to its vertex q, when q is eliminated
  alignas(64) T left[depth * width];   // [q][i]: from vertex i, outside the panel, to its vertex q at that time
  int overflow = 0;

  // Eliminates vertices k0 .. k0 + depth - 1 of the n rows of `value` (and of `before`, if With). False if the star of
  // vertex `failed` does not exist.
  template <int Bytes, bool With>
  [[gnu::always_inline]] bool eliminate(T* value, vertex* before, index_t n, index_t k0, index_t& failed) {
    four after[depth];
    failed = eliminate_square(value, k0, after);
    if (failed >= 0) return false;
    const std::uint64_t rows = find_lengths(value, n, k0, after);
    for (index_t j = 0; j < n; j += count<Bytes>) update<Bytes, With>(value, before, k0, rows, j);
    return true;
  }

 private:
  template <int Bytes>
  static constexpr index_t count = Bytes / index_t{sizeof(T)};
  template <int Bytes>
  using values = vector_of<T, Bytes>;
  template <int Bytes>
  using vertices = vector_of<vertex, Bytes>;
  using four = vector_of<T, depth* int{sizeof(T)}>;

  // A sum as an operand is read, after it was stored.
  template <class V>
  [[gnu::always_inline]] static void widen_lanes([[maybe_unused]] V& v) {
    if constexpr (requires(T value) { S::widen(value); }) {
      V wide{};  // in place, GCC 12 takes v for uninitialised
      for (int l = 0; l < static_cast<int>(sizeof(V) / sizeof(T)); ++l) wide[l] = S::widen(v[l]);
      v = wide;
    }
  }
  template <class V>
  [[gnu::always_inline]] static void load_lanes(V& v, const T* from) {
    load(v, from);
    widen_lanes(v);
  }
  // sum = sum (+) length (x) row, as it is stored.
  template <class V>
  [[gnu::always_inline]] void add_lanes(V& sum, const V& length, const V& row) {
    constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(T));
    multiply_add<S>(sum, length, row);
    if constexpr (can_overflow<S>)
      for (int l = 0; l < lanes; ++l) overflow |= S::overflows(sum[l]);
    if constexpr (requires(T value) { S::normalise(value); })
      for (int l = 0; l < lanes; ++l) sum[l] = S::normalise(sum[l]);
  }

  // The panel's own square, of which all else follows: after[q] is row q when its vertex is eliminated. Returns the
  // vertex whose star does not exist, or -1.
  [[gnu::always_inline]] index_t eliminate_square(const T* value, index_t k0, four (&after)[depth]) {
    four row[depth];
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) load_lanes(row[q], value + (k0 + q) * width + k0);
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      if (!star_exists<S>(row[q][q])) return k0 + q;
      row[q][q] = S::one();
      after[q] = row[q];
#pragma GCC unroll 4
      for (index_t r = 0; r < depth; ++r) {
        if (r == q) continue;
        inner[q * depth + r] = row[r][q];
        add_lanes(row[r], four(row[r][q] - four{}), after[q]);
      }
    }
    return -1;
  }

  // Fills `left`. Returns the rows outside the panel with a path to one of the four vertices, a bit for each.
  [[gnu::always_inline]] std::uint64_t find_lengths(const T* value, index_t n, index_t k0, const four (&after)[depth]) {
    std::uint64_t rows = 0;
    for (index_t i = 0; i < n; i += depth) {  // beyond n the last row again: its sums overflow nowhere else
      four to[depth];
#pragma GCC unroll 4
      for (index_t r = 0; r < depth; ++r) load_lanes(to[r], value + std::min(i + r, n - 1) * width + k0);
      transpose(to);
      auto found = to[0] != S::zero();
#pragma GCC unroll 4
      for (index_t q = 1; q < depth; ++q) found |= to[q] != S::zero();
#pragma GCC unroll 4
      for (index_t q = 0; q < depth; ++q) {
        store(left + q * width + i, to[q]);
#pragma GCC unroll 4
        for (index_t r = q + 1; r < depth; ++r) add_lanes(to[r], to[q], four(after[q][r] - four{}));
      }
      rows |= bits_of(found) << i;
    }
    const std::uint64_t all = n < width ? (std::uint64_t{1} << n) - 1 : ~std::uint64_t{};
    return rows & all & ~(std::uint64_t{(1 << depth) - 1} << k0);
  }

  [[gnu::always_inline]] static void transpose(four (&row)[depth]) {
#pragma GCC unroll 2
    for (int round = 0; round < 2; ++round) {
      four low0, high0, low1, high1;
      shuffle<0, 4, 1, 5>(low0, row[0], row[2]);
      shuffle<2, 6, 3, 7>(high0, row[0], row[2]);
      shuffle<0, 4, 1, 5>(low1, row[1], row[3]);
      shuffle<2, 6, 3, 7>(high1, row[1], row[3]);
      row[0] = low0, row[1] = high0, row[2] = low1, row[3] = high1;
    }
  }

  // The lanes of a mask as four bits.
  template <class Mask>
  [[gnu::always_inline]] static std::uint64_t bits_of(const Mask& mask) {
    const Mask own = mask & Mask{1, 2, 4, 8};
    std::uint64_t words[sizeof(Mask) / 8], bits = 0;
    std::memcpy(words, &own, sizeof own);
#pragma GCC unroll 4
    for (const std::uint64_t word : words) bits |= word;
    return (bits | bits >> 32) & 15;
  }

  template <int Bytes, bool With>
  [[gnu::always_inline]] void improve(values<Bytes>& sum, vertices<Bytes>& from, T length, const values<Bytes>& row,
                                      const vertices<Bytes>& row_from) {
    values<Bytes> next = sum;
    add_lanes(next, values<Bytes>(length - values<Bytes>{}), row);
    if constexpr (With) from = next == sum ? from : row_from;
    sum = next;
  }

  // A vector's width of columns: of the panel's rows by each other, then of all `rows` by these.
  template <int Bytes, bool With>
  [[gnu::always_inline]] void update(T* value, vertex* before, index_t k0, std::uint64_t rows, index_t j) {
    values<Bytes> row[depth], pivot[depth];
    vertices<Bytes> from[depth]{}, pivot_from[depth]{};
    vector_of<counter_of<T>, Bytes> column;
#pragma GCC unroll 64
    for (index_t l = 0; l < count<Bytes>; ++l) column[l] = static_cast<counter_of<T>>(l);
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      load_lanes(row[q], value + (k0 + q) * width + j);
      if constexpr (With) load(from[q], before + (k0 + q) * width + j);
    }
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      row[q] = column == static_cast<counter_of<T>>(k0 + q - j) ? S::one() - values<Bytes>{} : row[q];
      pivot[q] = row[q], pivot_from[q] = from[q];
#pragma GCC unroll 4
      for (index_t r = 0; r < depth; ++r)
        if (r != q) improve<Bytes, With>(row[r], from[r], inner[q * depth + r], pivot[q], pivot_from[q]);
    }
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      store(value + (k0 + q) * width + j, row[q]);
      if constexpr (With) store(before + (k0 + q) * width + j, from[q]);
    }
    for (; rows != 0; rows &= rows - 1) {
      const index_t i = std::countr_zero(rows), at = i * width + j;
      values<Bytes> sum;
      vertices<Bytes> sum_from{};
      load_lanes(sum, value + at);
      if constexpr (With) load(sum_from, before + at);
#pragma GCC unroll 4
      for (index_t q = 0; q < depth; ++q)
        improve<Bytes, With>(sum, sum_from, left[q * width + i], pivot[q], pivot_from[q]);
      store(value + at, sum);
      if constexpr (With) store(before + at, sum_from);
    }
  }
};

}  // namespace kleene::kernels::cpu
