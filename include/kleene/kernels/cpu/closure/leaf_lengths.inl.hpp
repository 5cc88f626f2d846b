// Shortest (or longest) paths of a small graph whose lengths are positive whole numbers: a length and the predecessor
// are one integer, `length * 64 + vertex`. The smaller of two such keys is that of the shorter path, and a key
// plus a length is that of the longer path; so predecessors cost no operation. Nothing rounds, whatever the order of
// sums, and so a panel's rows are found as a product, (closed square) x (rows), in which nothing waits for anything.
// Where paths are short enough for `length * 32 + vertex` in 16 bits, a vector holds twice as many keys.
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
#include <cstring>
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

template <class S, class Key>
struct leaf_lengths {
  using T = value_of<S>;
  static_assert(std::is_same_v<Key, std::int32_t> || std::is_same_v<Key, std::uint16_t>);
  static constexpr index_t width = closure_leaf, depth = 4;
  static constexpr bool is_short = sizeof(Key) == 2;
  static constexpr int sign = length_sign<S>, vertex_bits = is_short ? 5 : 6;
  static constexpr std::int32_t vertices = (1 << vertex_bits) - 1;
  // Lengths stay below `limit`, which floats hold as well, and means "no path": two such do not wrap.
  static constexpr std::int32_t limit = (1 << (is_short ? 10 : 24)) - 1, none = limit << vertex_bits;

  alignas(64) Key key[width * width];  // padded to whole panels, and vectors, with `none`
  // [i][q]: the length from vertex i to the panel's vertex q, as a key; of 16 bits, twice.
  alignas(64) std::int32_t left[depth * width];
  std::int32_t longest_arc = 0;

  // Takes the n x n lengths, in rows `row_stride` apart that are padded to 16 with zero(). False if one is not of the
  // kind.
  template <int Bytes>
  [[gnu::always_inline]] bool read(const T* value, index_t row_stride, index_t n) {
    if (n > vertices + 1) return false;
    const index_t cols = columns<Bytes>(n), given_cols = round_up(n, index_t{16});
    ints<Bytes> most{}, column, good = ~ints<Bytes>{};
#pragma GCC unroll 64
    for (int l = 0; l < count<Bytes>; ++l) column[l] = l;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < given_cols; j += count<Bytes>) {
        reals<Bytes> given;
        load(given, value + i * row_stride + j);
        reals<Bytes> kept = given < T(limit) ? given : T(limit) - reals<Bytes>{};  // NaN, too
        kept = kept > T(-limit) ? kept : T(-limit) - reals<Bytes>{};
        const ints<Bytes> whole = __builtin_convertvector(kept, ints<Bytes>), length = sign * whole;
        const masks<Bytes> arc = differ<Bytes>(given, S::zero() - reals<Bytes>{});
        const masks<Bytes> rounded = differ<Bytes>(__builtin_convertvector(whole, reals<Bytes>), given);
        const ints<Bytes> loop = column == static_cast<std::int32_t>(i - j);  // that may be 0
        good &= (loop - length) & ~__builtin_convertvector(arc & rounded, ints<Bytes>);
        const ints<Bytes> finite = length & __builtin_convertvector(arc, ints<Bytes>);
        most = most < finite ? finite : most;
        const ints<Bytes> made = (length << vertex_bits) | static_cast<std::int32_t>(i);
        store(key + i * width + j, __builtin_convertvector(made, keys<Bytes>));
      }
      for (index_t j = given_cols; j < cols; ++j) key[i * width + j] = none;
      key[i * width + i] = vertices;
      if (i % depth == 0 && !all_negative(good)) return false;
    }
    for (index_t i = n; i < round_up(n, depth); ++i) std::fill_n(key + i * width, cols, Key{none});
    if (!all_negative(good)) return false;
    for (int l = 0; l < count<Bytes>; ++l) longest_arc = std::max(longest_arc, most[l]);
    // Of 16 bits: if there is room for paths of four such arcs; close() sees whether there are longer ones.
    return longest_arc * (is_short ? std::min<index_t>(n, 4) : n) < limit;
  }

  // False if a path may be too long for the keys.
  template <int Bytes>
  [[gnu::always_inline]] bool close(index_t n) {
    constexpr index_t step = Bytes / index_t{sizeof(Key)};
    const index_t rows = round_up(n, depth), cols = columns<Bytes>(n);
    for (index_t k = 0; k < n; k += depth) {
      find_lengths(rows, k);
      index_t j = 0;
      for (; j + 2 * step <= cols; j += 2 * step) update<Bytes, 2>(rows, k, j);
      if (j < cols) update<Bytes, 1>(rows, k, j);
    }
    if (longest_arc * n < limit) return true;
    // Before a path that is too long there would be one that is less than an arc shorter.
    using V = vector_of<Key, Bytes>;
    V most{};
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < cols; j += step) {
        V found;
        load(found, key + i * width + j);
        found = found < Key{none} ? found : V{};
        most = most < found ? found : most;
      }
    std::int32_t longest = 0;
    for (index_t l = 0; l < step; ++l) longest = std::max<std::int32_t>(longest, most[l] >> vertex_bits);
    return longest + longest_arc < limit;
  }

  // Row i: lengths, and predecessors where `from` is not null; in whole vectors as far as these fit into n.
  template <int Bytes>
  [[gnu::always_inline]] void write(index_t n, index_t i, T* to, std::int32_t* from) const {
    const Key* const row = key + i * width;
    index_t j = 0;
    for (; j + count<Bytes> <= n; j += count<Bytes>) {
      keys<Bytes> narrow;
      load(narrow, row + j);
      const ints<Bytes> here = __builtin_convertvector(narrow, ints<Bytes>);
      const ints<Bytes> there = (here - none) >> 31;  // GCC 12 breaks down over the comparison
      const auto found = __builtin_convertvector(sign * (here >> vertex_bits), reals<Bytes>);
      store(to + j, reals<Bytes>(__builtin_convertvector(there, masks<Bytes>) ? found : S::zero() - reals<Bytes>{}));
      if (from) store(from + j, ints<Bytes>((here & vertices) | ~there));
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
  using ints = vector_of<std::int32_t, Bytes / int{sizeof(T)} * int{sizeof(std::int32_t)}>;
  template <int Bytes>
  using keys = vector_of<Key, Bytes / int{sizeof(T)} * int{sizeof(Key)}>;
  template <int Bytes>
  using masks = vector_of<counter_of<T>, Bytes>;
  using four = vector_of<std::int32_t, depth* int{sizeof(std::int32_t)}>;

  template <int Bytes>
  static index_t columns(index_t n) {
    return round_up(n, Bytes / index_t{sizeof(Key)});
  }
  // All ones where the bits of a and b differ. GCC 12 takes a comparison of 64 bytes that is used twice, or as a
  // mask, element by element: 2,257 instructions for read(), not 478, and three quarters of the time of a batch.
  template <int Bytes>
  [[gnu::always_inline]] static masks<Bytes> differ(const reals<Bytes>& a, const reals<Bytes>& b) {
    const masks<Bytes> bits = reinterpret_cast<masks<Bytes>>(a) ^ reinterpret_cast<masks<Bytes>>(b);
    if constexpr (Bytes < 64) return bits != 0;
    else return (bits | -bits) >> (8 * sizeof(T) - 1);
  }
  template <class V>
  [[gnu::always_inline]] static bool all_negative(const V& x) {
    std::int32_t every = -1;
#pragma GCC unroll 64
    for (std::size_t l = 0; l < sizeof(V) / sizeof(std::int32_t); ++l) every &= x[l];
    return every < 0;
  }

  // Closes the panel's square, and fills `left`.
  [[gnu::always_inline]] void find_lengths(index_t rows, index_t k) {
    four square[depth];
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) load_four(square[q], key + (k + q) * width + k);
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q)
#pragma GCC unroll 4
      for (index_t r = 0; r < depth; ++r) {
        if (r == q) continue;
        const four length = square[r] & ~vertices, sum = (length[q] - four{}) + square[q];
        square[r] = sum < square[r] ? sum : square[r];
      }
    const Key* from = key + k;
    std::int32_t* to = left;
    for (index_t i = 0; i < rows; ++i, from += width, to += depth) {
      if constexpr (is_short) {
        std::uint64_t keys;
        std::memcpy(&keys, from, sizeof keys);
        const vector_of<std::uint64_t, 16> alone = {keys & ~0x1f001f001f001full, 0};
        // A cast; nvcc's front end takes none between vectors. All 16 bytes: were 8 copied, they would be stored, and
        // the load of 16 would wait for the store (1.8 times a batch's time).
        vector_of<Key, 16> lengths;
        std::memcpy(&lengths, &alone, sizeof lengths);
        shuffle<0, 0, 1, 1, 2, 2, 3, 3>(lengths, lengths, lengths);
        store(reinterpret_cast<Key*>(to), lengths);
      } else {
        four lengths;
        load_four(lengths, from);
        store_lengths(to, lengths);
      }
    }
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) store_lengths(left + (k + q) * depth, square[q]);
  }
  [[gnu::always_inline]] static void load_four(four& to, const Key* from) {
    vector_of<Key, depth* int{sizeof(Key)}> narrow;
    load(narrow, from);
    to = __builtin_convertvector(narrow, four);
  }
  [[gnu::always_inline]] static void store_lengths(std::int32_t* to, const four& from) {
    four lengths = from & ~vertices;
    if constexpr (is_short) lengths |= lengths << 16;
    store(to, lengths);
  }

  // Vectors of columns: of the panel's rows by each other, then of all others by these.
  template <int Bytes, int Vectors>
  [[gnu::always_inline]] void update(index_t rows, index_t k, index_t j) {
    using V = vector_of<Key, Bytes>;
    constexpr index_t step = Bytes / index_t{sizeof(Key)};
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
      Key* row = key + first * width + j;
      const std::int32_t* lengths = left + first * depth;
      for (const std::int32_t* const last = left + end * depth; lengths != last; lengths += depth, row += width) {
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
  [[gnu::always_inline]] static void add_paths(V (&sum)[Vectors], const std::int32_t* lengths,
                                               const V (&over)[depth][Vectors]) {
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      const vector_of<std::int32_t, int{sizeof(V)}> wide = lengths[q] - vector_of<std::int32_t, int{sizeof(V)}>{};
      const V length = reinterpret_cast<V>(wide);
#pragma GCC unroll 2
      for (int c = 0; c < Vectors; ++c) {
        const V way = length + over[q][c];
        sum[c] = way < sum[c] ? way : sum[c];
      }
    }
  }
};

}  // namespace kleene::kernels::cpu
