// Tensor maps: TMA reads and writes boxes of a matrix in global memory by coordinates, fills what lies outside with
// zeros (and leaves it alone when it stores), and swizzles 128-byte rows in shared memory as tensor cores want them.
// Source: PTX ISA, "Tensors"; CUDA driver API, "Tensor Map Object Management". Needs sm_90.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/gpu/host/runtime.cuh"

#include <cuda.h>

namespace kleene::gpu {

// A matrix as TMA sees it: `batch` of rows x cols elements, columns next to each other.
struct mapped_matrix {
  const void* data;
  index_t batch, rows, cols;
  index_t batch_stride, row_stride;  // in elements
};

// What TMA asks of a matrix: addresses and strides in units of 16 bytes, extents below 2^32.
inline bool is_mappable(const mapped_matrix& m, int element_bytes) {
  const auto aligned = [&](index_t stride, index_t extent) {
    return extent == 1 || (stride > 0 && stride * element_bytes % 16 == 0);
  };
  constexpr index_t most = index_t(1) << 31;
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && aligned(m.row_stride, m.rows) &&
         aligned(m.batch_stride, m.batch) && m.rows < most && m.cols < most && m.batch < most &&
         m.row_stride * element_bytes < (index_t(1) << 40) && m.batch_stride * element_bytes < (index_t(1) << 40);
}

// The driver's function, without linking to the driver.
inline auto tensor_map_encoder() {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    require(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
            "looking for cuTensorMapEncodeTiled");
    if (!found)
      throw error(fault_code::device, "CUDA: the driver has no cuTensorMapEncodeTiled; it is older than 12.0");
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  return encode;
}

// A map whose boxes are box_rows x (128 bytes of columns), swizzled. The matrix is mappable and not empty.
inline CUtensorMap make_tensor_map(const mapped_matrix& m, CUtensorMapDataType type, int element_bytes, int box_rows) {
  CUtensorMap map;
  const cuuint64_t extents[3] = {cuuint64_t(m.cols), cuuint64_t(m.rows), cuuint64_t(m.batch)};
  constexpr cuuint64_t unused = 1 << 20;  // for strides of dimensions of extent 1: any multiple of 16 will do
  const cuuint64_t strides[2] = {m.rows > 1 ? cuuint64_t(m.row_stride * element_bytes) : unused,
                                 m.batch > 1 ? cuuint64_t(m.batch_stride * element_bytes) : unused};
  const cuuint32_t box[3] = {cuuint32_t(128 / element_bytes), cuuint32_t(box_rows), 1}, steps[3] = {1, 1, 1};
  const CUresult result = tensor_map_encoder()(&map, type, 3, const_cast<void*>(m.data), extents, strides, box, steps,
                                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw error(fault_code::device, "CUDA: making a tensor map failed (CUresult " + std::to_string(result) + ")");
  return map;
}

}  // namespace kleene::gpu
