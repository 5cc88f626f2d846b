// expect: this view is not in host memory
// Views carry their memory space in the type; a CPU context reaches host memory only.
#include "kleene/operations/gemm.hpp"

#ifdef WRONG
constexpr auto space = kleene::memory::device;
#else
constexpr auto space = kleene::memory::host;
#endif

void f(const kleene::matrix_view<const float, space>& a, kleene::matrix<float>& c) {
  kleene::gemm(kleene::context::cpu(), kleene::min_plus<float>{}, a, c, c);
}
