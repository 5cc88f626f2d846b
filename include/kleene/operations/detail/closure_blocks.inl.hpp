// The blocked elimination behind closure, written in terms of gemm. All memory is reserved before it starts, so that
// want of memory leaves the matrix untouched.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/kernels/contract/closure_order.hpp"
#include "kleene/kernels/cpu/closure/launch.inl.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/detail/closure_repair.inl.hpp"
#include "kleene/operations/own/gemm.inl.hpp"

#include <algorithm>

namespace kleene::detail {

// Who is told how many pairs are done, or nobody. Refers to a functor and allocates nothing: values are being written.
class pairs_report {
 public:
  pairs_report() = default;
  template <class F>
  explicit pairs_report(const F& functor)
      : functor_(&functor), call_([](const void* f, double pairs) { (*static_cast<const F*>(f))(pairs); }) {}
  void operator()(double pairs) const {
    if (call_) call_(functor_, pairs);
  }

 private:
  const void* functor_ = nullptr;
  void (*call_)(const void*, double) = nullptr;
};

// Closes matrices of up to n vertices, one after the other. close() reads in the order in which a step happens.
template <class S>
class blocked_closure {
 public:
  using T = value_of<S>;
  using values = matrix_view<T>;
  using vertices = matrix_view<std::int32_t>;  // predecessors; null where not wanted

  blocked_closure(const context& ctx, index_t n, index_t block, bool with_predecessors)
      : ctx_(ctx),
        levels_{{block, n, with_predecessors}, {kernels::closure_leaf, std::min(n, block), with_predecessors}} {}

  // Reserves the workspace of closing `a` and repairing `p`; no value is read. (The same code as close(), measuring.)
  void reserve(const values& a, const vertices& p) {
    measuring_ = true;
    close(a, p);
    measuring_ = false;
    if (!p.is_null()) workspace_ = std::max(workspace_, repair_workspace<T>(a.rows(), ctx_.threads()));
    ctx_.workspace(workspace_);
  }

  // Closes `a` by blocks. Returns the diverging vertex, or -1. Calls report(pairs done so far).
  index_t close(const values& a, const vertices& p, pairs_report report = {}) { return close(a, p, 0, report); }

  // c = left right (+) c, or c = left right; where p is given, improved elements take lookup(k, j). Integer sums that
  // could wrap are formed in parts.
  void multiply(const values& left, const values& right, const values& c, bool accumulate, const vertices& p,
                const vertices& lookup) {
    if (c.empty()) return;
    constexpr bool in_parts = can_wrap<S> && std::is_integral_v<T>;
    if constexpr (in_parts)
      if (const index_t k = left.cols();
          !measuring_ && k > 1 && !S::sums_fit(double(k), largest(left), largest(right))) {
        const index_t half = k / 2, rest = k - half;
        multiply(left.block(0, 0, c.rows(), half), right.block(0, 0, half, c.cols()), c, accumulate, p,
                 part(lookup, 0, 0, half, c.cols()));
        return multiply(left.block(0, half, c.rows(), rest), right.block(half, 0, rest, c.cols()), c, true, p,
                        part(lookup, half, 0, rest, c.cols()));
      }
    kernels::gemm_arguments<S> g;
    g.m = c.rows(), g.n = c.cols(), g.k = left.cols();
    const auto strides = [](const auto& v) { return std::array<index_t, 3>{0, v.stride(0), v.stride(1)}; };
    g.a = left.data(), g.sa = strides(left);
    g.b = right.data(), g.sb = strides(right);
    g.c = c.data(), g.sc = strides(c);
    if (accumulate || (measuring_ && in_parts)) g.d = c.data(), g.sd = g.sc;  // the later parts are added to the first
    if (!p.is_null()) {
      g.witness = p.data(), g.switness = strides(p);
      g.lookup = lookup.data(), g.slookup = strides(lookup);
    }
    g.threads = ctx_.threads();
    g.isa = ctx_.isa();
    const std::size_t workspace = kernels::cpu::gemm_workspace(g);
    if (measuring_) workspace_ = std::max(workspace_, workspace);
    else overflow_ |= kernels::cpu::launch_gemm(g, ctx_.workspace(workspace)) == status::overflow;
  }

  // Has the workspace of a product of these shapes.
  void reserve_product(const values& left, const values& right, const values& c, const vertices& p,
                       const vertices& lookup) {
    measuring_ = true;
    multiply(left, right, c, true, p, lookup);
    measuring_ = false;
    ctx_.workspace(workspace_);
  }

  // Whether a result did not fit the type since the last call.
  bool take_overflow() { return std::exchange(overflow_, false); }

 private:
  struct strip {
    index_t at, size;
  };

  // Copies of a block's rows and columns, as they were before the step.
  struct level {
    index_t block;
    matrix<T> rows, columns;
    matrix<std::int32_t> row_predecessors;

    level(index_t size, index_t n, bool with_predecessors) : block(size) {
      if (n <= size) return;  // one block
      rows = matrix<T>(size, n, uninitialised{});
      columns = matrix<T>(n, size, uninitialised{});
      if (with_predecessors) row_predecessors = matrix<std::int32_t>(size, n, uninitialised{});
    }
  };

  // Cold, as the compiler sees it: what runs once a block is made small (12 KB less for each algebra, a twentieth of
  // the compilation of a program's own); the kernels that it calls are not.
  [[gnu::cold]] index_t close(const values& a, const vertices& p, int at, pairs_report report) {
    const index_t n = a.rows();
    if (at == 0 && kernels::blocks_of_closure(n, levels_[0].block) != levels_[0].block) at = 1;
    level& memory = levels_[at];
    if (n <= memory.block) return leaf(a, p);

    for (index_t k0 = 0; k0 < n; k0 += memory.block) {
      const index_t kb = std::min(memory.block, n - k0), k1 = k0 + kb;
      const strip outside[] = {{0, k0}, {k1, n - k1}};
      const values diagonal = a.block(k0, k0, kb, kb);
      if (const index_t bad = close(diagonal, part(p, k0, k0, kb, kb), 1, {}); bad >= 0) return k0 + bad;

      // R := D R, from a copy of the old R. With predecessors only what improves is rewritten.
      const values old_rows = memory.rows.view().block(0, 0, kb, n);
      const vertices old_from = p.is_null() ? p : memory.row_predecessors.view().block(0, 0, kb, n);
      copy(a.block(k0, 0, kb, n), old_rows);
      if (!p.is_null()) copy(p.block(k0, 0, kb, n), old_from);
      for (const strip j : outside)
        multiply(diagonal, old_rows.block(0, j.at, kb, j.size), a.block(k0, j.at, kb, j.size), !p.is_null(),
                 part(p, k0, j.at, kb, j.size), part(old_from, 0, j.at, kb, j.size));

      // A := A (+) L R outside the block's rows and columns, with the old L.
      const values old_columns = memory.columns.view().block(0, 0, n, kb);
      copy(a.block(0, k0, n, kb), old_columns);
      const index_t at_a_time = rows_between_reports(n, kb, !p.is_null());
      for (const strip all : outside) {
        const index_t end = all.at + all.size;
        for (strip i{all.at, 0}; i.at < end; i.at += i.size) {
          i.size = std::min(at_a_time, end - i.at);
          for (const strip j : outside)
            multiply(old_columns.block(i.at, 0, i.size, kb), a.block(k0, j.at, kb, j.size),
                     a.block(i.at, j.at, i.size, j.size), true, part(p, i.at, j.at, i.size, j.size),
                     part(p, k0, j.at, kb, j.size));
          if (i.at + i.size < end) report(double(n) * (double(n) * double(k0) + double(kb) * double(i.at + i.size)));
        }
      }

      // L := L D.
      for (const strip i : outside)
        multiply(old_columns.block(i.at, 0, i.size, kb), diagonal, a.block(i.at, k0, i.size, kb), !p.is_null(),
                 part(p, i.at, k0, i.size, kb), part(p, k0, k0, kb, kb));
      report(double(n) * double(n) * double(k1));
    }
    return -1;
  }

  // A step of a large matrix takes seconds, and who asked to stop waits for a report: so many rows at a time, some 50
  // ms of work, and enough of them that reading the block's rows anew for each part costs below a hundredth.
  index_t rows_between_reports(index_t n, index_t block, bool with_predecessors) const {
    constexpr double pairs_of_thread = 1 << 27;
    const double rows = pairs_of_thread * ctx_.threads() / (double(n) * double(block));
    const index_t least = with_predecessors ? 512 : 1024;
    return rows < double(n) ? std::max(static_cast<index_t>(rows), least) : n;
  }

  index_t leaf(const values& a, const vertices& p) {
    if (measuring_) return -1;
    const kernels::cpu::leaf_status done = kernels::cpu::close_leaf<S>(a, p, ctx_.isa());
    overflow_ |= done.state == status::overflow;
    return done.diverging;
  }

  static double largest(const values& v) {
    return largest_magnitude(batch_view<const T>(v.data(), {1, v.rows(), v.cols()}, {0, v.stride(0), v.stride(1)}));
  }

  static vertices part(const vertices& p, index_t i, index_t j, index_t rows, index_t cols) {
    return p.is_null() ? p : p.block(i, j, rows, cols);
  }

  template <class E>
  void copy(const matrix_view<E>& from, const matrix_view<E>& to) const {
    if (measuring_) return;
    const index_t rows = from.rows(), cols = from.cols();
    const double elements = static_cast<double>(rows) * static_cast<double>(cols);
    run_team(threads_for(elements, elements_per_thread, ctx_.threads()), [&](const team_member& member) {
      const index_t each = ceil_div(rows, member.threads);
      for (index_t i = member.thread * each; i < std::min(rows, (member.thread + 1) * each); ++i)
        for (index_t j = 0; j < cols; ++j) to(i, j) = from(i, j);
    });
  }

  const context& ctx_;
  level levels_[2];
  std::size_t workspace_ = 0;
  bool measuring_ = false;
  bool overflow_ = false;
};

}  // namespace kleene::detail
