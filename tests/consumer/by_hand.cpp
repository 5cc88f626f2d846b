// Uses an installed Kleene by the flags that pkg-config gives, as headers that warnings are shown of: there are none.
#include <kleene/operations/gemm.hpp>
#include <kleene/operations/own/gemm.inl.hpp>

#include <cstdint>

int main() {
  const kleene::matrix<float> a{{1, 5}, {2, 3}};
  const kleene::matrix<std::uint8_t> b{{1, 5}, {2, 3}};  // compiled here
  return kleene::multiply(kleene::min_plus<float>{}, a, a)(0, 0) == 2 &&
                 kleene::multiply(kleene::min_plus<std::uint8_t>{}, b, b)(0, 0) == 2
             ? 0
             : 1;
}
