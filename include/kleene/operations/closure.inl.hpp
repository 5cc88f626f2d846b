// Definition of closure: the blocked elimination, written in terms of gemm. Include this for an algebra of your own.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/closure/launch.inl.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/closure_repair.inl.hpp"
#include "kleene/operations/gemm.inl.hpp"

#include <chrono>
#include <functional>

namespace kleene::detail {

// One run of the blocked closure; its parts in the order in which they happen.
template <class S>
class blocked_closure {
 public:
  using T = value_of<S>;
  using values = matrix_view<T>;
  using vertices = matrix_view<std::int32_t>;  // predecessors; null where not wanted

  explicit blocked_closure(const context& ctx) : ctx_(ctx) {}

  // Closes `a` by blocks. Returns the diverging vertex, or -1. `report` is told the pairs done so far.
  index close(const values& a, const vertices& p, index block, const std::function<void(double)>& report = nullptr) {
    const index n = a.rows();
    if (n <= kernels::cpu::closure_leaf) return leaf(a, p);
    if (block >= n) block = kernels::cpu::closure_leaf;
    const index widest = std::min(block, n);
    matrix<T> rows(widest, n, uninitialised{}), columns(n, widest, uninitialised{});
    matrix<std::int32_t> row_predecessors(p.is_null() ? 0 : widest, n, uninitialised{});

    for (index k0 = 0; k0 < n; k0 += block) {
      const index kb = std::min(block, n - k0), k1 = k0 + kb;
      const strip outside[] = {{0, k0}, {k1, n - k1}};
      const values diagonal = a.block(k0, k0, kb, kb);
      if (const index bad = close(diagonal, part(p, k0, k0, kb, kb), kernels::cpu::closure_leaf); bad >= 0)
        return k0 + bad;

      // R := D R, from a copy of the old R. With predecessors only what improves is rewritten.
      const values old_rows = rows.view().block(0, 0, kb, n);
      copy(a.block(k0, 0, kb, n), old_rows);
      if (!p.is_null()) copy(p.block(k0, 0, kb, n), row_predecessors.view().block(0, 0, kb, n));
      for (const strip j : outside)
        product(diagonal, old_rows.block(0, j.at, kb, j.size), a.block(k0, j.at, kb, j.size), !p.is_null(),
                part(p, k0, j.at, kb, j.size), part(view_of(row_predecessors, p), 0, j.at, kb, j.size));

      // A := A (+) L R outside the block's rows and columns, with the old L.
      const values old_columns = columns.view().block(0, 0, n, kb);
      copy(a.block(0, k0, n, kb), old_columns);
      for (const strip i : outside)
        for (const strip j : outside)
          product(old_columns.block(i.at, 0, i.size, kb), a.block(k0, j.at, kb, j.size),
                  a.block(i.at, j.at, i.size, j.size), true, part(p, i.at, j.at, i.size, j.size),
                  part(p, k0, j.at, kb, j.size));

      // L := L D.
      for (const strip i : outside)
        product(old_columns.block(i.at, 0, i.size, kb), diagonal, a.block(i.at, k0, i.size, kb), !p.is_null(),
                part(p, i.at, k0, i.size, kb), part(p, k0, k0, kb, kb));
      if (report) report(double(n) * double(n) * double(k1));
    }
    return -1;
  }

  bool overflow() const { return overflow_; }

 private:
  struct strip {
    index at, size;
  };

  index leaf(const values& a, const vertices& p) {
    const kernels::cpu::leaf_status done = kernels::cpu::close_leaf<S>(a, p, ctx_.isa());
    overflow_ |= done.state == status::overflow;
    return done.diverging;
  }

  static double largest(const values& v) {
    return largest_magnitude(batch_view<const T>(v.data(), {1, v.rows(), v.cols()}, {0, v.stride(0), v.stride(1)}));
  }

  // c = left right (+) c, or c = left right; where p is given, improved elements take lookup(k, j). Integer sums that could
  // wrap are formed in parts.
  void product(const values& left, const values& right, const values& c, bool accumulate, const vertices& p,
               const vertices& lookup) {
    if (c.empty()) return;
    if constexpr (can_wrap<S> && std::is_integral_v<T>)
      if (const index k = left.cols(); k > 1 && !S::sums_fit(double(k), largest(left), largest(right))) {
        product(left.block(0, 0, c.rows(), k / 2), right.block(0, 0, k / 2, c.cols()), c, accumulate, p, lookup);
        return product(left.block(0, k / 2, c.rows(), k - k / 2), right.block(k / 2, 0, k - k / 2, c.cols()), c, true, p, lookup);
      }
    kernels::gemm_arguments<S> g;
    g.m = c.rows(), g.n = c.cols(), g.k = left.cols();
    const auto strides = [](const auto& v) { return std::array<index, 3>{0, v.stride(0), v.stride(1)}; };
    g.a = left.data(), g.sa = strides(left);
    g.b = right.data(), g.sb = strides(right);
    g.c = c.data(), g.sc = strides(c);
    if (accumulate) g.d = c.data(), g.sd = g.sc;
    if (!p.is_null()) {
      g.witness = p.data(), g.switness = strides(p);
      g.lookup = lookup.data(), g.slookup = strides(lookup);
    }
    g.threads = ctx_.threads();
    g.isa = ctx_.isa();
    overflow_ |= kernels::cpu::launch_gemm(g, ctx_.workspace(kernels::cpu::gemm_workspace(g))) == status::overflow;
  }

  static vertices part(const vertices& p, index i, index j, index rows, index cols) {
    return p.is_null() ? p : p.block(i, j, rows, cols);
  }
  static vertices view_of(matrix<std::int32_t>& m, const vertices& like) { return like.is_null() ? like : m.view(); }

  template <class E>
  void copy(const matrix_view<E>& from, const matrix_view<E>& to) const {
    const index rows = from.rows(), cols = from.cols();
    const int threads = rows * cols > (1 << 16) ? ctx_.threads() : 1;
    run_team(threads, [&](const team_member& member) {
      const index each = (rows + member.threads - 1) / member.threads;
      for (index i = member.thread * each; i < std::min(rows, (member.thread + 1) * each); ++i)
        for (index j = 0; j < cols; ++j) to(i, j) = from(i, j);
    });
  }

  const context& ctx_;
  bool overflow_ = false;
};

// Before: NaN and the domain, the diagonal, and what P starts from.
template <class S>
void prepare_closure(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p, bool check_domain) {
  using T = value_of<S>;
  const index n = a.rows();
  if (check_domain) {
    const batch_view<const T> all(a.data(), {1, n, n}, {0, a.stride(0), a.stride(1)});
    require_domain<S>("A", all);
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j)
        if (const T value = a(i, j); !(value == value))
          throw value_error("A(" + std::to_string(i) + ", " + std::to_string(j) + ") is NaN");
  }
  for (index i = 0; i < n; ++i) {
    if (!p.is_null())
      for (index j = 0; j < n; ++j) p(i, j) = i != j && !(a(i, j) == S::zero()) ? static_cast<std::int32_t>(i) : -1;
    if constexpr (is_idempotent<S>) a(i, i) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(a(i, i))));
  }
}

template <class S>
closure_info run_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                         const closure_options& options) {
  require_cpu(ctx, "closure");
  const auto start = std::chrono::steady_clock::now();
  const index n = a.rows();
  const auto as_batch_of_one = [](const auto& v) {
    using E = typename std::remove_cvref_t<decltype(v)>::element_type;
    return batch_view<E>(v.data(), {1, v.rows(), v.cols()}, {0, v.stride(0), v.stride(1)});
  };
  if (a.cols() != n)
    throw shape_error("a closure needs a square matrix; A is " + std::to_string(n) + "x" + std::to_string(a.cols()));
  if (options.block < 0) throw argument_error("a block of " + std::to_string(options.block) + " vertices");
  require_distinct_elements("A", as_batch_of_one(a));
  if (!p.is_null()) {
    require_shape("the predecessor matrix", as_batch_of_one(p), 1, n, n);
    require_distinct_elements("the predecessor matrix", as_batch_of_one(p));
    require_disjoint("A", as_batch_of_one(a), "the predecessor matrix", as_batch_of_one(p));
    if (n > std::numeric_limits<std::int32_t>::max())
      throw shape_error("predecessors are int32: " + std::to_string(n) + " vertices are too many");
  }
  closure_info info;
  info.block = options.block > 0 ? options.block : closure_block;
  info.operations = 2.0 * double(n) * double(n) * double(n);
  if (n == 0) return info;
  if (explain_enabled())
    explain("closure " + name_of<S>() + " " + std::to_string(n) + "x" + std::to_string(n) + ": blocks of " +
            std::to_string(info.block) + ", " + ctx.describe() + (p.is_null() ? "" : ", with predecessors"));

  prepare_closure<S>(a, p, options.check_domain);
  blocked_closure<S> run(ctx);
  double done = 0;
  info.diverging = run.close(a, p, info.block, [&](double pairs) {
    done = 2 * pairs;
    if (ctx.progress() && !ctx.progress()(done, info.operations)) throw error(fault_code::usage, "interrupted");
  });
  info.exists = info.diverging < 0;
  if (!info.exists) info.operations = done;  // it stopped early
  if (info.exists && run.overflow())
    throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
  if constexpr (is_selective<S>)
    if (info.exists && !p.is_null()) repair_predecessors<S>(ctx, a, p);
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::detail
