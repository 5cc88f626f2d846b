#include "matrix/suite.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "peers/cublas_lt.hpp"
#include "streaming/runs.cuh"

#include <cmath>

namespace kleene::bench {

namespace {

struct shape {
  index m, n, k;
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
  __device__ T operator()(index i) const {
    const std::uint64_t z = splitmix(seed, i);
    if constexpr (sizeof(T) == 1)
      return static_cast<T>(static_cast<int>(z >> 60) - 8);
    else
      return T(static_cast<float>(z >> 40) * 0x1p-23f - 1);
  }
};

// The largest |C - A B| / sum of |a b| among 64 elements, A B formed in f64.
constexpr int samples = 64;
template <class T, class Out>
__global__ void measure_errors(const T* a, index a_row, index a_k, const T* b, index b_k, index b_col, const Out* c,
                               index m, index n, index k, double* errors) {
  const index i = static_cast<index>(splitmix(21, blockIdx.x) % m),
              j = static_cast<index>(splitmix(22, blockIdx.x) % n);
  __shared__ double sums[256], sizes[256];
  double sum = 0, size = 0;
  for (index l = threadIdx.x; l < k; l += 256) {
    const double term = static_cast<double>(static_cast<float>(a[i * a_row + l * a_k])) *
                        static_cast<double>(static_cast<float>(b[l * b_k + j * b_col]));
    sum += term, size += fabs(term);
  }
  sums[threadIdx.x] = sum, sizes[threadIdx.x] = size;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int t = 1; t < 256; ++t) sum += sums[t], size += sizes[t];
  errors[blockIdx.x] = fabs(static_cast<double>(static_cast<float>(c[i * n + j])) - sum) / (size > 0 ? size : 1);
}

class matrix_runs : public streaming_runs {
 public:
  using streaming_runs::streaming_runs;

  // A row; the ratio to the peer, or 0.
  template <class T, class Out>
  double add_product(const shape& s, double of_peer, float_precision precision = float_precision::full) {
    const bool split = precision == float_precision::split, changes = !std::is_same_v<T, Out>;
    const std::string name = std::string(type_name<T>) + (changes ? std::string(" to ") + type_name<Out> : "") +
                             (precision == float_precision::tf32 ? " as tf32"
                              : split                            ? " split"
                                                                 : "") +
                             ", " + s.name();
    if (!wants(name)) return 0;
    device_buffer<T> a(s.m * s.k), b(s.k * s.n);
    device_buffer<Out> c(s.m * s.n), theirs(s.m * s.n);
    fill(static_cast<T*>(a), a.count(), random_signed<T>{1});
    fill(static_cast<T*>(b), b.count(), random_signed<T>{2});
    using operand_view = view<const T, 2, memory::device>;
    const std::array<index, 2> sa = s.transposed_a ? std::array<index, 2>{1, s.m} : std::array<index, 2>{s.k, 1};
    const std::array<index, 2> sb = s.transposed_b ? std::array<index, 2>{1, s.k} : std::array<index, 2>{s.n, 1};
    const operand_view va(a, {s.m, s.k}, sa), vb(b, {s.k, s.n}, sb);
    const auto multiply = [&](Out* to, float_precision how) {
      view<Out, 2, memory::device> vc(to, {s.m, s.n}, {s.n, 1});
      if constexpr (std::is_same_v<T, float>)
        gemm(ctx, plus_times<T>{}, va, vb, vc, {.precision = how});
      else
        gemm(ctx, plus_times<T>{}, va, vb, vc);
    };
    const auto error = [&](const Out* result) {
      device_buffer<double> errors(samples);
      measure_errors<<<samples, 256>>>(static_cast<T*>(a), sa[0], sa[1], static_cast<T*>(b), sb[0], sb[1], result, s.m,
                                       s.n, s.k, static_cast<double*>(errors));
      double found[samples];
      require_cuda(cudaMemcpy(found, errors, sizeof found, cudaMemcpyDeviceToHost), "reading errors");
      return *std::max_element(found, found + samples);
    };
    const auto right = [&] {
      if (split) return error(c) <= 2 * error(theirs);
      const double rounding = static_cast<double>(std::numeric_limits<Out>::epsilon());
      return error(c) <= (precision == float_precision::tf32 ? 0x1p-9 : rounding) + 1e-6;
    };
    peer other{"cuBLASLt",
               lt_.product(type_name<T>, type_name<Out>, s.m, s.n, s.k, s.transposed_a, s.transposed_b, a, b, theirs)};
    if (split) other = {"Kleene f32", [&] { multiply(theirs, float_precision::full); }};
    add({name,
         s.m * s.k + s.k * s.n,
         2e-3 * s.m * s.n * s.k,
         "Tops",
         [&] { multiply(c, precision); },
         right,
         {other},
         0,
         of_peer});
    const streaming_row& row = rows.back();
    return row.peers.empty() || !row.failure.empty() ? 0 : row.rate() / row.best_peer();
  }

 private:
  cublas_lt lt_{ctx.stream()};
};

}  // namespace

std::vector<streaming_row> run_matrix_suite(const context& ctx, const streaming_suite_options& options,
                                            const std::function<void(const streaming_row&)>& done) {
  matrix_runs runs(ctx, options, done);
  std::vector<double> ratios;
  const auto listed = [&](const shape& s, double at_least) {
    if (const double ratio = runs.add_product<bf16, bf16>(s, at_least); ratio > 0) ratios.push_back(ratio);
  };
  for (const index size : {512, 1024, 2048, 4096, 8192, 16384})
    listed({size, size, size}, size == 4096 || size == 8192 ? 0.97 : 0.75);
  listed({4096, 14336, 4096}, 0.75);
  listed({16, 4096, 4096}, 0.75);
  listed({128, 8192, 8192}, 0.75);
  listed({256, 256, 1000000}, 0.75);
  listed({4095, 4097, 4093}, 0.75);
  if (ratios.size() == 11) {
    double logarithms = 0;
    for (const double ratio : ratios) logarithms += std::log(ratio);
    streaming_row mean{
        "bf16, geometric mean of the ratios above", 0, 1e9 * std::exp(logarithms / 11), "x peer", 1, 1, 1};
    mean.at_least = 0.92;
    runs.rows.push_back(mean), done(mean);
  }
  for (const index size : {4096, 8192}) {
    runs.add_product<bf16, bf16>({size, size, size, false, true}, 0.97);
    runs.add_product<f16, f16>({size, size, size}, 0.97);
  }
  runs.add_product<bf16, float>({8192, 8192, 8192}, 0);
  runs.add_product<float, float>({8192, 8192, 8192, false, true}, 0.92, float_precision::tf32);
  runs.add_product<float, float>({8192, 8192, 8192}, 0, float_precision::tf32);
  runs.add_product<float, float>({8192, 8192, 8192}, 1.8, float_precision::split);
  runs.add_product<i8, i32>({8192, 8192, 8192, false, true}, 0.92);
  runs.add_product<i8, i32>({8192, 8192, 8192}, 0);
  runs.add_product<double, double>({8192, 8192, 8192}, 0.90);
  return runs.rows;
}

}  // namespace kleene::bench
