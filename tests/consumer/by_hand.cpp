// Uses an installed Kleene by the flags that pkg-config gives.
#include <kleene/operations/gemm.hpp>

int main() {
  const kleene::matrix<float> a{{1, 5}, {2, 3}};
  return kleene::multiply(kleene::min_plus<float>{}, a, a)(0, 0) == 2 ? 0 : 1;
}
