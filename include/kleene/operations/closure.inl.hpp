// Definition of closure: the blocked elimination, written in terms of gemm. Include this for an algebra of your own.
#pragma once

#include "kleene/data/parallel.hpp"
#include "kleene/kernels/cpu/closure/launch.inl.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/closure_order.hpp"
#include "kleene/operations/closure_repair.inl.hpp"
#include "kleene/operations/gemm.inl.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>

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
    static_assert(closure_leaf == kernels::cpu::closure_leaf);
    block = blocks_of_closure(n, block);
    if (n <= block) return leaf(a, p);
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

// NaN and what is outside the domain, refused by its place: `name` and "row, column)".
template <class S>
void check_values(const matrix_view<value_of<S>>& a, const std::string& name) {
  for (index i = 0; i < a.rows(); ++i)
    for (index j = 0; j < a.cols(); ++j) {
      const value_of<S> value = a(i, j);
      bool inside = true;
      if constexpr (has_domain<S>) inside = S::in_domain(value);
      if (inside && value == value) continue;
      const std::string place = name + std::to_string(i) + ", " + std::to_string(j) + ")";
      if (!(value == value)) throw value_error(place + " is NaN");
      throw value_error(place + " = " + to_text(value) + " is outside the domain of " + name_of<S>());
    }
}

// Before: NaN and the domain, the diagonal, and what P starts from. Rows in parallel, which touch P for the first time.
template <class S>
void prepare_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                     bool check_domain) {
  const index n = a.rows();
  if (check_domain) check_values<S>(a, "A(");
  task_queue rows;
  run_team(n > 256 ? ctx.threads() : 1, [&](const team_member&) {
    for (index i; (i = rows.next()) < n;) {
      if (!p.is_null())
        for (index j = 0; j < n; ++j) p(i, j) = i != j && !(a(i, j) == S::zero()) ? static_cast<std::int32_t>(i) : -1;
      if constexpr (has_unit_star<S>) a(i, i) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(a(i, i))));
    }
  });
}

// What a closure asks of its matrices, whoever computes it.
template <class S>
void check_closure(const batch_view<value_of<S>>& a, const batch_view<std::int32_t>& p, index block) {
  const index n = a.rows();
  if (a.cols() != n)
    throw shape_error("a closure needs a square matrix; A is " + std::to_string(n) + "x" + std::to_string(a.cols()));
  if (block < 0) throw argument_error("a block of " + std::to_string(block) + " vertices");
  require_distinct_elements("A", a);
  if (p.is_null()) return;
  if (p.extent(0) != a.extent(0)) throw shape_error("the predecessor matrix is " + shape_of(p) + ", A is " + shape_of(a));
  require_shape("the predecessor matrix", p, a.extent(0), n, n);
  require_distinct_elements("the predecessor matrix", p);
  require_disjoint("A", a, "the predecessor matrix", p);
  if (n > std::numeric_limits<std::int32_t>::max())
    throw shape_error("predecessors are int32: " + std::to_string(n) + " vertices are too many");
}

template <class S>
[[noreturn]] void refuse_cuda() {
  throw error(fault_code::device, "there is no CUDA closure over " + name_of<S>() +
                                      ": compile it with nvcc, include operations/closure.inl.cuh and call "
                                      "enable_cuda_closure");
}

// Checks a call and says what it will do.
template <class S>
closure_info begin_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                           const closure_options& options) {
  const index n = a.rows();
  const auto as_batch_of_one = [](const auto& v) {
    using E = typename std::remove_cvref_t<decltype(v)>::element_type;
    return v.is_null() ? batch_view<E>() : batch_view<E>(v.data(), {1, v.rows(), v.cols()}, {0, v.stride(0), v.stride(1)});
  };
  check_closure<S>(as_batch_of_one(a), as_batch_of_one(p), options.block);
  closure_info info;
  info.block = options.block > 0 ? options.block : closure_block;
  info.operations = 2.0 * double(n) * double(n) * double(n);
  if (n > 0 && explain_enabled())
    explain("closure " + name_of<S>() + " " + std::to_string(n) + "x" + std::to_string(n) + ": blocks of " +
            std::to_string(info.block) + ", " + ctx.describe() + (p.is_null() ? "" : ", with predecessors"));
  return info;
}

template <class S>
closure_info run_closure_on_device(const context& ctx, const matrix_view<value_of<S>>& a,
                                   const matrix_view<std::int32_t>& p, const closure_options& options) {
  const closure_info info = begin_closure<S>(ctx, a, p, options);
  if (a.rows() == 0) return info;
  if (!closure_on_cuda<S>) refuse_cuda<S>();
  return closure_on_cuda<S>(ctx, a, p, options);
}

template <class S>
closure_info run_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                         const closure_options& options) {
  if (ctx.kind() == device_kind::cuda) return run_closure_on_device<S>(ctx, a, p, options);
  const auto start = std::chrono::steady_clock::now();
  closure_info info = begin_closure<S>(ctx, a, p, options);
  if (a.rows() == 0) return info;
  prepare_closure<S>(ctx, a, p, options.check_domain);
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

template <class S>
closure_batch_info begin_closure_batch(const batch_view<value_of<S>>& a, const batch_view<std::int32_t>& p,
                                       const closure_batch_options& options) {
  const index count = a.extent(0), n = a.rows();
  check_closure<S>(a, p, options.block);
  if (!options.sizes.empty() && static_cast<index>(options.sizes.size()) != count)
    throw shape_error(std::to_string(options.sizes.size()) + " sizes for " + std::to_string(count) + " matrices");
  closure_batch_info info;
  for (index b = 0; b < count; ++b) {
    const index size = options.sizes.empty() ? n : options.sizes[b];
    if (size < 0 || size > n)
      throw argument_error("matrix " + std::to_string(b) + " of " + std::to_string(n) + " rows cannot have " +
                           std::to_string(size) + " vertices");
    info.operations += 2.0 * double(size) * double(size) * double(size);
  }
  return info;
}

template <class S>
closure_batch_info run_closure_batch_on_device(const context& ctx, const batch_view<value_of<S>>& a,
                                               const batch_view<std::int32_t>& p, const closure_batch_options& options) {
  const closure_batch_info info = begin_closure_batch<S>(a, p, options);
  if (a.extent(0) == 0 || a.rows() == 0) return info;
  if (!closure_batch_on_cuda<S>) refuse_cuda<S>();
  closure_batch_info done = closure_batch_on_cuda<S>(ctx, a, p, options);
  done.operations = info.operations;
  return done;
}

// The matrices are dealt to the threads, each of which closes its own alone.
template <class S>
closure_batch_info run_closure_batch(const context& ctx, const batch_view<value_of<S>>& a,
                                     const batch_view<std::int32_t>& p, const closure_batch_options& options) {
  if (ctx.kind() == device_kind::cuda) return run_closure_batch_on_device<S>(ctx, a, p, options);
  const auto start = std::chrono::steady_clock::now();
  const index count = a.extent(0), n = a.rows();
  closure_batch_info info = begin_closure_batch<S>(a, p, options);
  if (count == 0 || n == 0) return info;

  const auto matrix = [&](const auto& v, index b) {
    const index size = options.sizes.empty() ? n : options.sizes[b];
    return v.is_null() ? v[0] : v[b].block(0, 0, size, size);
  };
  if (options.check_domain)  // of all, before any is written
    for (index b = 0; b < count; ++b) check_values<S>(matrix(a, b), "A(" + std::to_string(b) + ", ");
  info.diverging.assign(count, -1);
  std::exception_ptr fault;
  std::mutex first;
  task_queue matrices;
  run_team(ctx.threads(), [&](const team_member&) {
    const context alone = context::cpu({.threads = 1, .isa = to_string(ctx.isa())});
    for (index b; (b = matrices.next()) < count;) try {
        const auto part = matrix(a, b);
        const closure_info done = run_closure<S>(alone, part, p.is_null() ? matrix_view<std::int32_t>{} : matrix(p, b),
                                                 {.block = options.block, .check_domain = false});
        info.diverging[b] = static_cast<std::int32_t>(done.diverging);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(first);
        if (!fault) fault = std::current_exception();
      }
  });
  if (fault) std::rethrow_exception(fault);
  info.exists = std::ranges::all_of(info.diverging, [](std::int32_t v) { return v < 0; });
  if (info.exists) info.diverging.clear();
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::detail
