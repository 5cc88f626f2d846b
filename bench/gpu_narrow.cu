#include "gpu_narrow.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/own/gemm.inl.cuh"

namespace kleene {

// One row of the table for all sizes: what rows for few tiles bring shows in the rows over f32.
namespace kernels::cuda {
struct one_row {
  static constexpr simt_policy value = row_of(workload::four_bytes).policy;
};
template <>
struct policy_for<min_plus<i16>> : one_row {};
template <>
struct policy_for<min_plus<u16>> : one_row {};
template <>
struct policy_for<min_plus<u8>> : one_row {};
template <>
struct policy_for<min_plus<f16>> : one_row {};
template <>
struct policy_for<min_plus<bf16>> : one_row {};
template <>
struct policy_for<max_min<f16>> : one_row {};
}  // namespace kernels::cuda

void bench::enable_gpu_narrow() {
  enable_cuda<min_plus<i16>>();
  enable_cuda<min_plus<u16>>();
  enable_cuda<min_plus<u8>>();
  enable_cuda<min_plus<f16>>();
  enable_cuda<min_plus<bf16>>();
  enable_cuda<max_min<f16>>();
}

}  // namespace kleene
