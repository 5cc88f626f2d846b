// Four vertices of a leaf at a time: each other row is read and written once for all four, which is what a leaf's time
// goes into. The sums, and their order in each element, are those of one vertex after the other.
//
// For algebras that compute in their element type and store sums as they are: whole vectors stay in registers.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/kernels/contract/closure_order.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

template <class S>
inline constexpr bool takes_panels =
    std::is_arithmetic_v<value_of<S>> && sizeof(value_of<S>) >= 4 && std::is_same_v<value_of<S>, accumulator_of<S>> &&
    has_unit_star<S> && !can_overflow<S> && !requires(value_of<S> v) { S::widen(v); } &&
    !requires(accumulator_of<S> a) { S::normalise(a); };

template <class S>
struct leaf_panel {
  using T = value_of<S>;
  static constexpr index_t width = closure_leaf, depth = 4;

  alignas(64) T pivot[depth * width];  // the four rows, each as it is when its vertex is eliminated
  alignas(64) std::int32_t pivot_from[depth * width];
  alignas(64) T later[depth * depth];  // of each of the four rows its lengths to the vertices that come after its own
  alignas(64)
      T left[width * depth];  // of each row in `active` the lengths to the four vertices, each when it is eliminated
  std::int32_t active[width];

  // Eliminates vertices k0 .. k0 + depth - 1 of the n rows of `value` (and of `before`, if With). False if the star of
  // vertex `failed` does not exist.
  template <int Bytes, bool With>
  [[gnu::always_inline]] bool eliminate(T* value, std::int32_t* before, index_t n, index_t k0, index_t& failed) {
    const index_t columns = (n + count<Bytes> - 1) / count<Bytes> * count<Bytes>;
    for (index_t q = 0; q < depth; ++q) {
      const index_t k = k0 + q;
      T* const row = value + k * width;
      if (!star_exists<S>(row[k])) {
        failed = k;
        return false;
      }
      row[k] = S::one();
      for (index_t j = 0; j < columns; j += count<Bytes>) keep<values<Bytes>>(row + j, pivot + q * width + j);
      for (index_t j = 0; With && j < columns; j += count<Bytes>)
        keep<vertices<Bytes>>(before + k * width + j, pivot_from + q * width + j);
      for (index_t r = 0; r < depth; ++r) later[q * depth + r] = r > q ? row[k0 + r] : S::zero();
      for (index_t i = k0; i < k0 + depth; ++i)
        if (i != k) step<Bytes, With>(value + i * width, before + i * width, value[i * width + k], q, columns);
    }
    const index_t rows = list_rows(value, n, k0);
    for (index_t j = 0; j < columns; j += count<Bytes>) update<Bytes, With>(value, before, rows, j);
    return true;
  }

 private:
  template <int Bytes>
  static constexpr index_t count = Bytes / index_t{sizeof(T)};
  template <int Bytes>
  using values = vector_of<T, Bytes>;
  template <int Bytes>
  using vertices = vector_of<std::int32_t, Bytes / int{sizeof(T)} * 4>;

  template <class V, class E>
  [[gnu::always_inline]] static void keep(const E* from, E* to) {
    V v;
    load(v, from);
    store(to, v);
  }

  template <int Bytes, bool With>
  [[gnu::always_inline]] static void improve(values<Bytes>& sum, vertices<Bytes>& from, T length,
                                             const values<Bytes>& row, const vertices<Bytes>& row_from) {
    values<Bytes> next = sum;
    multiply_add<S>(next, values<Bytes>(length - values<Bytes>{}), row);
    if constexpr (With) from = __builtin_convertvector(next == sum, vertices<Bytes>) ? from : row_from;
    sum = next;
  }

  // One row by one of the four.
  template <int Bytes, bool With>
  [[gnu::always_inline]] void step(T* row, std::int32_t* from, T length, index_t q, index_t columns) {
    for (index_t j = 0; j < columns; j += count<Bytes>) {
      values<Bytes> sum, other;
      vertices<Bytes> mine{}, others{};
      load(sum, row + j);
      load(other, pivot + q * width + j);
      if constexpr (With) load(mine, from + j), load(others, pivot_from + q * width + j);
      improve<Bytes, With>(sum, mine, length, other, others);
      store(row + j, sum);
      if constexpr (With) store(from + j, mine);
    }
  }

  // Lists the rows outside the panel with a path to one of the four, and these lengths. Returns how many there are.
  [[gnu::always_inline]] index_t list_rows(const T* value, index_t n, index_t k0) {
    using four = vector_of<T, depth* int{sizeof(T)}>;
    typedef std::int8_t bytes __attribute__((vector_size(depth)));
    four after[depth - 1];
#pragma GCC unroll 4
    for (index_t q = 0; q + 1 < depth; ++q) load(after[q], later + q * depth);
    index_t rows = 0;
    for (index_t i = 0; i < n; ++i) {
      four length;
      load(length, value + i * width + k0);
#pragma GCC unroll 4
      for (index_t q = 0; q + 1 < depth; ++q) multiply_add<S>(length, four(length[q] - four{}), after[q]);
      store(left + rows * depth, length);
      const bytes found = __builtin_convertvector(length != S::zero(), bytes);
      std::uint32_t any;
      std::memcpy(&any, &found, sizeof any);
      active[rows] = static_cast<std::int32_t>(i * width);
      rows += (any != 0) & ((i < k0) | (i >= k0 + depth));
    }
    return rows;
  }

  // A vector's width of columns of all listed rows.
  template <int Bytes, bool With>
  [[gnu::always_inline]] void update(T* value, std::int32_t* before, index_t rows, index_t j) {
    values<Bytes> row[depth];
    vertices<Bytes> row_from[depth]{};
#pragma GCC unroll 4
    for (index_t q = 0; q < depth; ++q) {
      load(row[q], pivot + q * width + j);
      if constexpr (With) load(row_from[q], pivot_from + q * width + j);
    }
    for (index_t i = 0; i < rows; ++i) {
      values<Bytes> sum;
      vertices<Bytes> from{};
      load(sum, value + active[i] + j);
      if constexpr (With) load(from, before + active[i] + j);
#pragma GCC unroll 4
      for (index_t q = 0; q < depth; ++q) improve<Bytes, With>(sum, from, left[i * depth + q], row[q], row_from[q]);
      store(value + active[i] + j, sum);
      if constexpr (With) store(before + active[i] + j, from);
    }
  }
};

}  // namespace kleene::kernels::cpu
