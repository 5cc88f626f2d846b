// Kernels that look at one worker's share of a matrix on a grid of devices.
#include "kleene/grid/detail/device_share.hpp"

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/wait.cuh"

#include <algorithm>

namespace kleene::detail {

namespace {

constexpr int look_threads = 256, look_warps = look_threads / 32;
constexpr unsigned long long nothing = ~0ull;

// Lowers `found` to the place of the first element that is refused. A warp a row.
template <class S>
__global__ void __launch_bounds__(look_threads)
    find_refused(const __grid_constant__ view<const value_of<S>, 2, memory::device> a, bool refuses_nan,
                 unsigned long long* found) {
  unsigned long long first = nothing;
  const value_of<S>* const data = a.data();
  const index_t rows = a.extent(0), cols = a.extent(1), stride = a.stride(0);
  const index_t step = index_t(gridDim.x) * look_warps;
  for (index_t i = index_t(blockIdx.x) * look_warps + threadIdx.x / 32; i < rows; i += step)
#pragma unroll 4
    for (index_t j = threadIdx.x % 32; j < cols; j += 32) {
      const value_of<S> value = data[i * stride + j];
      bool bad = refuses_nan && !(value == value);
      if constexpr (has_domain<S>) bad |= value == value && !S::in_domain(value);
      const unsigned long long at = i * cols + j;
      if (bad && at < first) first = at;
    }
  if (first != nothing) atomicMin(found, first);
}

template <class S>
index_t find_refused_in(const context& ctx, const view<const value_of<S>, 2, memory::device>& a, bool refuses_nan) {
  const auto memory = ctx.temporary(sizeof(unsigned long long));
  auto* const found = static_cast<unsigned long long*>(memory.get());
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const auto blocks =
      static_cast<unsigned>(std::clamp<index_t>(ceil_div(a.rows(), look_warps), 1, 8 * ctx.device()->multiprocessors));
  gpu::require(cudaMemsetAsync(found, 0xff, sizeof *found, stream), "clearing a mark");
  gpu::launch(find_refused<S>, {blocks, look_threads, 0, stream}, a, refuses_nan, found);
  unsigned long long first = nothing;
  gpu::require(cudaMemcpyAsync(&first, found, sizeof first, cudaMemcpyDeviceToHost, stream), "reading a mark");
  gpu::wait(ctx, "a look at values");
  return first == nothing ? -1 : static_cast<index_t>(first);
}

}  // namespace

#define KLEENE_ROW(algebra, type)                                \
  template <>                                                    \
  refused_finder<type> find_refused_on_device<algebra<type>>() { \
    return &find_refused_in<algebra<type>>;                      \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene::detail
