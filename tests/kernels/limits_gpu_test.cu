// Extents beyond 31 and 32 bits: right, or refused before anything is written. What needs more memory than the device
// has is skipped.
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/operations/gemm.hpp"
#include "support/device.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

namespace kleene::test {
namespace {

constexpr index_t two_31 = 2147483648, two_32 = 4294967296;

// Elements in device memory, made and looked at there.
template <class T>
__global__ void write_pattern(T* to, index_t count, index_t period, T first) {
  const index_t stride = index_t{gridDim.x} * blockDim.x;
  for (index_t i = blockIdx.x * index_t{blockDim.x} + threadIdx.x; i < count; i += stride)
    to[i] = static_cast<T>(first + static_cast<T>(i % period));
}
template <class T>
__global__ void count_others(const T* from, index_t count, index_t period, T first, unsigned long long* others) {
  const index_t stride = index_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (index_t i = blockIdx.x * index_t{blockDim.x} + threadIdx.x; i < count; i += stride)
    mine += from[i] != static_cast<T>(first + static_cast<T>(i % period));
  if (mine > 0) atomicAdd(others, mine);
}

template <class T>
struct elements {
  T* data = nullptr;
  index_t count;
  explicit elements(index_t n) : count(n) {
    gpu::require(cudaMalloc(&data, static_cast<std::size_t>(n) * sizeof(T)), "allocating elements");
  }
  ~elements() { cudaFree(data); }
  elements(const elements&) = delete;
  elements& operator=(const elements&) = delete;

  // first, first + 1, ... up to period of them, over and over.
  void fill(T first, index_t period = 1) {
    write_pattern<<<1024, 256>>>(data, count, period, first);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
};
// How many of them are not so.
template <class T>
unsigned long long others(const T* from, index_t count, T first, index_t period = 1) {
  elements<unsigned long long> found(1);
  EXPECT_EQ(cudaMemset(found.data, 0, sizeof *found.data), cudaSuccess);
  count_others<<<1024, 256>>>(from, count, period, first, found.data);
  unsigned long long number = ~0ull;
  EXPECT_EQ(cudaMemcpy(&number, found.data, sizeof number, cudaMemcpyDeviceToHost), cudaSuccess);
  return number;
}

bool has_room(double gib) {
  std::size_t free = 0, total = 0;
  return cudaMemGetInfo(&free, &total) == cudaSuccess && double(free) > gib * (1 << 30);
}
#define KLEENE_NEEDS_GIB(gib) \
  KLEENE_NEEDS_GPU();         \
  if (!has_room(gib)) GTEST_SKIP() << "needs " << gib << " GiB of device memory"

template <class T>
using matrices = batch_view<T, memory::device>;

TEST(limits_gpu, a_batch_of_2_to_32_and_3_matrices) {
  KLEENE_NEEDS_GIB(18);
  const context ctx = context::cuda();
  const index_t batch = two_32 + 3;
  elements<float> a(1), b(1), c(batch);
  a.fill(1), b.fill(2), c.fill(7);
  gemm(ctx, min_plus<float>{}, matrices<float>(a.data, {1, 1, 1}), matrices<float>(b.data, {1, 1, 1}),
       matrices<float>(c.data, {batch, 1, 1}));
  ctx.synchronise();
  EXPECT_EQ(others(c.data, batch, 3.0f), 0u);  // were 4,294,967,296
}

TEST(limits_gpu, a_batch_in_parts_keeps_its_source) {
  KLEENE_NEEDS_GIB(10);
  const context ctx = context::cuda();
  const index_t batch = two_31 + 3;
  elements<float> a(1), b(1), c(batch);
  a.fill(1), b.fill(2), c.fill(1, 5);  // 1 to 5, of which 4 and 5 are more than 1 + 2
  gemm(ctx, min_plus<float>{}, matrices<float>(a.data, {1, 1, 1}), matrices<float>(b.data, {1, 1, 1}),
       matrices<float>(c.data, {batch, 1, 1}), {.accumulate = true});
  ctx.synchronise();
  for (const index_t first :
       {index_t{0}, index_t{1000000000}, two_31 - 3, two_31 + 2 - 4}) {  // the second part begins at 2^31 - 1
    float values[5], expected[5];
    EXPECT_EQ(cudaMemcpy(values, c.data + first, sizeof values, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int i = 0; i < 5; ++i) expected[i] = std::min(float((first + i) % 5 + 1), 3.0f);
    EXPECT_EQ(std::vector<float>(values, values + 5), std::vector<float>(expected, expected + 5)) << first;
  }
}

TEST(limits_gpu, bytes_on_the_tensor_cores_in_a_batch_beyond_2_to_31) {
  KLEENE_NEEDS_GIB(7);
  const context ctx = context::cuda();
  const index_t batch = two_31 + 1000, k = 16, pad = two_31 + (1 << 20);
  elements<std::int8_t> a(k), b(k), all(batch + 2 * pad);
  a.fill(1), b.fill(2), all.fill(7);
  std::int8_t* const c = all.data + pad;
  gemm(ctx, plus_times<std::int8_t>{}, matrices<std::int8_t>(a.data, {1, 1, k}),
       matrices<std::int8_t>(b.data, {1, k, 1}), matrices<std::int8_t>(c, {batch, 1, 1}));
  ctx.synchronise();
  EXPECT_EQ(others(all.data, pad, std::int8_t{7}), 0u);  // 1,000 bytes in front of C were written
  EXPECT_EQ(others(c + batch, pad, std::int8_t{7}), 0u);
  EXPECT_EQ(others(c, batch, std::int8_t{32}), 0u);
}

TEST(limits_gpu, bytes_on_the_tensor_cores_in_a_batch_of_2_to_32_and_3) {
  KLEENE_NEEDS_GIB(5);
  const context ctx = context::cuda();
  const index_t batch = two_32 + 3, k = 16;
  elements<std::int8_t> a(k), b(k), c(batch);
  a.fill(1), b.fill(2), c.fill(7);
  gemm(ctx, plus_times<std::int8_t>{}, matrices<std::int8_t>(a.data, {1, 1, k}),
       matrices<std::int8_t>(b.data, {1, k, 1}), matrices<std::int8_t>(c.data, {batch, 1, 1}));
  ctx.synchronise();
  EXPECT_EQ(others(c.data, batch, std::int8_t{32}), 0u);  // three blocks were launched
}

TEST(limits_gpu, rows_and_columns_beyond_2_to_32) {
  KLEENE_NEEDS_GIB(54);
  const context ctx = context::cuda();
  const index_t m = two_32 + 1000;
  elements<float> a(m), b(1), c(m);
  a.fill(0, 1000), b.fill(5);
  using view = matrix_view<float, memory::device>;
  for (const bool rows : {true, false}) {
    c.fill(-7);
    if (rows) gemm(ctx, min_plus<float>{}, view(a.data, {m, 1}), view(b.data, {1, 1}), view(c.data, {m, 1}));
    else gemm(ctx, min_plus<float>{}, view(b.data, {1, 1}), view(a.data, {1, m}), view(c.data, {1, m}));
    ctx.synchronise();
    EXPECT_EQ(others(c.data, m, 5.0f, 1000), 0u) << (rows ? "rows" : "columns");
  }
}

// One element of each operand stands for all k: nothing large is read before the call says no.
TEST(limits_gpu, k_beyond_2_to_31_on_the_tensor_cores) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const index_t k = two_31 + 4096;
  const device_matrix<bf16> one = to_device(ctx, matrix<bf16>(1, 1, bf16(1.0f)));
  const device_matrix<float> one_f32 = to_device(ctx, matrix<float>(1, 1, 1));
  device_matrix<float> c = to_device(ctx, matrix<float>(1, 1, -1));
  const auto a = matrix_view<const bf16, memory::device>(one.data(), {1, k}, {0, 0});
  const auto b = matrix_view<const bf16, memory::device>(one.data(), {k, 1}, {0, 0});
  const auto a_f32 = matrix_view<const float, memory::device>(one_f32.data(), {1, k}, {0, 0});
  const auto b_f32 = matrix_view<const float, memory::device>(one_f32.data(), {k, 1}, {0, 0});
  if (ctx.device()->capability == 90)
    EXPECT_EQ(refusal<shape_error>(fault_code::bad_input, [&] { gemm(ctx, plus_times<bf16>{}, a, b, c); }),
              "plus_times bf16: k is 2147487744, and the kernels of the tensor cores count to 2147418112: sum ranges "
              "of k, into C of f32");
  for (const auto precision : {float_precision::tf32, float_precision::split}) {
    // In f32 then, whose panels are larger than the device.
    (void)refusal<error>(fault_code::memory,
                         [&] { gemm(ctx, plus_times<float>{}, a_f32, b_f32, c, {.precision = precision}); });
  }
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(1, 1, -1)));
  const device_matrix<float> small = to_device(ctx, matrix<float>(8, 8, 2));
  device_matrix<float> product(ctx, 8, 8);
  gemm(ctx, min_plus<float>{}, small, small, product);  // and the device is still there
  EXPECT_TRUE(equal(to_host(ctx, product), matrix<float>(8, 8, 4)));
}

// More blocks than a grid has for one matrix alone.
TEST(limits_gpu, what_cannot_be_split_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const device_matrix<float> one = to_device(ctx, matrix<float>(1, 1, 1));
  const index_t k = index_t{1} << 50;
  device_matrix<float> c = to_device(ctx, matrix<float>(1, 1, -1));
  const auto a = matrix_view<const float, memory::device>(one.data(), {1, k}, {0, 0});
  const auto b = matrix_view<const float, memory::device>(one.data(), {k, 1}, {0, 0});
  EXPECT_TRUE(
      contains(refusal<shape_error>(fault_code::bad_input, [&] { gemm(ctx, min_plus<float>{}, a, b, c); }),
               "a product of 1x1x1125899906842624 has more tiles or steps of k than the device's kernels can count"));
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(1, 1, -1)));
}

}  // namespace
}  // namespace kleene::test
