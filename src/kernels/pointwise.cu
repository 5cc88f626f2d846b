// Products of single elements on CUDA devices, over all of the catalog: two short kernels each.
#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cuda/pointwise/launch.cuh"

namespace kleene::kernels::cuda {

#define KLEENE_ROW(algebra, type)                                     \
  template <>                                                         \
  pointwise_launcher<algebra<type>> find_pointwise<algebra<type>>() { \
    return &launch_pointwise<algebra<type>>;                          \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene::kernels::cuda
