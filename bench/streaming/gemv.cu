#include "kleene/algebra/catalog.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/operations/gemv.hpp"
#include "peers/cublas.hpp"
#include "streaming/runs.cuh"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace kleene::bench {

namespace {

// y = A x of a row-major m x k matrix, or x A of a k x m one: an element a thread, k by k.
template <class S, class Out>
__global__ void elements_one_by_one(const value_of<S>* a, const value_of<S>* x, index_t m, index_t k, bool by_columns,
                                    Out* y) {
  const index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= m) return;
  accumulator_of<S> sum = widen<S>(S::zero());
  for (index_t l = 0; l < k; ++l)
    sum = S::add(sum, S::mul(widen<S>(a[by_columns ? l * m + i : i * k + l]), widen<S>(x[l])));
  if constexpr (std::is_same_v<Out, value_of<S>>) y[i] = normalise<S>(sum);
  else y[i] = static_cast<Out>(sum);
}

// Whether no element of log_plus is farther off than two orders of summing are; the one by one rounds k times.
template <class T>
bool near(const T* a, const T* b, index_t count) {
  std::vector<T> left(static_cast<std::size_t>(count)), right = left;
  require_cuda(cudaMemcpy(left.data(), a, left.size() * sizeof(T), cudaMemcpyDeviceToHost), "reading y");
  require_cuda(cudaMemcpy(right.data(), b, right.size() * sizeof(T), cudaMemcpyDeviceToHost), "reading y");
  const auto is_near = [](T x, T y) { return std::abs(x - y) <= (std::is_same_v<T, f32> ? 2e-3 : 1e-9); };
  return std::equal(left.begin(), left.end(), right.begin(), is_near);
}

template <class S, class Out = value_of<S>>
void row(streaming_runs& runs, S s, index_t m, index_t k, bool by_columns, bool with_witness = false) {
  using T = value_of<S>;
  const std::string name = std::string("gemv ") + S::name + " " + type_name<T> + (by_columns ? " x A" : " A x") +
                           (with_witness ? " witness" : "") + ", " + std::to_string(m) + " x " + std::to_string(k);
  if (!runs.wants(name)) return;
  const context& ctx = runs.ctx;
  device_buffer<T> a(m * k), x(k);
  device_buffer<Out> y(m), expected(m), of_peer(m);
  device_buffer<std::int32_t> witness(m);
  const std::uint64_t below = k <= index_t{1} << 18 ? 8 : 2;  // whole numbers with sums below 2^24: exact in any order
  fill(static_cast<T*>(a), m * k, random_below<T>{17, below});
  fill(static_cast<T*>(x), k, random_below<T>{18, below});
  const view<const T, 2, memory::device> matrix(a, {by_columns ? k : m, by_columns ? m : k});
  const vector_view<T, memory::device> vx(x, {k});
  const vector_view<Out, memory::device> vy(y, {m});
  const view<std::int32_t, 1, memory::device> vw(witness, {m});
  const auto is_right = [&] {
    if constexpr (std::is_same_v<S, log_plus<T>>) return near<T>(y, expected, m);
    else return same<Out, Out>(y, expected, m);
  };
  std::vector<peer> peers;
  const cublas library(ctx.stream());
  if constexpr (std::is_same_v<S, plus_times<float>>)
    if (library) peers.push_back({"cuBLAS SGEMV", [&] { (void)library.sgemv(by_columns, m, k, a, x, of_peer); }});
  const double amount = double(sizeof(T)) * (double(m) * double(k) + double(m) + double(k));
  const bool large = m * k > index_t{1} << 24;
  runs.add({name, m * k, amount, "GB/s",
            [&] {
              if constexpr (is_selective<S>)
                if (with_witness)
                  return by_columns ? gemv(ctx, s, vx, matrix, vy, vw) : gemv(ctx, s, matrix, vx, vy, vw);
              by_columns ? gemv(ctx, s, vx, matrix, vy) : gemv(ctx, s, matrix, vx, vy);
            },
            [&] {
              elements_one_by_one<S, Out>
                  <<<static_cast<unsigned>(ceil_div(m, 256)), 256>>>(a, x, m, k, by_columns, expected);
              return is_right() && (peers.empty() || same<Out, Out>(of_peer, expected, m));
            },
            peers, large ? 3600.0 : 0, large ? std::optional<double>(0.95) : std::nullopt});
}

template <class S, class Out = value_of<S>>
void both(streaming_runs& runs, S s, index_t m, index_t k) {
  row<S, Out>(runs, s, m, k, false);
  row<S, Out>(runs, s, m, k, true);
}

}  // namespace

void bench_gemv(streaming_runs& runs) {
  if (!runs.wants_some("gemv")) return;
  constexpr index_t n = 16384, half = n / 2;
  both(runs, min_plus<f32>{}, n, n);
  both(runs, min_plus<f64>{}, n, half);
  both(runs, min_plus<i32>{}, n, n);
  both(runs, plus_times<f32>{}, n, n);
  both(runs, plus_times<f64>{}, n, half);
  both(runs, plus_times<i32>{}, n, n);
  both(runs, min_plus<i64>{}, n, half);
  both(runs, max_times<f32>{}, n, n);
  both(runs, max_times<f64>{}, n, half);
  both(runs, max_times<i32>{}, n, n);
  both(runs, min_max<f64>{}, n, half);
  both(runs, or_and<bool>{}, n, 2 * n);
  both<plus_times<i8>, i32>(runs, {}, n, 2 * n);
  both<plus_times<f16>, f32>(runs, {}, n, n);
  both<plus_times<bf16>, f32>(runs, {}, n, n);
  both(runs, log_plus<f32>{}, n, n);
  both(runs, log_plus<f64>{}, n, half);
  row(runs, min_plus<f32>{}, n, n, false, true);
  row(runs, min_plus<f32>{}, n, n, true, true);
  for (const auto& [m, k] :
       {std::pair<index_t, index_t>{index_t{1} << 22, 64}, {64, index_t{1} << 22}, {4096, 4096}, {1024, 1024}})
    both(runs, plus_times<f32>{}, m, k);
}

}  // namespace kleene::bench
