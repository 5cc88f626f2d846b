// What the rows of the streaming suite share: memory, data, the clock, the list.
#pragma once

#include "gpu_timer.cuh"
#include "kleene/algebra/ops.hpp"
#include "kleene/data/splitmix64.hpp"
#include "streaming/peers.hpp"
#include "streaming/suite.hpp"

#include <memory>
#include <optional>

namespace kleene::bench {

// Uninitialised device memory.
template <class T>
class device_buffer {
 public:
  explicit device_buffer(index_t count) : count_(count) {
    require_cuda(cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(T) + 256), "allocating bench data");
  }
  ~device_buffer() { cudaFree(data_); }
  device_buffer(const device_buffer&) = delete;
  device_buffer& operator=(const device_buffer&) = delete;

  operator T*() const { return data_; }
  T* end() const { return data_ + count_; }
  index_t count() const { return count_; }

 private:
  T* data_ = nullptr;
  index_t count_;
};

__host__ __device__ inline std::uint64_t splitmix(std::uint64_t seed, std::uint64_t i) {
  return splitmix64_output(seed * 0x632be59bd9b4e019ull + (i + 1) * splitmix64_step);
}

template <class T, class F>
__global__ void fill_kernel(T* out, index_t count, F f) {
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += index_t{gridDim.x} * blockDim.x)
    out[i] = f(i);
}
template <class T, class F>
void fill(T* out, index_t count, F f) {
  fill_kernel<<<2048, 256>>>(out, count, f);
  require_cuda(cudaDeviceSynchronize(), "filling bench data");
}

// Uniform in [0, below).
template <class T>
struct random_below {
  std::uint64_t seed, below;
  __device__ T operator()(index_t i) const { return static_cast<T>(splitmix(seed, i) % below); }
};

// Starts of `segments` segments that hold `count` items together, and count behind them: sizes uniform in [0, 2 mean],
// or Pareto(1.05).
std::vector<int> segment_offsets(index_t count, index_t segments, bool skewed);
template <class T>
void upload(T* to, const std::vector<T>& from) {
  require_cuda(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "uploading bench data");
}

template <class T>
void copy_now(const context& ctx, T* to, const T* from, index_t count) {
  require_cuda(
      cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(ctx.stream())),
      "copying bench data");
}

// How many of a[i] != b[i], bit for bit where they are plain.
template <class A, class B>
__global__ void count_differences(const A* a, const B* b, index_t count, unsigned long long* differences) {
  unsigned long long mine = 0;
  for (index_t i = static_cast<index_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += index_t{gridDim.x} * blockDim.x)
    mine += a[i] != b[i];
  if (mine) atomicAdd(differences, mine);
}
template <class A, class B>
bool same(const A* a, const B* b, index_t count) {
  device_buffer<unsigned long long> differences(1);
  require_cuda(cudaMemset(differences, 0, 8), "counting differences");
  count_differences<<<2048, 256>>>(a, b, count, static_cast<unsigned long long*>(differences));
  unsigned long long result = 0;
  require_cuda(cudaMemcpy(&result, differences, 8, cudaMemcpyDeviceToHost), "counting differences");
  return result == 0;
}

class streaming_runs {
 public:
  streaming_runs(const context& ctx, const streaming_suite_options& options,
                 const std::function<void(const streaming_row&)>& done);

  const context& ctx;
  const streaming_suite_options& options;

  bool wants(const std::string& work) const { return work.find(options.only) != std::string::npos; }
  bool wants_some(const std::string& family) const {
    return wants(family) || options.only.find(family) != std::string::npos;
  }

  struct work {
    std::string name;
    index_t items;
    double amount;
    std::string unit;
    std::function<void()> ours;
    std::function<bool()> right;  // after ours and then the peers ran
    std::vector<peer> peers;
    double at_least = 0;
    std::optional<double> of_peer{};  // by default 1 for a row without `at_least`, where it has a peer
    std::function<void()> before_ours{}, before_peers{};  // outside of the clock
  };
  void add(const work& w);
  std::vector<streaming_row> rows;

 private:
  struct timed {
    std::function<void()> before, call;  // `before` takes no part in the time
    std::vector<double> seconds{};
  };
  void time(std::vector<timed>& contestants);  // in turns

  device_buffer<int> sweep_;
  const std::function<void(const streaming_row&)>& done_;
};

// One file each.
void bench_reduce(streaming_runs& runs);
void bench_scan(streaming_runs& runs);
void bench_merge(streaming_runs& runs);
void bench_sort(streaming_runs& runs);
void bench_radix_sort(streaming_runs& runs);
void bench_search(streaming_runs& runs);
void bench_load_balance(streaming_runs& runs);
void bench_join(streaming_runs& runs);
void bench_sets(streaming_runs& runs);
void bench_segments(streaming_runs& runs);
void bench_segmented_sort(streaming_runs& runs);
void bench_interval_move(streaming_runs& runs);
void bench_spmv(streaming_runs& runs);
void bench_gemv(streaming_runs& runs);

}  // namespace kleene::bench
