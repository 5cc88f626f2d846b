// One product on the matrix units: its maps, its parts of k, its launches.
#pragma once

#include "kleene/kernels/cuda/gemm/wgmma_sm90.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

constexpr CUtensorMapDataType map_type(operand kind) {
  switch (kind) {
    case operand::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case operand::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case operand::tf32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}
template <class Out>
constexpr CUtensorMapDataType map_type() {
  if constexpr (std::is_same_v<Out, bf16>)
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  else if constexpr (std::is_same_v<Out, f16>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  else if constexpr (std::is_same_v<Out, float>)
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  else
    return CU_TENSOR_MAP_DATA_TYPE_INT32;
}

// An operand with k along columns or along rows, as it lies in memory: the order in which the copy engine can read it,
// if any.
struct matrix_operand {
  mapped_matrix matrix;
  major contiguous;
  bool usable;
};
// lines: rows of A, columns of B.
template <class T>
matrix_operand operand_of(const T* data, index batch, index lines, index depth, index batch_stride, index line_stride,
                          index depth_stride) {
  const index count = batch_stride ? batch : 1;
  const mapped_matrix by_k{data, count, lines, depth, batch_stride, line_stride};
  const mapped_matrix by_line{data, count, depth, lines, batch_stride, depth_stride};
  if (depth_stride == 1 && is_mappable(by_k, sizeof(T))) return {by_k, major::k, true};
  if (line_stride == 1 && is_mappable(by_line, sizeof(T))) return {by_line, major::other, sizeof(T) == 2};
  return {by_k, major::k, false};
}

template <class Policy, operand Kind, class G>
void launch_wgmma(const G& g, int splits, void* workspace, int multiprocessors, cudaStream_t stream) {
  constexpr wgmma_policy P = Policy::value;
  constexpr int along = 128 / bytes_of(Kind);
  using Out = std::remove_pointer_t<decltype(g.c)>;
  wgmma_arguments<G> p;
  p.g = g;
  if (g.alpha) p.alpha = *g.alpha, p.has_alpha = true;
  if (g.beta) p.beta = *g.beta, p.has_beta = true;
  const matrix_operand a = operand_of(g.a, g.batch, g.m, g.k, g.sa[0], g.sa[1], g.sa[2]);
  const matrix_operand b = operand_of(g.b, g.batch, g.n, g.k, g.sb[0], g.sb[2], g.sb[1]);
  p.a = map_of(a.matrix, map_type(Kind), bytes_of(Kind), a.contiguous == major::k ? P.bm : along);
  p.b = map_of(b.matrix, map_type(Kind), bytes_of(Kind), b.contiguous == major::k ? P.bn / P.cluster : along);
  p.a_major = a.contiguous, p.b_major = b.contiguous;
  p.a_batched = a.matrix.batch > 1, p.b_batched = b.matrix.batch > 1;
  const auto ceil_div = [](index x, index y) { return (x + y - 1) / y; };
  p.clusters_m = static_cast<unsigned>(ceil_div(g.m, P.bm * P.cluster));
  p.tiles_n = static_cast<unsigned>(ceil_div(g.n, P.bn));
  p.steps = static_cast<int>(ceil_div(g.k, along));
  p.split_steps = static_cast<int>(ceil_div(p.steps, splits));
  p.splits = static_cast<int>(ceil_div(p.steps, p.split_steps));
  const auto clusters = static_cast<unsigned>(p.clusters_m * p.tiles_n * g.batch);
  p.units = clusters * p.splits;
  p.partials = static_cast<decltype(p.partials)>(workspace);
  const mapped_matrix c{g.c, g.batch, g.m, g.n, g.sc[0], g.sc[1]};
  p.in_boxes = has_boxes<G> && g.sc[2] == 1 && is_mappable(c, sizeof(Out)) && !g.alpha && !g.d && !g.mask;
  if (has_boxes<G> && p.in_boxes) p.c = map_of(c, map_type<Out>(), sizeof(Out), 64);

  const auto kernel = gemm_wgmma<Policy, Kind, G>;
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, P.shared_bytes()), "a product");
  cudaLaunchConfig_t config{};
  const unsigned places = multiprocessors / P.cluster;
  config.gridDim = dim3(std::min(p.units, places) * P.cluster);
  config.blockDim = dim3(P.threads);
  config.dynamicSmemBytes = P.shared_bytes();
  config.stream = stream;
  cudaLaunchAttribute attributes[1];
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {unsigned(P.cluster), 1, 1};
  config.attrs = attributes, config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, kernel, p), "launching a product");
  if (p.splits > 1) wgmma_combine<Policy, Kind, G><<<clusters * P.cluster*(P.bn / 4), 256, 0, stream>>>(p);
}

}  // namespace kleene::kernels::cuda
