#include "gpu_rings.hpp"

#include "kleene/operations/gemm.inl.cuh"

namespace kleene {

// The suite calls gemm, whose other branch is the CPU's: its kernels are compiled here too.
namespace kernels::cpu {
using my_arguments = gemm_arguments<bench::my_shortest>;
template std::size_t gemm_workspace(const my_arguments&);
template status launch_gemm(const my_arguments&, void*) noexcept;
template std::string describe_gemm(const my_arguments&);
}  // namespace kernels::cpu

void bench::enable_gpu_rings() { enable_cuda<my_shortest>(); }

}  // namespace kleene
