// A unit of nvcc in a library: C++20 and device code that calls constexpr functions.
#include <kleene/data/view.hpp>

#include <concepts>

template <std::floating_point T>
constexpr T half(T x) {
  return x / 2;
}
__global__ void halve(float* x) { *x = half(*x); }
