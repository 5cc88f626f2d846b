// The launch of a product of packed bits on the binary tensor cores.
#pragma once

#include "kleene/gpu/host/grid.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/kernels/cuda/gemm/bits/kernel.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

// Whether the device at hand runs this build's kernel with its body: the body has barriers in static shared memory.
inline bool has_gemm_bits_sm90() {
  cudaFuncAttributes is{};
  return cudaFuncGetAttributes(&is, gemm_bits_sm90<bit_output::any>) == cudaSuccess && is.sharedSizeBytes > 0;
}

template <bit_output Output>
void launch_gemm_bits_sm90(const bits_sm90_arguments& p, cudaStream_t stream) {
  using P = bits_sm90;
  const auto kernel = gemm_bits_sm90<Output>;
  const index_t tiles = index_t{p.tiles_m} * p.tiles_n;
  gpu::launch_config config{gpu::grid_of(tiles * P::cluster), P::threads, P::shared_bytes, stream, true, P::cluster};
  const int resident =
      gpu::resident_clusters(gpu::address_of(kernel), config);  // a group of multiprocessors may have one to spare
  config.blocks.x = static_cast<unsigned>(std::min<index_t>(tiles, resident)) * P::cluster;
  gpu::launch(kernel, config, p);
}

}  // namespace kleene::kernels::cuda
