// Sparse matrix times vector on CUDA devices too: spmv.hpp with the segmented reduction of both machines.
#pragma once

#include "kleene/operations/spmv.hpp"
#include "kleene/streaming/segments.cuh"

namespace kleene {
inline namespace cuda {

template <class Grain = tuned, class S, class Offsets, class Columns, class Values, class X, class Y>
requires any_machine<Offsets>
void spmv(const context& ctx, S, const csr_arrays<Offsets, Columns, Values>& a, X x, Y y) {
  const detail::entry_terms<S, Columns, Values, X> terms{a.columns, a.values, x};
  segmented_reduce<streaming::chosen_grain<Grain, streaming::spmv_grain>>(
      ctx, terms, terms + a.entries, a.offsets, a.rows, detail::normalised_sums<S, Y>{y}, widen<S>(S::zero()),
      detail::semiring_add<S>{});
}

}  // namespace cuda
}  // namespace kleene
