// A kernel that the device stops, by a functor of the caller's that writes where there is no memory: what the error
// names. No process gets over that, so each happens in one of its own, which says on stderr what was thrown.
#include "kleene/operations/closure.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/scan.cuh"
#include "support/device.hpp"

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace kleene::test {
namespace {

using shortest = min_plus<float>;

struct writes_nowhere {
  __host__ __device__ float operator()(float x, float y) const {
    *reinterpret_cast<volatile float*>(std::uintptr_t{16}) = x;
    return x + y;
  }
};

// Work that goes well, and work that does not.
struct calls {
  context ctx = context::cuda();
  device_matrix<float> a = to_device(ctx, matrix<float>(64, 64, 3)), c{ctx, 64, 64}, sums{ctx, 64, 64};

  calls() { ctx.synchronise(); }
  void multiply() { gemm(ctx, shortest{}, a, a, c); }
  void merge_halves() { merge(ctx, a.data(), a.data() + 2048, a.data() + 2048, a.data() + 4096, sums.data()); }
  void break_a_scan() { inclusive_scan(ctx, a.data(), a.data() + 4096, sums.data(), writes_nowhere{}); }
};

// In the process of a death test: what work(calls) throws, and the end.
template <class Work>
[[noreturn]] void tell(const Work& work) {
  try {
    calls some;
    work(some);
    std::fputs("nothing was thrown\n", stderr);
  } catch (const error& e) {
    std::fprintf(stderr, "code %d: %s.\n", static_cast<int>(e.code()), e.what());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "another exception: %s\n", e.what());
  }
  std::_Exit(0);
}

// The test's own program is run again for the child: a device does not survive fork().
#define EXPECT_TOLD(work, pattern)                                \
  do {                                                            \
    GTEST_FLAG_SET(death_test_style, "threadsafe");               \
    EXPECT_EXIT(tell(work), testing::ExitedWithCode(0), pattern); \
  } while (false)

TEST(lost_device_gpu, the_error_names_the_calls_that_it_may_be_of) {
  KLEENE_NEEDS_GPU();
  EXPECT_TOLD(
      [](calls& some) {
        set_sync(false);
        some.merge_halves();
        some.ctx.synchronise();  // a merge is not named any more
        some.multiply();
        some.multiply();
        some.break_a_scan();
        some.ctx.synchronise();
      },
      "code 4: CUDA: synchronising: an illegal memory access.*; of this context's calls it may be "
      "gemm min_plus f32 64x64x64 .2 times., inclusive_scan .with KLEENE_SYNC=1 each waits, and throws itself.\\.");
}

TEST(lost_device_gpu, a_call_that_waits_for_its_result_names_them) {
  KLEENE_NEEDS_GPU();
  EXPECT_TOLD(
      [](calls& some) {
        set_sync(false);
        (void)reduce(some.ctx, some.a.data(), some.a.data() + 4096, 0.0f);  // it has waited for the device
        some.multiply();
        some.break_a_scan();
        (void)closure(some.ctx, shortest{}, some.c);
      },
      "code 4: CUDA: .*; of this context's calls it may be reduce, gemm min_plus f32 64x64x64, inclusive_scan, "
      "closure min_plus f32 64x64 ");
}

TEST(lost_device_gpu, another_contexts_calls_are_not_named) {
  KLEENE_NEEDS_GPU();
  EXPECT_TOLD(
      [](calls& some) {
        set_sync(false);
        const context other = context::cuda();
        some.break_a_scan();
        (void)cudaDeviceSynchronize();
        other.synchronise();
      },
      "code 4: CUDA: synchronising: .*the process cannot use the device any more.\\.");
}

TEST(lost_device_gpu, memory_that_is_asked_for_is_not_said_to_be_short) {
  KLEENE_NEEDS_GPU();
  EXPECT_TOLD(
      [](calls& some) {
        some.break_a_scan();
        (void)cudaDeviceSynchronize();
        (void)some.ctx.workspace(1 << 20);
      },
      "code 4: CUDA: [a-z ]+: an illegal memory access");
}

TEST(lost_device_gpu, with_sync_the_call_itself_throws) {
  KLEENE_NEEDS_GPU();
  EXPECT_TOLD(
      [](calls& some) {
        set_sync(true);
        some.multiply();
        try {
          some.break_a_scan();
        } catch (const error& e) {
          std::fprintf(stderr, "the scan: ");
          throw;
        }
        some.merge_halves();
      },
      "the scan: code 4: CUDA: .*; of this context's calls it may be inclusive_scan\\.");
}

TEST(lost_device_gpu, with_sync_a_call_throws_what_is_wrong_with_its_values) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = to_device(ctx, matrix<float>(40, 40, 1)), b = to_device(ctx, matrix<float>(40, 40, -2));
  device_matrix<float> c(ctx, 40, 40);
  set_sync(true);
  gemm(ctx, max_times<float>{}, a, a, c);
  EXPECT_TRUE(contains(refusal<value_error>(fault_code::bad_input, [&] { gemm(ctx, max_times<float>{}, a, b, c); }),
                       "is outside the domain of max_times"));
  set_sync(false);
  ctx.synchronise();
}

}  // namespace
}  // namespace kleene::test
