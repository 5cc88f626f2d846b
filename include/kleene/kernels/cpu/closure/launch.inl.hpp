// The closure of one small block: Gauss-Jordan elimination over the semiring on a contiguous copy, a whole row at a
// time. Rows are padded to whole chunks with zero(), which no step changes, so that loops over a chunk have a constant
// trip count and vectorise whatever the optimisation level.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/cpu/closure/launch.hpp"
#include "kleene/kernels/cpu/closure/leaf_lengths.inl.hpp"
#include "kleene/kernels/cpu/closure/leaf_panel.inl.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"
#include "kleene/kernels/cpu/tile/targets.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kleene::kernels::cpu {

template <class S>
struct leaf_worker {
  using A = accumulator_of<S>;
  using T = value_of<S>;
  using vertex = leaf_vertex<T>;
  static constexpr index_t width = closure_leaf, chunk = 16;

  leaf_worker(const matrix_view<const T>& from, const matrix_view<T>& to, const matrix_view<std::int32_t>& before_to,
              leaf_kind what)
      : source(from), a(to), predecessors(before_to), kind(what) {}

  const matrix_view<const T>& source;
  const matrix_view<T>& a;
  const matrix_view<std::int32_t>& predecessors;
  const leaf_kind kind;
  leaf_status result{};
  alignas(64) T value[width * width];
  alignas(64) vertex before[width * width];  // predecessors
  int overflow = 0;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    const index_t n = a.rows();
    const bool with_predecessors = !predecessors.is_null(), whole = kind != leaf_kind::block;
    const bool in_chunks = length_sign<S> != 0 && whole && source.stride(1) == 1 && n % chunk == 0;
    if (!in_chunks) read(source, value, S::zero());
    if constexpr (length_sign<S> != 0) {
      const T* const rows = in_chunks ? source.data() : value;
      const index_t stride = in_chunks ? source.stride(0) : width;
      // SSE2 has no minimum of such integers: there lengths alone of f32 take up to 1.3 times as long as without.
      if constexpr (Bytes > 16)
        if (whole && close_lengths<Bytes, std::uint16_t>(rows, stride, n)) return;
      if (whole && (Bytes > 16 || sizeof(T) > 4 || with_predecessors) &&
          close_lengths<Bytes, std::int32_t>(rows, stride, n))
        return;
      if (in_chunks) read(source, value, S::zero());
    }
    if (kind == leaf_kind::copy && !look<Bytes>(n)) {
      result.refused = true;
      return;
    }
    if (with_predecessors && !whole) read(predecessors, before, vertex{-1});
    if (whole) begin(n, with_predecessors);
    const index_t failed = with_predecessors ? eliminate_all<Bytes, true>(n) : eliminate_all<Bytes, false>(n);
    if (failed >= 0) {
      result = {overflow ? status::overflow : status::diverges, failed};
      return;
    }
    write(value, a);
    if (with_predecessors) write(before, predecessors);
    if (with_predecessors && whole) result.tied = !leads_nearer<Bytes>(n);
    if (overflow) result.state = status::overflow;
  }

 private:
  // Chunk by chunk: calls of memmove take a third of a small leaf's time.
  template <class From, class To>
  [[gnu::always_inline]] static void copy_row(const From* from, index_t n, To* to) {
    index_t j = 0;
    for (; j + chunk <= n; j += chunk) {
      if constexpr (std::is_same_v<From, To>) std::memcpy(to + j, from + j, chunk * sizeof(To));
      else
        for (index_t l = j; l < j + chunk; ++l) to[l] = static_cast<To>(from[l]);
    }
    for (; j < n; ++j) to[j] = static_cast<To>(from[j]);
  }
  template <class From, class To>
  [[gnu::always_inline]] static void read(const matrix_view<From>& from, To* to, To edge) {
    const index_t n = from.rows();
    for (index_t i = 0; i < n; ++i, to += width) {
      const From* row = from.data() + i * from.stride(0);
      if (from.stride(1) == 1) copy_row(row, n, to);
      else
        for (index_t j = 0; j < n; ++j) to[j] = static_cast<To>(row[j * from.stride(1)]);
      std::fill(to + n, to + round_up(n, chunk), edge);
    }
  }
  template <class From, class To>
  [[gnu::always_inline]] static void write(const From* from, const matrix_view<To>& to) {
    const index_t n = to.rows();
    for (index_t i = 0; i < n; ++i, from += width) {
      To* row = to.data() + i * to.stride(0);
      if (to.stride(1) == 1) copy_row(from, n, row);
      else
        for (index_t j = 0; j < n; ++j) row[j * to.stride(1)] = static_cast<To>(from[j]);
    }
  }

  // Closes lengths that are positive whole numbers, which fit the keys; false of any other.
  template <int Bytes, class Key>
  [[gnu::always_inline]] bool close_lengths(const T* rows, index_t stride, index_t n) {
    leaf_lengths<S, Key> lengths;
    if (!lengths.template read<Bytes>(rows, stride, n) || !lengths.template close<Bytes>(n)) return false;
    if constexpr (std::is_floating_point_v<T>) result.largest = lengths.longest_arc;
    alignas(64) std::int32_t own_before[width * width];
    const bool with = !predecessors.is_null();
    const bool apart = is_made_apart(a), before_apart = with && is_made_apart(predecessors);
    for (index_t i = 0; i < n; ++i) {
      T* const to = apart ? value + i * n : a.data() + i * a.stride(0);
      std::int32_t* from = nullptr;
      if (with) from = before_apart ? own_before + i * n : predecessors.data() + i * predecessors.stride(0);
      lengths.template write<Bytes>(n, i, to, from);
    }
    if (apart) put_in_place(value, a);
    if (before_apart) put_in_place(own_before, predecessors);
    return true;
  }

  // Whether a result is made in memory of ours and then copied: its elements are not neighbours, or its rows are, and
  // begin inside lines (as those of a std::vector or a NumPy array do): a quarter more time of a batch of 32 vertices
  // went into vectors that are stored across two lines.
  template <class E>
  static bool is_made_apart(const matrix_view<E>& to) {
    if (to.stride(1) != 1) return true;
    return to.stride(0) == to.cols() && to.cols() >= chunk && reinterpret_cast<std::uintptr_t>(to.data()) % 64 != 0;
  }
  template <class E>
  static void put_in_place(const E* from, const matrix_view<E>& to) {
    const index_t n = to.rows();
    if (to.stride(1) == 1) {
      std::memcpy(to.data(), from, static_cast<std::size_t>(n * n) * sizeof(E));
      return;
    }
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) to(i, j) = from[i * n + j];
  }

  // Whether all values are welcome: inside the domain, and no NaN. Keeps the largest finite magnitude, of floats.
  template <int Bytes>
  [[gnu::always_inline]] bool look(index_t n) {
    bool welcome = true;
    if constexpr (has_domain<S> || !std::is_integral_v<T>)
      for (index_t i = 0; i < n; ++i)
        for (index_t first = 0; first < n; first += chunk) {
          vertex well = -1;
          for (const T* v = value + i * width + first; v < value + i * width + first + chunk; ++v) {
            if constexpr (has_domain<S>) well &= -vertex(S::in_domain(*v) & (*v == *v));
            else well &= -vertex(*v == *v);
          }
          welcome &= well != 0;
        }
    if constexpr (std::is_floating_point_v<T>) {  // as integers, magnitudes are in order
      using bits = vector_of<counter_of<T>, Bytes>;
      constexpr auto infinite = std::bit_cast<counter_of<T>>(std::numeric_limits<T>::infinity());
      bits most{};
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; j += lanes<T, Bytes>::count) {
          bits v;
          load(v, value + i * width + j);
          v &= std::numeric_limits<counter_of<T>>::max();
          v = v < infinite ? v : bits{};
          most = v > most ? v : most;
        }
      for (int l = 0; l < lanes<T, Bytes>::count; ++l)
        result.largest = std::max(result.largest, static_cast<double>(std::bit_cast<T>(counter_of<T>(most[l]))));
    }
    return welcome;
  }

  // Sets the diagonal, and the predecessors that arcs give.
  [[gnu::always_inline]] void begin(index_t n, bool with_predecessors) {
    for (index_t i = 0; i < n; ++i) {
      T* const row = value + i * width;
      vertex* const from = before + i * width;
      for (index_t first = 0; with_predecessors && first < n; first += chunk)
        for (index_t j = first; j < first + chunk; ++j) from[j] = row[j] == S::zero() ? -1 : static_cast<vertex>(i);
      from[i] = -1;
      if constexpr (has_unit_star<S>) row[i] = put(S::add(widen<S>(S::one()), widen<S>(row[i])));
    }
  }

  // Returns the vertex whose star does not exist, or -1.
  template <int Bytes, bool With>
  [[gnu::always_inline]] index_t eliminate_all(index_t n) {
    index_t k = 0, failed = -1;
    if constexpr (takes_panels<S>) {
      leaf_panel<S> panel;
      if (n >= chunk)  // below, one vertex after the other takes half as long
        for (; failed < 0 && k + panel.depth <= n; k += panel.depth)
          panel.template eliminate<Bytes, With>(value, before, n, k, failed);
      overflow |= panel.overflow;
      if (failed >= 0) return failed;
    }
    for (; k < n; ++k)
      if (!eliminate<Bytes>(n, k, With)) return k;
    return -1;
  }

  // there[j] = row[from[j]], and anything where that is -1.
  template <int Bytes>
  [[gnu::always_inline]] static void look_up(const T* row, const vertex* from, [[maybe_unused]] index_t n, T* there) {
#if defined(__GNUC__) && !defined(__clang__)  // which has no permutation of vectors by a vector
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4 && Bytes >= 32) {
      constexpr int count = lanes<T, Bytes>::count;
      for (index_t j = 0; j < chunk; j += count) {
        vector_of<vertex, Bytes> at;
        load(at, from + j);
        vector_of<T, Bytes> found{}, low, high;
        for (index_t first = 0; first < n; first += 2 * count) {  // the part of the row that two vectors hold
          load(low, row + first);
          load(high, row + first + count);
          found = (at & -2 * count) == vertex(first) ? __builtin_shuffle(low, high, at) : found;
        }
        store(there + j, found);
      }
      return;
    }
#endif
    for (index_t j = 0; j < chunk; ++j) there[j] = row[std::max<vertex>(from[j], 0)];
  }

  // Whether every predecessor is strictly nearer to its row's vertex, which has none: then no chain has a cycle.
  template <int Bytes>
  [[gnu::always_inline]] bool leads_nearer(index_t n) const {
    bool nearer = true;
    for (index_t i = 0; i < n; ++i)
      for (index_t first = 0; first < n; first += chunk) {
        const T* const here = value + i * width + first;
        const vertex* const from = before + i * width + first;
        alignas(64) T there[chunk];
        look_up<Bytes>(value + i * width, from, n, there);
        vertex well = -1;
        for (index_t j = 0; j < chunk; ++j) {
          const bool better = S::add(widen<S>(here[j]), widen<S>(there[j])) == widen<S>(there[j]);
          well &= -vertex((from[j] < 0) | (from[j] == i) | (better & !(here[j] == there[j])));
        }
        nearer &= well != 0;
      }
    for (index_t i = 0; i < n; ++i) nearer &= before[i * width + i] < 0;
    return nearer;
  }

  // All paths through vertex k; false if its star does not exist.
  template <int Bytes>
  [[gnu::always_inline]] bool eliminate(index_t n, index_t k, bool with_predecessors) {
    T* pivot_row = value + k * width;
    const A pivot = widen<S>(pivot_row[k]);
    if (!star_exists<S>(pivot)) return false;
    const A loop = star<S>(pivot);
    if constexpr (!has_unit_star<S>)
      for (index_t j = 0; j < n; ++j) pivot_row[j] = put(S::mul(loop, widen<S>(pivot_row[j])));
    pivot_row[k] = put(loop);
    for (index_t i = 0; i < n; ++i) {
      if (i == k) continue;
      T* row = value + i * width;
      const A left = widen<S>(row[k]);
      if constexpr (has_unit_star<S>) {
        if (row[k] == S::zero()) continue;  // sparse graphs: no path to k yet
        if (with_predecessors)
          step_with_predecessors<Bytes>(n, row, before + i * width, left, pivot_row, before + k * width);
        else step(n, row, left, pivot_row);
      } else {
        row[k] = S::zero();  // its share comes with the loop: a_ik (x) loop
        step(n, row, left, pivot_row);
      }
    }
    return true;
  }

  // row = row (+) left (x) pivot_row. A chunk goes through memory that nothing else names, as its sum could otherwise
  // change what is read next: then the loop is no vector code.
  [[gnu::always_inline]] void step(index_t n, T* row, A left, const T* pivot_row) {
    for (index_t first = 0; first < n; first += chunk) {
      alignas(64) T next[chunk];
      add_chunk(next, row + first, left, pivot_row + first);
      std::copy_n(next, chunk, row + first);
    }
  }
  template <int Bytes>
  [[gnu::always_inline]] void step_with_predecessors(index_t n, T* row, vertex* from, A left, const T* pivot_row,
                                                     const vertex* pivot_from) {
    for (index_t first = 0; first < n; first += chunk) {
      alignas(64) T next[chunk];
      add_chunk(next, row + first, left, pivot_row + first);
      take_changes<Bytes>(row + first, from + first, next, pivot_from + first);
    }
  }
  [[gnu::always_inline]] void add_chunk(T* next, const T* row, A left, const T* pivot_row) {
    for (index_t j = 0; j < chunk; ++j) next[j] = put(S::add(widen<S>(row[j]), S::mul(left, widen<S>(pivot_row[j]))));
  }
  // row = next; where that changes it, from = pivot_from.
  template <int Bytes>
  [[gnu::always_inline]] static void take_changes(T* row, vertex* from, const T* next, const vertex* pivot_from) {
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) == sizeof(vertex)) {
      constexpr int width = lanes<T, Bytes>::count;  // vectors by hand: GCC 12 takes a branch per element here
      for (index_t j = 0; j < chunk; j += width) {
        vector_of<T, Bytes> old, now;
        vector_of<vertex, Bytes> mine, other;
        load(old, row + j);
        load(now, next + j);
        load(mine, from + j);
        load(other, pivot_from + j);
        store(from + j, now == old ? mine : other);
        store(row + j, now);
      }
    } else {
      for (index_t j = 0; j < chunk; ++j) {
        from[j] = next[j] == row[j] ? from[j] : pivot_from[j];
        row[j] = next[j];
      }
    }
  }
  [[gnu::always_inline]] T put(const A& sum) {
    if constexpr (can_overflow<S>) overflow |= S::overflows(sum);
    return normalise<S>(sum);
  }
};

template <class S>
leaf_status close_leaf(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& predecessors,
                       instruction_set isa, leaf_kind kind) noexcept {
  return close_leaf<S>(matrix_view<const value_of<S>>(a), a, predecessors, isa, kind);
}

template <class S>
leaf_status close_leaf(const matrix_view<const value_of<S>>& from, const matrix_view<value_of<S>>& a,
                       const matrix_view<std::int32_t>& predecessors, instruction_set isa, leaf_kind kind) noexcept {
  leaf_worker<S> worker(from, a, predecessors, kind);
  run_on(isa, worker);
  return worker.result;
}

}  // namespace kleene::kernels::cpu
