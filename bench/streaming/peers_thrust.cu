// Thrust, for what CUB has not. Its sets allocate temporary storage: from a pool of ours, so that the clock sees none.
#include "gpu_timer.cuh"
#include "streaming/peers.hpp"

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/set_operations.h>

#include <map>
#include <memory>

namespace kleene::bench::peers {

namespace {

// Keeps what was given back.
struct pool {
  using value_type = char;
  std::multimap<std::size_t, char*> free_blocks;
  std::map<char*, std::size_t> sizes;
  char* allocate(std::ptrdiff_t bytes) {
    const auto found = free_blocks.lower_bound(static_cast<std::size_t>(bytes));
    if (found != free_blocks.end()) {
      char* p = found->second;
      free_blocks.erase(found);
      return p;
    }
    char* p = nullptr;
    require_cuda(cudaMalloc(&p, bytes), "allocating Thrust's storage");
    sizes[p] = bytes;
    return p;
  }
  void deallocate(char* p, std::size_t) { free_blocks.emplace(sizes[p], p); }
  ~pool() {
    for (const auto& [p, bytes] : sizes) cudaFree(p);
  }
};

}  // namespace

peer lower_bound(const context& ctx, const int* needles, index_t n, const int* hay, index_t m, int* out) {
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  return {"thrust::lower_bound",
          [=] { thrust::lower_bound(thrust::cuda::par_nosync.on(stream), hay, hay + m, needles, needles + n, out); }};
}
peer lower_bound(const context& ctx, const long long* needles, index_t n, const long long* hay, index_t m, int* out) {
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  return {"thrust::lower_bound",
          [=] { thrust::lower_bound(thrust::cuda::par_nosync.on(stream), hay, hay + m, needles, needles + n, out); }};
}

peer upper_bound_of_numbers(const context& ctx, index_t n, const int* hay, index_t m, int* out) {
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  return {"thrust::upper_bound", [=] {
            const auto numbers = thrust::make_counting_iterator(0);
            thrust::upper_bound(thrust::cuda::par_nosync.on(stream), hay, hay + m, numbers, numbers + n, out);
          }};
}

peer set_operation(const context& ctx, int kind, const int* a, index_t na, const int* b, index_t nb, int* out) {
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  const auto memory = std::make_shared<pool>();
  static const char* const names[] = {"thrust::set_intersection", "thrust::set_union", "thrust::set_difference",
                                      "thrust::set_symmetric_difference"};
  return {names[kind], [=] {
            const auto policy = thrust::cuda::par(*memory).on(stream);
            if (kind == 0) thrust::set_intersection(policy, a, a + na, b, b + nb, out);
            if (kind == 1) thrust::set_union(policy, a, a + na, b, b + nb, out);
            if (kind == 2) thrust::set_difference(policy, a, a + na, b, b + nb, out);
            if (kind == 3) thrust::set_symmetric_difference(policy, a, a + na, b, b + nb, out);
          }};
}

}  // namespace kleene::bench::peers
