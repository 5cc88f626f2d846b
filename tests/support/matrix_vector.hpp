// One product of a matrix and a vector, computed twice: through gemv on a context, and by the reference of gemm from
// the same memory. Cases are product_cases whose n is 1 (A x) or whose m is 1 (x A).
#pragma once

#include "kleene/operations/gemv.hpp"
#include "support/product.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace kleene::test {

// The operands of A x: views of rank 2 for A, of rank 1 for all else.
template <class P>
auto only_column(const P& v) {
  return v[0].column(0);
}
template <class P>
auto only_row(const P& v) {
  return v[0].row(0);
}

template <class S, class Out, class A, class B, class C, class W, class M>
void run_gemv(const context& ctx, const product_case<S, Out>& p, const A& a, const B& b, const C& c, const C& d,
              const W& witness, const M& mask) {
  detail::options_for<S, none, Out> o{.accumulate = p.accumulate,
                                      .alpha = p.alpha,
                                      .beta = p.beta,
                                      .mask_complement = p.complement,
                                      .replace = p.replace};
  const bool is_row = p.n != 1;
  const auto y = is_row ? only_row(c) : only_column(c);
  if (p.source) o.source = is_row ? only_row(d) : only_column(d);
  if (p.mask) o.mask = is_row ? only_row(mask) : only_column(mask);
  if constexpr (is_selective<S>)
    if (p.witness) {
      const auto w = is_row ? only_row(witness) : only_column(witness);
      return is_row ? gemv(ctx, S{}, only_row(a), b[0], y, w, o) : gemv(ctx, S{}, a[0], only_column(b), y, w, o);
    }
  is_row ? gemv(ctx, S{}, only_row(a), b[0], y, o) : gemv(ctx, S{}, a[0], only_column(b), y, o);
}

// Runs the case both ways and compares the whole buffers of y and of the witness, what lies around them included.
template <class S, class Out = value_of<S>>
void check_gemv(const context& ctx, const product_case<S, Out>& p, double bound = 0) {
  product_operands<S, Out> got(p), want(p);
  run_gemv<S, Out>(ctx, p, got.a.at, got.b.at, got.c.at, got.d.at, got.witness.at, got.mask.at);
  ASSERT_EQ(want.run_reference(), status::ok) << p;
  EXPECT_TRUE(bound > 0 ? close(got.c.buffer, want.c.buffer, bound) : equal(got.c.buffer, want.c.buffer))
      << p << " on " << ctx.describe();
  EXPECT_TRUE(equal(got.witness.buffer, want.witness.buffer)) << "witness: " << p << " on " << ctx.describe();
}

// Every pattern of T's bits, over and over, in another order every time.
template <class T>
std::vector<T> every_pattern(index_t count) {
  static_assert(sizeof(T) <= 2);
  std::vector<T> all(count);
  for (index_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::uint16_t>(sizeof(T) == 1 ? i * 7 + i / 256 : i);
    std::memcpy(&all[i], &bits, sizeof(T));
  }
  return all;
}

// Bytes of any value: y = A x and y = x A of rows x k elements by a plain loop.
template <class T>
struct product_of_bytes {
  index_t rows, k;
  std::vector<T> a = every_pattern<T>(rows * k), x = every_pattern<T>(k);
  std::vector<std::int32_t> y = std::vector<std::int32_t>(rows);

  product_of_bytes(index_t rows, index_t k, bool by_columns) : rows(rows), k(k) {
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < k; ++j) y[i] += int{a[by_columns ? j * rows + i : i * k + j]} * int{x[j]};
  }
};

}  // namespace kleene::test
