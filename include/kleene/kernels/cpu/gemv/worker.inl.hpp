// One thread's share of a product of a matrix and a vector: x as accumulators, tasks, then y from the sums of all
// parts.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/gemv/columns.inl.hpp"
#include "kleene/kernels/cpu/gemv/log_sums.inl.hpp"
#include "kleene/kernels/cpu/gemv/plan.hpp"
#include "kleene/kernels/cpu/gemv/rows.inl.hpp"

#include <algorithm>
#include <atomic>

namespace kleene::kernels::cpu {

// The workspace of one product.
template <class G>
struct gemv_memory {
  using A = accumulator_of<typename G::algebra>;
  using T = value_of<typename G::algebra>;

  const A* x = nullptr;  // x itself where it is as kernels read it, else packed below
  A* packed = nullptr;
  A* sums = nullptr;                // [part][row]; direct: [thread][row of a task]
  std::int32_t* winners = nullptr;  // the same of witnesses
  T* copies = nullptr;              // of a task for each thread, where the matrix is strided
  std::size_t bytes = 0;

  gemv_memory(const G& g, const matrix_vector<G>& v, const detail::gemv_plan& plan, void* workspace) {
    const auto take = [&]<class E>(E*& array, index_t count) {
      array = reinterpret_cast<E*>(static_cast<char*>(workspace) + bytes);
      bytes += round_up(static_cast<std::size_t>(count) * sizeof(E), std::size_t{64});
    };
    if constexpr (is_its_accumulator<typename G::algebra>)
      if (v.x_stride == 1) x = reinterpret_cast<const A*>(v.x);
    if (!x) take(packed, std::max<index_t>(v.depth, 1)), x = packed;
    const index_t count = plan.direct ? plan.threads * plan.rows : plan.parts * v.rows;
    take(sums, count);
    if (g.witness) take(winners, count);
    if (!plan.unit) take(copies, plan.threads * plan.rows * plan.depth);
  }
};

// run<Bytes> is compiled once per instruction set.
template <class G>
struct gemv_worker {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  using T = value_of<S>;

  const G& g;
  const matrix_vector<G>& v;
  const detail::gemv_plan& plan;
  const gemv_memory<G>& memory;
  const gemv_checks& checks;
  task_queue& tasks;
  std::atomic<gemv_status>& found;  // what the first of all threads found wrong with the matrix
  team_member member;
  bool overflow = false;

  template <int Bytes>
  [[gnu::always_inline]] void run() {
    if constexpr (!ops::device_pass) {
      if (memory.packed) {
        pack();
        member.barrier();
      }
      bool done = false;
      if constexpr (!is_commutative<S>)
        if (v.vector_first()) all_tasks<Bytes, true>(), done = true;
      if (!done) all_tasks<Bytes, false>();
      if (plan.direct) return;
      member.barrier();
      if (found != gemv_status::ok) return;
      finish();
      const auto [first, last] = share(v.rows);
      store(first, last, 0, memory.sums, memory.winners);
    }
  }

 private:
  // This thread's part of [0, count).
  std::pair<index_t, index_t> share(index_t count) const {
    const index_t each = ceil_div(count, member.threads);
    return {std::min(count, each * member.thread), std::min(count, each * (member.thread + 1))};
  }

  void pack() const {
    const auto [first, last] = share(v.depth);
    for (index_t k = first; k < last; ++k) memory.packed[k] = widen<S>(v.x[k * v.x_stride]);
  }

  template <int Bytes, bool First>
  [[gnu::always_inline]] void all_tasks() {
    inspection_of<S, Bytes> inspection(checks);
    inspection_of<S, Bytes>* const inspects = inspection.is_needed() ? &inspection : nullptr;
    const index_t all = plan.tasks();
    for (index_t task; (task = tasks.next()) < all;) {
      if (inspects && found.load(std::memory_order_relaxed) != gemv_status::ok) return;
      const index_t part = task / plan.row_blocks, i = task % plan.row_blocks * plan.rows, k = part * plan.depth;
      const index_t rows = std::min(plan.rows, v.rows - i), count = std::min(plan.depth, v.depth - k);
      const index_t at = plan.direct ? member.thread * plan.rows : part * v.rows + i;
      A* const sums = memory.sums + at;
      std::int32_t* const winners = memory.winners ? memory.winners + at : nullptr;
      const T* a = v.a + i * v.row_stride + k * v.depth_stride;
      index_t stride = plan.by_rows ? v.row_stride : v.depth_stride;  // from one row, or column, to the next
      if (!plan.unit) copy_task(a, stride, rows, count);
      const A* const x = memory.x + k;
      const bool well = plan.by_rows ? all_rows<Bytes, First>(a, stride, rows, x, count, inspects, sums, winners, k)
                                     : all_columns<Bytes, First>(a, stride, rows, x, count, inspects, sums, winners, k);
      if (!well) return found.store(inspection.found);
      if (plan.direct) store(i, i + rows, i, sums, winners);
    }
  }

  // A task whose elements are no neighbours along what is added up: a copy in this thread's memory, where they are.
  void copy_task(const T*& a, index_t& stride, index_t rows, index_t count) const {
    const index_t lines = plan.by_rows ? rows : count, length = plan.by_rows ? count : rows;
    const index_t along = plan.by_rows ? v.depth_stride : v.row_stride;
    T* const to = memory.copies + member.thread * plan.rows * plan.depth;
    for (index_t line = 0; line < lines; ++line)
      for (index_t n = 0; n < length; ++n) to[line * length + n] = a[line * stride + n * along];
    a = to, stride = length;
  }

  template <int Bytes, bool First>
  [[gnu::always_inline]] bool all_rows(const T* a, index_t stride, index_t rows, const A* x, index_t count,
                                       inspection_of<S, Bytes>* inspects, A* sums, std::int32_t* winners,
                                       index_t first_k) const {
    constexpr int together = row_group<S, Bytes, First>::rows;
    if constexpr (sums_logarithms<S>) {
      for (index_t i = 0; i < rows; i += together)
        sum_log_rows<S, Bytes>(a + i * stride, stride, static_cast<int>(std::min<index_t>(together, rows - i)), x,
                               count, sums + i);
      return true;
    }
    for (index_t i = 0; i < rows; i += together)
      if (!sum_rows<S, Bytes, First>(a + i * stride, stride, static_cast<int>(std::min<index_t>(together, rows - i)), x,
                                     count, inspects, sums + i, winners ? winners + i : nullptr, first_k))
        return false;
    return true;
  }

  template <int Bytes, bool First>
  [[gnu::always_inline]] bool all_columns(const T* a, index_t stride, index_t rows, const A* x, index_t count,
                                          inspection_of<S, Bytes>* inspects, A* sums, std::int32_t* winners,
                                          index_t first_k) const {
    if constexpr (sums_logarithms<S>) {
      sum_log_columns<S, Bytes>(a, stride, x, rows, count, sums);
      return true;
    }
    if constexpr (is_selective<S>)
      if (winners)
        return sum_columns<S, Bytes, First, true>(a, stride, x, rows, count, inspects, sums, winners, first_k);
    return sum_columns<S, Bytes, First, false>(a, stride, x, rows, count, inspects, sums, winners, first_k);
  }

  // y from the sums of all parts, in their order; those of the first part become those of all.
  void finish() const {
    constexpr index_t together = 512;
    const auto [first, last] = share(v.rows);
    for (index_t i = first; i < last; i += together) {
      const index_t end = std::min(i + together, last);
      for (index_t part = 1; part < plan.parts; ++part) add_part(i, end, part * v.rows);
    }
  }
  void add_part(index_t first, index_t last, index_t at) const {
    for (index_t i = first; i < last; ++i) {
      const A next = S::add(memory.sums[i], memory.sums[at + i]);
      if (memory.winners && !(next == memory.sums[i])) memory.winners[i] = memory.winners[at + i];
      memory.sums[i] = next;
    }
  }

  // Elements [first, last) of y; sums and winners begin with row `base`.
  void store(index_t first, index_t last, index_t base, const A* sums, const std::int32_t* winners) {
    if (!g.mask && !g.alpha && !g.d && !winners) return store_plain(first, last, sums + (first - base));
    gemm_writer<G> writer{g, 0};
    for (index_t i = first; i < last; ++i) v.store(writer, i, sums[i - base], winners ? winners[i - base] : -1);
    overflow |= writer.overflow;
  }
  // The same where nothing is asked but the product: many rows of a few elements cost no more than to read them.
  void store_plain(index_t first, index_t last, const A* sums) {
    using writer = gemm_writer<G>;
    using Out = std::remove_pointer_t<decltype(G::c)>;
    const index_t stride = v.is_row ? g.sc[2] : g.sc[1];
    bool large = false;
    for (index_t i = first; i < last; ++i, ++sums) {
      const auto result = static_cast<typename G::combined>(*sums);
      large |= writer::flags_overflow(result);
      g.c[i * stride] = static_cast<Out>(writer::finished(result));
    }
    overflow |= large;
  }
};

}  // namespace kleene::kernels::cpu
