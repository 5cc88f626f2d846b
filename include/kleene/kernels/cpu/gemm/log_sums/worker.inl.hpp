// One thread's share of a log-sum-exp product. bounds.hpp says what is computed, and why it is right.
//
// Of each block of rows: exponentials of both operands are packed, their products summed, and what the sums certify is
// stored. Tiles with an element that they do not certify are walked again: once for the largest term of each
// element, once for the sum of exponentials below it.
#pragma once

#include "kleene/kernels/cpu/gemm/exceptions.inl.hpp"
#include "kleene/kernels/cpu/gemm/log_sums/operands.inl.hpp"
#include "kleene/kernels/cpu/gemm/log_sums/plan.hpp"
#include "kleene/kernels/cpu/gemm/log_sums/sums.inl.hpp"
#include "kleene/kernels/cpu/gemm/store.inl.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kleene::kernels::cpu {

namespace detail {
struct alignas(64) log_sum_queues {
  task_queue shifts, packing, tasks;
  std::atomic<bool> streams{false};  // whether a tile of the block has to be walked again
};

// The arrays of a workspace, one after another.
template <class T>
struct log_sum_memory {
  T *a, *b;  // panels
  T *row_shift, *col_shift;
  double* sums;             // of tiles: hi, then, in f64, lo
  T *largest, *value;       // of tiles
  unsigned char* streamed;  // a tile: whether it is walked again

  log_sum_memory(const log_sum_plan& p, char* at) {
    const auto take = [&]<class E>(E*& array, index_t count) {
      array = reinterpret_cast<E*>(at);
      at += round_up(count * index_t{sizeof(E)}, index_t{64});
    };
    take(a, p.block_panels * p.panel_a());
    take(b, p.col_panels * p.panel_b());
    take(row_shift, p.row_panels * p.rows);
    take(col_shift, p.col_panels * p.cols);
    take(sums, p.block_elements() * words_of_sums<T>);
    take(largest, p.block_elements());
    take(value, p.block_elements());
    take(streamed, p.block_tiles());
  }
};
}  // namespace detail

template <class G>
struct log_sum_worker {
  using S = typename G::algebra;
  using T = value_of<S>;
  using plan_type = detail::log_sum_plan;
  using queues_type = detail::log_sum_queues;

  const G& g;
  const plan_type& plan;
  detail::log_sum_memory<T> memory;
  queues_type& queues;
  team_member member;
  index_t first_batch, last_batch;
  detail::first_exception* thrown = nullptr;
  bool overflow = false;

  log_sum_worker(const G& problem, const plan_type& p, char* workspace, queues_type& q, team_member who, index_t first,
                 index_t last, detail::first_exception* caught)
      : g(problem),
        plan(p),
        memory(p, workspace),
        queues(q),
        member(who),
        first_batch(first),
        last_batch(last),
        thrown(caught) {}

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    constexpr gemm_policy policy = gemm_policy_for<plus_times<T>>(Bytes);
    constexpr int low = low_rows_for(policy.rows);
    if constexpr (ops::device_pass) return;
    else if (plan.rows == policy.rows) products<Bytes, policy.rows, policy.vectors>();
    else if constexpr (low != policy.rows) products<Bytes, low, policy.vectors>();
  }

 private:
  // A block of rows of one matrix, and a pass over k.
  struct block {
    index_t batch, first, panels;
  };
  struct pass {
    index_t k0, depth;
    bool first, last;
  };

  template <class Step>
  [[gnu::always_inline]] void in_turn(task_queue& queue, index_t tasks, const Step& step) {
    for (index_t t; (t = queue.next()) < tasks;) step(t);
    member.barrier();
    if (member.thread == 0) queue.reset();
  }
  template <class Step>
  [[gnu::always_inline]] void for_passes(const Step& step) const {
    index_t k0 = 0;
    do {  // once even for k = 0
      step(pass{k0, std::min(plan.depth, g.k - k0), k0 == 0, k0 + plan.depth >= g.k});
      k0 += plan.depth;
    } while (k0 < g.k);
  }

  template <int Bytes, int Rows, int Vectors>
  [[gnu::always_inline]] void products() {
    using Tile = micro_tile<plus_times<T>, Bytes, Rows, Vectors>;
    for (index_t batch = first_batch; batch < last_batch; ++batch) {
      find_shifts<Tile>(batch);
      for (index_t first = 0; first < plan.row_panels; first += plan.block_panels) {
        const block at{batch, first, std::min(plan.block_panels, plan.row_panels - first)};
        for_passes([&](const pass& p) __attribute__((always_inline)) {
          pack<Tile, Bytes>(at, p, true);
          sum_products<Tile, Bytes>(at, p);
        });
        if (queues.streams) stream<Tile, Bytes>(at);
      }
    }
  }

  // The largest element of every row of A and column of B.
  template <class Tile>
  [[gnu::always_inline]] void find_shifts(index_t batch) {
    in_turn(queues.shifts, plan.row_panels + plan.col_panels, [&](index_t t) __attribute__((always_inline)) {
      const bool of_a = t < plan.row_panels;
      const index_t p = of_a ? t : t - plan.row_panels;
      T* shift = of_a ? memory.row_shift + p * Tile::rows : memory.col_shift + p * Tile::cols;
      std::fill_n(shift, of_a ? Tile::rows : Tile::cols, -std::numeric_limits<T>::infinity());
      constexpr index_t steps = 64;
      T panel[steps * std::max(Tile::rows, Tile::cols)];
      for (index_t k0 = 0; k0 < g.k; k0 += steps) {
        const index_t depth = std::min(steps, g.k - k0);
        if (of_a) {
          fill_a<Tile>(panel, batch, p, k0, depth, depth);
          keep_largest<Tile::rows>(shift, panel, depth);
        } else {
          fill_b<Tile>(panel, batch, p, k0, depth, depth);
          keep_largest<Tile::cols>(shift, panel, depth);
        }
      }
    });
  }

  template <class Tile>
  [[gnu::always_inline]] void fill_a(T* panel, index_t batch, index_t p, index_t k0, index_t depth, index_t padded) {
    const index_t i = p * Tile::rows;
    const int rows = static_cast<int>(std::min<index_t>(Tile::rows, g.m - i));
    pack_panel<operand<S>, Tile::rows>(panel, g.a + batch * g.sa[0] + i * g.sa[1] + k0 * g.sa[2], g.sa[1], g.sa[2],
                                       rows, depth, padded);
  }
  template <class Tile>
  [[gnu::always_inline]] void fill_b(T* panel, index_t batch, index_t p, index_t k0, index_t depth, index_t padded) {
    const index_t j = p * Tile::cols;
    const int cols = static_cast<int>(std::min<index_t>(Tile::cols, g.n - j));
    pack_panel<operand<S>, Tile::cols>(panel, g.b + batch * g.sb[0] + k0 * g.sb[1] + j * g.sb[2], g.sb[2], g.sb[1],
                                       cols, depth, padded);
  }

  T* panel_a(index_t p) const { return memory.a + p * plan.panel_a(); }
  T* panel_b(index_t p) const { return memory.b + p * plan.panel_b(); }

  // Panels of a pass: of the operands as they are, or of exponentials.
  template <class Tile, int Bytes>
  [[gnu::always_inline]] void pack(const block& at, const pass& p, bool exponentials) {
    const index_t padded = round_up(p.depth, plan_type::depth_unit);
    in_turn(queues.packing, at.panels + plan.col_panels, [&](index_t t) __attribute__((always_inline)) {
      if (t < at.panels) {
        fill_a<Tile>(panel_a(t), at.batch, at.first + t, p.k0, p.depth, padded);
        if (exponentials)
          exponentiate<Tile::rows, Bytes>(panel_a(t), memory.row_shift + (at.first + t) * Tile::rows, p.depth);
      } else {
        const index_t j = t - at.panels;
        fill_b<Tile>(panel_b(j), at.batch, j, p.k0, p.depth, padded);
        if (exponentials) exponentiate<Tile::cols, Bytes>(panel_b(j), memory.col_shift + j * Tile::cols, p.depth);
      }
    });
  }

  // step(tile of the block, panel of A, panel of B, its place in C), for all tiles of the block.
  template <class Tile, class Step>
  [[gnu::always_inline]] void for_tiles(const block& at, const Step& step) {
    const index_t down = ceil_div(at.panels, plan.task_rows), across = ceil_div(plan.col_panels, plan.task_cols);
    in_turn(queues.tasks, down * across, [&](index_t t) __attribute__((always_inline)) {
      const index_t i0 = t % down * plan.task_rows, j0 = t / down * plan.task_cols;
      const index_t i1 = std::min(i0 + plan.task_rows, at.panels), j1 = std::min(j0 + plan.task_cols, plan.col_panels);
      for (index_t jp = j0; jp < j1; ++jp)
        for (index_t ip = i0; ip < i1; ++ip) {
          const index_t row = (at.first + ip) * Tile::rows, col = jp * Tile::cols;
          step(ip * plan.col_panels + jp, panel_a(ip), panel_b(jp),
               tile_place{row, col, static_cast<int>(std::min<index_t>(Tile::rows, g.m - row)),
                          static_cast<int>(std::min<index_t>(Tile::cols, g.n - col))});
        }
    });
  }

  // A pass's sums of a tile join those of the passes before.
  template <class Tile>
  [[gnu::always_inline]] void keep_sums(double* sums, const T* total, bool first) {
    constexpr int all = Tile::rows * Tile::cols;
    if (first) {
      for (int e = 0; e < all; ++e) sums[e] = total[e];
      if constexpr (detail::words_of_sums<T> == 2) std::fill_n(sums + all, all, 0.0);
    } else if constexpr (detail::words_of_sums<T> == 2) {
      for (int e = 0; e < all; ++e) {
        const double high = sums[e] + total[e], added = high - sums[e];
        sums[all + e] += (sums[e] - (high - added)) + (total[e] - added);
        sums[e] = high;
      }
    } else {
      for (int e = 0; e < all; ++e) sums[e] += total[e];
    }
  }
  template <class Tile>
  double* sums_of(index_t tile) const {
    return memory.sums + tile * (Tile::rows * Tile::cols * detail::words_of_sums<T>);
  }

  template <class Tile, int Bytes>
  [[gnu::always_inline]] void sum_products(const block& at, const pass& p) {
    gemm_writer<G> writer{g, at.batch};
    Tile tile;
    alignas(64) T total[Tile::rows * Tile::cols];
    alignas(64) double passed[Tile::rows * Tile::cols * detail::words_of_sums<T>];
    const double least = least_sum<T>(g.k);
    for_tiles<Tile>(at, [&](index_t t, const T* a, const T* b, const tile_place& place) __attribute__((always_inline)) {
      add_chains(total, tile, p.depth, a, b, [&](index_t steps, const T* x, const T* y) __attribute__((always_inline)) {
        multiply_panels<Tile, plus_times<T>, false>(tile, steps, x, y, false);
      });
      double* sums = p.first && p.last ? passed : sums_of<Tile>(t);
      keep_sums<Tile>(sums, total, p.first);
      if (!p.last) return;
      const bool streamed = !certify<Tile, Bytes>(tile, sums, place, least) && needs_streaming(tile, place, at.batch);
      memory.streamed[t] = streamed;
      if (!streamed) return put(tile, writer, place);
      std::copy_n(tile.value, Tile::rows * Tile::cols, memory.value + t * (Tile::rows * Tile::cols));
      queues.streams.store(true, std::memory_order_relaxed);
    });
  }

  // tile.value = shifts + log(sums); NaN where a sum is below `least`. Whether none is.
  template <class Tile, int Bytes>
  [[gnu::always_inline]] bool certify(Tile& tile, const double* sums, const tile_place& at, double least) const {
    using D = vector_of<double, Bytes>;
    using I = vector_of<std::int64_t, Bytes>;
    constexpr int width = Bytes / int{sizeof(double)};
    I lane, bad{};
    for (int l = 0; l < width; ++l) lane[l] = l;
    for (int i = 0; i < at.rows; ++i) {
      const double row = memory.row_shift[at.row + i];
      for (int j = 0; j < at.cols; j += width) {
        D column, sum, logarithm;
        load_doubles(column, memory.col_shift + at.col + j);
        load_sums<Tile>(sum, sums, i * Tile::cols + j);
        logarithm_of<log_sum_bounds<T>::log_terms>(logarithm, sum);
        const D shift = column + row;
        if constexpr (std::is_same_v<T, double>) {  // with what rounding the sum of the shifts left
          const D taken = shift - column, rest = (column - (shift - taken)) + (row - taken);
          logarithm += rest == rest ? rest : D{};
        }
        const I below = sum < D{} + least;
        bad |= below & (lane + j < I{} + at.cols);
        const D value = below ? D{} + std::numeric_limits<double>::quiet_NaN() : shift + logarithm;
        store_doubles(tile.value + i * Tile::cols + j, value);
      }
    }
    return lane_bits(bad != 0) == 0;
  }

  // Gives the elements without a certificate whose operands are not all finite what they are. Whether others are left.
  template <class Tile>
  [[gnu::noinline]] bool needs_streaming(Tile& tile, const tile_place& at, index_t batch) const {
    bool left = false;
    for (int i = 0; i < at.rows; ++i)
      for (int j = 0; j < at.cols; ++j) {
        T& value = tile.value[i * Tile::cols + j];
        if (value == value) continue;
        if (is_special(at.row + i, at.col + j)) value = special_sum(batch, at.row + i, at.col + j);
        else left = true;
      }
    return left;
  }

  // A row of A or column of B that is NaN or infinite somewhere, or nowhere finite.
  bool is_special(index_t i, index_t j) const {
    return !std::isfinite(memory.row_shift[i]) || !std::isfinite(memory.col_shift[j]);
  }
  T special_sum(index_t batch, index_t i, index_t j) const {
    const T row = memory.row_shift[i], column = memory.col_shift[j];
    if (row != row) return row;
    if (column != column) return column;
    T sum = -std::numeric_limits<T>::infinity();
    if (std::max(row, column) < std::numeric_limits<T>::infinity()) return sum;
    for (index_t k = 0; k < g.k; ++k) {
      const T term =
          g.a[batch * g.sa[0] + i * g.sa[1] + k * g.sa[2]] + g.b[batch * g.sb[0] + k * g.sb[1] + j * g.sb[2]];
      if (term != term) return term;
      sum = std::max(sum, term);
    }
    return sum;
  }

  template <class Tile>
  [[gnu::always_inline]] void put(Tile& tile, gemm_writer<G>& writer, const tile_place& at) {
    detail::run_guarded<G>(thrown, [&]() __attribute__((always_inline)) { store_tile(tile, writer, at); });
  }

  // The tiles without a certificate.
  template <class Tile, int Bytes>
  [[gnu::always_inline]] void stream(const block& at) {
    for_passes([&](const pass& p) __attribute__((always_inline)) {
      pack<Tile, Bytes>(at, p, false);
      find_largest<Tile>(at, p);
    });
    for_passes([&](const pass& p) __attribute__((always_inline)) {
      pack<Tile, Bytes>(at, p, false);
      sum_below_largest<Tile, Bytes>(at, p);
    });
    if (member.thread == 0) queues.streams.store(false, std::memory_order_relaxed);
  }

  template <class Tile>
  [[gnu::always_inline]] void find_largest(const block& at, const pass& p) {
    constexpr index_t all = Tile::rows * Tile::cols;
    Tile tile;
    for_tiles<Tile>(at, [&](index_t t, const T* a, const T* b, const tile_place&) __attribute__((always_inline)) {
      if (!memory.streamed[t]) return;
      if (!p.first) std::copy_n(memory.largest + t * all, all, tile.value);
      multiply_panels<Tile, max_plus<T>, sizeof(typename Tile::V) == 64>(tile, p.depth, a, b, !p.first);
      std::copy_n(tile.value, all, memory.largest + t * all);
    });
  }

  template <class Tile, int Bytes>
  [[gnu::always_inline]] void sum_below_largest(const block& at, const pass& p) {
    constexpr index_t all = Tile::rows * Tile::cols;
    gemm_writer<G> writer{g, at.batch};
    Tile tile;
    alignas(64) T total[all];
    const T least = cut<T>(g.k);
    for_tiles<Tile>(at, [&](index_t t, const T* a, const T* b, const tile_place& place) __attribute__((always_inline)) {
      if (!memory.streamed[t]) return;
      const T* largest = memory.largest + t * all;
      const index_t padded = round_up(p.depth, plan_type::depth_unit);
      add_chains(total, tile, padded, a, b, [&](index_t steps, const T* x, const T* y) __attribute__((always_inline)) {
        sum_exponentials(tile, steps, x, y, largest, least);
      });
      double* sums = sums_of<Tile>(t);
      keep_sums<Tile>(sums, total, p.first);
      if (!p.last) return;
      finish<Tile, Bytes>(tile, sums, largest, memory.value + t * all, place);
      for (int i = 0; i < place.rows; ++i)
        for (int j = 0; j < place.cols; ++j)
          if (is_special(place.row + i, place.col + j))
            tile.value[i * Tile::cols + j] = special_sum(at.batch, place.row + i, place.col + j);
      put(tile, writer, place);
    });
  }

  // tile.value = what had a certificate, else the largest term + log(sum).
  template <class Tile, int Bytes>
  [[gnu::always_inline]] void finish(Tile& tile, const double* sums, const T* largest, const T* certified,
                                     const tile_place& at) const {
    using D = vector_of<double, Bytes>;
    constexpr int width = Bytes / int{sizeof(double)};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (int i = 0; i < at.rows; ++i)
      for (int j = 0; j < at.cols; j += width) {
        const int e = i * Tile::cols + j;
        D most, sum, logarithm, before;
        load_doubles(most, largest + e);
        load_doubles(before, certified + e);
        load_sums<Tile>(sum, sums, e);
        logarithm_of<log_sum_bounds<T>::log_terms>(logarithm, sum);
        const D value = ((most == D{} + infinity) | (most == D{} - infinity)) ? most : most + logarithm;
        store_doubles(tile.value + e, before == before ? before : value);
      }
  }

  template <class Tile, class D>
  [[gnu::always_inline]] static void load_sums(D& v, const double* sums, int at) {
    load(v, sums + at);
    if constexpr (detail::words_of_sums<T> == 2) {
      D low;
      load(low, sums + Tile::rows * Tile::cols + at);
      v += low;
    }
  }
};

}  // namespace kleene::kernels::cpu
