// The gradient of a product over log_plus on a CUDA device: what is done besides two ordinary products.
//
// Of C = log sum_k exp(A_ik + B_kj) with the gradient G, A gets sum_j G_ij exp(A_ik + B_kj - C_ij), and B the same
// summed over i. With the maxima r_i and s_j of A's rows and B's columns, P = exp(A - r), Q = exp(B - s) and
// W = G exp(r + s - C), that is P (W Q') and Q (P' W), element by element times a product. W is so large where r + s is
// far above C that it may overflow while P Q underflows: such elements of C are left out of W, and their terms summed
// one by one.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::python {

// Rows and columns of C that share a word in `far`.
inline constexpr index_t far_tile = 64;

// Elements of c and w are m x n, those of a and p m x k, of b and q k x n; of tops_a m x 1, of tops_b 1 x n. far has
// ceil(m / far_tile) x ceil(n / far_tile).
template <class T>
struct log_sum_gradients {
  batch_view<const T, memory::device> g, a, b, c;
  batch_view<T, memory::device> p, q, w, tops_a, tops_b;
  batch_view<std::int32_t, memory::device> far;
};

// Enqueues what comes before the products: tops_a = r, tops_b = s, p = P, q = Q, w = W, and far, which is not 0 where
// elements of C were left out. error(device): this build has no CUDA.
template <class T>
void launch_log_sum_factors(const context& ctx, const log_sum_gradients<T>& x);

// And what comes after: to_a, which is W Q' by then, is multiplied by P, to_b likewise, and the terms of what was left
// out are added.
template <class T>
void launch_log_sum_terms(const context& ctx, const log_sum_gradients<T>& x, const batch_view<T, memory::device>& to_a,
                          const batch_view<T, memory::device>& to_b);

}  // namespace kleene::python
