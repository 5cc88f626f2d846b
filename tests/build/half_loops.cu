// Loops of products over floats of 16 bits, which the library is not compiled with: opcodes_test.py looks at them.
#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cuda/gemm/simt/choice.cuh"
#include "kleene/kernels/cuda/gemm/simt/launch.cuh"

namespace kleene::kernels::cuda {

#define KLEENE_LOOP(S)                                                                                                 \
  template __global__ void gemm_simt<atom_of<S, sign_class::any, false>, sign_class::any, tuned<workload::four_bytes>, \
                                     false, gemm_arguments<S>>(                                                        \
      const __grid_constant__ simt_arguments<atom_of<S, sign_class::any, false>, gemm_arguments<S>>);
KLEENE_LOOP(min_plus<f16>)
KLEENE_LOOP(min_plus<bf16>)
#undef KLEENE_LOOP

}  // namespace kleene::kernels::cuda
