// A copy of a tensor with its axes in another order, on a CUDA device: the interface. It is compiled once, for elements
// of any size: an algebra makes no difference to bytes.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/cuda/permute/plan.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

// Puts the copy on the context's stream and returns. Extents are at least 1; pointers are the device's. error(device)
// where a launch fails.
void launch_permute(const context& ctx, const permute_plan& plan);

// Numbers of 32 bits that lie together, as ones of 64 bits at to[i . strides], the last axis fastest: a witness.
struct spread_axis {
  index_t extent, stride;
};
struct spread_arguments {
  const std::int32_t* from = nullptr;
  std::int64_t* to = nullptr;
  index_t count = 0;
  int axes = 0;
  spread_axis axis[most_axes] = {};
};
// The same.
void launch_spread(const context& ctx, const spread_arguments& p);

}  // namespace kleene::kernels::cuda
