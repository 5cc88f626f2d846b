// Closures on a stream that is being captured: refused in a sentence, and the capture is as good as before.
#include "kleene/kernels/cuda/tile/runtime.cuh"
#include "kleene/operations/closure.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

TEST(closure_capture_on_cuda, is_refused_and_the_capture_goes_on) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  using kernels::cuda::require;
  const context ctx = context::cuda();
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const matrix<float> graph = closable<S>(100, 0.05, 1);
  auto a = to_device(ctx, graph);
  auto before = to_device(ctx, matrix<std::int32_t>(100, 100, -9));
  const view<float, 3, memory::device> four(a.data(), {4, 25, 25}, {25 * 100 + 25, 100, 1});
  device_matrix<float> copied(ctx, 100, 100);
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    require(cudaStreamBeginCapture(stream, mode), "starting a capture");
    for (const std::string& said :
         {refusal<argument_error>(fault_code::bad_input, [&] { (void)closure(ctx, S{}, a); }),
          refusal<argument_error>(fault_code::bad_input, [&] { (void)closure(ctx, S{}, a, before); }),
          refusal<argument_error>(fault_code::bad_input, [&] { (void)closure(ctx, S{}, four); })})
      EXPECT_TRUE(contains(said, "cannot be captured in a CUDA graph")) << said;
    require(cudaMemcpyAsync(copied.data(), a.data(), 100 * 100 * sizeof(float), cudaMemcpyDeviceToDevice, stream),
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

}  // namespace
}  // namespace kleene::test
