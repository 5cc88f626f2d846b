// expect: it is the witness that says which
// Shares are those of sums; of a minimum one term has all.
#include "kleene/operations/gradients/gemm.hpp"

#ifdef WRONG
using algebra = kleene::min_plus<float>;
#else
using algebra = kleene::log_plus<float>;
#endif

void f(const kleene::context& ctx, kleene::matrix<float>& x, kleene::matrix<float>& to_a, kleene::matrix<float>& to_b) {
  kleene::gemm_gradients(ctx, algebra{}, x, x, x, x, to_a, to_b);
}
