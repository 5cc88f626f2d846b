// Definitions of gemm, for an algebra of your own or an epilogue: include this instead of gemm.hpp.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cpu/gemm/launch.inl.hpp"
#include "kleene/operations/gemm.hpp"

namespace kleene::detail {
struct gemm_definitions {};
}  // namespace kleene::detail

// The catalog's products and the mixed ones are in the library.
namespace kleene::kernels::cpu {
#define KLEENE_ROW(algebra, type)                                                           \
  extern template std::size_t gemm_workspace(const gemm_arguments<algebra<type>>&);         \
  extern template status launch_gemm(const gemm_arguments<algebra<type>>&, void*) noexcept; \
  extern template std::string describe_gemm(const gemm_arguments<algebra<type>>&);
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out)                                                               \
  extern template std::size_t gemm_workspace(const gemm_arguments<algebra<type>, none, out>&);         \
  extern template status launch_gemm(const gemm_arguments<algebra<type>, none, out>&, void*) noexcept; \
  extern template std::string describe_gemm(const gemm_arguments<algebra<type>, none, out>&);
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED
}  // namespace kleene::kernels::cpu
