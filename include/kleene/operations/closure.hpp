// closure: A* = I (+) A (+) A^2 (+) ..., in place: all-pairs shortest, widest, most reliable paths, transitive closure,
// (I - A)^-1.
//
//   closure_info info = closure(ctx, min_plus<float>{}, a);
//   closure_info info = closure(ctx, min_plus<float>{}, a, predecessors);   // int32, n x n
//
// Method: blocked Gauss-Jordan elimination over the semiring (Kleene, Roy, Floyd, Warshall; blocked as by Venkataraman,
// Sahni and Mukhopadhyaya 2003), whose bulk is gemm.
//
// Contract
//   shape        A is square, any strides, one matrix; else shape_error. n of 0 and 1 are legal.
//   in place     A is overwritten. Extra memory: O(n block) for copies of the panels, and gemm's workspace.
//   meaning      zero() means "no edge". The diagonal takes part (self loops) and comes back as (a_ii)*: one() for idempotent
//                algebras.
//   block order  for each block of `block` vertices in ascending order: close the diagonal block D (in the same way, by blocks
//                of 64, those vertex by vertex); rows R := D R; everything else A := A (+) L R with the old columns L;
//                columns L := L D. The block size is part of the result for floats
//                that round, and the same by default on every machine; integers and min/max algebras are equal whatever it is.
//   existence    where A* does not exist (a negative cycle; a star without a value) the result says so: exists is false,
//                `diverging` is a vertex on such a cycle, and A's contents are unspecified. Never silent: [[nodiscard]].
//   predecessors P(i, j) is the last vertex before j on a best path from i; -1 for i == j and where there is none. Following
//                P from j always ends at i, zero-weight ties included. Selective algebras only, n < 2^31.
//   NaN          refused (value_error) with its position; so is what lies outside the algebra's domain.
//   overflow     a finite integer result that the type cannot hold throws value_error.
#pragma once

#include "kleene/operations/gemm.hpp"

namespace kleene {

// The default block: small enough that the serial part, the diagonal blocks, stays under a tenth, large enough that the bulk
// runs at the speed of gemm. Diagonal blocks are closed by the same method with blocks of kernels::cpu::closure_leaf.
inline constexpr index closure_block = 256;

struct closure_options {
  index block = 0;  // 0: closure_block
  bool check_domain = true;
};

struct [[nodiscard]] closure_info {
  bool exists = true;
  index diverging = -1;   // a vertex whose star has no value
  index block = 0;        // the block size that was asked for; up to it, blocks of closure_leaf are used
  double operations = 0;  // 2 n^3: one add and one mul of the algebra per step; less where it stopped at a divergence
  double seconds = 0;
};

namespace detail {
template <class S>
closure_info run_closure(const context&, const matrix_view<value_of<S>>& a, const matrix_view<std::int32_t>& predecessors,
                         const closure_options&);
}

template <closed_semiring S, detail::viewable A>
closure_info closure(const context& ctx, S, A&& a, closure_options options = {}) {
  return detail::run_closure<S>(ctx, as_view(a), {}, options);
}

template <closed_semiring S, detail::viewable A, detail::viewable_as<std::int32_t> P>
closure_info closure(const context& ctx, S, A&& a, P&& predecessors, closure_options options = {}) {
  static_assert(is_selective<S>, "predecessors need a selective algebra: one path gives the result");
  return detail::run_closure<S>(ctx, as_view(a), as_view(predecessors), options);
}

}  // namespace kleene
