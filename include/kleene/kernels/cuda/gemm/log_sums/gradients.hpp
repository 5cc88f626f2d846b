// The gradient of a product over log_plus on a CUDA device (contract/log_sum_gradient.hpp): what is done besides two
// ordinary products. Plain C++.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

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

}  // namespace kleene::kernels::cuda
