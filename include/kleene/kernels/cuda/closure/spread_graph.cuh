// The graph that shortest_paths closes on a device.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/closure/checks.cuh"
#include "kleene/kernels/cuda/closure/spread.cuh"

namespace kleene::kernels::cuda {

// A sparse graph in host memory, spread over the first `graph.rows` vertices of a width x width matrix on the device.
template <class S>
void spread_graph(const context& ctx, const csr_view<value_of<S>>& graph, value_of<S>* a, index_t width) {
  using T = value_of<S>;
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const index_t rows = graph.rows, arcs = graph.entries();
  index_t* offsets = nullptr;
  T* weights = nullptr;
  std::int32_t* columns = nullptr;
  const auto lay_out = [&](parts_of_workspace parts) {
    offsets = parts.template take<index_t>(double(rows + 1));
    weights = parts.template take<T>(double(arcs));
    columns = parts.template take<std::int32_t>(double(arcs));
    return parts.bytes();
  };
  const auto memory = ctx.temporary(lay_out(parts_of_workspace()));
  lay_out(parts_of_workspace(memory.get()));
  const auto upload = [&](auto* to, const auto& from, index_t count) {
    gpu::require(cudaMemcpyAsync(to, &from[0], count * sizeof *to, cudaMemcpyHostToDevice, stream), "copying a graph");
  };
  if (rows > 0) upload(offsets, graph.offsets, rows + 1);
  if (arcs > 0) upload(weights, graph.values, arcs), upload(columns, graph.columns, arcs);
  const auto blocks = static_cast<unsigned>(std::min<index_t>(width, 32 * ctx.device()->multiprocessors));
  gpu::launch(spread_arcs<S>, {blocks, row_threads, 0, stream}, offsets, columns, weights, rows, a, width);
}

}  // namespace kleene::kernels::cuda
