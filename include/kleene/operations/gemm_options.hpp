// What a product may be told beside its operands; the contract is in gemm.hpp.
#pragma once

#include "kleene/algebra/signs.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/operations/detail/checks.hpp"

#include <optional>

namespace kleene {

// T is the element type of D, Scalar that of alpha and beta, Epilogue a functor (value, row, column) -> element of C.
template <class T = none, class Epilogue = none, class Scalar = T>
struct gemm_options {
  bool accumulate = false;                // shorthand for source = C
  std::optional<Scalar> alpha{}, beta{};  // absent: one(), without the multiplication
  operand<T> source{};                    // D; absent: C is not read
  operand<bool> mask{};                   // absent: everything is written
  bool mask_complement = false;
  bool replace = false;
  bool check_domain = true;  // false: nor whether integer sums of products could wrap
  std::optional<sign_class> signs{};
  float_precision precision = float_precision::full;
  [[no_unique_address]] Epilogue epilogue{};
};

}  // namespace kleene
