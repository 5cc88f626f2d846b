// to(i, k) += the sum of g(i, j) over those j whose witness is k: a block a row, which takes one tile of columns after
// the other, sorts it by witness, sums each segment by a scan whose tree is fixed, and has the last of each segment add
// its sum to `to`. No atomics, so that gradients repeat. Sorting in registers and shared memory reads g and the witness
// once.
#include "kleene/gpu/host/launch.cuh"

#include "product_gradient.hpp"

#include <algorithm>
#include <bit>

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

namespace kleene::python {

namespace {

constexpr int threads = 256;

template <gradient_share Share, class T>
__device__ T share_of(T own, T other) {
  if constexpr (Share == gradient_share::times) return other;
  else if constexpr (Share == gradient_share::min_left) return T(own <= other);
  else if constexpr (Share == gradient_share::min_right) return T(own < other);
  else if constexpr (Share == gradient_share::max_left) return T(own >= other);
  else if constexpr (Share == gradient_share::max_right) return T(own > other);
  else return T(1);
}

// A sum of neighbours in the sorted tile that have one witness.
template <class T>
struct segment_sum {
  std::uint32_t k;
  T sum;
};
struct add_within_segment {
  template <class T>
  __device__ segment_sum<T> operator()(const segment_sum<T>& left, const segment_sum<T>& right) const {
    return left.k == right.k ? segment_sum<T>{right.k, left.sum + right.sum} : right;
  }
};

template <gradient_share Share, int Items, class T>
__global__ void __launch_bounds__(threads) row_gradient_sort(row_gradients<T> x, int bits) {
  using sort = cub::BlockRadixSort<std::uint32_t, threads, Items, T>;
  using scan = cub::BlockScan<segment_sum<T>, threads>;
  __shared__ union {
    typename sort::TempStorage sort;
    typename scan::TempStorage scan;
    std::uint32_t first[threads];
  } shared;
  const index_t rows = x.g.rows(), columns = x.g.cols();
  const std::uint32_t none = static_cast<std::uint32_t>(x.own.cols());  // behind every k

  for (index_t row = blockIdx.x; row < x.g.extent(0) * rows; row += gridDim.x) {
    const index_t m = row / rows, i = row % rows;
    for (index_t tile = 0; tile < columns; tile += threads * Items) {
      std::uint32_t k[Items];
      T value[Items];
      for (int l = 0; l < Items; ++l) {
        const index_t j = tile + l * threads + threadIdx.x;  // striped: neighbours read neighbours
        const std::int32_t w = j < columns ? x.witness(m, i, j) : -1;
        k[l] = w < 0 ? none : static_cast<std::uint32_t>(w);
        value[l] = 0;
        if (w < 0) continue;
        value[l] = x.g(m, i, j);
        if constexpr (Share != gradient_share::plus) value[l] *= share_of<Share>(x.own(m, i, w), x.other(m, w, j));
      }
      sort(shared.sort).Sort(k, value, 0, bits);
      __syncthreads();
      shared.first[threadIdx.x] = k[0];
      __syncthreads();
      const std::uint32_t next = threadIdx.x + 1 < threads ? shared.first[threadIdx.x + 1] : ~0u;
      __syncthreads();

      segment_sum<T> sums[Items];
      for (int l = 0; l < Items; ++l) sums[l] = {k[l], value[l]};
      scan(shared.scan).InclusiveScan(sums, sums, add_within_segment());
      for (int l = 0; l < Items; ++l) {
        const bool is_last = sums[l].k != (l + 1 < Items ? sums[l + 1 < Items ? l + 1 : l].k : next);
        if (is_last && sums[l].k < none) x.to(m, i, sums[l].k) += sums[l].sum;
      }
      __syncthreads();  // the next tile adds to the same elements
    }
  }
}

template <gradient_share Share, int Items, class T>
void launch_tiles(const context& ctx, const row_gradients<T>& x) {
  const gpu::on_device here(ctx.device()->ordinal);
  const index_t rows = x.g.extent(0) * x.g.rows();
  const auto blocks = static_cast<unsigned>(std::min<index_t>(rows, 1 << 30));
  const int bits = std::bit_width(static_cast<std::uint64_t>(x.own.cols()));
  gpu::launch(row_gradient_sort<Share, Items, T>, {.blocks = blocks, .threads = threads, .stream = ctx.stream()}, x,
              bits);
}

template <gradient_share Share, class T>
void launch(const context& ctx, const row_gradients<T>& x) {
  constexpr int most = sizeof(T) == 4 ? 16 : 8;  // registers
  if (x.g.cols() <= threads) launch_tiles<Share, 1>(ctx, x);
  else if (x.g.cols() <= 4 * threads) launch_tiles<Share, 4>(ctx, x);
  else launch_tiles<Share, most>(ctx, x);
}

}  // namespace

template <class T>
void launch_row_gradients(const context& ctx, gradient_share share, const row_gradients<T>& x) {
  if (x.g.empty() || x.own.empty()) return;
  switch (share) {
    case gradient_share::plus:
      return launch<gradient_share::plus>(ctx, x);
    case gradient_share::times:
      return launch<gradient_share::times>(ctx, x);
    case gradient_share::min_left:
      return launch<gradient_share::min_left>(ctx, x);
    case gradient_share::min_right:
      return launch<gradient_share::min_right>(ctx, x);
    case gradient_share::max_left:
      return launch<gradient_share::max_left>(ctx, x);
    case gradient_share::max_right:
      return launch<gradient_share::max_right>(ctx, x);
  }
}
template void launch_row_gradients<float>(const context&, gradient_share, const row_gradients<float>&);
template void launch_row_gradients<double>(const context&, gradient_share, const row_gradients<double>&);

void clear(const context& ctx, void* memory, std::size_t bytes) {
  if (bytes == 0) return;
  const gpu::on_device here(ctx.device()->ordinal);
  gpu::require(cudaMemsetAsync(memory, 0, bytes, ctx.stream()), "clearing a gradient");
}

}  // namespace kleene::python
