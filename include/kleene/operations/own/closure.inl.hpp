// Definition of closure: its checks, and the choice of the machine that runs it. Include this for an algebra of your
// own.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/detail/checks/closures.hpp"
#include "kleene/operations/detail/closure_algebra.inl.hpp"
#include "kleene/operations/detail/closure_blocks.inl.hpp"
#include "kleene/operations/detail/closure_repair.inl.hpp"
#include "kleene/operations/detail/narrow/closure_kept.inl.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace kleene::detail {

struct closure_definitions {};

// Before the elimination: checks the values, sets the diagonal, and fills P with the tails of the arcs. Rows in
// parallel, as this is the first touch of P's memory.
template <class S>
void prepare_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                     bool check_domain) {
  const index_t n = a.rows();
  if (check_domain) check_values<S>(a, "A(");
  task_queue rows;
  run_tasks(threads_for(double(n) * double(n), elements_per_thread, ctx.threads()), [&](const team_member&) {
    for (index_t i; (i = rows.next()) < n;) {
      if (!p.is_null()) {
        for (index_t j = 0; j < n; ++j) p(i, j) = a(i, j) == S::zero() ? -1 : static_cast<std::int32_t>(i);
        p(i, i) = -1;
      }
      if constexpr (has_unit_star<S>) a(i, i) = normalise<S>(S::add(widen<S>(S::one()), widen<S>(a(i, i))));
    }
  });
}

template <class S>
[[noreturn]] void refuse_cuda() {
  throw error(fault_code::device, "there is no CUDA closure over " + name_of<S>() +
                                      ": compile it with nvcc, include operations/own/closure.inl.cuh and call "
                                      "enable_cuda_closure");
}

template <class S>
closure_info run_closure_on_device(const context& ctx, const matrix_view<value_of<S>>& a,
                                   const matrix_view<std::int32_t>& p, const closure_options& options) {
  const closure_info info = begin_closure(&name_of<S>, ctx, facts_of(a), facts_of(p), options);
  if (a.rows() == 0) return info;
  const auto run = closures_on_cuda<S>().matrix;
  if (!run) refuse_cuda<S>();
  const auto close = [&] {
    return run_as_call(ctx, call_over<S>("closure", {a.rows(), a.cols(), -1}), [&] { return run(ctx, a, p, options); });
  };
  if constexpr (is_narrow<S>) {
    using device_view = view<value_of<S>, 2, memory::device>;
    const device_view here(a.data(), a.extents(), a.strides());
    device_matrix<value_of<S>> kept(ctx, a.rows(), a.cols());
    copy(ctx, here, kept.view());
    try {
      return close();
    } catch (const overflow_error&) {
      copy(ctx, kept.view(), here);
      ctx.synchronise();
      throw;
    }
  } else {
    return close();
  }
}

// A closure on the CPU whose arguments are checked and whose memory is reserved; the values are not read before run().
template <class S>
class cpu_closure {
 public:
  cpu_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
              const closure_options& options)
      : ctx_(ctx),
        a_(a),
        p_(p),
        check_domain_(options.check_domain),
        info_(begin_closure(&name_of<S>, ctx, facts_of(a), facts_of(p), options)),
        blocks_(ctx, a.rows(), info_.block, !p.is_null()),
        kept_(a) {
    if (a.rows() > 0) blocks_.reserve(a, p);
  }

  closure_info run() {
    if (a_.rows() == 0) return info_;
    kept_.keep(ctx_, a_);
    try {
      return close();
    } catch (...) {
      kept_.give_back(ctx_, a_);
      throw;
    }
  }

 private:
  closure_info close() {
    prepare_closure<S>(ctx_, a_, p_, check_domain_);
    const progress_callback& progress = ctx_.progress();
    double done = 0;
    const auto report = [&](double pairs) {
      done = 2 * pairs;
      if (progress && !progress(done, info_.operations)) throw error(fault_code::usage, "interrupted");
    };
    info_.diverging = blocks_.close(a_, p_, pairs_report(report));
    info_.exists = info_.diverging < 0;
    if (!info_.exists) info_.operations = done;  // it stopped early
    // A length that is too negative can make even infinity improve a cycle: then nothing is known.
    if (blocks_.take_overflow() && (info_.exists ? !kept_.all_fit(ctx_, a_) : adds_integers<S>)) refuse_overflow<S>();
    if constexpr (is_selective<S>)
      if (info_.exists && !p_.is_null()) {
        info_.diverging = repair_predecessors<S>(ctx_, a_, p_);
        info_.exists = info_.diverging < 0;
      }
    info_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return info_;
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const context& ctx_;
  matrix_view<value_of<S>> a_;
  matrix_view<std::int32_t> p_;
  bool check_domain_;
  closure_info info_;
  blocked_closure<S> blocks_;
  kept_operand<S> kept_;
};

template <class S>
closure_info run_closure(const context& ctx, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                         const closure_options& options) {
  if (ctx.kind() == device_kind::cuda) return run_closure_on_device<S>(ctx, a, p, options);
  return cpu_closure<S>(ctx, a, p, options).run();
}

template <class S>
closure_batch_info run_closure_batch_on_device(const context& ctx, const batch_view<value_of<S>>& a,
                                               const batch_view<std::int32_t>& p,
                                               const closure_batch_options& options) {
  const closure_batch_info info = begin_closure_batch(facts_of(a), facts_of(p), options);
  if (a.extent(0) == 0 || a.rows() == 0) return info;
  const auto run = closures_on_cuda<S>().batch;
  if (!run) refuse_cuda<S>();
  closure_batch_info done = run_as_call(ctx, call_over<S>("closure", {a.rows(), a.cols(), -1}, a.extent(0)),
                                        [&] { return run(ctx, a, p, options); });
  done.operations = info.operations;
  return done;
}

// One thread's memory for the matrices of a batch that it closes, alone.
template <class S>
struct batch_member {
  context ctx;
  blocked_closure<S> run;
  double largest = 0;  // of what it has copied

  batch_member(const context& caller, index_t n, index_t block, bool with_predecessors)
      : ctx(context::cpu({.threads = 1, .isa = to_string(caller.isa())})), run(ctx, n, block, with_predecessors) {}
};

// Copies a matrix. Returns its largest finite magnitude, of floats.
template <class T>
double copy_magnitude(const matrix_view<const T>& from, const matrix_view<T>& to) {
  double largest = 0;
  for (index_t i = 0; i < to.rows(); ++i)
    for (index_t j = 0; j < to.cols(); ++j) {
      const T value = to(i, j) = from(i, j);
      if constexpr (std::is_floating_point_v<T>)
        if (const T magnitude = std::abs(value); magnitude <= std::numeric_limits<T>::max())
          largest = std::max(largest, double{magnitude});
    }
  return largest;
}

// Closes one matrix of a batch, in place or the copy of one in `arcs`. A small copy is made, and its values looked at,
// while it is closed: `refused` then says whether one is unwelcome.
template <class S>
kernels::cpu::leaf_status close_in_batch(batch_member<S>& own, const matrix_view<const value_of<S>>& arcs,
                                         const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& p,
                                         index_t block) {
  using kernels::cpu::leaf_kind;
  const index_t n = a.rows();
  kernels::cpu::leaf_status done;
  if (n <= kernels::blocks_of_closure(n, block)) {
    done = arcs.is_null() ? kernels::cpu::close_leaf<S>(a, p, own.ctx.isa(), leaf_kind::whole)
                          : kernels::cpu::close_leaf<S>(arcs, a, p, own.ctx.isa(), leaf_kind::copy);
  } else {
    if (!arcs.is_null()) done.largest = copy_magnitude(arcs, a);
    prepare_closure<S>(own.ctx, a, p, false);
    done.diverging = own.run.close(a, p);
    done.tied = true;
    if (own.run.take_overflow()) done.state = status::overflow;
  }
  if constexpr (is_selective<S>)
    if (done.tied && done.diverging < 0 && !p.is_null()) done.diverging = repair_predecessors<S>(own.ctx, a, p);
  return done;
}

// Matrices of a batch that a thread takes at a time: of small ones several.
inline index_t matrices_at_a_time(index_t n) { return std::max<index_t>(1, (1 << 14) / std::max<index_t>(1, n * n)); }

// Refuses NaN and values outside the domain in any matrix: matrix(b) for b < count.
template <class S, class Matrix>
void check_batch(int threads, index_t count, index_t each, const Matrix& matrix, index_t first_number) {
  std::atomic<index_t> first{count};
  task_queue parts;
  run_tasks(threads, [&](const team_member&) {
    for (index_t b; (b = parts.next() * each) < first;)
      for (const index_t end = std::min(b + each, count); b < end; ++b) {
        if (unwelcome_row<S>(matrix(b)) < 0) continue;
        for (index_t seen = first; b < seen && !first.compare_exchange_weak(seen, b);) {
        }
        break;
      }
  });
  if (first < count) check_values<S>(matrix(first), "A(" + std::to_string(first_number + first) + ", ");
}

// Each thread takes one matrix after another. `arcs`: null, or what is closed is a copy of it. Keeps the largest finite
// magnitude of these, where there are any.
template <class S>
closure_batch_info close_batch(const context& ctx, const batch_view<const value_of<S>>& arcs,
                               const batch_view<value_of<S>>& a, const batch_view<std::int32_t>& p,
                               const closure_batch_options& options, double* largest) {
  const auto start = std::chrono::steady_clock::now();
  const index_t count = a.extent(0), n = a.rows(), block = options.block > 0 ? options.block : closure_block;
  closure_batch_info info = begin_closure_batch(facts_of(a), facts_of(p), options);
  if (count == 0 || n == 0) return info;
  explain_batch(&name_of<S>, ctx, facts_of(a), !p.is_null(), block);

  const auto size = [&](index_t b) { return options.sizes.empty() ? n : index_t{options.sizes[b]}; };
  const auto matrix = [&](const auto& v, index_t b) {
    using V = std::remove_cvref_t<decltype(v[0])>;
    return v.is_null() ? V{} : v[b].block(0, 0, size(b), size(b));
  };
  // All memory before anything is written: that of one thread serves the largest matrix, and each size there is.
  const int useful = static_cast<int>(std::min<index_t>(ctx.threads(), count));
  const int threads = threads_for(info.operations / 2, kernels::cpu::pairs_per_thread, useful);
  std::vector<std::unique_ptr<batch_member<S>>> members;
  const double bytes = double(count) * sizeof(std::int32_t) + double(n) + double(threads) * sizeof(batch_member<S>);
  with_memory("a batch of closures", bytes, [&] {
    info.diverging.assign(count, -1);
    std::vector<char> seen(n + 1, 0);
    const index_t largest = options.sizes.empty() ? n : index_t{std::ranges::max(options.sizes)};
    for (int t = 0; t < threads; ++t)
      members.push_back(std::make_unique<batch_member<S>>(ctx, largest, block, !p.is_null()));
    for (index_t b = 0; b < count; ++b)
      if (!std::exchange(seen[size(b)], 1))
        for (const auto& member : members) member->run.reserve(matrix(a, b), matrix(p, b));
  });
  const index_t each = matrices_at_a_time(n);
  const bool copies = !arcs.is_null(), looks_meanwhile = copies && n <= kernels::blocks_of_closure(n, block);
  const batch_view<const value_of<S>> read = copies ? arcs : batch_view<const value_of<S>>(a);
  const auto check = [&] {
    check_batch<S>(threads, count, each, [&](index_t b) { return matrix(read, b); }, options.first);
  };
  if (options.check_domain && !looks_meanwhile) check();  // all, before any is written
  std::atomic<bool> overflow{false}, refused{false};
  task_queue parts;
  run_tasks(threads, [&](const team_member& team) {
    batch_member<S>& own = *members[team.thread];
    for (index_t b; (b = parts.next() * each) < count && !refused;)
      for (const index_t end = std::min(b + each, count); b < end; ++b) {
        if (size(b) == 0) continue;
        const auto done = close_in_batch<S>(own, matrix(arcs, b), matrix(a, b), matrix(p, b), block);
        info.diverging[b] = static_cast<std::int32_t>(done.diverging);
        own.largest = std::max(own.largest, done.largest);
        if (done.refused && options.check_domain) refused = true;
        if (done.state == status::overflow && (done.diverging < 0 || adds_integers<S>)) overflow = true;
      }
  });
  if (refused) check();  // throws, with the first of them
  if (overflow) refuse_overflow<S>();
  for (const auto& member : members)
    if (largest) *largest = std::max(*largest, member->largest);
  info.exists = std::ranges::all_of(info.diverging, [](std::int32_t v) { return v < 0; });
  if (info.exists) info.diverging.clear();
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

template <class S>
closure_batch_info run_closure_batch(const context& ctx, const batch_view<value_of<S>>& a,
                                     const batch_view<std::int32_t>& p, const closure_batch_options& options) {
  if (ctx.kind() == device_kind::cuda) return run_closure_batch_on_device<S>(ctx, a, p, options);
  return close_batch<S>(ctx, {}, a, p, options, nullptr);
}
template <class S>
closure_batch_info run_closure_of_copies(const context& ctx, const batch_view<const value_of<S>>& arcs,
                                         const batch_view<value_of<S>>& a, const batch_view<std::int32_t>& p,
                                         const closure_batch_options& options, double& largest) {
  require_shape("the batch that is copied", arcs, a.extent(0), a.rows(), a.cols());
  require_disjoint("the batch that is copied", arcs, "A", a);
  if (!p.is_null()) require_disjoint("the batch that is copied", arcs, "the predecessor matrix", p);
  return close_batch<S>(ctx, arcs, a, p, options, &largest);
}

}  // namespace kleene::detail

// The catalog's closures are in the library, whose units define them (src/instances/closure.cpp.in).
#ifndef KLEENE_CLOSURE_UNIT
namespace kleene::detail {
#define KLEENE_ROW(algebra, type)                                                                                    \
  extern template const closure_algebra<type>& closure_algebra_of<algebra<type>>();                                  \
  extern template closure_info run_closure<algebra<type>>(const context&, const matrix_view<type>&,                  \
                                                          const matrix_view<std::int32_t>&, const closure_options&); \
  extern template closure_info run_closure_on_device<algebra<type>>(                                                 \
      const context&, const matrix_view<type>&, const matrix_view<std::int32_t>&, const closure_options&);           \
  extern template closure_batch_info run_closure_batch<algebra<type>>(                                               \
      const context&, const batch_view<type>&, const batch_view<std::int32_t>&, const closure_batch_options&);       \
  extern template closure_batch_info run_closure_of_copies<algebra<type>>(                                           \
      const context&, const batch_view<const type>&, const batch_view<type>&, const batch_view<std::int32_t>&,       \
      const closure_batch_options&, double&);                                                                        \
  extern template closure_batch_info run_closure_batch_on_device<algebra<type>>(                                     \
      const context&, const batch_view<type>&, const batch_view<std::int32_t>&, const closure_batch_options&);
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
}  // namespace kleene::detail
#endif
