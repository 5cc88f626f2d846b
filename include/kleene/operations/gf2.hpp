// Linear algebra over GF(2), on packed matrices (data/bit_matrix.hpp): rank, reduced row echelon form, inverse,
// solutions, null space. For codes, cryptography, and all that is a system of parities.
//
//   index_t r = rank(ctx, xor_and<bit>{}, A);
//   std::vector<index_t> pivots = row_reduce(ctx, xor_and<bit>{}, A);    // in place; pivots.size() is the rank
//   gf2_info info = inverse(ctx, xor_and<bit>{}, A, X);                  // A X = I, if info.exists
//   gf2_info info = solve(ctx, xor_and<bit>{}, A, B, X);                 // A X = B, if info.exists
//   auto N = null_space(ctx, xor_and<bit>{}, A);                         // its rows are a basis of {x : A x = 0}
//
// Contract
//   shapes     A is m x n, any extents (inverse: square, and X alike); solve: B is m x p, X is n x p; N is
//              (n - rank) x n. m, n and p < 2^31. shape_error names the extents.
//   arguments  views and owners of bits, on the CPU or on a device: all where the context can reach (error(device)). N
//              is a device_bit_matrix where A's type says device memory, else a bit_matrix.
//   last word  bits past the last column are ignored in inputs and zero in outputs.
//   aliasing   X may not overlap A or B: refused (argument_error), by address range. row_reduce works in place.
//   empty      a matrix without rows or columns has rank 0 and no pivots. Without rows, everything is in its null space
//              (N = I) and solves it (X = 0). The inverse of 0 x 0 exists.
//   row_reduce row i of the reduced form has its first bit in column pivots[i], where no other row has one. Pivots
//              ascend; rows from the rank on are zero. A matrix has one such form.
//   solve      unknowns whose columns are no pivots of A are 0: one of the solutions.
//   null_space row i belongs to the i-th column that is no pivot, f: it has a bit there, none in other such columns,
//              and in column pivots[j] bit (j, f) of the reduced form.
//   equality   so results are exact, and equal on every machine, with any number of threads.
//   existence  where A has no inverse, or a column of B no solution, the result says so: exists is false, and X is
//              untouched. Never silent: [[nodiscard]]. The rank is right either way: 2^((n - rank) p) matrices X solve
//              a system that has a solution.
//   asynchrony calls return when the rank is known: on a CUDA context they wait for it, and what is left to do to
//              outputs then (rows put in order, a transposition) is on the stream.
//   memory     a copy of A where it is not worked on in place (solve: and of B; null_space: about four), a strip of 512
//              rows and one of 512 columns, and the product's. CUDA: always a copy; strips of 4096 rows and 512
//              columns. error(memory) with the number of bytes, before anything is written.
//
// Method. Gauss-Jordan elimination by panels of columns, whose bulk is the product, the panel's transformation kept in
// place of its columns (Quintana-Orti, Quintana-Orti, Sun and van de Geijn, "A note on parallel matrix inversion",
// 2001). CPU: panels of 512, within them the method of the Four Russians (Albrecht, Bard and Pernet, "Efficient dense
// Gaussian elimination over the finite field with two elements", 2011). Rows above the pivots are cleared afterwards,
// from the last panel to the first, in the columns that are asked for. CUDA: panels of 512 in steps of 4096; rows stay
// where they are until the end, and the host looks at no pivot. docs/decisions/0017 says why.
#pragma once

#include "kleene/operations/bits.hpp"

#include <vector>

namespace kleene {

struct [[nodiscard]] gf2_info {
  bool exists = true;
  index_t rank = 0;  // of A
};

namespace detail {

// As reach_bits, but an algebra without these operations is refused.
template <class S, class T, class M>
bit_view<T> reach_gf2(const context& ctx, const char* name, M& argument) {
  static_assert(std::is_same_v<S, xor_and<bit>>, "elimination subtracts and divides: over bits xor_and<bit> has that");
  return reach_bits<T>(ctx, name, argument);
}

index_t run_gf2_rank(const context&, const bit_view<const bit>& a);
std::vector<index_t> run_gf2_row_reduce(const context&, const bit_view<bit>& a);
gf2_info run_gf2_inverse(const context&, const bit_view<const bit>& a, const bit_view<bit>& x);
gf2_info run_gf2_solve(const context&, const bit_view<const bit>& a, const bit_view<const bit>& b,
                       const bit_view<bit>& x);
bit_matrix run_gf2_null_space(const context&, const bit_view<const bit>& a);
device_bit_matrix run_gf2_null_space_on_device(const context&, const bit_view<const bit>& a);

}  // namespace detail

template <bit_algebra S, bit_viewable A>
[[nodiscard]] index_t rank(const context& ctx, S, A&& a) {
  return detail::run_gf2_rank(ctx, detail::reach_gf2<S, const bit>(ctx, "A", a));
}

// A becomes its reduced row echelon form; the columns of its pivots.
template <bit_algebra S, bit_viewable A>
std::vector<index_t> row_reduce(const context& ctx, S, A&& a) {
  return detail::run_gf2_row_reduce(ctx, detail::reach_gf2<S, bit>(ctx, "A", a));
}

template <bit_algebra S, bit_viewable A, bit_viewable X>
gf2_info inverse(const context& ctx, S, A&& a, X&& x) {
  return detail::run_gf2_inverse(ctx, detail::reach_gf2<S, const bit>(ctx, "A", a),
                                 detail::reach_gf2<S, bit>(ctx, "the inverse", x));
}

template <bit_algebra S, bit_viewable A, bit_viewable B, bit_viewable X>
gf2_info solve(const context& ctx, S, A&& a, B&& b, X&& x) {
  return detail::run_gf2_solve(ctx, detail::reach_gf2<S, const bit>(ctx, "A", a),
                               detail::reach_gf2<S, const bit>(ctx, "B", b), detail::reach_gf2<S, bit>(ctx, "X", x));
}

template <bit_algebra S, bit_viewable A>
[[nodiscard]] auto null_space(const context& ctx, S, A&& a) {
  const bit_view<const bit> v = detail::reach_gf2<S, const bit>(ctx, "A", a);
  if constexpr (std::remove_cvref_t<decltype(as_bits(a))>::space == memory::device)
    return detail::run_gf2_null_space_on_device(ctx, v);
  else return detail::run_gf2_null_space(ctx, v);
}

}  // namespace kleene
