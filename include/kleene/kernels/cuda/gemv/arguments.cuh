// What the kernels of products of a matrix and a vector are given: one, or a batch of the same shape.
#pragma once

#include "kleene/data/device.hpp"
#include "kleene/kernels/contract/matrix_vector.hpp"
#include "kleene/kernels/cuda/gemv/plan.hpp"
#include "kleene/kernels/cuda/gemv/term.cuh"
#include "kleene/kernels/cuda/tile/operand_report.hpp"

namespace kleene::kernels::cuda {

// What the kernels find out about values, at the head of the workspace.
struct gemv_findings {
  operand_report matrix, vector, source;
};

// What they look for.
struct gemv_values {
  bool domain = false, wraps = false;
  double product_scale = 0, source_scale = 0;  // k |alpha|, |beta| (0: no source), for wraps
  gemv_findings* found = nullptr;

  KLEENE_FUNCTION bool looks() const { return domain || wraps; }
};

// Whether an algebra has anything to be looked for.
template <class S>
inline constexpr bool has_checks = has_domain<S> || (can_wrap<S> && std::is_integral_v<value_of<S>>);

template <class G>
struct gemv_arguments {
  using S = typename G::algebra;
  using stored = typename running_sum<S, is_selective<S>>::stored;

  G g;  // alpha and beta point nowhere here: their values are below
  typename G::scalar alpha{}, beta{};
  bool has_alpha = false, has_beta = false;
  matrix_vector<G> v;  // the first of the batch
  gemv_grid grid;
  index_t matrix_stride = 0, vector_stride = 0;  // from one of the batch to the next

  int lanes_log2 = 0, share_log2 = 0;
  index_t part = 0;                 // steps of k of a block; there are gridDim.y parts
  stored* sums = nullptr;           // [part][matrix][row]; null: the kernel stores y itself
  std::int32_t* winners = nullptr;  // the same of witnesses, where wanted
  index_t parts = 1;
  int finish_lanes_log2 = 0;  // threads that share the parts of an element of y

  gemv_values values;
  // The host reads them in a fault: literals of device code are not there for it.
  const char *algebra = "", *matrix_name = "A", *vector_name = "x", *source_name = "the source", *nothing = "";
  device_fault* fault = nullptr;
};

// Leaves a fault in the context, unless it has one already.
static __device__ void report_fault(device_fault* to, const device_fault& fault) {
  if (atomicCAS(&to->kind, static_cast<int>(device_fault::none), fault.kind) != device_fault::none) return;
  to->algebra = fault.algebra, to->operand = fault.operand;
  to->row = fault.row, to->column = fault.column, to->value = fault.value;
}

// Which matrix a block has, the first of several, and which tile of it.
template <class G>
__device__ __forceinline__ gemv_place place_of(const gemv_arguments<G>& p) {
  return place_of(p.grid, index_t{blockIdx.z} * gridDim.x + blockIdx.x);
}

// The matrix that a thread of a block has. Threads beyond the last matrix have that one again, and store nothing.
struct gemv_share {
  index_t matrix;
  bool is_there;
  int thread;  // of those that have the same matrix

  template <class G>
  __device__ __forceinline__ gemv_share(const gemv_arguments<G>& p, index_t first)
      : matrix(first + (threadIdx.x >> p.share_log2)),
        is_there(matrix < p.grid.batch),
        thread(static_cast<int>(threadIdx.x) & ((1 << p.share_log2) - 1)) {
    if (!is_there) matrix = p.grid.batch - 1;
  }
};

// Element i of y of a matrix.
template <class G>
__device__ __forceinline__ void store_element(const gemv_arguments<G>& p, index_t matrix, index_t i,
                                              const accumulator_of<typename G::algebra>& sum, index_t smallest) {
  G g = p.g;
  g.alpha = p.has_alpha ? &p.alpha : nullptr;
  g.beta = p.has_beta ? &p.beta : nullptr;
  gemm_writer<G> writer{g, matrix};
  p.v.store(writer, i, sum, smallest);
  if (writer.overflow) report_fault(p.fault, {device_fault::overflow, p.algebra, p.nothing, 0, 0, 0});
}

}  // namespace kleene::kernels::cuda
