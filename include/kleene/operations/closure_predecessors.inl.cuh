// Predecessors of a closure on a device, once it is there.
#pragma once

#include "kleene/kernels/cuda/closure/predecessors.cuh"
#include "kleene/operations/closure_check.inl.cuh"

namespace kleene::detail {

// P from the closed matrix and its arcs. Best-arc lists are as long as there are best arcs: the host asks for the
// number.
template <class S>
void recover_all_predecessors(const context& ctx, const kernels::cuda::closed_matrix<value_of<S>>& x,
                              const kernels::cuda::matrix_rows<value_of<S>>& arcs,
                              kernels::cuda::closure_report* report) {
  using namespace kernels::cuda;
  using T = value_of<S>;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const index n = x.n;
  const int multiprocessors = ctx.device()->multiprocessors;
  const auto small = ctx.temporary((2 * n + 1) * sizeof(unsigned));
  best_arc_list<T> list{static_cast<unsigned*>(small.get()), static_cast<unsigned*>(small.get()) + n + 1, nullptr,
                        nullptr};
  require(cudaMemsetAsync(list.offsets, 0, (2 * n + 1) * sizeof(unsigned), stream), "clearing counters");
  // Blocks beside each other, and above each other until the device is full.
  const index strips = (n + row_threads - 1) / row_threads;
  const index depth = std::clamp<index>(n * strips / (8 * multiprocessors), 8, 256);
  const dim3 grid(static_cast<unsigned>(strips), static_cast<unsigned>((n + depth - 1) / depth));
  list_best_arcs<S, false><<<grid, row_threads, 0, stream>>>(x, arcs, depth, list);
  scan_offsets<<<1, 1024, 0, stream>>>(list.offsets, n, &report->best_arcs);
  const double count = static_cast<double>(read_report(ctx, report).best_arcs);
  if (count >= 0x1p32)
    throw error(fault_code::memory, std::to_string(static_cast<std::uint64_t>(count)) +
                                        " best arcs are too many to find predecessors: 2^32 is the limit");
  const auto arcs_memory =
      ctx.temporary(static_cast<std::size_t>(std::max(count, 1.0) * (sizeof(T) + sizeof(std::int32_t))) + 256);
  list.weights = static_cast<T*>(arcs_memory.get());
  list.tails = reinterpret_cast<std::int32_t*>(list.weights + static_cast<std::size_t>(count));
  list_best_arcs<S, true><<<grid, row_threads, 0, stream>>>(x, arcs, depth, list);

  const int followers = 2 * multiprocessors;
  const auto scratch = ctx.temporary((2 * n + followers * n) * sizeof(std::int32_t));
  auto* ties = static_cast<std::int32_t*>(scratch.get());
  const std::size_t row_bytes = static_cast<std::size_t>(n) * sizeof(T);
  const bool cached = row_bytes + 2048 <= ctx.device()->shared_memory;
  const int shared = cached ? static_cast<int>(row_bytes) : 0;
  require(cudaFuncSetAttribute(recover_predecessors<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
          "asking for shared memory");
  const int threads = n > 4096 ? 1024 : 256;
  recover_predecessors<S><<<static_cast<unsigned>(std::min<index>(n, 16 * multiprocessors)), threads, shared, stream>>>(
      x, arcs, list, cached, ties, &report->ties);
  follow_predecessors<<<followers, 1024, 0, stream>>>(x, ties, &report->ties, ties + 2 * n, ties + n, &report->broken);
  search_rows<S><<<followers, 1024, 0, stream>>>(x, list, ties + n, &report->broken);
  const closure_report found = read_report(ctx, report);
  if (explain_enabled())
    explain("predecessors from " + std::to_string(found.best_arcs) + " best arcs; " + std::to_string(found.ties) +
            " rows with ties, " + std::to_string(found.broken) + " of them searched again");
}

}  // namespace kleene::detail
