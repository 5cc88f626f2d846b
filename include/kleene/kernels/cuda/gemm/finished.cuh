// An element of C as a store that does not go through the writer makes it: a sum, and perhaps an epilogue.
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <type_traits>

namespace kleene::kernels::cuda {

// The element as C holds it, or where C has 16 bits the float that is rounded to it.
template <class Out, class Epilogue, class A>
__device__ __forceinline__ auto finished(const Epilogue& epilogue, A sum, index_t i, index_t j) {
  const auto value = [&] {
    if constexpr (has_epilogue<Epilogue>) return applied<Out>(epilogue, sum, i, j);
    else return sum;
  }();
  if constexpr (sizeof(Out) == 2 && std::is_same_v<decltype(value), const float>) return value;
  else return static_cast<Out>(value);
}

}  // namespace kleene::kernels::cuda
