// C := min(C, A B) over whole numbers that are not negative, for a closure: a shortest path that is short has short
// parts, so numbers from clamped_level on need not be told apart. What is at least that long, and how long is not
// known, is marked: it is there, and is 2^17 or more, which no arc is. Operands may be parts of C, as they are coded
// first.
#pragma once

#include "kleene/kernels/cuda/gemm/exponents/launch.cuh"

namespace kleene::kernels::cuda {

static __global__ void begin_clamped(exponent_findings* found) {
  gpu::launch_dependents();
  *found = {1, 0, 31};
}

// Products of a workspace, in the order of a stream.
template <class S, exponent_engine Engine = exponent_engine::chosen>
class clamped_products {
 public:
  using T = value_of<S>;
  using G = gemm_arguments<S>;

  // For products of at most m x n x k.
  clamped_products(index_t m, index_t n, index_t k) : plan_(plan_exponents(m, n, k)) {}
  std::size_t bytes() const { return plan_.bytes; }

  void begin(void* workspace, cudaStream_t stream) {
    workspace_ = workspace, stream_ = stream;
    gpu::launch(begin_clamped, {1, 1, 0, stream}, plan_.findings.in(workspace));
  }
  // Of matrices of rows `stride` apart, contiguous.
  void multiply(const T* a, const T* b, T* c, index_t m, index_t n, index_t k, index_t stride) const {
    G g;
    g.m = m, g.n = n, g.k = k;
    g.a = a, g.b = b, g.c = c, g.sa = g.sb = g.sc = {0, stride, 1};
    const exponent_lines<S> lines_a(a, m, k, stride, 1), lines_b(b, n, k, 1, stride);
    enqueue_coded<exponents_kind::clamped, Engine>(arguments_exponents(g, lines_a, lines_b, plan_, workspace_), lines_a,
                                                   lines_b, stream_);
  }

 private:
  exponents_plan plan_;
  void* workspace_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace kleene::kernels::cuda
