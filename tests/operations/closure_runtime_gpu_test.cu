// Closures and what else a program does with the CUDA runtime: captures of the stream, errors that it has not looked
// at, other threads that launch the same kernels.
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/operations/closure.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

#include <thread>

namespace kleene::test {
namespace {

TEST(closure_runtime_on_cuda, a_captured_stream_is_refused_and_the_capture_goes_on) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const matrix<float> graph = closable<S>(100, 0.05, 1);
  auto a = to_device(ctx, graph);
  auto before = to_device(ctx, matrix<std::int32_t>(100, 100, -9));
  const view<float, 3, memory::device> four(a.data(), {4, 25, 25}, {25 * 100 + 25, 100, 1});
  device_matrix<float> copied(ctx, 100, 100);
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    gpu::require(cudaStreamBeginCapture(stream, mode), "starting a capture");
    for (const std::string& said :
         {refusal<argument_error>(fault_code::bad_input, [&] { (void)closure(ctx, S{}, a); }),
          refusal<argument_error>(fault_code::bad_input, [&] { (void)closure(ctx, S{}, a, before); }),
          refusal<argument_error>(fault_code::bad_input, [&] { (void)closure(ctx, S{}, four); })})
      EXPECT_TRUE(contains(said, "cannot be captured in a CUDA graph")) << said;
    gpu::require(cudaMemcpyAsync(copied.data(), a.data(), 100 * 100 * sizeof(float), cudaMemcpyDeviceToDevice, stream),
                 "copying");
    cudaGraph_t captured = nullptr;
    cudaGraphExec_t ready = nullptr;
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&ready, captured, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(ready, stream), cudaSuccess);
    EXPECT_TRUE(equal(to_host(ctx, copied), graph));
    EXPECT_TRUE(equal(to_host(ctx, a), graph));
    cudaGraphExecDestroy(ready), cudaGraphDestroy(captured);
  }
  EXPECT_TRUE(closure(ctx, S{}, a).exists);
}

// The caller's, of a call that failed and had nothing to do with the closure.
TEST(closure_runtime_on_cuda, an_earlier_error_is_not_the_closures) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  const index_t n = 900;
  const matrix<float> graph = closable<S>(n, 0.01, 1);
  matrix<float> want = graph;
  ASSERT_TRUE(closure(context::cpu({.threads = 2}), S{}, want).exists);
  auto a = to_device(ctx, graph), again = to_device(ctx, graph);
  device_matrix<std::int32_t> before(ctx, n, n);
  device_matrix<float> small(ctx, 80, 20), middle(ctx, 400, 100);
  copy(ctx, closable<S>(80, 0.1, 2).view().block(0, 0, 80, 20), small);
  copy(ctx, closable<S>(400, 0.1, 3).view().block(0, 0, 400, 100), middle);
  const auto leave_error = [] {
    void* p = nullptr;
    EXPECT_NE(cudaMalloc(&p, std::size_t{1} << 50), cudaSuccess);
  };
  leave_error();
  EXPECT_NO_THROW(EXPECT_TRUE(closure(ctx, S{}, a).exists));
  leave_error();
  EXPECT_NO_THROW(EXPECT_TRUE(closure(ctx, S{}, again, before).exists));
  for (const auto& [matrices, size] : {std::pair{small.data(), index_t{20}}, std::pair{middle.data(), index_t{100}}}) {
    leave_error();
    const view<float, 3, memory::device> four(matrices, {4, size, size});
    EXPECT_NO_THROW(EXPECT_TRUE(closure(ctx, S{}, four).exists));
  }
  cudaGetLastError();
  EXPECT_TRUE(equal(to_host(ctx, a), want));
  EXPECT_TRUE(equal(to_host(ctx, again), want));
}

// Weights of 1 to 50 on a ring and on one arc in `n / 8`: everybody is reached.
matrix<std::int32_t> ring_and_more(index_t n, std::uint64_t seed) {
  matrix<std::int32_t> a = closable<min_plus<std::int32_t>>(n, 8.0 / double(n), seed);
  for (index_t i = 0; i < n; ++i) a(i, (i + 1) % n) = 50;
  return a;
}

// Every predecessor's distance and its arc make the distance; arcs weigh at least 1, so chains end.
void expect_last_arcs(const matrix<std::int32_t>& graph, const matrix<std::int32_t>& closed,
                      const matrix<std::int32_t>& before) {
  const index_t n = graph.rows();
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      const std::int32_t v = before(i, j);
      if (i == j) {
        ASSERT_EQ(v, -1) << i;
        continue;
      }
      ASSERT_TRUE(v >= 0 && v < n) << i << " to " << j;
      const std::int32_t to_v = v == i ? 0 : closed(i, v);
      ASSERT_EQ(closed(i, j), to_v + graph(v, j)) << i << " to " << j << " by " << v;
    }
}

// Rows of both sizes are kept in shared memory for which a kernel needs permission: it is the process's, and one
// thread's launch must not take it from the other's.
TEST(closure_runtime_on_cuda, predecessors_of_two_sizes_in_two_threads) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  const index_t sizes[] = {8500, 12000};
  matrix<std::int32_t> graphs[2], closed[2], before[2];
  std::thread threads[2];
  int done[2]{};
  for (int t = 0; t < 2; ++t) graphs[t] = ring_and_more(sizes[t], 5 + t);
  for (int t = 0; t < 2; ++t)
    threads[t] = std::thread([&, t] {
      const context ctx = context::cuda();
      device_matrix<std::int32_t> a(ctx, sizes[t], sizes[t]), p(ctx, sizes[t], sizes[t]);
      for (int round = 0; round < (t ? 4 : 8); ++round) {
        copy(ctx, graphs[t], a);
        EXPECT_NO_THROW(done[t] += closure(ctx, S{}, a, p).exists);
      }
      closed[t] = to_host(ctx, a), before[t] = to_host(ctx, p);
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(done[0], 8);
  EXPECT_EQ(done[1], 4);
  for (int t = 0; t < 2; ++t) expect_last_arcs(graphs[t], closed[t], before[t]);
}

}  // namespace
}  // namespace kleene::test
