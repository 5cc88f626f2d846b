// Tensors: copies with another order of axes beside a plain copy of the same bytes, and einsum beside the gemm that it
// becomes.
#include "kleene/operations/einsum.hpp"
#include "matrix/problem.cuh"
#include "peers/cublas.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace kleene::bench {

namespace {

template <class T>
struct own_index {
  __device__ T operator()(index_t i) const { return static_cast<T>(i); }
};
// Element i of the reverse of `axes` axes of two values.
template <class T>
struct reversed_index {
  int axes;
  __device__ T operator()(index_t i) const {
    return static_cast<T>(__brevll(static_cast<unsigned long long>(i)) >> (64 - axes));
  }
};
template <class T>
struct transposed_index {
  index_t n;
  __device__ T operator()(index_t i) const { return static_cast<T>(i % n * n + i / n); }
};

// b = a with its axes in the order of `to`; want(i): element i of b, where a holds its own indices.
template <class S, class Want>
void permutation(streaming_runs& runs, const std::string& name, const axis_values& extents, const std::vector<int>& to,
                 const Want& want) {
  using T = value_of<S>;
  if (!runs.wants(name)) return;
  const index_t count = detail::size_of(extents);
  const double bytes = 2.0 * sizeof(T) * static_cast<double>(count);
  device_buffer<T> a(count), b(count);
  fill(static_cast<T*>(a), count, own_index<T>{});
  std::vector<int> from(to.size());
  std::iota(from.begin(), from.end(), 0);
  axis_values there;
  for (const int axis : to) there.push_back(extents[axis]);
  const std::vector<std::vector<int>> operands{from};
  const einsum_equation equation(operands, to);
  const tensor_view<const T, memory::device> va(a, extents);
  const tensor_view<T, memory::device> vb(b, there);
  const auto right = [&] {
    einsum(runs.ctx, S{}, equation, va, vb, {});
    runs.ctx.synchronise();
    device_buffer<T> expected(count);
    fill(static_cast<T*>(expected), count, want);
    return same<T, T>(b, expected, count);
  };
  runs.add({name,
            count,
            bytes,
            "GB/s",
            [&] { einsum(runs.ctx, S{}, equation, va, vb, {}); },
            right,
            {{"copy", [&] { copy_now<T>(runs.ctx, b, a, count); }}},
            0,
            0.8});
}

std::vector<int> reversed(int axes) {
  std::vector<int> order(static_cast<std::size_t>(axes));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

template <class T>
struct small_number {
  __device__ T operator()(index_t i) const { return static_cast<T>(i % 61); }
};

// `calls` products of a batch by its equation, beside the same gemm.
void products(streaming_runs& runs, index_t batch, index_t n, int calls) {
  const std::string name = "einsum bik,bkj->bij min_plus f32, " + std::to_string(batch) + " of " + std::to_string(n) +
                           "^3" + (calls > 1 ? ", " + std::to_string(calls) + " calls" : "");
  if (!runs.wants(name)) return;
  device_buffer<float> a(batch * n * n), b(batch * n * n), c(batch * n * n), theirs(batch * n * n);
  fill(static_cast<float*>(a), a.count(), small_number<float>{});
  fill(static_cast<float*>(b), b.count(), small_number<float>{});
  const axis_values extents{batch, n, n};
  const tensor_view<const float, memory::device> ta(a, extents), tb(b, extents);
  const tensor_view<float, memory::device> tc(c, extents);
  const view<const float, 3, memory::device> va(a, {batch, n, n}), vb(b, {batch, n, n});
  const view<float, 3, memory::device> vc(theirs, {batch, n, n});
  const einsum_equation equation("bik,bkj->bij");
  const double amount = calls > 1 ? 1e3 * calls : 2e-3 * double(batch) * double(n) * double(n) * double(n);
  runs.add({name,
            2 * batch * n * n,
            amount,
            calls > 1 ? "M calls/s" : "Tops",
            [&] {
              for (int i = 0; i < calls; ++i) einsum(runs.ctx, min_plus<float>{}, equation, ta, tb, tc, {});
            },
            [&] {
              gemm(runs.ctx, min_plus<float>{}, va, vb, vc);
              runs.ctx.synchronise();
              return same<float, float>(c, theirs, c.count());
            },
            {{"gemm",
              [&] {
                for (int i = 0; i < calls; ++i) gemm(runs.ctx, min_plus<float>{}, va, vb, vc);
              }}},
            calls > 1 ? 0.05 : 0,
            calls > 1 ? 0 : 0.9});
}

// Products of a batch of m x k matrices (k x m, `by_columns`) and a vector each, which read each matrix once; beside
// one product of as many rows, the same batch by gemm, and cuBLAS.
template <class S>
void vectors(streaming_runs& runs, S s, index_t batch, index_t m, index_t k, bool by_columns, double of_peer) {
  const std::string text = by_columns ? "bij,bi->bj" : "bij,bj->bi";
  const std::string name = "einsum " + text + ' ' + S::name + " f32, " + std::to_string(batch) + " of " +
                           std::to_string(by_columns ? k : m) + " x " + std::to_string(by_columns ? m : k);
  if (!runs.wants(name)) return;
  const context& ctx = runs.ctx;
  device_buffer<float> a(batch * m * k), x(batch * k), y(batch * m), expected(batch * m), others(batch * m);
  fill(static_cast<float*>(a), a.count(), random_below<float>{17, 8});  // sums are exact in any order
  fill(static_cast<float*>(x), x.count(), random_below<float>{18, 8});
  const std::array<index_t, 3> strides{m * k, by_columns ? 1 : k, by_columns ? m : 1};
  const view<const float, 3, memory::device> va(a, {batch, m, k}, strides), vx(x, {batch, k, 1});
  const view<float, 3, memory::device> vy(expected, {batch, m, 1});
  const tensor_view<const float, memory::device> ta(a, axis_values{batch, m, k},
                                                    axis_values{strides[0], strides[1], strides[2]}),
      tx(x, axis_values{batch, k}), rows(a, axis_values{batch * m, k}), first(x, axis_values{k});
  const tensor_view<float, memory::device> ty(y, axis_values{batch, m}), all(others, axis_values{batch * m});
  const einsum_equation equation("bij,bj->bi"), one_product("ij,j->i");
  std::vector<peer> peers{{"one matrix", [&] { einsum(ctx, s, one_product, rows, first, all, {}); }},
                          {"gemm", [&] { gemm(ctx, s, va, vx, vy); }}};
  const cublas library(ctx.stream());
  if constexpr (std::is_same_v<S, plus_times<float>>)
    if (library)
      peers.push_back({"cuBLAS batched SGEMV", [&] { (void)library.sgemv(by_columns, batch, m, k, a, x, others); }});
  runs.add({name, batch * (m * k + k), 4 * double(batch) * (double(m) * double(k) + double(m) + double(k)), "GB/s",
            [&] { einsum(ctx, s, equation, ta, tx, ty, {}); },
            [&] {
              gemm(ctx, s, va, vx, vy);
              ctx.synchronise();
              return same<float, float>(y, expected, batch * m);
            },
            peers, 0, of_peer});
}

}  // namespace

void bench_tensors(streaming_runs& runs) {
  const auto bits = [](int axes) { return axis_values(std::vector<index_t>(static_cast<std::size_t>(axes), 2)); };
  permutation<min_plus<std::int32_t>>(runs, "tensor: reverse of 30 axes of 2, i32", bits(30), reversed(30),
                                      reversed_index<std::int32_t>{30});
  permutation<plus_times<double>>(runs, "tensor: reverse of 29 axes of 2, f64", bits(29), reversed(29),
                                  reversed_index<double>{29});
  permutation<min_plus<std::int32_t>>(runs, "tensor: 32768 x 32768 transposed, i32", {32768, 32768}, {1, 0},
                                      transposed_index<std::int32_t>{32768});
  products(runs, 8, 1024, 1);
  products(runs, 8, 64, 100);
  for (const bool by_columns : {false, true}) {
    vectors(runs, plus_times<float>{}, 256, 1024, 1024, by_columns, 0.9);
    vectors(runs, min_plus<float>{}, 256, 1024, 1024, by_columns, 0.9);
    vectors(runs, max_times<float>{}, 256, 1024, 1024, by_columns, 0.9);
    vectors(runs, plus_times<float>{}, 16384, 128, 128, by_columns, 0.8);
    vectors(runs, plus_times<float>{}, 262144, 32, 32, by_columns, 0.5);
    vectors(runs, plus_times<float>{}, 1048576, 16, 16, by_columns, 0);  // gemm's
  }
}

}  // namespace kleene::bench
