#include "roofs/gpu_roof.hpp"

#include "gpu_timer.cuh"
#include "kleene/data/device_matrix.hpp"
#include "kleene/kernels/cuda/gemm/simt/half_atoms.cuh"

namespace kleene::bench {

namespace {

// A step: T, what the registers hold; pairs in one of its two halves; two(c, a0, a1, b) -> c for two steps of k.
// Three-input forms take both at once.
struct step_f32 {
  using T = float;
  static constexpr int pairs = 1;
  __device__ static float three_min(float c, float x, float y) {
    return __int_as_float(__vimin3_s32(__float_as_int(c), __float_as_int(x), __float_as_int(y)));
  }
  __device__ static float three_max(float c, float x, float y) {
    return __int_as_float(__vimax3_s32(__float_as_int(c), __float_as_int(x), __float_as_int(y)));
  }
};
struct add_min : step_f32 {
  __device__ static T two(T c, T a0, T a1, T b) { return fminf(fminf(c, a0 + b), a1 + b); }
};
struct add_add_min3 : step_f32 {
  __device__ static T two(T c, T a0, T a1, T b) { return three_min(c, a0 + b, a1 + b); }
};
struct mul_mul_max3 : step_f32 {
  __device__ static T two(T c, T a0, T a1, T b) { return three_max(c, a0 * b, a1 * b); }
};
struct min_max : step_f32 {
  __device__ static T two(T c, T a0, T a1, T b) { return fmaxf(fmaxf(c, fminf(a0, b)), fminf(a1, b)); }
};
struct min_min_max3 : step_f32 {
  __device__ static T two(T c, T a0, T a1, T b) { return three_max(c, fminf(a0, b), fminf(a1, b)); }
};
struct fma_f32 : step_f32 {
  __device__ static T two(T c, T a0, T a1, T b) { return fmaf(a1, b, fmaf(a0, b, c)); }
};
struct add_min_s32 {
  using T = int;
  static constexpr int pairs = 1;
  __device__ static T two(T c, T a0, T a1, T b) { return __viaddmin_s32(a1, b, __viaddmin_s32(a0, b, c)); }
};
struct add_min_s16 {
  using T = unsigned;
  static constexpr int pairs = 2;
  __device__ static T two(T c, T a0, T a1, T b) { return __viaddmin_s16x2(a1, b, __viaddmin_s16x2(a0, b, c)); }
};
struct step_f16 {
  using T = unsigned;
  static constexpr int pairs = 2;
  using operations = kernels::cuda::half_pair<f16>;
};
struct add_add_min3_f16 : step_f16 {
  __device__ static T two(T c, T a0, T a1, T b) {
    return operations::min(operations::min(c, operations::sum(a0, b)), operations::sum(a1, b));
  }
};
struct min_min_max3_f16 : step_f16 {
  __device__ static T two(T c, T a0, T a1, T b) {
    return operations::max(operations::max(c, operations::min(a0, b)), operations::min(a1, b));
  }
};
struct dot_bytes {
  using T = unsigned;
  static constexpr int pairs = 4;
  __device__ static T two(T c, T a0, T a1, T b) { return __dp4a(a1, b, __dp4a(a0, b, c)); }
};
struct add_min_f64 {
  using T = double;
  static constexpr int pairs = 1;
  __device__ static T two(T c, T a0, T a1, T b) {
    const T x = a0 + b, y = a1 + b;
    c = x < c ? x : c;
    return y < c ? y : c;
  }
};

constexpr int tile = 8, threads = 256;  // a thread's rows and columns
template <class T>
constexpr int blocks = sizeof(T) > 4 ? 1 : 2;  // of a multiprocessor: 64 doubles are half of all registers

// A value below 2^12 that the compiler cannot know.
__device__ unsigned some_value(int n) { return (threadIdx.x * 24 + n + 1) * 2654435761u & 0xfff; }

template <class Step>
__global__ void __launch_bounds__(threads, blocks<typename Step::T>)
    outer_products(typename Step::T* out, typename Step::T delta, int turns) {
  using T = typename Step::T;
  T c[tile][tile], a0[tile], a1[tile], b[tile];
#pragma unroll
  for (int i = 0; i < tile; ++i) {
    a0[i] = T(some_value(3 * i)), a1[i] = T(some_value(3 * i + 1)), b[i] = T(some_value(3 * i + 2));
#pragma unroll
    for (int j = 0; j < tile; ++j) c[i][j] = T(1 << 20);
  }
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < tile; ++i)
#pragma unroll
      for (int j = 0; j < tile; ++j) c[i][j] = Step::two(c[i][j], a0[i], a1[i], b[j]);
#pragma unroll
    for (int j = 0; j < tile; ++j) b[j] += delta;
  }
  T sum = 0;
#pragma unroll
  for (int i = 0; i < tile; ++i)
#pragma unroll
    for (int j = 0; j < tile; ++j) sum += c[i][j];
  out[blockIdx.x * threads + threadIdx.x] = sum;
}

template <class Step>
gpu_roof measure(const context& ctx, gpu_step step, const char* instructions) {
  using T = typename Step::T;
  constexpr int turns = 10000;
  const int grid = blocks<T> * ctx.device()->multiprocessors;
  device_matrix<T> out(ctx, grid, threads);
  gpu_timer timer(ctx.stream());
  std::vector<double> times;
  for (int round = 0; round < 6; ++round) {
    timer.start();
    outer_products<Step><<<grid, threads, 0, static_cast<cudaStream_t>(ctx.stream())>>>(out.data(), T(1), turns);
    timer.stop();
    require_cuda(cudaGetLastError(), "launching a roof");
    if (const double seconds = timer.seconds(); round > 0) times.push_back(seconds);
  }
  return {step, instructions, double(grid) * threads * turns * tile * tile * 2 * Step::pairs / median(times)};
}

}  // namespace

std::vector<gpu_roof> measure_gpu_roofs(const context& ctx) {
  require_cuda(cudaSetDevice(ctx.device()->ordinal), "choosing the device");
  return {
      measure<add_min>(ctx, gpu_step::add_min, "FADD + FMNMX"),
      measure<add_add_min3>(ctx, gpu_step::add_add_min3, "2 FADD + VIMNMX3"),
      measure<mul_mul_max3>(ctx, gpu_step::mul_mul_max3, "2 FMUL + VIMNMX3"),
      measure<min_max>(ctx, gpu_step::min_max, "2 FMNMX"),
      measure<min_min_max3>(ctx, gpu_step::min_min_max3, "2 FMNMX + VIMNMX3"),
      measure<add_min_s32>(ctx, gpu_step::add_min_s32, "VIADDMNMX"),
      measure<add_min_f64>(ctx, gpu_step::add_min_f64, "DADD + DSETP + 2 FSEL"),
      measure<fma_f32>(ctx, gpu_step::fma_f32, "FFMA"),
      measure<dot_bytes>(ctx, gpu_step::dot_bytes, "IDP4A"),
      measure<add_min_s16>(ctx, gpu_step::add_min_s16, "VIADDMNMX, 16-bit pairs"),
      measure<add_add_min3_f16>(ctx, gpu_step::add_add_min3_f16, "2 HADD2 + VHMNMX"),
      measure<min_min_max3_f16>(ctx, gpu_step::min_min_max3_f16, "2 HMNMX2 + VHMNMX"),
  };
}

double gpu_clock(const context& ctx) {
  int kilohertz = 0;
  require_cuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, ctx.device()->ordinal),
               "reading the clock rate");
  return 1e3 * kilohertz;
}

}  // namespace kleene::bench
