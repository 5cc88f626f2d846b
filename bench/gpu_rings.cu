#include "gpu_rings.hpp"

#include "kleene/operations/own/gemm.inl.cuh"

namespace kleene {

void bench::enable_gpu_rings() {
  enable_cuda<my_shortest>();
  enable_cuda<my_route>();
}

}  // namespace kleene
