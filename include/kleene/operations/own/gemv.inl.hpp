// Definitions of gemv, for an algebra of your own: include this instead of gemv.hpp.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cpu/gemv/launch.inl.hpp"
#include "kleene/operations/gemv.hpp"

namespace kleene::detail {
struct gemv_definitions {};
}  // namespace kleene::detail

// The catalog's products and the mixed ones are in the library.
namespace kleene::kernels::cpu {
#define KLEENE_GEMV(...)                                                                                           \
  extern template std::size_t gemv_workspace(const gemm_arguments<__VA_ARGS__>&, const gemv_checks&);              \
  extern template gemv_status launch_gemv(const gemm_arguments<__VA_ARGS__>&, const gemv_checks&, void*) noexcept; \
  extern template std::string describe_gemv(const gemm_arguments<__VA_ARGS__>&, const gemv_checks&);
#define KLEENE_ROW(algebra, type) KLEENE_GEMV(algebra<type>)
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out) KLEENE_GEMV(algebra<type>, none, out)
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED
#undef KLEENE_GEMV
}  // namespace kleene::kernels::cpu
