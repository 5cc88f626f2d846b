// What a library without CUDA has in place of pointwise.cu.
#include "kleene/kernels/cuda/pointwise/launch.hpp"

namespace kleene::kernels::cuda {

#define KLEENE_ROW(algebra, type)                                     \
  template <>                                                         \
  pointwise_launcher<algebra<type>> find_pointwise<algebra<type>>() { \
    return nullptr;                                                   \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene::kernels::cuda
