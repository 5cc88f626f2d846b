// Kernels that look at one worker's share of a matrix on a grid of devices.
#include "kleene/grid/detail/device_share.hpp"

#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/grid/detail/checkpoint.hpp"

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

// Adds the hashes of the elements to `sum`. A warp a row; the columns of a block follow each other in the whole, so one
// division finds the place of many.
template <class T>
__global__ void __launch_bounds__(look_threads)
    add_hashes(const __grid_constant__ view<const T, 2, memory::device> a, const __grid_constant__ share_place place,
               unsigned long long* sum) {
  std::uint64_t mine = 0;
  const index_t rows = a.extent(0), cols = a.extent(1), block = place.cols.block;
  const index_t step = index_t(gridDim.x) * look_warps;
  for (index_t i = index_t(blockIdx.x) * look_warps + threadIdx.x / 32; i < rows; i += step) {
    const T* const row = a.data() + i * a.stride(0);
    const index_t global_row = place.rows.indxl2g(i, place.row);
    for (index_t first = 0; first < cols; first += block) {
      const index_t global = place.cols.indxl2g(first, place.col) - first, end = min(first + block, cols);
#pragma unroll 4
      for (index_t j = first + threadIdx.x % 32; j < end; j += 32) mine += hash_of(global_row, global + j, row[j]);
    }
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) mine += __shfl_xor_sync(~0u, mine, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

template <class T>
std::uint64_t hash_share(const context& ctx, const view<const T, 2, memory::device>& a, const share_place& place) {
  const auto memory = ctx.temporary(sizeof(unsigned long long));
  auto* const sum = static_cast<unsigned long long*>(memory.get());
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const auto blocks =
      static_cast<unsigned>(std::clamp<index_t>(ceil_div(a.rows(), look_warps), 1, 8 * ctx.device()->multiprocessors));
  gpu::require(cudaMemsetAsync(sum, 0, sizeof *sum, stream), "clearing a sum");
  gpu::launch(add_hashes<T>, {blocks, look_threads, 0, stream}, a, place, sum);
  unsigned long long all = 0;
  gpu::require(cudaMemcpyAsync(&all, sum, sizeof all, cudaMemcpyDeviceToHost, stream), "reading a sum");
  gpu::wait(ctx, "a hash of a matrix");
  return all;
}

}  // namespace

#define KLEENE_ELEMENT(type)                        \
  template <>                                       \
  share_hasher<type> hash_share_on_device<type>() { \
    return &hash_share<type>;                       \
  }
#include "kleene/grid/detail/elements.def"
#undef KLEENE_ELEMENT

#define KLEENE_ROW(algebra, type)                                \
  template <>                                                    \
  refused_finder<type> find_refused_on_device<algebra<type>>() { \
    return &find_refused_in<algebra<type>>;                      \
  }
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

}  // namespace kleene::detail
