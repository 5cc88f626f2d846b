// The CPU's kernels for or_and and xor_and on bytes, which the catalog does not have. In a file of its own because
// shipped algebras are templates over whole vectors, and nvcc takes vectors for device code.
#include "kleene/operations/gemm.inl.hpp"

namespace kleene::kernels::cpu {

using or_arguments = gemm_arguments<or_and<bool>>;
template std::size_t gemm_workspace(const or_arguments&);
template status launch_gemm(const or_arguments&, void*) noexcept;
template std::string describe_gemm(const or_arguments&);

using xor_arguments = gemm_arguments<xor_and<bool>>;
template std::size_t gemm_workspace(const xor_arguments&);
template status launch_gemm(const xor_arguments&, void*) noexcept;
template std::string describe_gemm(const xor_arguments&);

}  // namespace kleene::kernels::cpu
