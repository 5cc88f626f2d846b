#include "ladder/suite.hpp"

#include "gpu_problem.cuh"
#include "kleene/operations/gemm.hpp"
#include "ladder/asynchronous.cuh"
#include "ladder/double_buffered.cuh"

#include <functional>

namespace kleene::bench {

namespace {

__global__ void fill_exact(bf16* data, index_t count, std::uint64_t seed) {
  for (index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x; n < count; n += index_t(gridDim.x) * blockDim.x)
    data[n] = bf16(float(static_cast<int>(random_word(seed, n) >> 57) - 64) / 64);
}

__global__ void count_differences(const float* x, const float* y, index_t count, unsigned long long* differences) {
  for (index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x; n < count; n += index_t(gridDim.x) * blockDim.x)
    if (x[n] != y[n]) atomicAdd(differences, 1ull);
}

struct rung_code {
  const char *name, *idea;
  std::function<void()> launch;
};

ladder_rung measure(const context& ctx, const rung_code& code, double operations, int rounds) {
  gpu_timer timer(ctx.stream());
  std::vector<double> seconds;
  for (int round = -3; round < rounds; ++round) {
    timer.start();
    code.launch();
    timer.stop();
    require_cuda(cudaGetLastError(), code.name);
    if (const double s = timer.seconds(); round >= 0) seconds.push_back(s);
  }
  ladder_rung rung{code.name, code.idea, median(seconds)};
  rung.fastest = *std::min_element(seconds.begin(), seconds.end());
  rung.slowest = *std::max_element(seconds.begin(), seconds.end());
  rung.tops = 1e-12 * operations / rung.seconds;
  return rung;
}

}  // namespace

std::vector<ladder_rung> run_ladder(const context& ctx, index_t n, int rounds) {
  if (n <= 0 || n % ladder_tiles::edge != 0 || n > 16384)
    throw value_error("the ladder takes multiples of 128 to 16384");
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  device_matrix<bf16> a(ctx, n, n), b(ctx, n, n);
  device_matrix<float> c(ctx, n, n), first(ctx, n, n);
  device_matrix<std::uint64_t> differences(ctx, 1, 1);
  fill_exact<<<4096, 256, 0, stream>>>(a.data(), n * n, 1);
  fill_exact<<<4096, 256, 0, stream>>>(b.data(), n * n, 2);
  const int edge = static_cast<int>(n);
  const ladder_product product{a.data(), b.data(), c.data(), edge, edge, edge};
  const rung_code rungs[] = {
      {"naive", "a thread an element", [&] { launch_naive(product, stream); }},
      {"blocking", "tiles in shared memory, the tensor cores", [&] { launch_blocking(product, stream); }},
      {"asynchronous", "copies run ahead", [&] { launch_asynchronous(product, stream); }},
      {"double_buffered", "fragments run ahead, larger tiles", [&] { launch_double_buffered(ctx, product); }},
      {"gemm", "what the library does here", [&] { gemm(ctx, plus_times<bf16>{}, a, b, c); }},
  };
  std::vector<ladder_rung> measured;
  for (const rung_code& code : rungs) {
    require_cuda(cudaMemsetAsync(c.data(), 0xff, sizeof(float) * n * n, stream), "filling C");
    measured.push_back(measure(ctx, code, 2.0 * double(n) * double(n) * double(n), rounds));
    if (measured.size() == 1) {
      require_cuda(cudaMemcpyAsync(first.data(), c.data(), sizeof(float) * n * n, cudaMemcpyDeviceToDevice, stream),
                   "keeping the first result");
      continue;
    }
    unsigned long long wrong = 0;
    auto* counter = reinterpret_cast<unsigned long long*>(differences.data());
    require_cuda(cudaMemsetAsync(counter, 0, sizeof wrong, stream), "comparing");
    count_differences<<<1024, 256, 0, stream>>>(c.data(), first.data(), n * n, counter);
    require_cuda(cudaMemcpyAsync(&wrong, counter, sizeof wrong, cudaMemcpyDeviceToHost, stream), "comparing");
    ctx.synchronise();
    if (wrong)
      throw error(fault_code::internal, std::string(code.name) + ": " + std::to_string(wrong) + " wrong elements");
  }
  return measured;
}

}  // namespace kleene::bench
