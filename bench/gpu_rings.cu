#include "gpu_rings.hpp"

#include "kleene/operations/own/gemm.inl.cuh"

namespace kleene {

// The suite calls gemm, whose other branch is the CPU's: its kernels are compiled here too.
namespace kernels::cpu {
#define KLEENE_RING(S)                                                   \
  template std::size_t gemm_workspace(const gemm_arguments<S>&);         \
  template status launch_gemm(const gemm_arguments<S>&, void*) noexcept; \
  template std::string describe_gemm(const gemm_arguments<S>&);
KLEENE_RING(bench::my_shortest)
KLEENE_RING(bench::my_route)
#undef KLEENE_RING
}  // namespace kernels::cpu

void bench::enable_gpu_rings() {
  enable_cuda<my_shortest>();
  enable_cuda<my_route>();
}

}  // namespace kleene
