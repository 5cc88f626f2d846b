// Streams, memory and graphs of the caller's.
#include "kleene/operations/gemm.hpp"
#include "support/device.hpp"

#include <cuda_runtime.h>

namespace kleene::test {
namespace {

using shortest = min_plus<float>;

// 3 + 3 over n x n matrices is 6 everywhere.
void check_product(const context& ctx, index_t n = 100) {
  const device_matrix<float> a = to_device(ctx, matrix<float>(n, n, 3));
  device_matrix<float> c(ctx, n, n);
  gemm(ctx, shortest{}, a, a, c);
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(n, n, 6))) << n;
}

TEST(streams_of_callers, the_default_streams) {
  KLEENE_NEEDS_GPU();
  const cudaStream_t none = nullptr;
  EXPECT_EQ(context::cuda(none).stream(), cudaStreamLegacy);
  EXPECT_EQ(context::cuda(cudaStreamPerThread).stream(), cudaStreamPerThread);
  check_product(context::cuda(none));
  check_product(context::cuda(cudaStreamLegacy));
  check_product(context::cuda(cudaStreamPerThread));
}

// Nothing is waited for but by the end of each context, whose memory is still being freed by then.
TEST(streams_of_callers, contexts_end_while_their_work_is_queued) {
  KLEENE_NEEDS_GPU();
  const matrix<float> ones(300, 300, 1);
  for (int round = 0; round < 50; ++round)
    for (const cudaStream_t stream : {cudaStreamLegacy, cudaStreamPerThread}) {
      const context ctx = context::cuda(stream);
      const device_matrix<float> a = to_device(ctx, ones);
      device_matrix<float> c(ctx, 300, 300);
      gemm(ctx, shortest{}, a, a, c);
    }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  check_product(context::cuda(cudaStreamLegacy));
}

TEST(streams_of_callers, one_that_the_caller_made) {
  KLEENE_NEEDS_GPU();
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  {
    const context ctx = context::cuda(stream);
    EXPECT_EQ(ctx.stream(), stream);
    EXPECT_EQ(ctx.device()->ordinal, 0);
    check_product(ctx);
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// As RMM's resources are called.
struct counting_resource {
  std::size_t out = 0;
  int calls = 0;
  bool empty = false;
  void* allocate(std::size_t bytes, cudaStream_t stream) {
    void* p = nullptr;
    if (empty || cudaMallocAsync(&p, bytes, stream) != cudaSuccess) throw std::bad_alloc();
    ++calls;
    out += bytes;
    return p;
  }
  void deallocate(void* p, std::size_t bytes, cudaStream_t stream) {
    out -= bytes;
    cudaFreeAsync(p, stream);
  }
};

TEST(memory_of_callers, gives_owners_and_workspaces) {
  KLEENE_NEEDS_GPU();
  counting_resource resource;
  {
    device_matrix<float> survivor;
    {
      const context ctx = context::cuda(0, resource);
      check_product(ctx, 300);
      survivor = to_device(ctx, matrix<float>(10, 10, 1));
      EXPECT_GE(ctx.workspace_bytes().workspace, 2u * 300 * 300 * 4);
      EXPECT_GE(resource.out, ctx.workspace_bytes().workspace + 400);
    }
    EXPECT_GE(resource.out, 400u);
    check_product(context::cuda(0, resource));
    resource.empty = true;
    EXPECT_TRUE(contains(refusal<error>(fault_code::memory, [&] { (void)context::cuda(0, resource); }), "bytes"));
  }
  EXPECT_EQ(resource.out, 0u);
}

// What one context needed another has from the start: its first product allocates nothing, and goes into a graph.
TEST(memory_of_callers, what_is_reserved_is_there_for_a_graph) {
  KLEENE_NEEDS_GPU();
  counting_resource resource;
  const context tried = context::cuda(0, resource), ctx = context::cuda(0, resource);
  const device_matrix<float> a = to_device(tried, matrix<float>(200, 200, 3));
  device_matrix<float> c(tried, 200, 200);
  gemm(tried, shortest{}, a, a, c);
  copy(tried, matrix<float>(200, 200, 0), c);
  tried.synchronise();
  ctx.reserve(tried.workspace_bytes());
  ctx.synchronise();
  const int calls = resource.calls;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  ASSERT_EQ(cudaStreamBeginCapture(ctx.stream(), cudaStreamCaptureModeThreadLocal), cudaSuccess);
  gemm(ctx, shortest{}, a, a, c);
  ASSERT_EQ(cudaStreamEndCapture(ctx.stream(), &graph), cudaSuccess);
  EXPECT_EQ(resource.calls, calls);
  ASSERT_EQ(cudaGraphInstantiate(&ready, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(ready, ctx.stream()), cudaSuccess);
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<float>(200, 200, 6)));
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
}

TEST(local_matrix_gpu, lives_where_the_best_context_works) {
  KLEENE_NEEDS_GPU();
  const context best = context::best(), cpu = context::cpu();
  const local_matrix<float> a = to_context(best, matrix<float>(50, 50, 3)),
                            h = to_context(cpu, matrix<float>(50, 50, 3));
  local_matrix<float> c(best, 50, 50), hc(cpu, 50, 50);
  EXPECT_EQ(a.where(), memory::device);
  EXPECT_EQ(h.where(), memory::host);
  gemm(best, shortest{}, a, a, c);
  gemm(cpu, shortest{}, h, h, hc);
  EXPECT_TRUE(equal(to_host(best, c), to_host(cpu, hc)));
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { gemm(cpu, shortest{}, h, a, hc); }), "B is in device"));
}

}  // namespace
}  // namespace kleene::test
