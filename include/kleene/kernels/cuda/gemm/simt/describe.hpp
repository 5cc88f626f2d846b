// The words of a CUDA product's line, compiled once for all algebras.
#pragma once

#include "kleene/kernels/cuda/gemm/simt/operands/findings.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

#include <cstddef>
#include <string>

namespace kleene::kernels::cuda {

// The atoms of an algebra: for any signs, and for operands of one sign.
struct atom_names {
  const char *any, *positive = nullptr, *negative = nullptr;
  bool has_positive = false, has_negative = false, has_classes = false;
};

// "atom plain", or all that may run where the device has yet to gather operand statistics.
std::string describe_atoms(const atom_names& names, const gemm_checks& checks);

// "row four_bytes (tile 96x128, ...", or "a policy of the caller's (..." where `row` is null.
std::string describe_policy(const simt_policy& policy, const char* row);

struct simt_description {
  std::string product, atom{}, policy{};
  bool with_witness = false;
  int splits = 1;
  const char* before = nullptr;  // what is tried first
  std::size_t workspace = 0;
};
std::string describe_simt(const simt_description& of);

}  // namespace kleene::kernels::cuda
