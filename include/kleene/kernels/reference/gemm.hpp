// The truth: a product in plain loops. Tested by hand on tiny inputs; every other kernel is tested against it.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/contract/gemm_writer.hpp"
#include "kleene/kernels/contract/row_results.hpp"

namespace kleene::kernels::reference {

// The epilogue's row results, from C as it is stored.
template <class G>
void give_rows(const G& g) noexcept {
  using Fold = row_fold_of<G>;
  for (index_t b = 0; b < g.batch; ++b)
    for (index_t i = 0; i < g.m; ++i) {
      auto all = Fold::start();
      for (index_t j = 0; j < g.n; ++j)
        Fold::take(all, static_cast<typename Fold::number>(g.c[b * g.sc[0] + i * g.sc[1] + j * g.sc[2]]));
      g.epilogue.template give<std::remove_pointer_t<decltype(G::c)>>(b * g.m + i, all);
    }
}

// Any algebra, any strides, any options; O(m n k), one thread. Returns status::overflow if a finite result does not
// fit.
template <class G>
status gemm(const G& g) noexcept {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  bool overflow = false;
  for (index_t b = 0; b < g.batch; ++b) {
    gemm_writer<G> writer{g, b};
    for (index_t i = 0; i < g.m; ++i)
      for (index_t j = 0; j < g.n; ++j) {
        A sum = widen<S>(S::zero());
        index_t smallest = -1;
        for (index_t k = 0; k < g.k; ++k) {
          const A term = S::mul(widen<S>(g.a[b * g.sa[0] + i * g.sa[1] + k * g.sa[2]]),
                                widen<S>(g.b[b * g.sb[0] + k * g.sb[1] + j * g.sb[2]]));
          const A next = S::add(sum, term);
          if constexpr (is_selective<S>)
            if (!(next == sum)) smallest = k;
          sum = next;
        }
        const bool improves = writer.store(i, j, sum);
        if (g.witness) writer.store_witness(i, j, improves, smallest);
      }
    overflow |= writer.overflow;
  }
  if constexpr (gives_rows<decltype(G::epilogue)>) give_rows(g);
  return overflow ? status::overflow : status::ok;
}

}  // namespace kleene::kernels::reference
