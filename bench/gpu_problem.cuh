// Random products for the GPU suite: operands filled on the device from a counter, so that the host can compute any
// element again and check results without copies.
#pragma once

#include "gpu_timer.cuh"
#include "kleene/algebra/catalog.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/data/splitmix64.hpp"
#include "kleene/operations/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kleene::bench {

enum class values : int {
  any_sign,
  non_negative,
  non_positive,
  integers,
  bits,
  rare_bits,
  to_25,
  to_20,
  to_60,
  to_2000
};

inline const char* to_string(values kind) {
  constexpr const char* names[] = {"any sign",       "non-negative", "non-positive", "0 .. 2^20", "bits",
                                   "bits, 1 in 128", "0 .. 25",      "0 .. 20",      "0 .. 60",   "0 .. 2000"};
  return names[static_cast<int>(kind)];
}

// Element n of the sequence of `seed`: splitmix64 at its n-th state.
KLEENE_FUNCTION std::uint64_t random_word(std::uint64_t seed, std::uint64_t n) {
  return splitmix64_output((seed << 40) + (n + 1) * splitmix64_step);
}
template <class T>
KLEENE_FUNCTION T random_value(values kind, std::uint64_t seed, std::uint64_t n) {
  const std::uint64_t word = random_word(seed, n);
  if (kind == values::integers) return static_cast<T>(word >> 44);
  if (kind == values::bits) return static_cast<T>(word >> 63);
  if (kind == values::to_25) return static_cast<T>((word >> 32) % 26);
  if (kind == values::to_20) return static_cast<T>((word >> 32) % 21);
  if (kind == values::to_60) return static_cast<T>((word >> 32) % 61);
  if (kind == values::to_2000) return static_cast<T>((word >> 32) % 2001);
  if (kind == values::rare_bits) return static_cast<T>(word >> 57 == 0);
  using real = std::conditional_t<(sizeof(T) <= sizeof(float)), float, double>;
  const real u = sizeof(real) == sizeof(float) ? static_cast<real>(float(word >> 40) * 0x1p-24f)
                                               : static_cast<real>(double(word >> 11) * 0x1p-53);
  return T(kind == values::any_sign ? 2 * u - 1 : kind == values::non_negative ? u : -u);
}

template <class T>
__global__ void fill_random(T* data, index_t count, values kind, std::uint64_t seed) {
  for (index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x; n < count; n += index_t(gridDim.x) * blockDim.x)
    data[n] = random_value<T>(kind, seed, n);
}

// Reads `words` words, more than the L2 holds: what was there before is gone.
static __global__ void sweep(const uint4* data, index_t words, unsigned* sink) {
  unsigned sum = 0;
  for (index_t n = blockIdx.x * index_t(blockDim.x) + threadIdx.x; n < words; n += index_t(gridDim.x) * blockDim.x)
    sum |= data[n].x | data[n].y | data[n].z | data[n].w;
  if (sum == 1) *sink = sum;  // never: the data is zero
}

struct product_shape {
  index_t m, n, k, batch = 1;
  bool transposed_a = false, transposed_b = false;  // stored as k x m, n x k

  double pairs() const { return double(batch) * double(m) * double(n) * double(k); }
};

template <class S>
class product_problem {
 public:
  using T = value_of<S>;
  static constexpr std::uint64_t seed_a = 1, seed_b = 2;

  product_problem(const context& ctx, const product_shape& shape, values kind, bool with_witness = false)
      : shape_(shape),
        kind_(kind),
        a_(ctx, shape.batch, shape.transposed_a ? shape.k : shape.m, shape.transposed_a ? shape.m : shape.k),
        b_(ctx, shape.batch, shape.transposed_b ? shape.n : shape.k, shape.transposed_b ? shape.k : shape.n),
        c_(ctx, shape.batch, shape.m, shape.n) {
    if (with_witness) witness_ = device_batch<std::int32_t>(ctx, shape.batch, shape.m, shape.n);
    const auto stream = static_cast<cudaStream_t>(ctx.stream());
    fill_random<<<4096, 256, 0, stream>>>(a_.data(), shape.batch * shape.m * shape.k, kind, seed_a);
    fill_random<<<4096, 256, 0, stream>>>(b_.data(), shape.batch * shape.k * shape.n, kind, seed_b);
    require_cuda(cudaMemsetAsync(c_.data(), 0x55, sizeof(T) * shape.batch * shape.m * shape.n, stream), "filling C");
    require_cuda(cudaGetLastError(), "filling operands");
  }

  void multiply(const context& ctx) {
    const auto a = shape_.transposed_a ? a_.view().transposed() : a_.view();
    const auto b = shape_.transposed_b ? b_.view().transposed() : b_.view();
    if constexpr (is_selective<S>)
      if (witness_.data()) return gemm(ctx, S{}, a, b, c_, witness_);
    gemm(ctx, S{}, a, b, c_);
  }

  T* a() { return a_.data(); }
  T* b() { return b_.data(); }
  T* c() { return c_.data(); }

  // 64 elements of C (and of the witness) against sums formed on the host, one k after the other; plus_times' in
  // double, log_plus's in long double, with the bounds of operations/gemm.hpp. error(internal) with the first that
  // differs. The context is synchronised.
  void check() const {
    for (std::uint64_t sample = 0; sample < 64; ++sample) {
      const index_t element =
          static_cast<index_t>(random_word(3, sample) % std::uint64_t(shape_.batch * shape_.m * shape_.n));
      const index_t j = element % shape_.n, i = element / shape_.n % shape_.m, batch = element / shape_.n / shape_.m;
      T got{};
      std::int32_t k = -1;
      require_cuda(cudaMemcpy(&got, c_.data() + element, sizeof got, cudaMemcpyDefault), "reading C");
      if (witness_.data())
        require_cuda(cudaMemcpy(&k, witness_.data() + element, sizeof k, cudaMemcpyDefault), "reading the witness");
      if (is_right(batch, i, j, got, k)) continue;
      throw error(fault_code::internal, "wrong: element (" + std::to_string(batch) + ", " + std::to_string(i) + ", " +
                                            std::to_string(j) + ") is " + std::to_string(double(got)) + ", witness " +
                                            std::to_string(k));
    }
  }

 private:
  accumulator_of<S> a_at(index_t batch, index_t i, index_t k) const {
    const index_t inner = shape_.transposed_a ? k * shape_.m + i : i * shape_.k + k;
    return widen<S>(random_value<T>(kind_, seed_a, batch * shape_.m * shape_.k + inner));
  }
  accumulator_of<S> b_at(index_t batch, index_t k, index_t j) const {
    const index_t inner = shape_.transposed_b ? j * shape_.k + k : k * shape_.n + j;
    return widen<S>(random_value<T>(kind_, seed_b, batch * shape_.k * shape_.n + inner));
  }

  bool is_right(index_t batch, index_t i, index_t j, const T& got, std::int32_t witness) const {
    if constexpr (std::is_same_v<S, plus_times<T>> && std::is_floating_point_v<T>) {
      double sum = 0, bound = 0;
      for (index_t k = 0; k < shape_.k; ++k) {
        const double term = double(a_at(batch, i, k)) * double(b_at(batch, k, j));
        sum += term, bound += std::abs(term);
      }
      return std::abs(got - sum) <= double(shape_.k + 2) * std::numeric_limits<T>::epsilon() * bound;
    } else if constexpr (std::is_same_v<S, log_plus<T>>) {
      long double highest = -std::numeric_limits<double>::infinity(), sum = 0;
      const auto term = [&](index_t k) {
        return static_cast<long double>(a_at(batch, i, k)) + static_cast<long double>(b_at(batch, k, j));
      };
      for (index_t k = 0; k < shape_.k; ++k) highest = std::max(highest, term(k));
      for (index_t k = 0; k < shape_.k; ++k) sum += std::exp(term(k) - highest);
      sum = highest + std::log(sum);
      const auto ulp = std::numeric_limits<T>::epsilon() * std::abs(sum);
      return std::abs(got - sum) <= (std::is_same_v<T, float> ? 1e-5L : 1e-12L) + 2 * ulp;
    } else {
      accumulator_of<S> sum = widen<S>(S::zero());
      index_t first = -1;
      for (index_t k = 0; k < shape_.k; ++k) {
        const accumulator_of<S> next = S::add(sum, S::mul(a_at(batch, i, k), b_at(batch, k, j)));
        if (!(next == sum)) first = k;
        sum = next;
      }
      return got == normalise<S>(sum) && (!witness_.data() || witness == first);
    }
  }

  product_shape shape_;
  values kind_;
  device_batch<T> a_, b_, c_;
  device_batch<std::int32_t> witness_;
};

}  // namespace kleene::bench
