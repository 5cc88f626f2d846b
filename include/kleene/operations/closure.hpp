// closure: A* = I (+) A (+) A^2 (+) ..., in place: all-pairs shortest, widest, most reliable paths, transitive closure,
// (I - A)^-1.
//
//   closure_info info = closure(ctx, min_plus<float>{}, a);
//   closure_info info = closure(ctx, min_plus<float>{}, a, predecessors);   // int32, n x n
//   closure_info info = closure(ctx, a);                                    // elements that are numbers
//   closure_batch_info all = closure(ctx, min_plus<float>{}, batch, predecessors, {.sizes = sizes});  // small ones
//
// Method: blocked Gauss-Jordan elimination over the semiring (Kleene, Roy, Floyd, Warshall; blocked as by Venkataraman,
// Sahni and Mukhopadhyaya 2003), whose bulk is gemm.
//
// Contract
//   shape        A is square, any strides, one matrix; else shape_error. n of 0 and 1 are legal.
//   where        A (and P) must lie where the context works: host memory for context::cpu(), device memory for
//                context::cuda(). The call returns when the result is there; so it cannot be captured in a CUDA graph,
//                one matrix or many: refused (argument_error), and the capture goes on.
//   in place     A is overwritten. Its elements, and those of P, have addresses of their own, or argument_error. Extra
//                memory: O(n block) for copies of the panels, gemm's workspace, and with predecessors n^2 / 8 bytes;
//                for a batch on the CPU, those of the largest matrix for each thread. On a device also a padded copy of
//                A where its rows are not contiguous, 16-byte aligned and a multiple of 16 bytes long, and with
//                predecessors a copy of A where elements have 8 bytes and lists of n^2 / 16 arcs (of n^2 or 2^20 where
//                that is more), an element and 4 bytes each. Refused (error(memory), with the number of bytes) before
//                anything is written.
//   meaning      zero() means "no edge". The diagonal takes part (self loops) and comes back as the star of all walks
//                from a vertex to itself: one() for algebras without a star of their own.
//   star         an algebra's own star is used for every cycle. Without one (idempotent algebras only) a cycle of
//                length a must add nothing, a + one() == one(), or A* is said not to exist: see algebra/concepts.hpp.
//   block order  for each block of `block` vertices in ascending order: close the diagonal block D (in the same way, by
//                blocks of 64, those vertex by vertex); rows R := D R; everything else A := A (+) L R with the old
//                columns L; columns L := L D. The block size is part of the result for floats that round, and the same
//                by default on every machine; integers and min/max algebras are equal whatever it is.
//   existence    where A* does not exist (a negative cycle; a star without a value) the result says so: exists is
//                false, `diverging` is a vertex on such a cycle, and A's contents are unspecified. Never silent:
//                [[nodiscard]]. Over plus_times A* is (I - A)^-1, which is the sum of all walks where that converges;
//                of an A without negative elements it does just where no element of (I - A)^-1 is negative. No rows
//                are exchanged: a pivot of 0 is a star without a value, though I - A may have an inverse.
//   predecessors P(i, j) is the last vertex before j on a best path from i; -1 for i == j and where there is none.
//                Following P from j always ends at i, zero-weight ties included. Selective algebras without a star of
//                their own only (it could send a best walk round a loop), n < 2^31. Where best paths tie, the CPU and a
//                device may return different ones. The sum of a cycle of floats that is 0 may round to an
//                improvement in one order of summing. Where predecessors then do not end at i, A* does not exist, as
//                with any cycle that improves. (Without predecessors the sum is on the diagonal; devices do not look.)
//   batches      A of rank 3: every matrix is closed for itself; sizes[b] (host memory, empty: all) vertices of matrix
//                b take part, and what lies beyond them is left alone. A divergence concerns its matrix only.
//   NaN          refused (value_error) with its position; so is what lies outside the algebra's domain.
//   overflow     a finite integer result that the type cannot hold throws overflow_error (a value_error), which says
//                what the type holds. Over min_plus and max_plus of 8 and 16 bits one matrix on the CPU whose weights
//                have one sign is refused exactly then; all else also where it is a length met on the way, a detour,
//                that is too large. The A of 8 or 16 bits is then as it was (P is not), for which n^2 elements and, of
//                lengths, 3/8 n^2 bytes are taken as well; other matrices and batches are unspecified. widening.hpp
//                goes on in the next wider type by itself. Floats are IEEE's: a length that leaves the type is
//                infinite, "no path" over min_plus (shortest_paths refuses it); over plus_times and log_plus it can
//                make other elements NaN (infinity times 0).
//   callbacks    the context's progress callback is called between steps. When it stops the call, or throws (what it
//                throws arrives as it is), the contents of A and P are unspecified. The algebra's functions must not
//                throw.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/kernels/contract/closure_arguments.hpp"
#include "kleene/kernels/contract/closure_overflow.hpp"
#include "kleene/operations/gemm.hpp"

namespace kleene {

namespace detail {

template <class S>
using closure_launcher = closure_info (*)(const context&, const matrix_view<value_of<S>>& a,
                                          const matrix_view<std::int32_t>& predecessors, const closure_options&);
template <class S>
using closure_batch_launcher = closure_batch_info (*)(const context&, const batch_view<value_of<S>>& a,
                                                      const batch_view<std::int32_t>& predecessors,
                                                      const closure_batch_options&);

// The CUDA closures over S; null where there are none.
template <class S>
struct cuda_closures {
  closure_launcher<S> matrix = nullptr;
  closure_batch_launcher<S> batch = nullptr;
  // For shortest_paths: a sparse graph as a matrix of `width` columns on the device.
  void (*spread_graph)(const context&, const csr_view<value_of<S>>&, value_of<S>* a, index_t width) = nullptr;
};
// Those over an algebra of one's own, until enable_cuda_closure (own/closure.inl.cuh) registers them none.
template <class S>
inline cuda_closures<S> own_closures_on_cuda;
// Those over any algebra; for rows of the catalog functions of the library, one a row (as find_gemm).
template <class S>
cuda_closures<S> closures_on_cuda() {
  return own_closures_on_cuda<S>;
}
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  cuda_closures<algebra<type>> closures_on_cuda<algebra<type>>();
#include "kleene/algebra/catalog.def"
#undef KLEENE_ROW

template <class S>
closure_info run_closure(const context&, const matrix_view<value_of<S>>& a,
                         const matrix_view<std::int32_t>& predecessors, const closure_options&);
template <class S>
closure_batch_info run_closure_batch(const context&, const batch_view<value_of<S>>& a,
                                     const batch_view<std::int32_t>& predecessors, const closure_batch_options&);
// For the Python package, on the CPU: what is closed in `a` is a copy of `arcs`, read once where matrices are small; so
// a value that is refused may be found when others are written. `largest` becomes, of floats, the largest finite
// magnitude among the arcs, if it is less.
template <class S>
closure_batch_info run_closure_of_copies(const context&, const batch_view<const value_of<S>>& arcs,
                                         const batch_view<value_of<S>>& a, const batch_view<std::int32_t>& predecessors,
                                         const closure_batch_options&, double& largest);

// For a matrix in device memory, which the CPU cannot reach: for an algebra of one's own no CPU kernels are
// compiled.
template <class S>
closure_info run_closure_on_device(const context&, const matrix_view<value_of<S>>& a,
                                   const matrix_view<std::int32_t>& predecessors, const closure_options&);
template <class S>
closure_batch_info run_closure_batch_on_device(const context&, const batch_view<value_of<S>>& a,
                                               const batch_view<std::int32_t>& predecessors,
                                               const closure_batch_options&);

template <class M>
inline constexpr int rank_of = std::remove_cvref_t<decltype(as_view(std::declval<M&>()))>::rank;

template <viewable M>
using closure_options_for = std::conditional_t<rank_of<M> == 3, closure_batch_options, closure_options>;

struct closure_definitions;  // complete in own/closure.inl.hpp

// The function that closes a matrix of type A.
template <class S, class A>
constexpr auto closure_of() {
  static_assert(is_in_catalog<S> || is_defined<closure_definitions, S>,
                "no closure over this algebra is compiled into the library: include "
                "kleene/operations/own/closure.inl.hpp, which compiles it here; with nvcc also "
                "kleene/operations/own/closure.inl.cuh");
  static_assert(viewable_over<A, S>, "the elements are numbers of another algebra than the closure's");
  constexpr bool on_device = std::remove_cvref_t<decltype(as_view(std::declval<A&>()))>::space == memory::device;
  if constexpr (rank_of<A> == 2) {
    if constexpr (on_device) return &run_closure_on_device<S>;
    else return &run_closure<S>;
  } else {
    if constexpr (on_device) return &run_closure_batch_on_device<S>;
    else return &run_closure_batch<S>;
  }
}

// Says the first thing that an algebra lacks whose closure is asked for.
template <class S>
constexpr void require_closed_semiring() {
  constexpr bool has_identity = requires { S::one(); };
  constexpr bool has_star = has_unit_star<S> || requires(accumulator_of<S> a) { S::star(a); };
  static_assert(is_distributive<S>,
                "a closure needs a mul that distributes over add, and is_distributive of this algebra is false");
  static_assert(!is_distributive<S> || has_identity,
                "a closure begins with the identity matrix: the algebra needs one()");
  static_assert(!is_distributive<S> || !has_identity || has_star,
                "a closure needs one() + a + a * a + ...: say is_idempotent = true where a + a is a and that sum is "
                "one(), or define star(a)");
  static_assert(!is_distributive<S> || !has_identity || !has_star || closed_semiring<S>,
                "one() or star(a) of this algebra returns something else than its numbers");
}

// Predecessors say which path gave a result.
template <class S>
constexpr void require_paths() {
  static_assert(is_selective<S>, "predecessors need a selective algebra: one path gives the result");
  static_assert(
      !is_selective<S> || has_unit_star<S>,
      "predecessors need an algebra without a star of its own: a best walk that goes round a loop is no path");
}

// An argument as a matrix, in host or device memory: require_reach has checked that the context reaches it.
template <class T, class M>
matrix_view<T> as_matrix(M& argument) {
  const auto v = as_batch<T>(argument);
  return {v.data(), {v.rows(), v.cols()}, {v.stride(1), v.stride(2)}};
}

}  // namespace detail

template <closed_semiring S, detail::viewable A>
requires(detail::rank_of<A> == 2)
closure_info closure(const context& ctx, S, A&& a, closure_options options = {}) {
  detail::require_reach(ctx, "A", a);
  return detail::closure_of<S, A>()(ctx, detail::as_matrix<value_of<S>>(a), {}, options);
}

template <closed_semiring S, detail::viewable A, detail::viewable_as<std::int32_t> P>
requires(detail::rank_of<A> == 2)
closure_info closure(const context& ctx, S, A&& a, P&& predecessors, closure_options options = {}) {
  detail::require_paths<S>();
  detail::require_reach(ctx, "A", a);
  detail::require_reach(ctx, "the predecessor matrix", predecessors);
  return detail::closure_of<S, A>()(ctx, detail::as_matrix<value_of<S>>(a),
                                    detail::as_matrix<std::int32_t>(predecessors), options);
}

// Many matrices in one call.
template <closed_semiring S, detail::viewable A>
requires(detail::rank_of<A> == 3)
closure_batch_info closure(const context& ctx, S, A&& a, closure_batch_options options = {}) {
  detail::require_reach(ctx, "A", a);
  return detail::closure_of<S, A>()(ctx, detail::as_batch<value_of<S>>(a), {}, options);
}

template <closed_semiring S, detail::viewable A, detail::viewable_as<std::int32_t> P>
requires(detail::rank_of<A> == 3)
closure_batch_info closure(const context& ctx, S, A&& a, P&& predecessors, closure_batch_options options = {}) {
  detail::require_paths<S>();
  detail::require_reach(ctx, "A", a);
  detail::require_reach(ctx, "the predecessor matrix", predecessors);
  return detail::closure_of<S, A>()(ctx, detail::as_batch<value_of<S>>(a), detail::as_batch<std::int32_t>(predecessors),
                                    options);
}

// Of other algebras the compiler says what is missing.
template <product_algebra S, detail::viewable A, class... More>
requires(!closed_semiring<S>)
closure_info closure(const context&, S, A&&, More&&...) {
  detail::require_closed_semiring<S>();
  return {};
}

// The algebra need not be named where the elements say it: one matrix or many, of numbers (algebra/numbers.hpp).
template <detail::viewable_numbers A>
auto closure(const context& ctx, A&& a, detail::closure_options_for<A> options = {}) {
  return closure(ctx, detail::algebra_of<A>{}, a, options);
}
template <detail::viewable_numbers A, detail::viewable_as<std::int32_t> P>
auto closure(const context& ctx, A&& a, P&& predecessors, detail::closure_options_for<A> options = {}) {
  return closure(ctx, detail::algebra_of<A>{}, a, predecessors, options);
}

}  // namespace kleene
