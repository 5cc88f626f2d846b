// What a CUDA product says of itself when it is asked to explain: one line.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/kernels/cuda/gemm/simt/atoms.cuh"
#include "kleene/kernels/cuda/gemm/simt/findings.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

#include <string>

namespace kleene::kernels::cuda {

template <class Policy>
inline constexpr bool is_row_of_table = false;
template <workload Row>
inline constexpr bool is_row_of_table<tuned<Row>> = true;

// "row four_bytes (tile 96x128, ...", or "a policy of the caller's (...".
template <class Policy>
std::string describe_policy() {
  constexpr simt_policy p = Policy::value;
  std::string name = "a policy of the caller's";
  if constexpr (is_row_of_table<Policy>) name = std::string("row ") + row_of(Policy::row).name;
  const char* copy = p.copy == copies::bulk ? "bulk" : p.copy == copies::async ? "asynchronous" : "strided";
  return name + " (tile " + std::to_string(p.bm) + "x" + std::to_string(p.bn) + ", depth " + std::to_string(p.bk) +
         ", " + std::to_string(p.tm) + "x" + std::to_string(p.tn) + " a thread, " + std::to_string(p.stages) +
         " stages of " + copy + " copies" + (p.slices > 1 ? ", sliced-K by " + std::to_string(p.slices) : "") + ")";
}

// The atom, or all that may run where the device has yet to look at the signs.
template <class S, bool Packed, bool Witness>
std::string describe_atoms(const gemm_checks& checks) {
  if constexpr (!Packed) return std::string("atom ") + unpacked_atom_of<S>::name;
  constexpr sign_class positive = sign_class::non_negative, negative = sign_class::non_positive;
  const std::string any = atom_of<S, sign_class::any, Witness>::name;
  const std::string for_positive = atom_of<S, positive, Witness>::name,
                    for_negative = atom_of<S, negative, Witness>::name;
  if (!has_classes<S>) return "atom " + any;
  if (!checks.find_class)
    return "atom " +
           (checks.promised == positive   ? for_positive
            : checks.promised == negative ? for_negative
                                          : any) +
           ", as the caller knows the signs";
  return "atom " + any + (has_atom<S, positive> ? " or " + for_positive : "") +
         (has_atom<S, negative> ? " or " + for_negative : "") + ", as the device finds the signs";
}

template <class Policy, bool Witness, class G>
std::string describe_simt(const G& g, const gemm_checks& checks, int splits, std::size_t workspace) {
  using S = typename G::algebra;
  constexpr bool packed = Policy::value.copy != copies::strided;
  std::string text = product_text(name_of<S>(), type_name<value_of<S>>, g.m, g.n, g.k, g.batch);
  if (Witness) text += " with witness";
  text += ": cuda, " + describe_atoms<S, packed, Witness>(checks) + "; " + describe_policy<Policy>();
  if (splits > 1) text += "; split-K by " + std::to_string(splits);
  return text + "; workspace of " + std::to_string(workspace) + " bytes";
}

}  // namespace kleene::kernels::cuda
