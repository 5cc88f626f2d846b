// What an einsum may be told beside its operands; the contract is in einsum.hpp.
#pragma once

#include <span>
#include <utility>

namespace kleene {

struct einsum_options {
  bool accumulate = false;                       // C = C (+) what the equation gives
  bool check_domain = true;                      // as gemm's
  std::span<const std::pair<int, int>> order{};  // of several operands; empty: from left to right
};

}  // namespace kleene
