// One product as every CPU kernel of this wing sees it: pointers, extents, strides, and what to do when storing.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <cstddef>
#include <cstdint>

namespace kleene {

// "no epilogue": store the value as it is.
struct none {};

namespace kernels::cpu {

// C[b] = epilogue((alpha (x) A[b] B[b]) (+) (beta (x) D[b])) for b < batch. A is m x k, B is k x n, C and D are m x n.
// Strides count elements: {batch, row, column}. Null pointers mean absent.
template <class S, class Epilogue = none, class Out = value_of<S>>
struct gemm_arguments {
  using T = value_of<S>;
  index batch = 1, m = 0, n = 0, k = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  Out* c = nullptr;
  const T* d = nullptr;
  const bool* mask = nullptr;
  std::int32_t* witness = nullptr;
  std::array<index, 3> sa{}, sb{}, sc{}, sd{}, smask{}, switness{};
  const T* alpha = nullptr;  // scalars are read through pointers so that absent ones cost nothing
  const T* beta = nullptr;
  bool mask_complement = false;
  bool replace = false;  // masked-out elements become zero() instead of keeping what C held
  Epilogue epilogue{};

  int threads = 1;
  instruction_set isa = instruction_set::baseline;
};

}  // namespace kernels::cpu
}  // namespace kleene
