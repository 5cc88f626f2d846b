// Gradients of a product over log_plus: what moves C by moving A and B, for hidden Markov models, soft alignments, and
// all that learns by log-sum-exp.
//
//   gemm(ctx, log_plus<float>{}, A, B, C);                        C_ij = log sum_k exp(A_ik + B_kj)
//   gemm_gradients(ctx, log_plus<float>{}, A, B, C, G, DA, DB);   with G_ij = d loss / d C_ij
//
// DA_ik = d loss / d A_ik = sum_j G_ij exp(A_ik + B_kj - C_ij), and DB_kj is the same summed over i: each term of C has
// its share of the gradient, and the shares of an element of C are 1 together.
//
// Contract
//   shapes     A and DA are m x k, B and DB k x n, C and G m x n. Rank 3 is a batch: all six have the same number of
//              matrices. On a CUDA device m and n are at most 4,194,240, and a batch has at most 65,535 matrices.
//              shape_error names the extents.
//   values     C is the product of A and B, as gemm gave it. Numbers are finite, or -inf in A, B and C: what is
//              not there has no share.
//   types      float or double, all six alike. Any strides.
//   aliasing   DA and DB may overlap nothing else of the call: refused (argument_error), by address range. Elements of
//              each have addresses of their own.
//   accuracy   each share errs by at most 1e-5 (double: 1e-12) of itself and 1e-13 (1e-21) of its element's G, and by
//              what its exponent is rounded: eight units in the last place of the largest of A, B and C around it (C
//              itself errs by two). k and the range of the values have no part in it. Sums of shares are formed as
//              those of plus_times are, on a CUDA device with float_precision::split.
//   asynchrony as gemm: on a CUDA context the call returns at once. All arguments are where the context can reach.
//   memory     exponentials of A and B, and m x n weights, besides what products take. error(memory) with the number of
//              bytes; DA and DB are then not to be used.
//
// Method. Two ordinary products of exponentials below the maxima of rows and columns, and the terms of what lies too
// far below those apart, so that nothing overflows (contract/log_sum_gradient.hpp; docs/decisions/0021).
#pragma once

#include "kleene/operations/gemm.hpp"

#include <type_traits>

namespace kleene {

namespace detail {

template <class T>
struct log_sum_gradient_call {
  batch_view<const T> a, b, c, g;
  batch_view<T> to_a, to_b;
};
// Checks and runs one; for float and double in the library.
template <class T>
void run_log_sum_gradient(const context& ctx, const log_sum_gradient_call<T>& call);

template <class S>
inline constexpr bool has_gradients = std::is_same_v<S, log_plus<float>> || std::is_same_v<S, log_plus<double>>;

}  // namespace detail

// DA and DB. See the contract at the top.
template <product_algebra S, detail::viewable_over<S> A, detail::viewable_over<S> B, detail::viewable_over<S> C,
          detail::viewable G, detail::viewable DA, detail::viewable DB>
void gemm_gradients(const context& ctx, S, A&& a, B&& b, C&& c, G&& g, DA&& to_a, DB&& to_b) {
  static_assert(
      detail::has_gradients<S>,
      "products over log_plus<float> and log_plus<double> have gradients here; where one term gives an "
      "element (selective algebras) it is the witness that says which, and over plus_times they are products");
  if constexpr (detail::has_gradients<S>) {
    using T = value_of<S>;
    static_assert(detail::product_is_compiled<S, none, T> && detail::product_is_compiled<plus_times<T>, none, T>,
                  "KLEENE_ALGEBRAS left out log_plus or plus_times, of which gradients are made");
    detail::require_reach(ctx, "A", a);
    detail::require_reach(ctx, "B", b);
    detail::require_reach(ctx, "C", c);
    detail::require_reach(ctx, "the gradient of C", g);
    detail::require_reach(ctx, "the gradient of A", to_a);
    detail::require_reach(ctx, "the gradient of B", to_b);
    detail::run_log_sum_gradient<T>(
        ctx, {detail::as_batch<const T>(a), detail::as_batch<const T>(b), detail::as_batch<const T>(c),
              detail::as_batch<const T>(g), detail::as_batch<T>(to_a), detail::as_batch<T>(to_b)});
  }
}

}  // namespace kleene
