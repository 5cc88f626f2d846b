// gpu::launch: what it asks of the runtime for a kernel is not taken away by another thread's launch of the same one.
#include "kleene/gpu/host/launch.cuh"

#include "kleene/data/device_matrix.hpp"
#include "support/device.hpp"

#include <atomic>
#include <thread>

namespace kleene::test {
namespace {

__global__ void write_last_byte(std::size_t bytes, unsigned char* out) {
  extern __shared__ unsigned char shared[];
  shared[bytes - 1] = static_cast<unsigned char>(bytes % 251);
  *out = shared[bytes - 1];
}

TEST(launch_on_cuda, different_shared_memory_in_two_threads) {
  KLEENE_NEEDS_GPU();
  constexpr std::size_t bytes[] = {40 * 1024, 90 * 1024};
  constexpr int rounds = 5000;
  std::atomic<int> failed{0};
  std::thread threads[2];
  for (int t = 0; t < 2; ++t)
    threads[t] = std::thread([&, t] {
      const context ctx = context::cuda();
      device_matrix<unsigned char> out(ctx, 1, 1);
      gpu::launch_config config{1, 1, bytes[t], static_cast<cudaStream_t>(ctx.stream())};
      config.most_shared_bytes = bytes[1];
      for (int round = 0; round < rounds; ++round) try {
          gpu::launch(write_last_byte, config, bytes[t], out.data());
        } catch (const error&) {
          ++failed;
        }
      EXPECT_EQ(to_host(ctx, out)(0, 0), bytes[t] % 251);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace kleene::test
