// Closures of many matrices on a device.
#pragma once

#include "kleene/kernels/cuda/closure/blocks.cuh"
#include "kleene/kernels/cuda/closure/graphs.cuh"
#include "kleene/operations/closure_check.inl.cuh"
#include "kleene/operations/closure_order.hpp"

#include <chrono>

namespace kleene::detail {

template <class S>
closure_info run_closure_on_cuda(const context& ctx, const matrix_view<value_of<S>>& a,
                                 const matrix_view<std::int32_t>& p, const closure_options& options);

// Many small matrices: a block each, which closes them by leaves. Larger ones, and those of which other blocks are asked
// for: one after the other.
template <class S>
closure_batch_info run_closure_batch_on_cuda(const context& ctx, const batch_view<value_of<S>>& a,
                                             const batch_view<std::int32_t>& p, const closure_batch_options& options) {
  using namespace kernels::cuda;
  using T = value_of<S>;
  const auto start = std::chrono::steady_clock::now();
  const on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const index count = a.extent(0), n = a.rows();
  closure_batch_info info;
  info.diverging.assign(count, -1);

  const index asked = options.block > 0 ? options.block : closure_block;
  const bool one_by_one = n > mend_size || blocks_of_closure(n, asked) != closure_leaf;
  const bool in_registers = !one_by_one && n <= graph_size;
  const bool keeps_apart = !p.is_null() && !in_registers && !one_by_one && sizeof(T) != sizeof(std::int32_t);
  const index teams = std::min<index>(count, ctx.device()->multiprocessors * resident_teams);
  closure_report* report = nullptr;
  std::int32_t* sizes = nullptr;
  graphs_arguments<T> x{};
  T *columns = nullptr, *kept = nullptr;
  const auto lay_out = [&](parts_of_workspace parts) {
    report = parts.template take<closure_report>(1);
    sizes = parts.template take<std::int32_t>(double(count));
    x.diverging = parts.template take<int>(double(count));
    x.overflow = parts.template take<unsigned>(double(count));
    x.ties = parts.template take<std::int32_t>(double(count));
    if (!in_registers && !one_by_one) columns = parts.template take<T>(double(teams) * double(n) * tile_size);
    if (keeps_apart) kept = parts.template take<T>(double(count) * double(n) * double(n));
    return parts.bytes();
  };
  const std::size_t bytes = lay_out(parts_of_workspace());
  require_room(ctx, bytes, "closures of " + std::to_string(count) + " matrices");
  lay_out(parts_of_workspace(ctx.workspace(bytes)));

  x.a = {a.data(), count, n, a.stride(0), a.stride(1), a.stride(2)};
  x.p = {p.data(), count, n, p.stride(0), p.stride(1), p.stride(2)};
  x.tie_count = &report->ties;
  if (!options.sizes.empty()) {
    require(cudaMemcpyAsync(sizes, options.sizes.data(), count * sizeof(std::int32_t), cudaMemcpyDefault, stream),
            "copying sizes");
    x.a.sizes = x.p.sizes = sizes;
  }
  inspect_matrices<S>(ctx, x.a, options.check_domain, report);

  if (one_by_one) {
    for (index b = 0; b < count; ++b) {
      const index size = options.sizes.empty() ? n : options.sizes[b];
      if (size == 0) continue;
      const closure_info done = run_closure_on_cuda<S>(
          ctx, a[b].block(0, 0, size, size), p.is_null() ? matrix_view<std::int32_t>{} : p[b].block(0, 0, size, size),
          {.block = options.block, .check_domain = false});
      info.diverging[b] = static_cast<std::int32_t>(done.diverging);
    }
  } else {
    require(cudaMemsetAsync(x.diverging, 0xff, count * sizeof(int), stream), "clearing flags");
    require(cudaMemsetAsync(x.overflow, 0, count * sizeof(unsigned), stream), "clearing flags");
    const auto grid = static_cast<unsigned>(std::min<index>(count, 1 << 20));
    if (n <= 16) {
      close_graphs<S, 16><<<grid, threads_for(16), 0, stream>>>(x);
    } else if (n <= 32) {
      close_graphs<S, 32><<<grid, threads_for(32), 0, stream>>>(x);
    } else if (in_registers) {
      close_graphs<S, 64><<<grid, threads_for(64), 0, stream>>>(x);
    } else {
      matrix_rows<T> arcs = x.a;
      arcs.data = nullptr;
      if (keeps_apart)
        arcs = {kept, count, n, n * n, n, 1, x.a.sizes};
      else if (!p.is_null())
        arcs = {reinterpret_cast<T*>(p.data()), count, n, p.stride(0), p.stride(1), p.stride(2), x.a.sizes};
      prepare_graphs<S><<<blocks_for_rows(ctx, count * n), row_threads, 0, stream>>>(x.a, arcs);
      team_arguments<T> team;
      team.a = a.data(), team.count = count, team.n = n;
      team.batch_stride = a.stride(0), team.row_stride = a.stride(1), team.col_stride = a.stride(2);
      team.sizes = x.a.sizes, team.columns = columns, team.diverging = x.diverging, team.overflow = x.overflow;
      close_blocks<S><<<static_cast<unsigned>(teams), tile_threads, 0, stream>>>(team);
      if constexpr (is_selective<S>)
        if (!p.is_null()) recover_graphs<S><<<grid, row_threads, 0, stream>>>(x, arcs);
    }
    if constexpr (is_selective<S>)
      if (!p.is_null())
        mend_graphs<S><<<static_cast<unsigned>(std::min<index>(count, 8 * ctx.device()->multiprocessors)), row_threads,
                         0, stream>>>(x, &report->broken);
    require(cudaGetLastError(), "closing small matrices");
    std::vector<unsigned> overflow(count);
    require(cudaMemcpyAsync(info.diverging.data(), x.diverging, count * sizeof(int), cudaMemcpyDeviceToHost, stream),
            "copying flags");
    require(cudaMemcpyAsync(overflow.data(), x.overflow, count * sizeof(unsigned), cudaMemcpyDeviceToHost, stream),
            "copying flags");
    const closure_report done = read_report(ctx, report);
    for (index b = 0; b < count; ++b)
      if (overflow[b] && info.diverging[b] < 0)
        throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
    if (explain_enabled())
      explain("closure " + name_of<S>() + ": " + std::to_string(count) + " matrices of up to " + std::to_string(n) +
              " vertices, a block each, " + ctx.describe() +
              (p.is_null() ? "" : "; " + std::to_string(done.broken) + " rows of predecessors searched again"));
  }
  info.exists = std::ranges::all_of(info.diverging, [](std::int32_t v) { return v < 0; });
  if (info.exists) info.diverging.clear();
  info.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return info;
}

}  // namespace kleene::detail
