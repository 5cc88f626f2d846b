// A task by rows: dot products of a few rows at a time with a part of x.
//
// Four streams that take three instructions a line of the cache (a load, mul, add) run at the speed of the memory by
// themselves: so many lines are asked for by what a core holds of the instructions to come. Where elements are widened
// or looked at there are more of those, and lines are prefetched.
#pragma once

#include "kleene/kernels/cpu/gemv/inspect.inl.hpp"
#include "kleene/kernels/cpu/gemv/load.inl.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace kleene::kernels::cpu {

// The least of all lanes.
template <class I>
[[gnu::always_inline]] inline auto least_lane(const I& v) {
  using one = std::remove_cvref_t<decltype(v[0])>;
  if constexpr (sizeof(I) > 16) {
    vector_of<one, sizeof(I) / 2> low, high;
    std::memcpy(&low, &v, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof(low), sizeof(high));
    return least_lane(low < high ? low : high);
  } else {
    one least = v[0];
    for (int l = 1; l < static_cast<int>(sizeof(I) / sizeof(one)); ++l) least = std::min<one>(least, v[l]);
    return least;
  }
}

// Four rows of the matrix, or fewer: then the last of them is there several times, at no cost beside the memory's.
template <class S, int Bytes, bool First>
struct row_group {
  using algebra = S;
  using T = value_of<S>;
  using A = accumulator_of<S>;
  using V = vector_of<A, Bytes>;
  using I = std::conditional_t<std::is_same_v<V, A>, counter_of<A>, vector_of<counter_of<A>, Bytes>>;
  using inspection_type = inspection_of<S, Bytes>;
  static constexpr int width = lanes<A, Bytes>::count;
  static constexpr int rows = 4;
  static constexpr int chains = 2;  // sums of a row that do not wait for each other
  static constexpr bool is_vector = !std::is_same_v<V, A>;
  // How many steps are looked at before they are added. Few: what memory brings is added before it has to be read from
  // the cache again, and four rows of 256 bytes are enough to pay for a verdict.
  static constexpr index_t inspected = std::max(2 * width * chains, 64);
  static constexpr index_t stretch = std::max<index_t>(inspected, 512);  // steps that are searched for a witness

  const T* row[rows];
  index_t depth;      // elements of a row
  index_t next_rows;  // from the end of these rows to the beginning of the next ones
  V acc[rows][chains];

  [[gnu::always_inline]] row_group(const T* first, index_t row_stride, index_t count, index_t steps)
      : depth(steps), next_rows(rows * row_stride - steps) {
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) row[r] = first + std::min<index_t>(r, count - 1) * row_stride;
    clear();
  }

  [[gnu::always_inline]] void clear() {
    V zero;
    if constexpr (is_vector) zero = widen<S>(S::zero()) - V{};
    else zero = widen<S>(S::zero());
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < chains; ++c) acc[r][c] = zero;
  }

  [[gnu::always_inline]] A sum(int r) const {
    V all = acc[r][0];
#pragma GCC unroll 8
    for (int c = 1; c < chains; ++c) add_to<S>(all, acc[r][c]);
    return fold_lanes<S>(all);
  }

  // Steps [begin, end) of k; a multiple of width * chains, but for the last call. With Look also sees those `inspected`
  // steps later; then end - begin is that multiple always.
  template <bool Look, bool Prefetches = Look || !is_its_accumulator<S>>
  [[gnu::always_inline]] void add(const A* x, index_t begin, index_t end, [[maybe_unused]] inspection_type& seen) {
    constexpr index_t ahead = Look ? inspected : 0;
    index_t k = begin;
#pragma GCC unroll 1
    for (; k + width * chains <= end; k += width * chains) {
      if constexpr (Prefetches) prefetch(k + ahead + prefetched<T>);
#pragma GCC unroll 8
      for (int c = 0; c < chains; ++c) {
        if constexpr (Look)
#pragma GCC unroll 8
          for (int r = 0; r < rows; ++r) seen.see(row[r] + k + c * width + ahead);
        add_vector(x, k + c * width, c);
      }
    }
    if constexpr (!Look && is_vector) {
      if (end - begin < width) return add_few(x, k, end);
      if (k + width <= end) add_vector(x, k, 0), k += width;
      if (k < end) add_last(x, k, end);
    } else if constexpr (!Look) {
      for (; k < end; ++k) add_vector(x, k, 0);
    }
  }

  // The smallest of the `stretch` steps from k on whose product is `value`; there is one, and none before k. All of
  // them are formed, without a branch that nobody could predict: behind one that is taken wrongly, memory rests.
  [[gnu::always_inline]] index_t find(int r, const A* x, index_t k, const A& value) const {
    if constexpr (is_vector) {
      if (depth >= stretch) return find_in_vectors(r, x, std::min(k, depth - stretch), stretch / width, value);
      const index_t vectors = depth / width, found = find_in_vectors(r, x, 0, vectors, value);
      if (found >= 0) return found;
      k = vectors * width;
    }
    for (; k < depth; ++k) {
      A term;
      form_term<S, First>(term, widen<S>(row[r][k]), x[k]);
      if (term == value) break;
    }
    return k;
  }

  // Asks for the first lines of the next rows, where those are long.
  [[gnu::always_inline]] void prefetch_next() const {
    constexpr index_t line = std::max<index_t>(64 / sizeof(T), 1), lines = 16;
    if (depth >= stretch)
      for (int r = 0; r < rows; ++r)
        for (index_t n = 0; n < lines; ++n) __builtin_prefetch(row[r] + depth + next_rows + n * line);
  }

  // Looks at steps [begin, end) of all rows.
  [[gnu::always_inline]] void see(index_t begin, index_t end, inspection_type& seen) const {
    if constexpr (inspection_type::looks)
      for (int r = 0; r < rows; ++r) seen.see(row[r] + begin, end - begin);
  }

 private:
  // The same in `vectors` from step k on; -1: in none.
  [[gnu::always_inline]] index_t find_in_vectors(int r, const A* x, index_t k, index_t vectors, const A& value) const {
    using number = counter_of<A>;
    const number none = std::numeric_limits<number>::max();
    const V wanted = value - V{};
    I which = none - I{};
#pragma GCC unroll 1
    for (index_t n = vectors - 1; n >= 0; --n) {
      V matrix, vector, term;
      load_widened<S>(matrix, row[r] + k + n * width);
      load(vector, x + k + n * width);
      form_term<S, First>(term, matrix, vector);
      const I now = static_cast<number>(n) - I{};
      which = (term == wanted) ? now : which;
    }
    const number least = least_lane(which);
    return least == none ? -1 : k + least * width + std::countr_zero(lane_bits(which == least - I{}));
  }

  // Asks for steps [k, k + width * chains), of the next rows where these have ended.
  [[gnu::always_inline]] void prefetch(index_t k) const {
    const index_t at = k < depth ? k : k + next_rows;
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 8
      for (int c = 0; c < chains; ++c)
        if (begins_line<T>(c * width)) __builtin_prefetch(row[r] + at + c * width);
  }

  [[gnu::always_inline]] void add_vector(const A* x, index_t k, int chain) {
    V vector;
    std::memcpy(&vector, x + k, sizeof(V));
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      V matrix;
      load_widened<S>(matrix, row[r] + k);
      add_term<S, First>(acc[r][chain], matrix, vector);
    }
  }

  // Fewer steps than a vector has lanes, after others: the last whole vector again, with zero() for what is done.
  [[gnu::always_inline]] void add_last(const A* x, index_t k, index_t end) {
    using I = vector_of<counter_of<A>, Bytes>;
    const index_t first = end - width;
    I lane{};
    for (int l = 0; l < width; ++l) lane[l] = static_cast<counter_of<A>>(l);
    const I done = lane < static_cast<counter_of<A>>(k - first) - I{};
    const V zero = widen<S>(S::zero()) - V{};
    V vector;
    std::memcpy(&vector, x + first, sizeof(V));
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      V matrix, term;
      load_widened<S>(matrix, row[r] + first);
      form_term<S, First>(term, matrix, vector);
      const V left = done ? zero : term;
      add_to<S>(acc[r][0], left);
    }
  }

  [[gnu::always_inline]] void add_few(const A* x, index_t k, index_t end) {
#pragma GCC unroll 1
    for (int r = 0; r < rows; ++r) {
      A sum = acc[r][0][0];
      for (index_t s = k; s < end; ++s) add_term<S, First>(sum, widen<S>(row[r][s]), x[s]);
      acc[r][0][0] = sum;
    }
  }
};

// Sums of some rows, stretch by stretch of k, and which stretch gave them, lane by lane.
template <class Group>
struct stretch_sums {
  using S = typename Group::algebra;
  using A = typename Group::A;
  using V = typename Group::V;
  using I = typename Group::I;
  using number = counter_of<A>;
  V best[Group::rows];
  I mark[Group::rows];

  [[gnu::always_inline]] explicit stretch_sums(const Group& group) {
    for (int r = 0; r < Group::rows; ++r) best[r] = group.acc[r][0], mark[r] = I{} - 1;
  }

  // Takes what `group` holds, the sums of stretch `which`, and leaves it empty.
  [[gnu::always_inline]] void take(Group& group, index_t which) {
    const I value = static_cast<number>(which) - I{};
#pragma GCC unroll 8
    for (int r = 0; r < Group::rows; ++r) {
      V now = best[r];
#pragma GCC unroll 8
      for (int c = 0; c < Group::chains; ++c) add_to<S>(now, group.acc[r][c]);
      mark_changes(mark[r], best[r], now, value);
      best[r] = now;
    }
    group.clear();
  }

  [[gnu::always_inline]] A sum(int r) const { return fold_lanes<S>(best[r]); }

  // The stretch in which row r first was `sum`. -1: it always was; the greatest number: it never was, a NaN.
  [[gnu::always_inline]] index_t first(int r, const A& sum) const {
    const number most = std::numeric_limits<number>::max();
    if constexpr (Group::is_vector) {
      const V wanted = sum - V{};
      const I never = most - I{};
      return least_lane((best[r] == wanted) ? mark[r] : never);
    } else {
      return best[r] == sum ? mark[r] : most;
    }
  }
};

// Adds steps [k, end), each of which was looked at before; those behind them are looked at, too. False: one is not as
// it should be.
template <class Group>
[[gnu::always_inline]] inline bool add_inspected(Group& group, const typename Group::A* x, index_t k, index_t end,
                                                 typename Group::inspection_type& seen) {
  for (index_t next; k < end; k = next) {
    next = std::min(k + Group::inspected, end);
    if (!seen.is_well()) return false;
    if (next + Group::inspected <= group.depth) {
      group.template add<true>(x, k, next, seen);
    } else {
      group.see(next, group.depth, seen);
      group.template add<false>(x, k, next, seen);
    }
  }
  return true;
}

// sums[r] and, where asked for, winners[r] for up to four rows and k < count of this part, which begins at `first_k`.
// False: an element is not as it should be.
template <class S, int Bytes, bool First>
[[gnu::always_inline]] inline bool sum_rows(const value_of<S>* a, index_t row_stride, int rows,
                                            const accumulator_of<S>* x, index_t count,
                                            inspection_of<S, Bytes>* inspection, accumulator_of<S>* sums,
                                            std::int32_t* winners, index_t first_k) {
  using A = accumulator_of<S>;
  using group_type = row_group<S, Bytes, First>;
  group_type group(a, row_stride, rows, count);
  auto seen = inspection ? *inspection : inspection_of<S, Bytes>({});
  if (!winners) {
    if (!inspection) {
      group.template add<false>(x, 0, count, seen);
    } else {
      group.see(0, std::min(group_type::inspected, count), seen);
      if (!add_inspected(group, x, 0, count, seen)) return inspection->found = seen.found, false;
      *inspection = seen;
    }
#pragma GCC unroll 8
    for (int r = 0; r < group_type::rows; ++r)
      if (const A sum = group.sum(r); r < rows) sums[r] = sum;
    return true;
  }
  if constexpr (is_selective<S>) {
    constexpr index_t stretch = group_type::stretch;
    stretch_sums<group_type> all(group);
    if (inspection) group.see(0, std::min(group_type::inspected, count), seen);
    for (index_t k = 0, end; k < count; k = end) {
      end = std::min(k + stretch, count);
      if (!inspection) group.template add<false>(x, k, end, seen);
      else if (!add_inspected(group, x, k, end, seen)) return inspection->found = seen.found, false;
      all.take(group, k / stretch);
    }
    if (inspection) *inspection = seen;
    group.prefetch_next();
    for (int r = 0; r < rows; ++r) {
      sums[r] = all.sum(r);
      const index_t k = stretch * all.first(r, sums[r]);
      winners[r] = k < 0 || k >= count ? -1 : static_cast<std::int32_t>(first_k + group.find(r, x, k, sums[r]));
    }
  }
  return true;
}

}  // namespace kleene::kernels::cpu
