// closure of a matrix in host memory by a CUDA device that has room for a part of it.
//
//   const context gpu = context::cuda();
//   closure_info info = closure_from_host(gpu, min_plus<float>{}, a, {.memory = std::size_t{6} << 30});
//
// a: a matrix, or a view of one (of a mapped file, io::npy_output, say), with neighbours in a row next to each other.
//
// Method: the blocked elimination of operations/closure.hpp. The rows of a block are on the device during its step;
// all other rows come by in strips: one is worked on while the one before goes back and the next one comes, and the
// rows of the next block stay. A step moves 2 n^2 elements and does n^2 block pairs, so blocks of a few thousand
// vertices hide the way (docs/scale.md).
//
// Contract, beside that of operations/closure.hpp
//   where        A in host memory, in place; the call returns when the result is there. error(device): no CUDA device.
//   memory       device memory, 3.75 n block + 2 block^2 elements: of 4 bytes and n = 65,536 4.2 GB with blocks of
//                4,096; up to 6 n block, which is 6.6 GB, make fewer and larger strips. 0: nine tenths of what is
//                available. error(memory), with both numbers, before A is written where blocks of 64 do not fit.
//   block order  {.block} of the result's info: as asked, or the largest multiple of 64 up to 4,096 that fits. For that
//                block, the result of closure(ctx, S{}, a, {.block = ...}): over selective algebras and integers to the
//                last bit.
//   predecessors none
//   algebras     the catalog's
//   callbacks    between steps
#pragma once

#include "kleene/grid/detail/host_elimination.inl.hpp"

#include <chrono>
#include <string>

namespace kleene {

struct host_closure_options {
  std::size_t memory = 0;  // bytes on the device; 0: by what is available
  index_t block = 0;       // 0: by the memory
  bool check_domain = true;
};

template <closed_semiring S>
closure_info closure_from_host(const context& ctx, S, const matrix_view<value_of<S>>& a,
                               host_closure_options options = {}) {
  using T = value_of<S>;
  const auto start = std::chrono::steady_clock::now();
  const detail::closure_algebra<T>& algebra = detail::closure_algebra_of<S>();
  detail::require_host_closure(ctx, a.extents(), a.strides());
  const detail::device_scope here(ctx.device()->ordinal);
  closure_info info;
  const auto plan = detail::plan_host_closure(ctx, a.rows(), sizeof(T), options.memory, options.block);
  info.block = plan.block;
  if (options.check_domain) detail::check_host_rows(a, algebra);
  detail::host_elimination<S> run(ctx, a, plan);
  for (index_t i = 0; i < a.rows(); ++i) a(i, i) = algebra.on_diagonal(a(i, i));
  const double n = static_cast<double>(a.rows());
  info.operations = 2 * n * n * n;
  double done = 0;
  info.diverging = run.run([&](double pairs) {
    done = 2 * pairs;
    if (ctx.progress() && !ctx.progress()(done, info.operations)) throw error(fault_code::usage, "interrupted");
  });
  info.exists = info.diverging < 0;
  if (!info.exists) info.operations = done;
  else if (run.overflow())
    throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene
