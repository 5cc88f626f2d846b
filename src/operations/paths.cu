// paths on a CUDA device.
#include "operations/paths_on_cuda.hpp"

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/kernels/cuda/closure/predecessors/paths.cuh"

namespace kleene::detail {

path_list trace_paths_on_cuda(const context& ctx, const matrix_view<const std::int32_t>& p,
                              std::span<const vertex_pair> pairs) {
  using namespace kernels::cuda;
  path_list list;
  const index_t count = static_cast<index_t>(pairs.size());
  if (count == 0) return list;
  const gpu::on_device here(ctx.device()->ordinal);
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const predecessor_matrix matrix{p.data(), p.rows(), p.stride(0), p.stride(1)};
  static_assert(sizeof(path_query) == sizeof(vertex_pair));

  const auto memory = ctx.temporary(count * sizeof(path_query) + (count + 1) * sizeof(index_t));
  auto* offsets = static_cast<index_t*>(memory.get());
  auto* queries = reinterpret_cast<path_query*>(offsets + count + 1);
  const unsigned blocks = gpu::grid_of(ceil_div(count, 128));
  gpu::require(cudaMemcpyAsync(queries, pairs.data(), count * sizeof *queries, cudaMemcpyHostToDevice, stream),
               "finding paths");
  gpu::launch(measure_paths, {blocks, 128, 0, stream}, matrix, queries, count, offsets);
  std::vector<index_t> lengths(count);
  gpu::require(cudaMemcpyAsync(lengths.data(), offsets, count * sizeof(index_t), cudaMemcpyDeviceToHost, stream),
               "finding paths");
  gpu::wait(ctx, "finding paths");
  lay_out_paths(list, pairs, lengths);
  if (list.vertices.empty()) return list;

  const auto found = ctx.temporary(list.vertices.size() * sizeof(std::int32_t));
  auto* vertices = static_cast<std::int32_t*>(found.get());
  gpu::require(
      cudaMemcpyAsync(offsets, list.offsets.data(), (count + 1) * sizeof(index_t), cudaMemcpyHostToDevice, stream),
      "finding paths");
  gpu::launch(write_paths, {blocks, 128, 0, stream}, matrix, queries, count, offsets, vertices);
  gpu::require(cudaMemcpyAsync(list.vertices.data(), vertices, list.vertices.size() * sizeof(std::int32_t),
                               cudaMemcpyDeviceToHost, stream),
               "finding paths");
  gpu::wait(ctx, "finding paths");
  return list;
}

}  // namespace kleene::detail
