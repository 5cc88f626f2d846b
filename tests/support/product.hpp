// One product, computed twice: through gemm on a context, and by the reference from the same memory.
#pragma once

#include "kleene/kernels/reference/gemm.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/equal.hpp"
#include "support/problems.hpp"
#include "support/sample.hpp"

#include <ostream>

namespace kleene::test {

using problems::distribution;

enum class layout : int { row, column, padded, reversed, interleaved, broadcast };
inline constexpr layout output_layouts[] = {layout::row, layout::column, layout::padded, layout::reversed,
                                            layout::interleaved};

// A batch of matrices somewhere inside a larger buffer, whose other elements nobody may touch.
template <class T>
struct strided {
  static constexpr index_t guard = 64;
  matrix<T> buffer;
  batch_view<T> at;

  strided(layout l, index_t batch, index_t rows, index_t cols, T around) {
    const index_t each = 2 * (rows + 1) * (cols + 5);
    buffer = matrix<T>(1, 2 * guard + std::max<index_t>(batch, 1) * each, around);
    T* const first = buffer.data() + guard;
    const auto place = [&](T* origin, index_t down, index_t right) {
      at = batch_view<T>(origin, {batch, rows, cols}, {each, down, right});
    };
    if (l == layout::row) place(first, cols, 1);
    if (l == layout::column) place(first, 1, rows);
    if (l == layout::padded) place(first, cols + 5, 1);
    if (l == layout::reversed) place(first + std::max<index_t>(rows * cols - 1, 0), -cols, -1);
    if (l == layout::interleaved) place(first, 2 * cols, 2);
    if (l == layout::broadcast) place(first, 0, 1);
  }
};

// A product over S into a C of Out.
template <class S, class Out = value_of<S>>
struct product_case {
  using T = value_of<S>;
  using scalar = typename kernels::gemm_arguments<S, none, Out>::scalar;
  index_t m = 1, n = 1, k = 1, batch = 1;
  layout a = layout::row, b = layout::row, c = layout::row;
  distribution values = distribution::signed_integers;
  bool accumulate = false, source = false, mask = false, complement = false, replace = false, witness = false;
  std::optional<scalar> alpha{}, beta{};
  std::uint64_t seed = 1;

  friend std::ostream& operator<<(std::ostream& out, const product_case& p) {
    out << name_of<S>() << " " << type_name<T> << " to " << type_name<Out> << " " << p.m << "x" << p.n << "x" << p.k
        << " batch " << p.batch << " layouts " << int(p.a) << int(p.b) << int(p.c) << " "
        << problems::to_string(p.values);
    for (const auto& [on, word] : {std::pair{p.accumulate, " accumulate"},
                                   {p.source, " source"},
                                   {p.mask, " mask"},
                                   {p.complement, " complement"},
                                   {p.replace, " replace"},
                                   {p.witness, " witness"},
                                   {p.alpha.has_value(), " alpha"},
                                   {p.beta.has_value(), " beta"}})
      if (on) out << word;
    return out;
  }
};

// What C holds before: in floats a NaN, so that reading it would show.
template <class T>
T poison() {
  if constexpr (kleene::detail::is_float<T>) return std::numeric_limits<T>::quiet_NaN();
  else if constexpr (std::is_same_v<T, bool>) return true;
  else return T(-77);
}

// The operands of one case.
template <class S, class Out = value_of<S>>
struct product_operands {
  using T = value_of<S>;
  const product_case<S, Out>& p;
  strided<T> a, b;
  strided<Out> d, c;
  strided<bool> mask;
  strided<std::int32_t> witness;

  explicit product_operands(const product_case<S, Out>& q)
      : p(q),
        a(q.a, q.batch, q.m, q.k, poison<T>()),
        b(q.b, q.batch, q.k, q.n, poison<T>()),
        d(q.c, q.batch, q.m, q.n, poison<Out>()),
        c(q.c, q.batch, q.m, q.n, poison<Out>()),
        mask(q.c, q.batch, q.m, q.n, true),
        witness(q.c, q.batch, q.m, q.n, -7) {
    problems::fill<S>(a.at, q.values, q.seed);
    problems::fill<S>(b.at, q.values, q.seed + 1);
    problems::fill<S>(d.at, q.values, q.seed + 2);
    if (q.accumulate) problems::fill<S>(c.at, q.values, q.seed + 3);
    problems::generator g(q.seed + 4);
    for (index_t i = 0; i < q.batch; ++i)
      for (index_t j = 0; j < q.m; ++j)
        for (index_t l = 0; l < q.n; ++l) mask.at(i, j, l) = g.chance(0.6);
  }

  void run(const context& ctx) {
    detail::options_for<S, none, Out> o{.accumulate = p.accumulate,
                                        .alpha = p.alpha,
                                        .beta = p.beta,
                                        .mask_complement = p.complement,
                                        .replace = p.replace};
    if (p.source) o.source = d.at;
    if (p.mask) o.mask = mask.at;
    if constexpr (is_selective<S>)
      if (p.witness) return gemm(ctx, S{}, a.at, b.at, c.at, witness.at, o);
    gemm(ctx, S{}, a.at, b.at, c.at, o);
  }

  status run_reference() {
    kernels::gemm_arguments<S, none, Out> g;
    g.batch = p.batch, g.m = p.m, g.n = p.n, g.k = p.k;
    g.a = a.at.data(), g.sa = a.at.strides();
    g.b = b.at.data(), g.sb = b.at.strides();
    g.c = c.at.data(), g.sc = c.at.strides();
    if (p.accumulate) g.d = c.at.data(), g.sd = c.at.strides();
    if (p.source) g.d = d.at.data(), g.sd = d.at.strides();
    if (p.mask) g.mask = mask.at.data(), g.smask = mask.at.strides();
    if (p.witness) g.witness = witness.at.data(), g.switness = witness.at.strides();
    g.alpha = p.alpha ? &*p.alpha : nullptr;
    g.beta = p.beta ? &*p.beta : nullptr;
    g.mask_complement = p.complement, g.replace = p.replace;
    return kernels::reference::gemm(g);
  }
};

// Runs the case both ways and compares the whole buffers of C and of the witness, what lies around them included.
// Algebras whose sums round are compared within `bound`.
template <class S, class Out = value_of<S>>
void check_product(const context& ctx, const product_case<S, Out>& p, double bound = 0) {
  if (!sampled()) return;
  product_operands<S, Out> got(p), want(p);
  got.run(ctx);
  ASSERT_EQ(want.run_reference(), status::ok) << p;
  EXPECT_TRUE(bound > 0 ? close(got.c.buffer, want.c.buffer, bound) : equal(got.c.buffer, want.c.buffer))
      << p << " on " << ctx.describe();
  EXPECT_TRUE(equal(got.witness.buffer, want.witness.buffer)) << "witness: " << p << " on " << ctx.describe();
}

// log_plus rounds in every step; all else is compared exactly, on values whose sums are exact.
template <class S>
double bound_of(index_t k) {
  if (name_of<S>() != "log_plus") return 0;
  return 4 * static_cast<double>(k + 4) * static_cast<double>(std::numeric_limits<value_of<S>>::epsilon());
}

// Every instruction set that this machine has, best last.
inline std::vector<std::string_view> instruction_sets() {
  std::vector<std::string_view> names;
  for (const instruction_set isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512})
    if (isa <= best_instruction_set()) names.push_back(to_string(isa));
  return names;
}

}  // namespace kleene::test
