// Shortest (or longest) paths of a small graph whose lengths are positive whole numbers: a length and the vertex before
// the last are one integer, `length * 64 + vertex`. The smaller of two such keys is that of the shorter path, and a key
// plus a length is that of the longer path; so predecessors cost no operation. Nothing rounds, whatever the order of
// sums, and so a panel's rows are found as a product, (closed square) x (rows), in which nothing waits for anything.
//
// As every arc is longer than nothing, a predecessor is strictly nearer to the source, and no chain goes round.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/view.hpp"
#include "kleene/kernels/contract/closure_order.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace kleene::kernels::cpu {

// +1 where S has the shortest of lengths that are added, -1 where the longest, and 0 of any other algebra.
template <class S>
inline constexpr int length_sign = [] {
  using T = value_of<S>;
  if constexpr (std::is_arithmetic_v<T> && std::is_signed_v<T> && sizeof(T) >= 4) {
    if constexpr (std::is_same_v<S, min_plus<T>>) return +1;
    if constexpr (std::is_same_v<S, max_plus<T>>) return -1;
  }
  return 0;
}();

template <class S>
struct leaf_lengths {
  using T = value_of<S>;
  using key_type = std::int32_t;
  static constexpr index_t width = closure_leaf, depth = 4;
  static constexpr int sign = length_sign<S>, vertex_bits = 6;
  static constexpr key_type vertices = (1 << vertex_bits) - 1;
  // Lengths stay below `limit`, which floats hold as well, and means "no path": two such do not wrap.
  static constexpr key_type limit = (1 << 24) - 1, none = limit << vertex_bits;

  alignas(64) key_type key[width * width];   // padded to whole panels, and vectors, with `none`
  alignas(64) key_type left[depth * width];  // [i][q]: the length from vertex i to the panel's vertex q

  // Takes the n x n lengths, in rows of `width` that are padded with zero(). False if one is not of the kind; else, of
  // floats, `largest` becomes the largest finite one.
  template <int Bytes>
  [[gnu::always_inline]] bool read(const T* value, index_t n, double& largest) {
    const index_t cols = columns<Bytes>(n);
    ints<Bytes> most{}, column, good = ~ints<Bytes>{};
#pragma GCC unroll 64
    for (int l = 0; l < count<Bytes>; ++l) column[l] = l;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < cols; j += count<Bytes>) {
        reals<Bytes> given;
        load(given, value + i * width + j);
        reals<Bytes> kept = given < T(limit) ? given : T(limit) - reals<Bytes>{};  // NaN, too
        kept = kept > T(-limit) ? kept : T(-limit) - reals<Bytes>{};
        const ints<Bytes> whole = __builtin_convertvector(kept, ints<Bytes>), length = sign * whole;
        const auto exact = __builtin_convertvector(whole, reals<Bytes>) == given;
        const auto arc = __builtin_convertvector(given != S::zero(), ints<Bytes>);
        const ints<Bytes> loop = column == static_cast<key_type>(i - j);  // that may be 0
        good &= (__builtin_convertvector(exact, ints<Bytes>) & (length > loop)) | ~arc;
        const ints<Bytes> finite = length & arc;
        most = most < finite ? finite : most;
        store(key + i * width + j, ints<Bytes>((length << vertex_bits) | static_cast<key_type>(i)));
      }
      key[i * width + i] = vertices;
      if (i % depth == 0 && !all(good)) return false;
    }
    for (index_t i = n; i < round_up(n, depth); ++i) std::fill_n(key + i * width, cols, none);
    if (!all(good)) return false;
    key_type found = 0;
    for (int l = 0; l < count<Bytes>; ++l) found = std::max(found, most[l]);
    if (index_t{found} * n >= limit) return false;
    if constexpr (std::is_floating_point_v<T>) largest = std::max(largest, static_cast<double>(found));
    return true;
  }

  template <int Bytes>
  [[gnu::always_inline]] void close(index_t n) {
    constexpr index_t step = Bytes / index_t{sizeof(key_type)};
    const index_t rows = round_up(n, depth), cols = columns<Bytes>(n);
    for (index_t k = 0; k < n; k += depth) {
      find_lengths(rows, k);
      index_t j = 0;
      for (; j + 2 * step <= cols; j += 2 * step) update<Bytes, 2>(rows, k, j);
      if (j < cols) update<Bytes, 1>(rows, k, j);
    }
  }

  // Row i: lengths, and predecessors where `from` is not null; in whole vectors as far as these fit into n.
  template <int Bytes>
  [[gnu::always_inline]] void write(index_t n, index_t i, T* to, std::int32_t* from) const {
    const key_type* const row = key + i * width;
    index_t j = 0;
    for (; j + count<Bytes> <= n; j += count<Bytes>) {
      ints<Bytes> keys;
      load(keys, row + j);
      const ints<Bytes> there = keys < none;
      const auto found = __builtin_convertvector(sign * (keys >> vertex_bits), reals<Bytes>);
      store(to + j, reals<Bytes>(__builtin_convertvector(there, masks<Bytes>) ? found : S::zero() - reals<Bytes>{}));
      if (from) store(from + j, ints<Bytes>((keys & vertices) | ~there));
    }
    for (; j < n; ++j) {
      to[j] = row[j] < none ? static_cast<T>(sign * (row[j] >> vertex_bits)) : S::zero();
      if (from) from[j] = row[j] < none ? row[j] & vertices : -1;
    }
    if (from) from[i] = -1;
  }

 private:
  // As many elements and keys as the elements of a vector.
  template <int Bytes>
  static constexpr index_t count = Bytes / index_t{sizeof(T)};
  template <int Bytes>
  using reals = vector_of<T, Bytes>;
  template <int Bytes>
  using ints = vector_of<key_type, Bytes / int{sizeof(T)} * int{sizeof(key_type)}>;
  template <int Bytes>
  using masks = vector_of<counter_of<T>, Bytes>;
  using four = vector_of<key_type, depth* int{sizeof(key_type)}>;

  template <int Bytes>
  static index_t columns(index_t n) {
    return round_up(n, Bytes / index_t{sizeof(key_type)});
  }
  template <class V>
  [[gnu::always_inline]] static bool all(const V& mask) {
    key_type every = -1;
#pragma GCC unroll 64
    for (std::size_t l = 0; l < sizeof(V) / sizeof(key_type); ++l) every &= mask[l];
    return every != 0;
  }

  // Closes the panel's square, and fills `left`.
  [[gnu::always_inline]] void find_lengths(index_t rows, index_t k) {
    four square[depth];
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) load(square[q], key + (k + q) * width + k);
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q)
#pragma GCC unroll 4
      for (index_t r = 0; r < depth; ++r) {
        if (r == q) continue;
        const four length = square[r] & ~vertices, sum = (length[q] - four{}) + square[q];
        square[r] = sum < square[r] ? sum : square[r];
      }
    const key_type* from = key + k;
    key_type* to = left;
    for (index_t i = 0; i < rows; ++i, from += width, to += depth) {
      four keys;
      load(keys, from);
      store(to, four(keys & ~vertices));
    }
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) store(left + (k + q) * depth, four(square[q] & ~vertices));
  }

  // Vectors of columns: of the panel's rows by each other, then of all others by these.
  template <int Bytes, int Vectors>
  [[gnu::always_inline]] void update(index_t rows, index_t k, index_t j) {
    using V = vector_of<key_type, Bytes>;
    constexpr index_t step = Bytes / index_t{sizeof(key_type)};
    V old[depth][Vectors], pivot[depth][Vectors];
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q)
#pragma GCC unroll 2
      for (int c = 0; c < Vectors; ++c) load(old[q][c], key + (k + q) * width + j + c * step);
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
#pragma GCC unroll 2
      for (int c = 0; c < Vectors; ++c) pivot[q][c] = old[q][c];
      add_paths<V, Vectors>(pivot[q], left + (k + q) * depth, old);
#pragma GCC unroll 2
      for (int c = 0; c < Vectors; ++c) store(key + (k + q) * width + j + c * step, pivot[q][c]);
    }
    const auto update_rows = [&](index_t first, index_t end) __attribute__((always_inline)) {
      key_type* row = key + first * width + j;
      const key_type* lengths = left + first * depth;
      for (const key_type* const last = left + end * depth; lengths != last; lengths += depth, row += width) {
        V sum[Vectors];
#pragma GCC unroll 2
        for (int c = 0; c < Vectors; ++c) load(sum[c], row + c * step);
        add_paths<V, Vectors>(sum, lengths, pivot);
#pragma GCC unroll 2
        for (int c = 0; c < Vectors; ++c) store(row + c * step, sum[c]);
      }
    };
    update_rows(0, k);
    update_rows(k + depth, rows);
  }

  // sum = the least of it and of the ways over the panel's four vertices, to which the lengths are these.
  template <class V, int Vectors>
  [[gnu::always_inline]] static void add_paths(V (&sum)[Vectors], const key_type* lengths,
                                               const V (&over)[depth][Vectors]) {
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      const V length = lengths[q] - V{};
#pragma GCC unroll 2
      for (int c = 0; c < Vectors; ++c) {
        const V way = length + over[q][c];
        sum[c] = way < sum[c] ? way : sum[c];
      }
    }
  }
};

}  // namespace kleene::kernels::cpu
