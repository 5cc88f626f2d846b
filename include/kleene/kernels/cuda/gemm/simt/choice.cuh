// What large products over an algebra are computed with: a row of the table, or a policy of the algebra's own.
#pragma once

#include "kleene/kernels/cuda/gemm/simt/atoms.cuh"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"

namespace kleene::kernels::cuda {

// The usual row of the table.
template <class S, bool Witness, class Atom = pack_atom_of<S, Witness>>
inline constexpr workload usual_row = workload_of(
    sizeof(typename Atom::operand), sizeof(typename Atom::accumulator), !Witness && requires { Atom::counts; },
    !Witness && !is_selective<S>, !Witness && is_long<S>, Witness);

// Specialise it for an algebra of your own, before the first use of its products, and all of them take these tiles but
// batches of small ones: products with epilogues and those of closures take `value`, those that find witnesses
// `witness`. policy.hpp says what the numbers mean; what is left out is the table's.
//
//   template <>
//   struct kleene::kernels::cuda::policy_for<my_ring> {
//     static constexpr simt_policy value{...}, witness{...};
//   };
template <class S>
struct policy_for {};

template <class S>
inline constexpr bool has_own_policy = requires { policy_for<S>::value; };

namespace detail {
template <class S>
struct own_policy {
  static constexpr simt_policy value = policy_for<S>::value;
};
template <class S>
struct own_witness_policy {
  static constexpr simt_policy value = policy_for<S>::witness;
};
template <class S, bool Witness>
constexpr auto policy_of() {
  if constexpr (Witness && requires { policy_for<S>::witness; }) return own_witness_policy<S>{};
  else if constexpr (!Witness && has_own_policy<S>) return own_policy<S>{};
  else return tuned<usual_row<S, Witness>>{};
}
}  // namespace detail

// A type with the policy as `value`.
template <class S, bool Witness>
using policy_of = decltype(detail::policy_of<S, Witness>());

}  // namespace kleene::kernels::cuda
