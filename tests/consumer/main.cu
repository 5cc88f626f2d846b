// Uses an installed Kleene from a unit of nvcc: kleene::cuda alone says that it is C++20 and that constexpr functions
// are device functions, too.
#include <kleene/operations/gemm.hpp>

#include <concepts>
#include <cstdio>

template <std::floating_point T>
constexpr T twice(T x) {
  return 2 * x;
}
__global__ void double_it(float* x) { *x = twice(*x); }

int main() {
  if (kleene::cuda_devices().empty()) return std::puts("no CUDA device here"), 0;
  const kleene::context ctx = kleene::context::cuda();
  const auto a = to_device(ctx, kleene::matrix<float>{{1, 5}, {2, 3}});
  kleene::device_matrix<float> c(ctx, 2, 2);
  gemm(ctx, kleene::min_plus<float>{}, a, a, c);  // the first element is min(1 + 1, 5 + 2) = 2
  double_it<<<1, 1, 0, static_cast<cudaStream_t>(ctx.stream())>>>(c.data());
  return to_host(ctx, c)(0, 0) == 4 ? 0 : 1;
}
