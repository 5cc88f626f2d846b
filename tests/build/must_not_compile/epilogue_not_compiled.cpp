// expect: include kleene/operations/own/gemm\.inl\.hpp
// Kernels are compiled with the epilogue inside, so none that has one is in the library.
#ifdef WRONG
#include "kleene/operations/gemm.hpp"
#else
#include "kleene/operations/own/gemm.inl.hpp"
#endif

void f(const kleene::matrix<float>& a, kleene::matrix<float>& c) {
  auto half = [](float value, kleene::index_t, kleene::index_t) { return value / 2; };
  const kleene::gemm_options<kleene::none, decltype(half)> options{.epilogue = half};
  kleene::gemm(kleene::context::cpu(), kleene::min_plus<float>{}, a, a, c, options);
}
