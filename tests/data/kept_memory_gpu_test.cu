// What a context keeps of the device's memory from call to call: all of it is counted, and goes back when asked.
#include "kleene/operations/bits.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/gemm.hpp"
#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/cuda/sets.cuh"
#include "kleene/streaming/cuda/sort.cuh"
#include "support/device.hpp"

#include <cuda_runtime.h>

#include <numeric>

namespace kleene::test {
namespace {

using shortest = min_plus<float>;
using key = index_t;

struct counting_resource {
  std::size_t out = 0;
  void* allocate(std::size_t bytes, cudaStream_t stream) {
    void* p = nullptr;
    if (cudaMallocAsync(&p, bytes, stream) != cudaSuccess) throw std::bad_alloc();
    out += bytes;
    return p;
  }
  void deallocate(void* p, std::size_t bytes, cudaStream_t stream) {
    out -= bytes;
    cudaFreeAsync(p, stream);
  }
};

TEST(kept_memory_gpu, is_counted_and_given_back_whole) {
  KLEENE_NEEDS_GPU();
  constexpr index_t n = 300000, segments = n / 3, side = 700;
  counting_resource resource;
  const context ctx = context::cuda(0, resource), elsewhere = context::cuda();
  const std::size_t record = resource.out;  // of faults: as long as the context lives
  EXPECT_EQ(record, 48u);

  std::vector<key> ascending(n), starts(segments + 1);
  std::iota(ascending.begin(), ascending.end(), 0);
  for (index_t s = 0; s <= segments; ++s) starts[s] = static_cast<key>(3 * s);
  const auto a = to_device(elsewhere, ascending), b = to_device(elsewhere, ascending),
             offsets = to_device(elsewhere, starts);
  device_vector<key> out(elsewhere, 2 * n), more(elsewhere, 2 * n);
  device_vector<index_t> left(elsewhere, n), right(elsewhere, n);
  auto graph = to_device(elsewhere, problems::random_matrix<shortest>(side, side, distribution::uniform, 1));
  device_matrix<float> c(elsewhere, side, side);
  device_matrix<std::int32_t> before(elsewhere, side, side);
  device_bit_matrix bits(elsewhere, side, side);
  copy(elsewhere, bit_matrix(side, side), bits);
  elsewhere.synchronise();

  const auto after = [&](const char* what, auto&& call) {
    SCOPED_TRACE(what);
    call();
    ctx.synchronise();
    const memory_needs kept = ctx.workspace_bytes();
    EXPECT_EQ(resource.out - record, kept.workspace + kept.tagged);
    return kept;
  };
  EXPECT_EQ(after("nothing", [] {}), memory_needs{});
  EXPECT_GT(after("scan", [&] { inclusive_scan(ctx, a.data(), a.data() + n, out.data()); }).tagged, 0u);
  after("reduce", [&] { (void)reduce(ctx, a.data(), a.data() + n, key{0}); });
  after("reduce_by_key", [&] { (void)reduce_by_key(ctx, a.data(), a.data() + n, b.data(), out.data(), more.data()); });
  after("segmented_reduce",
        [&] { (void)segmented_reduce(ctx, a.data(), a.data() + n, offsets.data(), segments, out.data(), key{0}); });
  after("merge_sort", [&] { merge_sort(ctx, out.data(), out.data() + n); });
  after("set_union", [&] { (void)set_union(ctx, a.data(), a.data() + n, b.data(), b.data() + n, out.data()); });
  after("join", [&] {
    (void)join(ctx, join_kind::inner, a.data(), a.data() + n, b.data(), b.data() + n, left.data(), right.data(), n);
  });
  EXPECT_GT(after("gemm", [&] { gemm(ctx, shortest{}, graph, graph, c); }).workspace, 0u);
  after("closure", [&] { (void)closure(ctx, shortest{}, graph, before); });
  const memory_needs most = after("closure of bits", [&] { closure(ctx, or_and<bit>{}, bits); });
  EXPECT_GT(most.tagged, 0u);
  EXPECT_GT(most.workspace, 0u);

  ctx.release_workspace();
  EXPECT_EQ(resource.out, record);
  EXPECT_EQ(ctx.workspace_bytes(), memory_needs{});

  // All of it is there again before it is needed, and serves.
  ctx.reserve(most);
  EXPECT_EQ(resource.out - record, most.workspace + most.tagged);
  inclusive_scan(ctx, a.data(), a.data() + 1000, out.data());
  EXPECT_EQ(resource.out - record, most.workspace + most.tagged);
  EXPECT_EQ(to_host(ctx, out)[999], 499500);
}

}  // namespace
}  // namespace kleene::test
