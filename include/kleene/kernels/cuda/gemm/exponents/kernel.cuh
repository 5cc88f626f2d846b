// C = A B of min_plus or max_plus over small whole numbers, on sm_90a: codes as powers of two come as panels
// (pack.cuh); wgmma sums 15, 31 or 63 products at a time, and the greatest sum of each element, as an integer, has the
// exponent that tells its minimum.
//
// Two blocks, a cluster, make 256 x 128 elements: each its own 128 rows of A, both the same 128 columns of B, of which
// each fetches half and sends it to both. In a block one thread, the producer, asks for copies, a ring of pieces of 64
// codes of k ahead; four warpgroups, the consumers, multiply and fold, 64 x 64 elements each, two sums at a time: while
// one folds, the tensor cores work for the others. Blocks stay and take tile after tile.
#pragma once

#include "kleene/gpu/ptx/cluster.cuh"
#include "kleene/gpu/ptx/mbarrier.cuh"
#include "kleene/gpu/ptx/programmatic_launch.cuh"
#include "kleene/gpu/ptx/warps.cuh"
#include "kleene/gpu/ptx/wgmma.cuh"
#include "kleene/kernels/cuda/gemm/exponents/load.cuh"
#include "kleene/kernels/cuda/gemm/exponents/store.cuh"

namespace kleene::kernels::cuda {

// The greatest sums of a warpgroup's 64 x 64 elements, as they are or as keys.
template <int Terms, exponents_kind Kind>
struct exponent_folder {
  using P = exponents_sm90;
  static constexpr int steps = (Terms + 1) / 16, sums = P::depth / (Terms + 1);  // of wgmma in a sum; sums of a piece

  exponent_ring next, oldest;  // the piece of the sum that is begun next, and of the oldest that is not folded
  int down, right;             // which elements of the block's
  int best[32];

  // Has the tensor cores add up the products of a sum, the part-th of its piece; does not wait for it.
  __device__ __forceinline__ void begin(float (&sum)[32], int part) {
    using op = gpu::wgmma_op<gpu::wgmma_type::bf16, 64>;
    constexpr auto along_k = gpu::major::k;
    constexpr int of_k = gpu::descriptor_step(along_k);
    if (part == 0) gpu::mbarrier_wait(next.full + next.stage, next.phase);
    unsigned char* const at = next.buffer();
    const int first = part * steps * of_k;
    const std::uint64_t a = gpu::matrix_descriptor(at + down * (P::bytes_a / 2), 16) + first;
    const std::uint64_t b = gpu::matrix_descriptor(at + P::bytes_a + right * P::bytes_b, 16) + first;
    gpu::wgmma_fence();
    op::template set<along_k, along_k>(sum, a, b);
#pragma unroll
    for (int s = 1; s < steps; ++s) op::template add<along_k, along_k>(sum, a + s * of_k, b + s * of_k);
    gpu::wgmma_commit();
    if (part == sums - 1) next.next();
  }
  // A sum is there: where it is its piece's last, the piece may be refilled.
  __device__ __forceinline__ void end(float (&sum)[32], int part) {
    gpu::wgmma_fence_operand(sum);
    if (part != sums - 1) return;
    const unsigned lane = threadIdx.x % 32;
    if (lane < P::cluster) gpu::mbarrier_arrive_remote(oldest.empty + oldest.stage, lane);
    oldest.next();
  }
  // Two sums, the part-th of their piece and the next; `after` follow the second.
  __device__ __forceinline__ void fold(float (&x)[32], float (&y)[32], int part, int after) {
    begin(x, part);
    begin(y, (part + 1) % sums);
    gpu::wgmma_wait<0>();
    end(x, part);
    end(y, (part + 1) % sums);
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      int first = __float_as_int(x[e]), second = __float_as_int(y[e]);
      if constexpr (Kind == exponents_kind::keyed)
        first = exponent_key::of(first, after + 1), second = exponent_key::of(second, after);
      best[e] = __vimax3_s32(best[e], first, second);
    }
  }
};

// A consumer's tiles: the greatest sums, then what they tell.
template <int Terms, exponents_kind Kind, class G>
__device__ __forceinline__ void compute_tiles(const exponents_arguments<G>& p, const exponent_ring& ring, unsigned rank,
                                              int consumer, int steps) {
  using P = exponents_sm90;
  using folder = exponent_folder<Terms, Kind>;
  folder of{ring, ring, consumer / 2, consumer % 2, {}};
  float x[32], y[32];
#pragma unroll
  for (int e = 0; e < 32; ++e) x[e] = y[e] = 0;
  for (unsigned tile = blockIdx.x / P::cluster; tile < p.tiles(); tile += gridDim.x / P::cluster) {
#pragma unroll
    for (int e = 0; e < 32; ++e) of.best[e] = 0;
#pragma unroll 1
    for (int left = steps * folder::sums; left > 0; left -= 4) {
      of.fold(x, y, 0, left - 2);
      of.fold(x, y, 2 % folder::sums, left - 4);
    }
    const auto [row, col] = p.place(tile);
    const int warp = static_cast<int>(threadIdx.x) % 128 / 32;
    store_greatest<Terms, Kind>(p, of.best,
                                (index_t{row} * P::cluster + rank) * P::block_rows + of.down * 64 + warp * 16,
                                index_t{col} * P::block_cols + of.right * 64);
  }
}

template <exponents_kind Kind, class G>
__device__ __forceinline__ void multiply_exponents(const exponents_arguments<G>& p) {
  using P = exponents_sm90;
  extern __shared__ unsigned char unaligned[];
  __shared__ gpu::mbarrier full[P::stages], empty[P::stages];
  const exponent_ring ring(unaligned + (-gpu::shared_address(unaligned) & 1023), full, empty);
  const unsigned rank = gpu::cluster_rank();
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0);
  if (threadIdx.x == 0) {
    for (int s = 0; s < P::stages; ++s) gpu::mbarrier_init(full + s, 1), gpu::mbarrier_init(empty + s, P::readers);
    gpu::mbarrier_init_fence();
  }
  gpu::cluster_sync();
  gpu::grid_dependency_wait();
  if (const int terms = p.found->terms) {  // the same for all blocks
    const int steps = static_cast<int>(P::steps(p.g.k, terms));
    if (warpgroup == 0) {
      gpu::setmaxnreg_dec<P::producer_registers>();
      if (threadIdx.x == 0) fetch_pieces(p, ring, rank, steps);
      __syncwarp();
    } else {
      gpu::setmaxnreg_inc<P::consumer_registers>();
      using enum exponents_kind;
      if constexpr (Kind == keyed) compute_tiles<15, keyed>(p, ring, rank, warpgroup - 1, steps);
      else if constexpr (Kind == clamped) compute_tiles<31, clamped>(p, ring, rank, warpgroup - 1, steps);
      else if (terms == 63) compute_tiles<63, plain>(p, ring, rank, warpgroup - 1, steps);
      else if (terms == 31) compute_tiles<31, plain>(p, ring, rank, warpgroup - 1, steps);
      else compute_tiles<15, plain>(p, ring, rank, warpgroup - 1, steps);
    }
  }
  gpu::cluster_sync();  // nobody leaves while the other may still write here
}

// On other targets the body is empty, and the launch asks before.
template <class G, exponents_kind Kind>
__global__ void __launch_bounds__(exponents_sm90::threads, 1)
    gemm_exponents(const __grid_constant__ exponents_arguments<G> p) {
  NV_IF_TARGET(NV_HAS_FEATURE_SM_90a, (multiply_exponents<Kind>(p);))
}

}  // namespace kleene::kernels::cuda
