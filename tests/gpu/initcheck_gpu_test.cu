// Reports of compute-sanitizer's initcheck that are the tool's own: each test does one thing, by the book, and is
// right; the tool reports on it. tools/sanitize_gpu.py takes the same reports on kernels of the library for explained.
#include "kleene/data/device_matrix.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/tensor_map.cuh"
#include "kleene/gpu/ptx/cp_async.cuh"
#include "kleene/gpu/ptx/tma.cuh"
#include "support/device.hpp"
#include "support/sequences.hpp"

namespace kleene::test {
namespace {

// One thread copies four floats, of which it asks for the first alone: the others arrive as zeros, unread (PTX ISA,
// "cp.async": src-size).
__global__ void copy_first_of_four(const float* from, float* to) {
  __shared__ __align__(16) float shared[4];
  gpu::cp_async(gpu::shared_address(shared), from, int{sizeof(float)});
  gpu::cp_async_commit();
  gpu::cp_async_wait<0>();
  for (int i = 0; i < 4; ++i) to[i] = shared[i];
}

TEST(initcheck_on_cuda, cp_async_reads_no_more_than_it_is_asked_for) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_matrix<float> from(ctx, 1, 4), to(ctx, 1, 4);
  copy(ctx, matrix<float>{{5}}, view<float, 2, memory::device>(from.data(), {1, 1}, {1, 1}));
  gpu::launch(copy_first_of_four, {1, 1, 0, static_cast<cudaStream_t>(ctx.stream())}, from.data(), to.data());
  EXPECT_TRUE(equal(to_host(ctx, to), matrix<float>{{5, 0, 0, 0}}));
}

constexpr int box_rows = 8, box_cols = 32;

// A box of memory that nothing else has written, by TMA. In rows of 128 bytes, whose 16-byte pieces are swizzled; all
// elements of a row are the same.
__global__ void store_box([[maybe_unused]] const __grid_constant__ CUtensorMap map) {
  NV_IF_TARGET(NV_PROVIDES_SM_90,
               (__shared__ __align__(1024) float shared[box_rows * box_cols];
                for (int i = threadIdx.x; i < box_rows * box_cols; i += blockDim.x) shared[i] = float(i / box_cols + 1);
                gpu::tma_store_fence(); __syncthreads(); if (threadIdx.x == 0) {
                  gpu::tma_store_box(&map, shared, 0, 0, 0);
                  gpu::tma_store_wait<0>();
                }))
}

TEST(initcheck_on_cuda, tma_writes_what_it_stores) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  if (gpu::target_of(gpu::address_of(store_box)) < 90) GTEST_SKIP() << "TMA is of sm_90 and later";
  device_matrix<float> to(ctx, box_rows, box_cols);
  const CUtensorMap map = gpu::make_tensor_map({to.data(), 1, box_rows, box_cols, 0, box_cols},
                                               CU_TENSOR_MAP_DATA_TYPE_FLOAT32, sizeof(float), box_rows);
  gpu::launch(store_box, {1, 32, 0, static_cast<cudaStream_t>(ctx.stream())}, map);
  const matrix<float> got = to_host(ctx, to);
  for (index_t i = 0; i < box_rows; ++i)
    for (index_t j = 0; j < box_cols; ++j) ASSERT_EQ(got(i, j), float(i + 1)) << i << " " << j;
}

// A stretch of memory that nothing else has written, by TMA's bulk store; then a kernel reads it.
constexpr int stretch = 256;
__global__ void store_stretch([[maybe_unused]] std::uint32_t* to) {
  NV_IF_TARGET(NV_PROVIDES_SM_90,
               (__shared__ __align__(16) std::uint32_t shared[stretch]; shared[threadIdx.x] = 3 * threadIdx.x;
                gpu::tma_store_fence(); __syncthreads(); if (threadIdx.x == 0) {
                  gpu::tma_store(to, shared, sizeof shared);
                  gpu::tma_store_wait();
                }))
}
__global__ void copy_words(const std::uint32_t* from, std::uint32_t* to) { to[threadIdx.x] = from[threadIdx.x]; }

TEST(initcheck_on_cuda, tma_stores_what_a_kernel_reads) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  if (gpu::target_of(gpu::address_of(store_stretch)) < 90) GTEST_SKIP() << "TMA is of sm_90 and later";
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  device_matrix<std::uint32_t> from(ctx, 1, stretch), to(ctx, 1, stretch);
  gpu::launch(store_stretch, {1, stretch, 0, stream}, from.data());
  gpu::launch(copy_words, {1, stretch, 0, stream}, from.data(), to.data());
  const matrix<std::uint32_t> got = to_host(ctx, to);
  for (std::uint32_t i = 0; i < stretch; ++i) ASSERT_EQ(got(0, i), 3 * i);
}

// Records are assigned, member by member; then their memory is copied, padding included.
__global__ void assign(sequences::record* to, sequences::record value) { *to = value; }

TEST(initcheck_on_cuda, structs_with_padding) {
  KLEENE_NEEDS_GPU();
  using sequences::record;
  constexpr unsigned words = sizeof(record) / sizeof(std::uint32_t);
  const context ctx = context::cuda();
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  device_matrix<record> from(ctx, 1, 1), to(ctx, 1, 1);
  const record value{3, 4.5f, 'r'};
  gpu::launch(assign, {1, 1, 0, stream}, from.data(), value);
  gpu::launch(copy_words, {1, words, 0, stream}, reinterpret_cast<std::uint32_t*>(from.data()),
              reinterpret_cast<std::uint32_t*>(to.data()));
  EXPECT_EQ(to_host(ctx, to)(0, 0), value);
}

}  // namespace
}  // namespace kleene::test
