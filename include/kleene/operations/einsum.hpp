// einsum: tensors contracted over a semiring, as an equation says.
//
//   einsum(ctx, S{}, "bik,kj->bij", a, b)                 a new tensor: C_bij = (+)_k A_bik (x) B_kj
//   einsum(ctx, S{}, "bik,kj->bij", a, b, c, {})          into a view or owner
//   einsum(ctx, S{}, "ij->i", a, c, {.accumulate = true}) C_i = C_i (+) (+)_j A_ij
//   einsum(ctx, S{}, "ik,kj->ij", a, b, c, witness, {})   also the smallest k that gave each element
//   einsum(ctx, S{}, equation, operands, {.order = pairs})   many: a span of tensor_view<const T>; and with an output
//   einsum(ctx, S{}, {{{0, 7}, {7, 3}}, {0, 3}}, a, b)    indices by number (operations/einsum_equation.hpp)
//   device_tensor<T> c = einsum(context::cuda(), S{}, "bik,kj->bij", a, b)     of tensors in device memory
//
// The element of C at an index is the sum (+), over all values of the indices that the output lacks, of the product (x)
// of the operands' elements, in the order of the operands.
//
// Contract
//   equation   as einsum_equation says. argument_error: an equation that is none, or of another number of operands.
//   indices    shared, kept, summed: an index may be in any number of operands, once or more (a diagonal), and in the
//              output once or not at all. An index that the output lacks is summed over, be it in one operand alone.
//   shapes     an operand has as many axes as indices, and an index the same extent wherever it stands: 1 is no
//              exception (NumPy stretches it); a view with stride 0, or leaving the index out, broadcasts. shape_error
//              names the index, the operands and both extents. Rank 0 is a scalar.
//   empty      an output without elements: nothing happens. A sum over nothing is zero().
//   operands   whatever as_tensor takes: tensors, matrices, batches, vectors, mdspans, of elements or numbers of S.
//              They are only read, with any strides. Messages count them from 1.
//   output     tensors, matrices, ..., any strides with which elements have addresses of their own: each goes past all
//              that the shorter ones reach, or argument_error. A new tensor is contiguous, and in host memory.
//   aliasing   operands may not overlap the output or the witness: argument_error, by address range.
//   accumulate C = C (+) what the equation gives; otherwise C is written, never read.
//   order      of several operands: pairs of tensors, where operands are 0 to n - 1 and the result of pair s is n + s
//              (opt_einsum's and cotengra's ssa_path); none: from left to right. An index is summed over as soon as no
//              tensor that is left has it, which is right where mul distributes over add: other algebras take at most
//              two operands. An algebra that is not commutative contracts neighbours, and keeps their order.
//   one alone  without a sum and without accumulate elements are copied as they are, unchecked. Other equations of one
//              operand multiply it by one(), which the algebra must have (argument_error).
//   witness    int64, of two operands and a selective algebra: where in the sum the term lies that gives the element,
//              counted row-major over the summed indices in the order in which they first stand in the equation; of
//              equal ones the smallest, -1 where none improves on zero(), or on C where it accumulates. At most
//              2^31 - 1 terms: shape_error.
//   values     domains, NaN, infinities and what is too large are as gemm has them; so is the result of each pair of
//              several operands, which is stored in the element type. A value outside the domain is named by its index
//              in its operand. Over distributive algebras an index of one of two operands alone is summed over first.
//   equality   over selective algebras, and over integers, equal whatever the machine, the strides and the order of
//              pairs. Other floats have gemm's bound, for each pair.
//   errors     everything is checked before C is written, but whether results fit: C is not to be used then.
//   memory     where the context can reach: error(device). Operands or outputs that no product can take as they lie are
//              copied, and intermediate results kept until they were used: error(memory), with the bytes.
//   CUDA       all of it, asynchronous as gemm. Where an operand is in device memory, by its type, a new tensor is a
//              device_tensor. A value_error comes from ctx.synchronise(), and names an element of a product's matrix;
//              where several products make the output, or operands are summed first, it is then not to be used, and
//              otherwise as it was. For an algebra of your own include operations/own/gemm.inl.cuh.
//
// Method: indices become batch, rows, columns and k of gemm, or of gemv where a side has no index of its own
// (docs/decisions/0019). Algebras of the catalog are compiled into the library; for one of your own include
// kleene/operations/own/einsum.inl.hpp.
#pragma once

#include "kleene/data/tensor.hpp"
#include "kleene/operations/detail/einsum_new.hpp"
#include "kleene/operations/einsum_equation.hpp"

#include <array>
#include <span>
#include <vector>

namespace kleene {

namespace detail {

// What can be read as a tensor over S: of elements, or of numbers of S.
template <class X>
using tensor_element = typename std::remove_cvref_t<decltype(as_tensor(std::declval<X&>()))>::value_type;
template <class X, class S>
concept tensor_over = requires(X& x) { as_tensor(x); } &&
                      (std::is_same_v<tensor_element<X>, value_of<S>> || std::is_same_v<tensor_element<X>, number<S>>);

template <class X>
inline constexpr bool in_device_memory =
    std::remove_cvref_t<decltype(as_tensor(std::declval<X&>()))>::space == memory::device;

// The elements of an argument, numbers as their values. The context can reach them, or error(device).
template <class T, class X>
tensor_view<T> reached_tensor(const context& ctx, const std::string& name, X& x) {
  const auto v = as_tensor(x);
  using V = std::remove_cvref_t<decltype(v)>;
  static_assert(std::is_const_v<T> || !std::is_const_v<typename V::element_type>, "the output is constant");
  require_reach(ctx, name.c_str(), V::space);
  if (!v.empty()) require_address(ctx, name.c_str(), v.data());
  return tensor_view<T>(reinterpret_cast<T*>(v.data()), v.extents(), v.strides());
}

}  // namespace detail

// A new tensor, of any number of operands: a device_tensor where one of them is in device memory by its type.
template <product_algebra S, detail::tensor_over<S>... Operands>
requires(sizeof...(Operands) > 0)
[[nodiscard]] auto einsum(const context& ctx, S, const einsum_equation& equation, Operands&&... operands) {
  using T = value_of<S>;
  int o = 0;
  const std::array<tensor_view<const T>, sizeof...(Operands)> views{
      detail::reached_tensor<const T>(ctx, detail::operand_name(o++), operands)...};
  return detail::new_einsum<S, (detail::in_device_memory<Operands> || ...)>(ctx, equation, views, {});
}
template <product_algebra S>
[[nodiscard]] tensor<value_of<S>> einsum(const context& ctx, S, const einsum_equation& equation,
                                         std::span<const tensor_view<const value_of<S>>> operands,
                                         const einsum_options& options) {
  return detail::new_einsum<S>(ctx, equation, operands, options);
}
template <product_algebra S>
[[nodiscard]] device_tensor<value_of<S>> einsum(
    const context& ctx, S, const einsum_equation& equation,
    std::span<const tensor_view<const value_of<S>, memory::device>> operands, const einsum_options& options) {
  return detail::new_einsum<S, true>(ctx, equation, detail::reached_tensors<value_of<S>>(ctx, operands), options);
}

// Into c. The options come last, at least as {}.
template <product_algebra S, detail::tensor_over<S> A, detail::tensor_over<S> C>
void einsum(const context& ctx, S, const einsum_equation& equation, A&& a, C&& c, const einsum_options& options) {
  using T = value_of<S>;
  const tensor_view<const T> views[] = {detail::reached_tensor<const T>(ctx, "operand 1", a)};
  detail::run_einsum<S>(ctx, equation, views, detail::reached_tensor<T>(ctx, "the output", c), options);
}
template <product_algebra S, detail::tensor_over<S> A, detail::tensor_over<S> B, detail::tensor_over<S> C>
void einsum(const context& ctx, S, const einsum_equation& equation, A&& a, B&& b, C&& c,
            const einsum_options& options) {
  using T = value_of<S>;
  const tensor_view<const T> views[] = {detail::reached_tensor<const T>(ctx, "operand 1", a),
                                        detail::reached_tensor<const T>(ctx, "operand 2", b)};
  detail::run_einsum<S>(ctx, equation, views, detail::reached_tensor<T>(ctx, "the output", c), options);
}
template <product_algebra S, detail::tensor_over<S> C>
void einsum(const context& ctx, S, const einsum_equation& equation,
            std::span<const tensor_view<const value_of<S>>> operands, C&& c, const einsum_options& options) {
  detail::run_einsum<S>(ctx, equation, operands, detail::reached_tensor<value_of<S>>(ctx, "the output", c), options);
}
template <product_algebra S, detail::tensor_over<S> C>
void einsum(const context& ctx, S, const einsum_equation& equation,
            std::span<const tensor_view<const value_of<S>, memory::device>> operands, C&& c,
            const einsum_options& options) {
  detail::run_einsum<S>(ctx, equation, detail::reached_tensors<value_of<S>>(ctx, operands),
                        detail::reached_tensor<value_of<S>>(ctx, "the output", c), options);
}

// Into c, and which term of the sum gave each element into the witness.
template <product_algebra S, detail::tensor_over<S> A, detail::tensor_over<S> B, detail::tensor_over<S> C, class W>
requires std::is_same_v<detail::tensor_element<W>, std::int64_t>
void einsum(const context& ctx, S, const einsum_equation& equation, A&& a, B&& b, C&& c, W&& witness,
            const einsum_options& options) {
  static_assert(is_selective<S>, "a witness needs a selective algebra: one term gives the result");
  using T = value_of<S>;
  const tensor_view<const T> views[] = {detail::reached_tensor<const T>(ctx, "operand 1", a),
                                        detail::reached_tensor<const T>(ctx, "operand 2", b)};
  const tensor_view<std::int64_t> w = detail::reached_tensor<std::int64_t>(ctx, "the witness", witness);
  detail::run_einsum<S>(ctx, equation, views, detail::reached_tensor<T>(ctx, "the output", c), options, &w);
}

}  // namespace kleene
