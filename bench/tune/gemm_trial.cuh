// What a trial does: data on the device, the tuned row's result, the policy's result, and its time.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/kernels/cuda/gemm/launch.cuh"
#include "kleene/operations/gemm.hpp"
#include "tune/gemm_tune.hpp"

#include <algorithm>
#include <chrono>

namespace kleene::bench {

// splitmix64 at its i-th state as element i: [0, 1), [-1, 1), integers or bits.
template <class S>
__global__ void fill_operand(value_of<S>* data, index_t count, std::uint64_t seed, sign_class signs) {
  const index_t i = blockIdx.x * index_t(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  const std::uint64_t z = splitmix64_output((static_cast<std::uint64_t>(i) + 1) * splitmix64_step + seed);
  using T = value_of<S>;
  const bool fits_any = !has_domain<S> && signs == sign_class::any;
  if constexpr (std::is_floating_point_v<T>) {
    const double unit = static_cast<double>(z >> 40) * 0x1p-24;
    const T value = static_cast<T>(fits_any ? 2 * unit - 1 : unit);
    if constexpr (has_domain<S>) data[i] = S::in_domain(value) ? value : T(z & 1);
    else data[i] = value;
  } else {
    data[i] = T(z & 0xfffff);
  }
}

template <class T>
__global__ void count_differences(const T* a, const T* b, index_t count, double bound, unsigned long long* different) {
  const index_t i = blockIdx.x * index_t(blockDim.x) + threadIdx.x;
  if (i < count && !(a[i] == b[i]) && !(fabs(double(a[i]) - double(b[i])) <= bound * fabs(double(b[i])) + bound))
    atomicAdd(different, 1ull);
}

template <class S, class Policy, bool Witness, sign_class Signs>
double run_trial(const context& ctx, index_t n, int rounds) {
  using T = value_of<S>;
  using G = kernels::gemm_arguments<S>;
  constexpr auto launch = &kernels::cuda::launch_simt<Policy, Witness, G>;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  device_matrix<T> a(ctx, n, n), b(ctx, n, n), c(ctx, n, n), want(ctx, n, n);
  device_matrix<std::int32_t> witness(ctx, n, n);
  device_matrix<unsigned long long> different = to_device(ctx, matrix<unsigned long long>(1, 1, 0ull));
  const auto blocks = static_cast<unsigned>(ceil_div(n * n, 256));
  fill_operand<S><<<blocks, 256, 0, stream>>>(a.data(), n * n, 1, Signs);
  fill_operand<S><<<blocks, 256, 0, stream>>>(b.data(), n * n, 2, Signs);
  try {
    const auto multiply_once = [&] {
      const auto w = Witness ? detail::as_batch<std::int32_t>(witness) : batch_view<std::int32_t>{};
      detail::reach_and_run<S, none, T>(ctx, a, b, c, w, {}, launch);
    };
    gemm(ctx, S{}, a, b, want);
    multiply_once();
    const double bound =
        is_selective<S> || std::is_integral_v<T> ? 0 : double(n) * std::numeric_limits<float>::epsilon();
    count_differences<<<blocks, 256, 0, stream>>>(c.data(), want.data(), n * n, bound, different.data());
    if (to_host(ctx, different)(0, 0) != 0) return -1;
    std::vector<double> seconds;
    for (int round = -1; round < rounds; ++round) {
      const auto start = std::chrono::steady_clock::now();
      multiply_once();
      ctx.synchronise();
      if (round >= 0)
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
    return seconds[seconds.size() / 2];
  } catch (const error&) {
    return -1;
  }
}

template <class S, class Policy, bool Witness, sign_class Signs>
void add_trial(const char* work, const char* signs) {
  gemm_trials().push_back(
      {work, S::name, type_name<value_of<S>>, signs, Policy::value, &run_trial<S, Policy, Witness, Signs>});
}

}  // namespace kleene::bench
