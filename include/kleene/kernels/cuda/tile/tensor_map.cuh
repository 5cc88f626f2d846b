// Tensor maps: the copy engine reads and writes boxes of a matrix in global memory by coordinates, fills what lies
// outside with zeros (and leaves it alone on the way out), and swizzles 128-byte rows in shared memory as the matrix
// units want them. Source: PTX ISA, "Tensors" and "cp.async.bulk.tensor"; CUDA driver API, "Tensor Map Object
// Management". Needs sm_90.
#pragma once

#include "kleene/data/view.hpp"
#include "kleene/kernels/cuda/tile/copy.cuh"
#include "kleene/kernels/cuda/tile/runtime.cuh"

#include <cuda.h>

namespace kleene::kernels::cuda {

// A matrix as the copy engine sees it: `batch` of rows x cols elements, columns next to each other.
struct mapped_matrix {
  const void* data;
  index batch, rows, cols;
  index batch_stride, row_stride;  // in elements
};

// What the copy engine asks of a matrix: addresses and strides in units of 16 bytes, extents below 2^32.
inline bool is_mappable(const mapped_matrix& m, int element_bytes) {
  const auto aligned = [&](index stride, index extent) {
    return extent == 1 || (stride > 0 && stride * element_bytes % 16 == 0);
  };
  constexpr index most = index(1) << 31;
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && aligned(m.row_stride, m.rows) &&
         aligned(m.batch_stride, m.batch) && m.rows < most && m.cols < most && m.batch < most &&
         m.row_stride * element_bytes < (index(1) << 40) && m.batch_stride * element_bytes < (index(1) << 40);
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
inline CUtensorMap map_of(const mapped_matrix& m, CUtensorMapDataType type, int element_bytes, int box_rows) {
  CUtensorMap map;
  const cuuint64_t extents[3] = {cuuint64_t(m.cols), cuuint64_t(m.rows), cuuint64_t(m.batch)};
  constexpr cuuint64_t unused = 1 << 20;  // for strides that nobody walks along: any multiple of 16 will do
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

// One thread asks for the box at (row, col) of a matrix of the batch; the barrier's phase waits for its bytes.
__device__ __forceinline__ void copy_box(void* shared, const CUtensorMap* map, int col, int row, int batch,
                                         barrier* done) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::
          "r"(shared_address(shared)),
      "l"(map), "r"(col), "r"(row), "r"(batch), "r"(shared_address(done))
      : "memory");
}
// The same into the same place of every block of the cluster whose bit is in `blocks`, each with its own barrier.
__device__ __forceinline__ void copy_box_to(unsigned blocks, void* shared, const CUtensorMap* map, int col, int row,
                                            int batch, barrier* done) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(shared_address(shared)),
      "l"(map), "r"(col), "r"(row), "r"(batch), "r"(shared_address(done)), "h"(static_cast<unsigned short>(blocks))
      : "memory");
}
// The way back, after copy_fence() by those who wrote and a barrier; copy_out_wait_for<N>() by the same thread returns
// when all but the last N boxes have left shared memory.
__device__ __forceinline__ void copy_box_out(const CUtensorMap* map, const void* shared, int col, int row, int batch) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map), "r"(col),
               "r"(row), "r"(batch), "r"(shared_address(shared))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Pending>
__device__ __forceinline__ void copy_out_wait_for() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}
__device__ __forceinline__ void prefetch_map(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

}  // namespace kleene::kernels::cuda
