// What a CUDA product says of itself when it is asked to explain: one line. Kernels say what they are as values; the
// sentences are made in the library (src/kernels/describe.cpp).
#pragma once

#include "kleene/kernels/cuda/gemm/simt/atoms.cuh"
#include "kleene/kernels/cuda/gemm/simt/describe.hpp"

namespace kleene::kernels::cuda {

template <class S, bool Packed, bool Witness>
constexpr atom_names names_of_atoms() {
  if constexpr (!Packed) {
    return {unpacked_atom_of<S>::name};
  } else {
    constexpr sign_class positive = sign_class::non_negative, negative = sign_class::non_positive;
    return {.any = atom_of<S, sign_class::any, Witness>::name,
            .positive = atom_of<S, positive, Witness>::name,
            .negative = atom_of<S, negative, Witness>::name,
            .has_positive = has_classes<S> && has_atom<S, positive>,
            .has_negative = has_classes<S> && has_atom<S, negative>,
            .has_classes = has_classes<S>};
  }
}

// That of a row of the table; null where a policy is the caller's.
template <class Policy>
constexpr const char* name_of_policy() {
  if constexpr (requires { Policy::row; }) return row_of(Policy::row).name;
  else return nullptr;
}

}  // namespace kleene::kernels::cuda
