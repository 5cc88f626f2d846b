// Products over algebras that the library was not compiled with.
#pragma once

#include "kleene/operations/own/gemm.inl.hpp"

#include "support/product.hpp"

namespace kleene::test {

inline constexpr index_t user_sizes[][3] = {{1, 1, 1},    {2, 3, 4},   {5, 0, 3},     {4, 6, 0},
                                            {13, 33, 17}, {40, 7, 70}, {9, 130, 1100}};

// The ten lines of the header, spelled with plain functions on scalars.
struct shortest {
  using value_type = float;
  static constexpr const char* name = "shortest";
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
  static constexpr float zero() { return std::numeric_limits<float>::infinity(); }
  static constexpr float one() { return 0; }
  static constexpr float add(float a, float b) { return b < a ? b : a; }
  static constexpr float mul(float a, float b) { return a + b; }
};
static_assert(closed_semiring<shortest>);

// C = alpha A B + D through gemm and through the reference, from values that make(generator) draws.
template <class S, class Make>
void check_made(const Make& make) {
  using T = value_of<S>;
  for (const std::string_view isa : instruction_sets())
    for (const auto& [m, n, k] : user_sizes) {
      problems::generator g(7);
      matrix<T> a(m, k), b(k, n), d(m, n), got(m, n), want(m, n);
      for (matrix<T>* x : {&a, &b, &d})
        for (index_t i = 0; i < x->size(); ++i) x->data()[i] = make(g);
      const T alpha = make(g);
      gemm(context::cpu({.threads = 2, .isa = isa}), S{}, a, b.view(), got, {.alpha = alpha, .source = d});
      kernels::gemm_arguments<S> r;
      r.m = m, r.n = n, r.k = k;
      r.a = a.data(), r.sa = {0, k, 1};
      r.b = b.data(), r.sb = {0, n, 1};
      r.c = want.data(), r.d = d.data(), r.sc = r.sd = {0, n, 1};
      r.alpha = &alpha;
      ASSERT_EQ(kernels::reference::gemm(r), status::ok);
      for (index_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(got.data()[i] == want.data()[i]) << isa << " " << m << "x" << n << "x" << k << " at " << i;
    }
}

}  // namespace kleene::test
