// What the program around Kleene does with the device: its errors, its pools, its threads, pointers that are not what
// their views say.
#include "kleene/operations/bits.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/streaming/cuda/sort.cuh"
#include "support/device.hpp"

#include <cuda_runtime.h>

#include <memory>
#include <thread>
#include <vector>

namespace kleene::test {
namespace {

using shortest = min_plus<float>;
using device_view = matrix_view<float, memory::device>;

// 3 + 3 over 100 x 100 matrices is 6 everywhere.
void check_product(const context& ctx) {
  const device_matrix<float> a = to_device(ctx, matrix<float>(100, 100, 3));
  device_matrix<float> c(ctx, 100, 100);
  gemm(ctx, shortest{}, a, a, c);
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(100, 100, 6)));
}

TEST(surroundings_gpu, host_memory_in_a_device_view_is_refused) {
  KLEENE_NEEDS_GPU();
  int pageable = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0), cudaSuccess);
  if (pageable) GTEST_SKIP() << "this device reads pageable host memory";
  const context ctx = context::cuda();
  std::vector<float> host(10000, 1);
  std::vector<std::int32_t> host_numbers(10000, 1);
  const device_view wrong(host.data(), {100, 100});
  const matrix_view<std::int32_t, memory::device> wrong_numbers(host_numbers.data(), {100, 100});
  device_matrix<float> a = to_device(ctx, matrix<float>(100, 100, 3)), c = to_device(ctx, matrix<float>(100, 100, 7));
  const auto refused = [&](const char* name, auto&& call) {
    EXPECT_EQ(refusal<error>(fault_code::device, call),
              std::string(name) +
                  " is a view of device memory, but what it points to is neither that nor pinned host memory: copy it "
                  "with to_device");
  };
  refused("A", [&] { gemm(ctx, shortest{}, wrong, a, c); });
  refused("B", [&] { gemm(ctx, shortest{}, a, wrong, c); });
  refused("C", [&] { gemm(ctx, shortest{}, a, a, wrong); });
  refused("the source", [&] { gemm(ctx, shortest{}, a, a, c, {.source = wrong}); });
  refused("the witness", [&] { gemm(ctx, shortest{}, a, a, c, wrong_numbers); });
  refused("A", [&] { (void)closure(ctx, shortest{}, wrong); });
  refused("the predecessor matrix", [&] { (void)closure(ctx, shortest{}, a, wrong_numbers); });
  refused("the source of a copy", [&] { copy(ctx, wrong, c); });
  refused("the target of a copy", [&] { copy(ctx, a, wrong); });
  std::vector<bit_word> words(400);
  const bit_view<bit, memory::device> wrong_bits(words.data(), 100, 100, 2);
  refused("A", [&] { closure(ctx, or_and<bit>{}, wrong_bits); });
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(100, 100, 7)));
  EXPECT_TRUE(equal(to_host(ctx, a), matrix<float>(100, 100, 3)));
  check_product(ctx);  // and the device is still there
  check_product(context::cuda());
}

TEST(surroundings_gpu, memory_that_was_given_back_is_refused) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  float* gone = nullptr;
  ASSERT_EQ(cudaMalloc(&gone, 256 << 20), cudaSuccess);
  ASSERT_EQ(cudaFree(gone), cudaSuccess);
  device_matrix<float> c(ctx, 100, 100);
  (void)refusal<error>(fault_code::device,
                       [&] { gemm(ctx, shortest{}, device_view(gone, {100, 100}), device_view(gone, {100, 100}), c); });
  check_product(ctx);
}

TEST(surroundings_gpu, pinned_and_managed_memory_are_as_good_as_the_devices) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  float *pinned = nullptr, *managed = nullptr;
  std::vector<float> ordinary(10000, 5);
  ASSERT_EQ(cudaMallocHost(&pinned, 40000), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 40000), cudaSuccess);
  ASSERT_EQ(cudaHostRegister(ordinary.data(), 40000, cudaHostRegisterDefault), cudaSuccess);
  std::fill(pinned, pinned + 10000, 1.0f);
  gemm(ctx, shortest{}, device_view(pinned, {100, 100}), device_view(ordinary.data(), {100, 100}),
       device_view(managed, {100, 100}));
  ctx.synchronise();
  EXPECT_EQ(std::vector<float>(managed, managed + 10000), std::vector<float>(10000, 6));
  EXPECT_EQ(cudaHostUnregister(ordinary.data()), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

// An error that the caller has not asked about is not taken for ours. (Whether it can still be asked for afterwards is
// the runtime's affair: some of its own functions forget it.)
TEST(surroundings_gpu, an_earlier_error_is_not_taken_for_ours) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  device_matrix<float> a = to_device(ctx, matrix<float>(100, 100, 3)), c(ctx, 100, 100);
  const device_matrix<double> d = to_device(ctx, matrix<double>(100, 100, 3));
  device_matrix<double> e(ctx, 100, 100);
  const device_matrix<bf16> h = to_device(ctx, matrix<bf16>(100, 101, bf16(1.0f)));
  const device_matrix<bf16> k = to_device(ctx, matrix<bf16>(101, 100, bf16(1.0f)));
  const device_matrix<std::uint8_t> bytes = to_device(ctx, matrix<std::uint8_t>(100, 100, 1));
  device_bit_matrix bits(ctx, 100, 100), product(ctx, 100, 100);
  void* nothing = nullptr;
  const auto with_an_error = [&](auto&& call) {
    ASSERT_EQ(cudaMalloc(&nothing, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    EXPECT_NO_THROW(call());
    const cudaError_t left = cudaGetLastError();
    EXPECT_TRUE(left == cudaErrorMemoryAllocation || left == cudaSuccess) << cudaGetErrorString(left);
  };
  with_an_error([&] { gemm(ctx, shortest{}, a, a, c); });
  with_an_error([&] { gemm(ctx, max_times<float>{}, a, a, c); });  // looks at its operands
  with_an_error([&] { gemm(ctx, plus_times<double>{}, d, d, e); });
  with_an_error([&] { gemm(ctx, plus_times<bf16>{}, h, k, c); });  // copies its operands
  with_an_error([&] { pack(ctx, bytes, bits); });
  with_an_error([&] { gemm(ctx, or_and<bit>{}, bits, bits, product); });
  with_an_error([&] { transpose(ctx, bits, product); });
  with_an_error([&] { copy(ctx, device_view(a.data(), {100, 100}, {1, 100}), c); });
  with_an_error([&] { merge_sort(ctx, c.data(), c.data() + 10000); });
  with_an_error([&] { const context another = context::cuda(); });
  ctx.synchronise();
}

// Tensor maps are made by a function of the driver's, which knows no device in such a thread.
TEST(surroundings_gpu, a_thread_that_has_called_nothing_yet) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const device_matrix<bf16> a = to_device(ctx, matrix<bf16>(128, 128, bf16(1.0f)));
  device_matrix<float> c(ctx, 128, 128);
  const auto multiply = [&] { gemm(ctx, plus_times<bf16>{}, a, a, c); };
  multiply();  // what is looked up once is looked up here
  ctx.synchronise();
  std::string said;
  std::thread([&] {
    try {
      multiply();
    } catch (const std::exception& e) {
      said = e.what();
    }
  }).join();
  EXPECT_EQ(said, "");
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(128, 128, 128)));
}

TEST(surroundings_gpu, the_pool_of_the_process_keeps_its_setting) {
  KLEENE_NEEDS_GPU();
  cudaMemPool_t pool;
  std::uint64_t keeps = 1;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps), cudaSuccess);
  EXPECT_EQ(keeps, 0u);
  check_product(context::cuda());
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps), cudaSuccess);
  EXPECT_EQ(keeps, 0u);
}

// The catalog's kernels are functions of the library: there is nothing that threads' first contexts would write.
TEST(surroundings_gpu, first_contexts_in_several_threads) {
  KLEENE_NEEDS_GPU();
  std::vector<std::thread> team;
  for (int t = 0; t < 8; ++t) team.emplace_back([] { check_product(context::cuda()); });
  for (std::thread& t : team) t.join();
  EXPECT_NE(kernels::cuda::find_gemm<shortest>(), nullptr);
  EXPECT_EQ(kernels::cuda::gemm_entry<shortest>, nullptr);
}

}  // namespace
}  // namespace kleene::test
