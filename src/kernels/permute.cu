// Copies with another order of axes on CUDA devices: which kernel a plan asks for.
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/kernels/cuda/permute/kernel.cuh"
#include "kleene/kernels/cuda/permute/launch.hpp"
#include "kleene/kernels/cuda/permute/spread.cuh"

#include <algorithm>

namespace kleene::kernels::cuda {

namespace {

template <class E, int In, int Out, bool Direct>
void launch_tiles(const context& ctx, const permute_plan& plan) {
  const auto kernel = permute_tiles<E, In, Out, Direct>;
  // Blocks stay, so one more than are resident would begin when all others end: 0.69 of a copy's rate in place of 0.92.
  int resident = 1;
  const std::size_t most_shared = permute_room(ctx.device()->shared_memory);
  gpu::allow_shared_bytes(gpu::address_of(kernel), most_shared);
  gpu::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, permute_threads, plan.shared_bytes()),
               "asking how many blocks fit");
  const index_t most_blocks = index_t{ctx.device()->multiprocessors} * std::max(resident, 1);
  const auto blocks = static_cast<unsigned>(std::min(plan.tiles, most_blocks));
  gpu::launch(kernel,
              {.blocks = blocks,
               .threads = permute_threads,
               .shared_bytes = plan.shared_bytes(),
               .stream = static_cast<cudaStream_t>(ctx.stream()),
               .most_shared_bytes = most_shared},
              plan);
}

template <class E>
void launch_units(const context& ctx, const permute_plan& plan) {
  constexpr int most = 16 / sizeof(E);
  const bool in = plan.in.vector > 1, out = plan.out.vector > 1;
  if (plan.is_direct)
    return out ? launch_tiles<E, most, most, true>(ctx, plan) : launch_tiles<E, 1, 1, true>(ctx, plan);
  if (in && out) return launch_tiles<E, most, most, false>(ctx, plan);
  if (in) return launch_tiles<E, most, 1, false>(ctx, plan);
  if (out) return launch_tiles<E, 1, most, false>(ctx, plan);
  launch_tiles<E, 1, 1, false>(ctx, plan);
}

struct alignas(16) two_words {
  std::uint64_t word[2];
};

}  // namespace

void launch_permute(const context& ctx, const permute_plan& plan) {
  const gpu::on_device here(ctx.device()->ordinal);
  if (explain_enabled()) explain(describe_permute(plan));
  if (plan.is_run) {
    gpu::require(cudaMemcpyAsync(plan.to, plan.from, static_cast<std::size_t>(plan.bytes), cudaMemcpyDeviceToDevice,
                                 static_cast<cudaStream_t>(ctx.stream())),
                 "copying a tensor");
    return;
  }
  switch (plan.unit) {
    case 1:
      return launch_units<std::uint8_t>(ctx, plan);
    case 2:
      return launch_units<std::uint16_t>(ctx, plan);
    case 4:
      return launch_units<std::uint32_t>(ctx, plan);
    case 8:
      return launch_units<std::uint64_t>(ctx, plan);
    default:
      return launch_units<two_words>(ctx, plan);
  }
}

void launch_spread(const context& ctx, const spread_arguments& p) {
  const gpu::on_device here(ctx.device()->ordinal);
  const index_t most = 16 * index_t{ctx.device()->multiprocessors};
  const auto blocks = static_cast<unsigned>(std::min(ceil_div(p.count, index_t{permute_threads}), most));
  gpu::launch(spread_witness, {blocks, permute_threads, 0, static_cast<cudaStream_t>(ctx.stream())}, p);
}

}  // namespace kleene::kernels::cuda
