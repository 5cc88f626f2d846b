// closure on a grid: A* in place, in the words of operations/closure.hpp.
//
//   distributed_matrix<float> a(w, {.m = n, .n = n, .mb = 384, .nb = 384});
//   distributed_matrix<std::int32_t> p(w, a.layout());
//   closure_info info = closure(w, min_plus<float>{}, a);        // every worker; the same info for all
//   closure_info info = closure(w, min_plus<float>{}, a, p);     // with predecessors
//
// Method: the blocked elimination of operations/closure.hpp, whose blocks are those of the distribution. The worker
// that has the diagonal block D closes it and sends it along its row and its column, which make R := D R, and L := L D
// later. R goes along the columns of the grid, the old L along its rows, and everybody adds L R to its share. One block
// ahead: the next diagonal block's row and column are brought up to date first, and its panels are under way while the
// bulk of this step is done. (DSNAPSHOT, Sao et al. 2020 and 2021, has the same steps over min-plus.)
//
// Contract
//   shapes       A is square, in square blocks (MB = NB), from any (RSRC, CSRC); P lies as A does; else shape_error.
//   block order  A's blocks, in ascending order: the result is that of closure(ctx, S{}, a, {.block = MB}) on one
//                machine, to the last bit, on every grid; also P, ties included.
//   existence    All workers are told the same vertex, whoever found it. A's contents are then unspecified.
//   domain, NaN, overflow, predecessors   as there; errors are thrown by all workers, with places in the whole matrix.
//   memory       A worker with r rows and c columns of A takes 2 MB (r + c) elements for panels, with predecessors
//                2 MB c of 4 bytes, and for repairing them lists of all arcs that are best paths (8 bytes and an
//                element each), at most n^2 of them and mostly as many as the graph has. Checkpoints: a copy of the
//                shares, where the memory of their machine has room for those of all its workers.
//   checkpoints  of algebras over f32, f64, i32, i64 and bool: A and P as .npy and a file `checkpoint` that names them,
//                each whole or not there, whenever the run is killed. What is saved is the state between two blocks. It
//                is written beside the steps that follow (before them, where there is no room for a copy, and with
//                every = 0), replaces the one before, and the next begins when it is written; what is not written when
//                the closure is there is given up. resume goes on from it, on any grid, to the same bits; A must hold
//                what it held in the beginning. error(bad_input) where a checkpoint is of another problem or matrix,
//                says what, and where one of its files has changed; before any work where the folder cannot be made or
//                written in. A disk that is full ends the run; the last checkpoint stays. The operations of info are
//                those of this call.
//   callbacks    Worker 0's context's progress callback is called between steps, before them with what a checkpoint
//                holds that is resumed; what stops it is its own failure.
#pragma once

#include "kleene/grid/distributed_matrix.hpp"
#include "kleene/operations/closure.hpp"
#include "kleene/operations/detail/closure_algebra.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace kleene {

// Where a closure saves what it has done, so that a run that was killed can go on.
struct checkpoint_options {
  std::string folder{};  // the same for all workers; made where it is missing, in one that is there; empty: no saving
  double every = 600;    // seconds between two that are saved, or more; 0: after each block, and written at once
  bool resume = false;   // go on from what is in the folder, if there is something
};

struct grid_closure_options {
  bool check_domain = true;
  checkpoint_options checkpoint{};
};

namespace detail {

// What happens between the steps of an elimination.
struct between_steps {
  // Pairs of the algebra's operations done so far.
  std::function<void(double)> report;
  // Whether the matrix is to be saved when so many blocks are done, the same for all workers, and saves it.
  std::function<bool(index_t)> is_due;
  std::function<void(index_t)> save;
};

// What is wrong with the shapes of a closure on a grid, thrown. p: null where no predecessors are wanted.
void require_closable(const distribution& a, const distribution* p);

// Compiled for element types: those of the catalog in the library.
template <class T>
closure_info close_on_grid(worker& w, distributed_matrix<T>& a, distributed_matrix<std::int32_t>* p,
                           const grid_closure_options& options, const closure_algebra<T>& algebra);

struct grid_closure_definitions;  // complete in own/closure.inl.hpp

template <class S>
constexpr void require_grid_closure() {
  static_assert(is_in_catalog<S> || is_defined<grid_closure_definitions, S>,
                "no closure over this algebra is compiled into the library: include "
                "kleene/grid/own/closure.inl.hpp, which compiles it here");
}

}  // namespace detail

template <closed_semiring S>
closure_info closure(worker& w, S, distributed_matrix<value_of<S>>& a, grid_closure_options options = {}) {
  detail::require_grid_closure<S>();
  return detail::close_on_grid(w, a, nullptr, options, detail::closure_algebra_of<S>());
}

template <closed_semiring S>
closure_info closure(worker& w, S, distributed_matrix<value_of<S>>& a, distributed_matrix<std::int32_t>& predecessors,
                     grid_closure_options options = {}) {
  detail::require_grid_closure<S>();
  detail::require_paths<S>();
  return detail::close_on_grid(w, a, &predecessors, options, detail::closure_algebra_of<S>());
}

}  // namespace kleene
