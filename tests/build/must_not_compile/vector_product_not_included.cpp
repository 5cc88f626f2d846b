// expect: include kleene/operations/gemv.hpp
// Products of matrices alone are in gemm.hpp, which says where those with a vector are.
#ifdef WRONG
#include "kleene/operations/gemm.hpp"
#else
#include "kleene/operations/gemv.hpp"
#endif

std::vector<float> f(const kleene::matrix<float>& a, const std::vector<float>& x) {
  return kleene::multiply(kleene::min_plus<float>{}, a, x);
}
