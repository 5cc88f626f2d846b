// Boolean and GF(2) matrices, packed (data/bit_matrix.hpp): products, counts, transposition, closure, conversions.
//
//   gemm(ctx, or_and<bit>{}, A, B, C)                          C = A B: is there a k with A_ik and B_kj?
//   gemm(ctx, xor_and<bit>{}, A, B, C, {.accumulate = true})   C = A B xor C, over GF(2)
//   gemm(ctx, s, A, Bt, C, {.transposed_b = true})             B is given as its transpose, n x k
//   count_products(ctx, A, B, C)                               C_ij = how many k have A_ik and B_kj, int32
//   transpose(ctx, A, B)   pack(ctx, M, B)   unpack(ctx, B, M)   closure(ctx, or_and<bit>{}, A)
//
// Contract
//   shapes     A is m x k, B k x n, C m x n; transpose: A m x n, B n x m. k < 2^31. shape_error names the extents.
//   arguments  views and owners of bits, on the CPU or on a device: all where the context can reach (error(device)).
//              pack and unpack: M is a matrix of bool, std::uint8_t or float, any strides; other than zero (a NaN too)
//              is 1.
//   last word  bits past the last column are ignored in inputs and zero in outputs.
//   aliasing   an output may not overlap an input: refused (argument_error), by address range; rows that lie between
//              those of another matrix do not overlap them. closure works in place.
//   empty      m or n of 0: nothing happens. k of 0: the product is all zero (with accumulate C stays as it is).
//   equality   results are exact: equal on every machine.
//   asynchrony on a CUDA context calls return before the work is done. But a closure that looks for components
//              (unasked: of more than 8192 vertices) waits for what was found: their number is the size of the matrix
//              left to close.
//   memory     CPU product: a copy of A or B, at most 4/3 of its size, and about a strip of 512 or 1024 columns of C
//              and up to 512 KB for each thread; where C has few rows, at most 64, 32 KB for each. CUDA product:
//              copies of A and B, padded to tiles. closure: strips of `block` rows and columns, and the product's; and
//              another matrix of A's size where vertices are condensed. Unless asked for, they are condensed only where
//              there is memory for it. error(memory), before anything is written: outputs and the closure's A are
//              untouched then.
//   closure    A* = I or A or A^2 or ...: reachability; the diagonal comes back as 1. It exists for every A.
//
// Methods. CPU: the method of the Four Russians (Arlazarov, Dinic, Kronrod and Faradzev 1970), eight tables of 256 sums
// of rows at a time (as in M4RI: Albrecht, Bard and Hart 2010), or where there is AVX-512 VBMI tables of 64 sums of
// bytes, which a register holds; over GF(2) tiles of 8 x 8 bits where there is GFNI; the bits of few rows of A choose
// rows of B one by one. CUDA: binary tensor-core instructions count products exactly, and the count's sign or parity is
// the bit. closure: vertices that reach each other are condensed into one first (CPU: strongly connected components by
// Tarjan's algorithm of 1972; CUDA: what 31 pivots at a time reach forward and backward, after Fleischer, Hendrickson
// and Pinar 2000). What is left is closed by Warshall's algorithm (1962) by blocks, whose bulk is the product; on the
// CPU in topological order, where a row follows only arcs of the transitive reduction (Purdom 1970; Goralcikova and
// Koubek 1979).
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/bit_matrix.hpp"
#include "kleene/operations/detail/checks.hpp"

#include <optional>

namespace kleene {

struct bit_gemm_options {
  bool accumulate = false;    // or into C, xor into C
  bool transposed_b = false;  // B is given as n x k
};
struct bit_count_options {
  bool transposed_b = false;
};
// They may change speed, never the result.
struct bit_closure_options {
  index_t block = 0;  // vertices a step, a multiple of 64; 0: chosen
  // Whether vertices that reach each other become one first; empty: chosen, if there is room.
  std::optional<bool> condense{};
};

template <class S>
concept bit_algebra = std::is_same_v<S, or_and<bit>> || std::is_same_v<S, xor_and<bit>>;

namespace detail {

enum class bit_sum : int { any, parity };  // or_and, xor_and
template <bit_algebra S>
inline constexpr bit_sum sum_of_bits = std::is_same_v<S, or_and<bit>> ? bit_sum::any : bit_sum::parity;

// A matrix whose elements bits are made of, or become.
enum class unpacked : int { bytes, bools, floats };
template <class Data>
struct unpacked_matrix {
  Data* data;
  unpacked type;
  index_t rows, cols, row_stride, col_stride;
};
template <class T>
concept unpacked_element = std::is_same_v<T, bool> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, float>;
template <class T>
inline constexpr unpacked unpacked_type = std::is_same_v<T, float>  ? unpacked::floats
                                          : std::is_same_v<T, bool> ? unpacked::bools
                                                                    : unpacked::bytes;
template <class M>
concept unpacked_viewable = viewable<M> && requires(M& m) {
  requires unpacked_element<typename std::remove_cvref_t<decltype(as_view(m))>::value_type>;
  requires std::remove_cvref_t<decltype(as_view(m))>::rank == 2;
};
template <class Data, class M>
unpacked_matrix<Data> as_unpacked(M& m) {
  const auto v = as_view(m);
  return {v.data(),   unpacked_type<typename decltype(v.transposed())::value_type>, v.rows(), v.cols(), v.stride(0),
          v.stride(1)};
}

// Any argument as a view of bits, checked to be within the context's reach; the view's type no longer says which
// memory.
template <class T, class M>
bit_view<T> reach_bits(const context& ctx, const char* name, M& argument) {
  const auto v = as_bits(argument);
  require_reach(ctx, name, std::remove_cvref_t<decltype(v)>::space);
  require_data(name, v);
  if (v.rows() > 0 && v.cols() > 0) require_address(ctx, name, v.data());
  return {v.data(), v.rows(), v.cols(), v.stride()};
}

void run_bit_gemm(const context&, bit_sum, const bit_view<const bit>& a, const bit_view<const bit>& b,
                  const bit_view<bit>& c, const bit_gemm_options&);
void run_bit_counts(const context&, const bit_view<const bit>& a, const bit_view<const bit>& b,
                    const batch_view<std::int32_t>& c, const bit_count_options&);
void run_bit_transpose(const context&, const bit_view<const bit>& from, const bit_view<bit>& to);
void run_bit_pack(const context&, const unpacked_matrix<const void>& from, const bit_view<bit>& to);
void run_bit_unpack(const context&, const bit_view<const bit>& from, const unpacked_matrix<void>& to);
void run_bit_closure(const context&, const bit_view<bit>& a, const bit_closure_options&);

}  // namespace detail

template <bit_algebra S, bit_viewable A, bit_viewable B, bit_viewable C>
void gemm(const context& ctx, S, A&& a, B&& b, C&& c, const bit_gemm_options& options = {}) {
  detail::run_bit_gemm(ctx, detail::sum_of_bits<S>, detail::reach_bits<const bit>(ctx, "A", a),
                       detail::reach_bits<const bit>(ctx, "B", b), detail::reach_bits<bit>(ctx, "C", c), options);
}

template <bit_viewable A, bit_viewable B, detail::viewable_as<std::int32_t> C>
void count_products(const context& ctx, A&& a, B&& b, C&& c, const bit_count_options& options = {}) {
  detail::require_reach(ctx, "C", c);
  detail::run_bit_counts(ctx, detail::reach_bits<const bit>(ctx, "A", a), detail::reach_bits<const bit>(ctx, "B", b),
                         detail::as_batch<std::int32_t>(c), options);
}

template <bit_viewable A, bit_viewable B>
void transpose(const context& ctx, A&& from, B&& to) {
  detail::run_bit_transpose(ctx, detail::reach_bits<const bit>(ctx, "the matrix", from),
                            detail::reach_bits<bit>(ctx, "the transpose", to));
}

// Bit (i, j) of `to` is whether from(i, j) is other than zero.
template <detail::unpacked_viewable M, bit_viewable B>
void pack(const context& ctx, M&& from, B&& to) {
  detail::require_reach(ctx, "the matrix", from);
  detail::run_bit_pack(ctx, detail::as_unpacked<const void>(from),
                       detail::reach_bits<bit>(ctx, "the packed matrix", to));
}
// to(i, j) is 0 or 1.
template <bit_viewable B, detail::unpacked_viewable M>
void unpack(const context& ctx, B&& from, M&& to) {
  detail::require_reach(ctx, "the matrix", to);
  detail::run_bit_unpack(ctx, detail::reach_bits<const bit>(ctx, "the packed matrix", from),
                         detail::as_unpacked<void>(to));
}

// A becomes its reflexive and transitive closure.
template <bit_viewable A>
void closure(const context& ctx, or_and<bit>, A&& a, const bit_closure_options& options = {}) {
  detail::run_bit_closure(ctx, detail::reach_bits<bit>(ctx, "A", a), options);
}

}  // namespace kleene
