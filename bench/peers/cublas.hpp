// cuBLAS as a yardstick, found at run time: nothing links it, and without it there is no yardstick.
#pragma once

#include "kleene/data/view.hpp"

#include <string>

namespace kleene::bench {

class cublas {
 public:
  // Work goes on `stream` (cudaStream_t).
  explicit cublas(void* stream);
  ~cublas();
  cublas(const cublas&) = delete;
  cublas& operator=(const cublas&) = delete;

  explicit operator bool() const { return handle_ != nullptr; }
  // C = A B, row-major in device memory, in plain arithmetic (no TF32). False where cuBLAS refuses.
  bool gemm(index_t m, index_t n, index_t k, const float* a, const float* b, float* c) const;
  bool gemm(index_t m, index_t n, index_t k, const double* a, const double* b, double* c) const;
  // y = A x of a row-major m x k matrix (x A of a k x m one, `by_columns`), f32 in device memory.
  bool sgemv(bool by_columns, index_t m, index_t k, const float* a, const float* x, float* y) const;
  // A batch of such, matrices and vectors one after the other.
  bool sgemv(bool by_columns, index_t batch, index_t m, index_t k, const float* a, const float* x, float* y) const;

 private:
  void* library_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace kleene::bench
