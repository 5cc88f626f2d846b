// Products by exponents: opcodes_test.py looks at them.
#include "kleene/kernels/cuda/gemm/exponents/launch.cuh"

namespace kleene::kernels::cuda {

using product = gemm_arguments<min_plus<float>>;
#define KLEENE_KERNELS(kind)                                                         \
  template __global__ void gemm_exponents<product, exponents_kind::kind>(            \
      const __grid_constant__ exponents_arguments<product>);                         \
  template __global__ void gemm_exponents_mma<product, exponents_kind::kind, false>( \
      const __grid_constant__ exponents_arguments<product>);
KLEENE_KERNELS(plain)
KLEENE_KERNELS(keyed)
KLEENE_KERNELS(clamped)
#undef KLEENE_KERNELS

}  // namespace kleene::kernels::cuda
