// Operands of the matrix suite, and a check of some elements of a result.
#pragma once

#include "streaming/runs.cuh"

#include <array>

namespace kleene::bench {

struct shape {
  index_t m, n, k;
  bool transposed_a = false, transposed_b = false;

  std::string name() const {
    const std::string size = m == n && n == k
                                 ? std::to_string(m) + " cubed"
                                 : std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
    return size + " " + (transposed_a ? "T" : "N") + (transposed_b ? "T" : "N");
  }
};

// Uniform in [-1, 1); bytes in [-8, 8).
template <class T>
struct random_signed {
  std::uint64_t seed;
  __device__ T operator()(index_t i) const {
    const std::uint64_t z = splitmix(seed, i);
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<int>(z >> 60) - 8);
    else return T(static_cast<float>(z >> 40) * 0x1p-23f - 1);
  }
};

template <class T>
struct random_operands {
  explicit random_operands(const shape& s) : size(s), a(s.m * s.k), b(s.k * s.n) {
    fill(static_cast<T*>(a), a.count(), random_signed<T>{1});
    fill(static_cast<T*>(b), b.count(), random_signed<T>{2});
  }
  using operand_view = view<const T, 2, memory::device>;
  operand_view view_a() const {
    return {
        a, {size.m, size.k}, size.transposed_a ? std::array<index_t, 2>{1, size.m} : std::array<index_t, 2>{size.k, 1}};
  }
  operand_view view_b() const {
    return {
        b, {size.k, size.n}, size.transposed_b ? std::array<index_t, 2>{1, size.k} : std::array<index_t, 2>{size.n, 1}};
  }

  shape size;
  device_buffer<T> a, b;
};

// Some element of a product: where it is, sum of a b and of |a b| in f64, and what was stored there.
struct sample {
  index_t row, col;
  double sum, magnitude, stored;
};

template <class T, class Out>
__global__ void take_samples(view<const T, 2, memory::device> a, view<const T, 2, memory::device> b, const Out* c,
                             sample* samples) {
  const index_t i = static_cast<index_t>(splitmix(21, blockIdx.x) % a.rows()),
                j = static_cast<index_t>(splitmix(22, blockIdx.x) % b.cols());
  __shared__ double sums[256], magnitudes[256];
  double sum = 0, magnitude = 0;
  for (index_t l = threadIdx.x; l < a.cols(); l += 256) {
    const T x = a.data()[i * a.stride(0) + l * a.stride(1)], y = b.data()[l * b.stride(0) + j * b.stride(1)];
    const double term = static_cast<double>(x) * static_cast<double>(y);
    sum += term, magnitude += fabs(term);
  }
  sums[threadIdx.x] = sum, magnitudes[threadIdx.x] = magnitude;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int t = 1; t < 256; ++t) sum += sums[t], magnitude += magnitudes[t];
  samples[blockIdx.x] = {i, j, sum, magnitude, static_cast<double>(c[i * b.cols() + j])};
}

template <class T, class Out>
std::array<sample, 64> samples_of(const random_operands<T>& operands, const Out* c) {
  std::array<sample, 64> samples;
  device_buffer<sample> taken(samples.size());
  take_samples<<<samples.size(), 256>>>(operands.view_a(), operands.view_b(), c, static_cast<sample*>(taken));
  require_cuda(cudaMemcpy(samples.data(), taken, sizeof samples, cudaMemcpyDeviceToHost), "reading samples");
  return samples;
}

// The largest error of an element relative to the sum of its |a b|.
template <class T, class Out>
double error_of(const random_operands<T>& operands, const Out* c) {
  double most = 0;
  for (const sample& s : samples_of(operands, c))
    most = std::max(most, std::abs(s.stored - s.sum) / (s.magnitude > 0 ? s.magnitude : 1));
  return most;
}

// Products of bf16 whose epilogue does more than store; beside the plain product.
void bench_epilogues(streaming_runs& runs);
// Copies of tensors with another order of axes, and einsum.
void bench_tensors(streaming_runs& runs);

}  // namespace kleene::bench
