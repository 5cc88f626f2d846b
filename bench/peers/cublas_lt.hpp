// cuBLASLt as a yardstick: the first algorithm of its heuristic, found at run time (nothing links it).
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <functional>
#include <string>

namespace kleene::bench {

class cublas_lt {
 public:
  // Work goes on `stream` (cudaStream_t).
  explicit cublas_lt(void* stream);

  // C = A B of device memory, rows of C contiguous, A and B transposed where said. Types by Kleene's names: bf16, f16,
  // f32 (multiplied as tf32), f64, i8, f8_e4m3 (scaled by 1); C likewise, and i32. With f16_sums f16 is summed in f16,
  // with fast_accumulation f8_e4m3 by the tensor cores alone. Empty where there is no cuBLASLt or it offers no
  // algorithm.
  std::function<void()> product(const std::string& type, const std::string& type_of_c, index_t m, index_t n, index_t k,
                                bool transposed_a, bool transposed_b, const void* a, const void* b, void* c,
                                float_precision precision = float_precision::full) const;

 private:
  void* stream_;
  void* handle_ = nullptr;
  void* workspace_ = nullptr;
};

}  // namespace kleene::bench
