// What every closure on a device starts with: its memory, and a check of the values.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/detail/to_text.hpp"
#include "kleene/data/device_matrix.hpp"
#include "kleene/data/integers.hpp"
#include "kleene/gpu/host/launch.cuh"
#include "kleene/gpu/host/runtime.cuh"
#include "kleene/gpu/host/wait.cuh"
#include "kleene/kernels/contract/closure_arguments.hpp"
#include "kleene/kernels/cuda/closure/prepare.cuh"

#include <algorithm>
#include <cmath>

namespace kleene::kernels::cuda {

// Parts of one allocation, 256-byte aligned: counted first, then handed out in the same order.
class parts_of_workspace {
 public:
  explicit parts_of_workspace(void* base = nullptr) : base_(static_cast<char*>(base)) {}
  template <class T = char>
  T* take(double count) {
    const double bytes = std::ceil(count * sizeof(T) / 256) * 256;
    char* at = base_ ? base_ + static_cast<std::size_t>(bytes_) : nullptr;
    bytes_ += bytes;
    return reinterpret_cast<T*>(at);
  }
  std::size_t bytes() const { return static_cast<std::size_t>(bytes_); }

 private:
  char* base_;
  double bytes_ = 0;
};

template <class S>
matrix_rows<value_of<S>> rows_of(const matrix_view<value_of<S>>& a) {
  return {a.data(), 1, a.rows(), 0, a.stride(0), a.stride(1)};
}

inline unsigned blocks_for_rows(const context& ctx, index_t rows) {
  return static_cast<unsigned>(std::clamp<index_t>(ceil_div(rows, row_warps), 1, 8 * ctx.device()->multiprocessors));
}

inline closure_report read_report(const context& ctx, const closure_report* report) {
  closure_report found;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  gpu::require(cudaMemcpyAsync(&found, report, sizeof found, cudaMemcpyDeviceToHost, stream), "a closure");
  gpu::wait(ctx, "a closure");
  return found;
}

// Capture only records launches, but a closure has to wait for what its kernels report.
inline void refuse_capture(const context& ctx) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  gpu::require(cudaStreamIsCapturing(static_cast<cudaStream_t>(ctx.stream()), &status),
               "asking whether a stream is captured");
  if (status != cudaStreamCaptureStatusNone)
    throw argument_error("a closure cannot be captured in a CUDA graph: it returns what it found, and waits for it");
}

inline void require_room(const context& ctx, std::size_t bytes, const std::string& what) {
  if (const std::size_t free = ctx.available(); bytes > free)
    throw error(fault_code::memory, what + " needs " + std::to_string(bytes) + " bytes more on the device; " +
                                        std::to_string(free) + " are available");
}

// Checks the values of n x n matrices, and throws what is wrong before anything is written.
template <class S>
closure_report inspect_matrices(const context& ctx, const matrix_rows<value_of<S>>& a, bool check_domain,
                                closure_report* report) {
  using T = value_of<S>;
  const auto stream = static_cast<cudaStream_t>(ctx.stream());
  matrix_rows<const T> x{a.data, a.count, a.n, a.batch_stride, a.row_stride, a.col_stride, a.sizes};
  const bool transposed = std::abs(x.row_stride) < std::abs(x.col_stride);
  if (transposed) std::swap(x.row_stride, x.col_stride);
  const bool flat = !x.sizes && x.count > 1 && x.col_stride == 1 && x.row_stride == x.n && x.batch_stride == x.n * x.n;
  const index_t cols = flat ? x.n * x.n : x.n;
  if (flat) x.n = 1;
  gpu::launch(clear_closure_report, {1, 1, 0, stream}, report);
  gpu::launch(inspect_closure<S>, {blocks_for_rows(ctx, x.count * x.n), row_threads, 0, stream}, x, cols, transposed,
              check_domain, &report->values);
  const closure_report found = read_report(ctx, report);
  if (found.values.offender != operand_report::no_offender) {
    const index_t at = static_cast<index_t>(found.values.offender), j = at % a.n, i = at / a.n % a.n,
                  b = at / a.n / a.n;
    T value;
    gpu::require(cudaMemcpy(&value, a.data + b * a.batch_stride + i * a.row_stride + j * a.col_stride, sizeof value,
                            cudaMemcpyDeviceToHost),
                 "reading a value");
    const std::string name = "A(" + (a.count > 1 ? std::to_string(b) + ", " : std::string()) + std::to_string(i) +
                             ", " + std::to_string(j) + ")";
    if (!(value == value)) throw value_error(name + " is NaN");
    throw value_error(name + " = " + kleene::detail::to_text(value) + " is outside the domain of " + name_of<S>());
  }
  return found;
}

}  // namespace kleene::kernels::cuda
