// One thread's share of a CPU product: pack panels, then take tasks and compute their micro-tiles.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/gemm/exceptions.inl.hpp"
#include "kleene/kernels/cpu/gemm/microkernel.inl.hpp"
#include "kleene/kernels/cpu/gemm/packing.inl.hpp"
#include "kleene/kernels/cpu/gemm/plan.hpp"
#include "kleene/kernels/cpu/gemm/small.inl.hpp"
#include "kleene/kernels/cpu/gemm/store.inl.hpp"

#include <algorithm>
#include <limits>

namespace kleene::kernels::cpu {

namespace detail {
struct alignas(64) gemm_queues {
  task_queue packing, tasks;
};
}  // namespace detail

// One thread's share of a product (or of a batch of them); run<Bytes> is compiled once per instruction set.
template <class G>
struct gemm_worker {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  using T = value_of<S>;
  using queues_type = detail::gemm_queues;

  const G& g;
  const detail::gemm_plan& plan;
  char* workspace;
  detail::gemm_queues& queues;
  team_member member;
  index_t first_batch, last_batch;
  detail::first_exception* thrown = nullptr;  // by the epilogue, which is the caller's
  bool overflow = false;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    constexpr gemm_policy policy = gemm_policy_for<S>(Bytes);
    constexpr witness_policy with_witness = witness_policy_for<S>(Bytes);
    if constexpr (ops::device_pass) {
      return;
    } else if (plan.small) {
      if constexpr (std::is_arithmetic_v<A>)
        detail::run_guarded<G>(thrown, [&]() __attribute__((always_inline)) { multiply_small<Bytes>(); });
    } else if (g.witness) {
      if constexpr (is_selective<S>) products<Bytes, with_witness.rows, with_witness.vectors, with_witness.group>();
    } else if constexpr (struct_of_words<A>) {
      products<Bytes, struct_rows, words<A>::lanes(Bytes), 0>();
    } else {
      products<Bytes, policy.rows, policy.vectors, 0>();
    }
  }

 private:
  template <int Bytes>
  [[gnu::always_inline]] void multiply_small() {
    small_products<G, Bytes> work(g);
    work.run(first_batch, last_batch);
    overflow |= work.writer.overflow;
  }

  // Floats that are only compared are integers of their order with AVX2, and with AVX-512 where the plan says so.
  template <int Bytes, int Rows, int Vectors, int Group>
  [[gnu::always_inline]] void products() {
    if constexpr (only_compares<S> && Bytes == 32) {
      products_over<in_order<S>, Bytes, Rows, Vectors, Group>();
    } else if constexpr (only_compares<S> && Bytes == 64) {
      if (plan.four_pipes) products_over<in_order<S>, Bytes, Rows, Vectors, Group>();
      else products_over<S, Bytes, Rows, Vectors, Group>();
    } else {
      products_over<S, Bytes, Rows, Vectors, Group>();
    }
  }

  // Calls work with the number of rows of the plan's micro-tiles: that of Tile or, for plain products, fewer. What does
  // not ask for it is compiled once, and not for each number of rows.
  template <class Tile, int Group, class Work>
  [[gnu::always_inline]] void with_rows(const Work& work) const {
    constexpr int full = Tile::rows, low = low_rows_for(full);
    if constexpr (Group == 0 && !struct_of_words<A>) {
      if constexpr (low != full)
        if (plan.rows == low) return work.template operator()<low>();
      if (plan.rows == 1) return work.template operator()<1>();
    }
    work.template operator()<full>();
  }

  template <class K, int Bytes, int Rows, int Vectors, int Group>
  [[gnu::always_inline]] void products_over() {
    using Tile = micro_tile<K, Bytes, Rows, Vectors>;
    using Sums = micro_tile<S, Bytes, Rows, Vectors>;
    for (index_t batch = first_batch; batch < last_batch; ++batch) {
      index_t k0 = 0;
      do {  // once even for k = 0: C becomes zero()
        const index_t depth = std::min(plan.depth, g.k - k0);
        const index_t padded = Group ? ceil_div(depth, std::max(Group, 1)) * Group : depth;
        pack<Tile, Group>(batch, k0, depth, padded);
        member.barrier();
        if (member.thread == 0) queues.packing.reset();
        detail::run_guarded<G>(
            thrown, [&]() __attribute__((always_inline)) { multiply<Tile, Sums, K, Group>(batch, k0, depth, padded); });
        member.barrier();
        if (member.thread == 0) queues.tasks.reset();
        k0 += plan.depth;
      } while (k0 < g.k);
    }
  }

  // Packed A, then packed B, of P: accumulators, or integers of their order.
  template <class P>
  P* panel_a(index_t p, index_t padded) const {
    static_assert(sizeof(P) == sizeof(A));
    return reinterpret_cast<P*>(workspace) + p * plan.rows * padded;
  }
  template <class P>
  P* panel_b(index_t p, index_t padded) const {
    return reinterpret_cast<P*>(workspace) + plan.size_a() + p * plan.cols * padded;
  }
  // The same lane by lane, for witnesses; then what is looked up.
  template <class P>
  P* lanes_a(index_t p, index_t padded) const {
    return panel_a<P>(p, padded) + plan.size_a() + plan.size_b();
  }
  template <class P>
  P* lanes_b(index_t p, index_t padded) const {
    return panel_b<P>(p, padded) + plan.size_a() + plan.size_b();
  }
  std::int32_t* panel_lookup(index_t p, index_t padded) const {
    A* end_of_lanes = reinterpret_cast<A*>(workspace) + 2 * (plan.size_a() + plan.size_b());
    return reinterpret_cast<std::int32_t*>(end_of_lanes) + p * plan.cols * padded;
  }

  template <class Tile, int Group>
  [[gnu::always_inline]] void pack(index_t batch, index_t k0, index_t depth, index_t padded) {
    using P = typename Tile::A;
    constexpr bool in_order = !std::is_same_v<P, A>, by_words = struct_of_words<A> && Group == 0;
    const index_t all = plan.row_panels + plan.col_panels;
    for (index_t p; (p = queues.packing.next()) < all;) {
      if (p < plan.row_panels) {
        const index_t i0 = p * plan.rows;
        const int lanes = static_cast<int>(std::min<index_t>(plan.rows, g.m - i0));
        const T* a = g.a + batch * g.sa[0] + i0 * g.sa[1] + k0 * g.sa[2];
        with_rows<Tile, Group>([&]<int Rows>() __attribute__((always_inline)) {
          pack_panel<operand<S>, Rows>(panel_a<A>(p, padded), a, g.sa[1], g.sa[2], lanes, depth, padded);
        });
        if constexpr (in_order) order_panel(panel_a<P>(p, padded), padded * plan.rows, widen<S>(S::zero()));
        if constexpr (Group > 0) transpose_panel<Tile::rows>(lanes_a<P>(p, padded), panel_a<P>(p, padded), padded);
      } else {
        const index_t jp = p - plan.row_panels, j0 = jp * Tile::cols;
        const int lanes = static_cast<int>(std::min<index_t>(Tile::cols, g.n - j0));
        const T* b = g.b + batch * g.sb[0] + k0 * g.sb[1] + j0 * g.sb[2];
        if constexpr (by_words)
          pack_words<operand<S>, Tile::cols, A>(panel_b<A>(jp, padded), b, g.sb[2], g.sb[1], lanes, depth);
        else pack_panel<operand<S>, Tile::cols>(panel_b<A>(jp, padded), b, g.sb[2], g.sb[1], lanes, depth, padded);
        if constexpr (in_order) order_panel(panel_b<P>(jp, padded), padded * Tile::cols, widen<S>(S::zero()));
        if constexpr (Group > 0) {
          transpose_panel<Tile::cols>(lanes_b<P>(jp, padded), panel_b<P>(jp, padded), padded);
          if (g.lookup)
            pack_panel<looked_up, Tile::cols>(panel_lookup(jp, padded),
                                              g.lookup + batch * g.slookup[0] + k0 * g.slookup[1] + j0 * g.slookup[2],
                                              g.slookup[2], g.slookup[1], lanes, depth, padded);
        }
      }
    }
  }

  // Counters as narrow as the values (one byte for bool) run out after a few groups: the panels are walked in stretches
  // that they can count, and the smallest k of each element is found after each. tile.group is only a sign afterwards.
  template <class Tile, int Group>
  [[gnu::always_inline]] void multiply_in_stretches(Tile& tile, index_t padded, index_t ip, index_t jp, bool resume,
                                                    index_t* winner) {
    const A *a = panel_a<A>(ip, padded), *b = panel_b<A>(jp, padded);
    const A *rows = lanes_a<A>(ip, padded), *columns = lanes_b<A>(jp, padded);
    constexpr index_t stretch = index_t{Group} * std::numeric_limits<counter_of<A>>::max();
    std::fill_n(winner, Tile::rows * Tile::cols, index_t{-1});
    index_t k = 0;
    do {  // once even for k = 0
      multiply_panels_witness<Tile, S, Group, false>(tile, std::min(stretch, padded - k), a + k * Tile::rows,
                                                     b + k * Tile::cols, resume || k > 0);
      for (int e = 0; e < Tile::rows * Tile::cols; ++e)
        if (tile.group[e] >= 0)
          winner[e] = k + smallest_k<S, Group>(rows + e / Tile::cols * padded + k,
                                               columns + e % Tile::cols * padded + k, tile.group[e], tile.value[e]);
      k += stretch;
    } while (k < padded);
    for (int e = 0; e < Tile::rows * Tile::cols; ++e) tile.group[e] = winner[e] >= 0 ? 0 : -1;
  }

  // Calls products with whether sums are multiply-adds: with AVX-512 always, with AVX2 where the plan says so.
  template <class Tile, class Products>
  [[gnu::always_inline]] void with_sums(const Products& products) {
    if constexpr (adds_by_multiplying<S> && sizeof(typename Tile::V) == 64) {
      products.template operator()<true>();
    } else if constexpr (adds_by_multiplying<S> && sizeof(typename Tile::V) == 32) {
      if (plan.four_pipes) products.template operator()<true>();
      else products.template operator()<false>();
    } else {
      products.template operator()<false>();
    }
  }

  template <class Tile, class Sums, class K, int Group>
  [[gnu::always_inline]] void multiply(index_t batch, index_t k0, index_t depth, index_t padded) {
    using P = typename Tile::A;
    const bool resume = k0 > 0, last = k0 + depth >= g.k;
    const index_t down = ceil_div(plan.row_panels, plan.task_rows);
    const index_t all = plan.tasks();
    gemm_writer<G> writer{g, batch};
    Tile tile;
    [[maybe_unused]] Sums converted;
    Sums& sums = finished_of<Sums>(tile, converted);
    for (index_t task; (task = queues.tasks.next()) < all;) {
      const index_t i_first = task % down * plan.task_rows, j_first = task / down * plan.task_cols;
      const index_t i_last = std::min(i_first + plan.task_rows, plan.row_panels);
      const index_t j_last = std::min(j_first + plan.task_cols, plan.col_panels);
      for (index_t jp = j_first; jp < j_last; ++jp)
        for (index_t ip = i_first; ip < i_last; ++ip) {
          const index_t i0 = ip * plan.rows, j0 = jp * Tile::cols;
          const int rows = static_cast<int>(std::min<index_t>(plan.rows, g.m - i0));
          const int cols = static_cast<int>(std::min<index_t>(Tile::cols, g.n - j0));
          const P* a = panel_a<P>(ip, padded);
          const P* b = panel_b<P>(jp, padded);
          const tile_place at{i0, j0, rows, cols};
          if (ip == i_first) prefetch_c(writer, at);
          if (ip + 1 < i_last)
            prefetch_c(writer, {i0 + plan.rows, j0,
                                static_cast<int>(std::min<index_t>(plan.rows, g.m - i0 - plan.rows)), cols});
          if (resume) {
            read_partial(sums, writer, at);
            if constexpr (is_in_order<Tile, Sums>) put_in_order(tile, sums);
          }
          if constexpr (Group > 0) {
            if constexpr (sizeof(counter_of<A>) < sizeof(std::int32_t)) {
              index_t winner[Tile::rows * Tile::cols];
              multiply_in_stretches<Tile, Group>(tile, padded, ip, jp, resume, winner);
              const auto smallest = [&](int i, int j) { return k0 + winner[i * Tile::cols + j]; };
              store_with_witness(tile, writer, at, k0 == 0, last, smallest);
            } else {
              if constexpr (sizeof(counter_of<A>) == sizeof(std::int32_t) && !has_epilogue<decltype(g.epilogue)>)
                if (g.lookup && k0 == 0 && last && g.switness[2] == 1 && detail::plain_rows<Tile>(writer, at)) {
                  with_sums<Tile>([&]<bool ByMultiplying>() __attribute__((always_inline)) {
                    multiply_panels_lookup<Tile, K, ByMultiplying>(tile, depth, a, b, panel_lookup(jp, padded));
                  });
                  if constexpr (is_in_order<Tile, Sums>) take_values<(Group > 0)>(sums, tile);
                  store_with_lookup(sums, writer, at);
                  continue;
                }
              with_sums<Tile>([&]<bool ByMultiplying>() __attribute__((always_inline)) {
                multiply_panels_witness<Tile, K, Group, ByMultiplying>(tile, padded, a, b, resume);
              });
              if constexpr (is_in_order<Tile, Sums>) take_values<(Group > 0)>(sums, tile);
              const P *row = lanes_a<P>(ip, padded), *column = lanes_b<P>(jp, padded);
              const auto smallest = [&](int i, int j) {
                const int e = i * Tile::cols + j;
                return k0 + smallest_k<K, Group>(row + i * padded, column + j * padded, tile.group[e], tile.value[e]);
              };
              store_with_witness(sums, writer, at, k0 == 0, last, smallest);
            }
          } else {
            if constexpr (struct_of_words<A>) multiply_words<Tile, S>(tile, depth, a, b, resume);
            else
              with_sums<Tile>([&]<bool ByMultiplying>() __attribute__((always_inline)) {
                with_rows<Tile, Group>([&]<int Rows>() __attribute__((always_inline)) {
                  multiply_panels<Tile, K, ByMultiplying, Rows>(tile, depth, a, b, resume);
                });
              });
            if constexpr (is_in_order<Tile, Sums>) take_values<(Group > 0)>(sums, tile);
            if (last) store_tile(sums, writer, at);
            else write_partial(sums, writer, at);
          }
        }
    }
    overflow |= writer.overflow;
  }
};

}  // namespace kleene::kernels::cpu
