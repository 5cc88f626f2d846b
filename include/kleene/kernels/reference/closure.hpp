// The truth: A* by Gauss-Jordan elimination over the semiring, one vertex at a time, in place (Kleene; Floyd and
// Warshall where a loop never adds anything). Tested by hand on tiny inputs; the blocked closure is tested against it.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::kernels::reference {

struct closure_status {
  status state = status::ok;
  index_t diverging = -1;  // the first vertex whose star does not exist
};

// a: n x n, any strides. predecessors: n x n or null; where given it holds i for each arc i -> j and -1 elsewhere, and
// comes back with the last vertex before j on a best path: for algebras without a star of their own. Each a_kk must
// have a star by the time its turn comes, or the closure diverges.
template <class S>
closure_status closure(const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& predecessors = {}) {
  using A = accumulator_of<S>;
  const index_t n = a.rows();
  bool overflow = false;
  const auto put = [&](index_t i, index_t j, const A& sum) {
    if constexpr (can_overflow<S>) overflow |= S::overflows(sum);
    a(i, j) = normalise<S>(sum);
  };
  for (index_t k = 0; k < n; ++k) {
    const A pivot = widen<S>(a(k, k));
    if (!star_exists<S>(pivot)) return {status::diverges, k};
    const A loop = star<S>(pivot);
    put(k, k, loop);
    if constexpr (!has_unit_star<S>)
      for (index_t j = 0; j < n; ++j)
        if (j != k) put(k, j, S::mul(loop, widen<S>(a(k, j))));
    for (index_t i = 0; i < n; ++i) {
      if (i == k) continue;
      for (index_t j = 0; j < n; ++j) {
        if (j == k) continue;
        const A before = widen<S>(a(i, j));
        const A sum = S::add(before, S::mul(widen<S>(a(i, k)), widen<S>(a(k, j))));
        const bool improves = !(normalise<S>(sum) == a(i, j));
        put(i, j, sum);
        if (improves && !predecessors.is_null()) predecessors(i, j) = predecessors(k, j);
      }
    }
    if constexpr (!has_unit_star<S>)
      for (index_t i = 0; i < n; ++i)
        if (i != k) put(i, k, S::mul(widen<S>(a(i, k)), loop));
  }
  return {overflow ? status::overflow : status::ok, -1};
}

}  // namespace kleene::kernels::reference
