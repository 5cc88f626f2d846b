// Definition of closure for CUDA. Include this, compiled with nvcc, for an algebra of your own:
//
//   kleene::enable_cuda_closure<my_ring>();   once, before the first closure over my_ring on a CUDA context
//
// and operations/closure.inl.hpp, which has the checks (and the CPU). Algebras of the catalog need none of this.
#pragma once

#include "kleene/kernels/cuda/gemm/panels.cuh"
#include "kleene/operations/closure_batch.inl.cuh"
#include "kleene/operations/closure_elimination.inl.cuh"
#include "kleene/operations/closure_predecessors.inl.cuh"
#include "kleene/operations/closure_spread.inl.cuh"

#include <chrono>

namespace kleene::detail {

template <class S>
closure_info run_closure_on_cuda(const context& ctx, const matrix_view<value_of<S>>& a,
                                 const matrix_view<std::int32_t>& p, const closure_options& options) {
  using namespace kernels::cuda;
  using T = value_of<S>;
  const auto start = std::chrono::steady_clock::now();
  const on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const index n = a.rows();
  closure_info info;
  info.block = options.block > 0 ? options.block : closure_block;
  info.operations = 2.0 * double(n) * double(n) * double(n);
  if (n > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a closure of " + std::to_string(n) + " vertices");

  // Rows that cannot be stored 16 bytes at a time are closed in a padded copy.
  constexpr index run = sizeof(T) < 16 ? 16 / sizeof(T) : 1;
  const bool in_place = a.stride(1) == 1 && a.stride(0) % run == 0 && n % run == 0 &&
                        reinterpret_cast<std::uintptr_t>(a.data()) % 16 == 0;
  const index width = in_place ? n : (n + run - 1) / run * run;
  // The arcs as they were wait where P comes to lie, if they fit there.
  const bool with_predecessors = !p.is_null(), keeps_in_p = sizeof(T) == sizeof(std::int32_t);

  cuda_closure_run<S> elimination(ctx, info.block);
  closure_report* report = nullptr;
  T *work = nullptr, *kept = nullptr;
  const auto lay_out = [&](parts_of_workspace parts) {
    report = parts.template take<closure_report>(1);
    if (!in_place) work = parts.template take<T>(double(width) * double(width));
    if (with_predecessors && !keeps_in_p) kept = parts.template take<T>(double(n) * double(n));
    elimination.plan(n, width, parts);
    return parts.bytes();
  };
  const std::size_t bytes = lay_out(parts_of_workspace());
  require_room(ctx, bytes, "a closure of " + std::to_string(n) + " vertices");
  lay_out(parts_of_workspace(ctx.workspace(bytes)));
  if (in_place) work = a.data();
  const index stride = in_place ? a.stride(0) : width;

  const matrix_rows<T> rows = rows_of<S>(a);
  matrix_rows<T> arcs{nullptr, 1, n, 0, n, 1};
  if (with_predecessors && keeps_in_p)
    arcs = {reinterpret_cast<T*>(p.data()), 1, n, 0, p.stride(0), p.stride(1)};
  else if (with_predecessors)
    arcs.data = kept;

  const closure_report values = inspect_matrices<S>(ctx, rows, options.check_domain, report);
  const sign_class signs = closure_signs<S>({static_cast<float>(operand_report::value(values.values.low)),
                                             static_cast<float>(operand_report::value(values.values.high))});
  prepare_closure<S><<<blocks_for_rows(ctx, width), row_threads, 0, stream>>>(rows, work, width, arcs);
  elimination.enqueue(work, stride, signs, report);
  const closure_report done = read_report(ctx, report);
  info.diverging = done.diverging;
  info.exists = done.diverging < 0;
  if (!info.exists) info.operations *= double(done.diverging) / double(n);
  if (info.exists && done.overflow)
    throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
  if constexpr (is_selective<S>)
    if (info.exists && with_predecessors)
      recover_all_predecessors<S>(ctx, {work, n, stride, 1, p.data(), p.stride(0), p.stride(1)}, arcs, report);
  if (info.exists && !in_place) {
    unpad_closure<<<blocks_for_rows(ctx, n), row_threads, 0, stream>>>(work, width, rows);
    require(cudaStreamSynchronize(stream), "a closure");
  }
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::detail

namespace kleene {

template <closed_semiring S>
void enable_cuda_closure() {
  detail::closure_on_cuda<S> = &detail::run_closure_on_cuda<S>;
  detail::closure_batch_on_cuda<S> = &detail::run_closure_batch_on_cuda<S>;
  detail::spread_graph_on_cuda<S> = &detail::spread_on_cuda<S>;
}

}  // namespace kleene
