// What a library without CUDA has in place of the kernels: nothing. (A context for CUDA cannot be opened there.)
#include "kleene/kernels/cuda/gemm/launch.hpp"
#include "kleene/kernels/cuda/gemv/launch.hpp"
#include "kleene/operations/closure.hpp"

#include "kernels/bit_kernels.hpp"
#include "operations/paths_on_cuda.hpp"

namespace kleene {

namespace kernels {

const bit_kernels& bits_on_cuda() { kleene::detail::refuse_cuda(); }

namespace cuda {
#define KLEENE_ROW(algebra, type)                           \
  template <>                                               \
  gemm_launcher<algebra<type>> find_gemm<algebra<type>>() { \
    return nullptr;                                         \
  }                                                         \
  template <>                                               \
  gemv_launcher<algebra<type>> find_gemv<algebra<type>>() { \
    return nullptr;                                         \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW
#define KLEENE_MIXED(algebra, type, out)                                          \
  template <>                                                                     \
  gemm_launcher<algebra<type>, none, out> find_gemm<algebra<type>, none, out>() { \
    return nullptr;                                                               \
  }                                                                               \
  template <>                                                                     \
  gemv_launcher<algebra<type>, out> find_gemv<algebra<type>, out>() {             \
    return nullptr;                                                               \
  }
#include "kleene/algebra/mixed.def"
#undef KLEENE_MIXED
}  // namespace cuda
}  // namespace kernels

namespace detail {

#define KLEENE_ROW(algebra, type)                                  \
  template <>                                                      \
  cuda_closures<algebra<type>> closures_on_cuda<algebra<type>>() { \
    return {};                                                     \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

path_list trace_paths_on_cuda(const context&, const matrix_view<const std::int32_t>&, std::span<const vertex_pair>) {
  refuse_cuda();
}

}  // namespace detail
}  // namespace kleene
