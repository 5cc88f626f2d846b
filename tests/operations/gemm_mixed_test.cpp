// Products of 8 and 16 bits (algebra/mixed.def) on the CPU: every option, layout and size against the reference, on
// values whose sums are exact; and what rounds or does not fit against sums in long double and in 64 bits.
#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/product.hpp"

#include <array>

namespace kleene::test::gemm_mixed_test {
namespace {

// Every instruction set, with one thread and three.
template <class Run>
void on_every_context(const Run& run) {
  for (const std::string_view isa : instruction_sets())
    for (const int threads : {1, 3}) run(context::cpu({.threads = threads, .isa = isa}));
}

// Small enough for sums of bytes to fit a byte again, where C is one.
template <class S, class Out>
constexpr distribution exact() {
  return std::is_same_v<Out, i8> ? distribution::negative_zeros : distribution::signed_integers;
}

TEST(gemm_mixed, sizes_around_tile_edges) {
  constexpr index_t sizes[][3] = {{1, 1, 1},    {1, 40, 5},   {40, 1, 5},   {4, 24, 8},  {5, 23, 9},
                                  {0, 5, 5},    {5, 7, 0},    {11, 32, 17}, {12, 33, 3}, {13, 47, 7},
                                  {24, 49, 64}, {25, 63, 65}, {37, 65, 29}};
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    on_every_context([&](const context& ctx) {
      for (const auto& [m, n, k] : sizes)
        for (const bool source : {false, true})
          check_product<S, Out>(ctx, {.m = m, .n = n, .k = k, .values = exact<S, Out>(), .source = source});
    });
  });
}

// Where C holds accumulators, partial sums wait there between passes over k (512 deep).
TEST(gemm_mixed, depths_around_passes) {
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    on_every_context([&](const context& ctx) {
      for (const index_t k : {511, 512, 513, 1100})
        for (const layout c : {layout::row, layout::column})
          check_product<S, Out>(ctx, {.m = 14, .n = 35, .k = k, .c = c, .values = exact<S, Out>()});
    });
  });
}

TEST(gemm_mixed, layouts_and_batches) {
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    const context ctx = context::cpu({.threads = 2});
    for (const layout a :
         {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved, layout::broadcast})
      for (const layout c : output_layouts) {
        const layout b = static_cast<layout>((int(a) + 2) % 6);
        constexpr distribution values = exact<S, Out>();
        check_product<S, Out>(ctx, {.m = 29, .n = 67, .k = 19, .a = a, .b = b, .c = c, .values = values});
        check_product<S, Out>(
            ctx, {.m = 67, .n = 14, .k = 19, .batch = 3, .a = b, .b = a, .c = c, .values = values, .accumulate = true});
      }
  });
}

TEST(gemm_mixed, every_combination_of_options) {
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    const context ctx = context::cpu({.threads = 2});
    product_case<S, Out> p{.m = 19, .n = 66, .k = 23, .values = exact<S, Out>()};
    for (const int source : {0, 1, 2})
      for (const bool with_alpha : {false, true})
        for (const bool with_beta : {false, true})
          for (const int mask : {0, 1, 2, 3, 4}) {
            if (with_beta && source == 0) continue;
            p.accumulate = source == 1, p.source = source == 2;
            p.alpha.reset(), p.beta.reset();
            if (with_alpha) p.alpha = 2;
            if (with_beta) p.beta = 3;
            p.mask = mask > 0, p.complement = mask == 2 || mask == 4, p.replace = mask >= 3;
            check_product<S>(ctx, p);
          }
  });
}

// NaN and infinities pass through as the reference has them.
TEST(gemm_mixed, special_values) {
  for_each_mixed([&](auto s, auto out) {
    using S = decltype(s);
    using Out = typename decltype(out)::type;
    if constexpr (detail::is_float<value_of<S>>)
      on_every_context([&](const context& ctx) {
        for (const auto values : {distribution::infinities, distribution::nans, distribution::negative_zeros})
          check_product<S, Out>(ctx, {.m = 26, .n = 66, .k = 45, .values = values, .source = true});
      });
  });
}

// |error| <= (k + 2) eps sum_k |A_ik B_kj| with float's eps, and then the rounding to C's type: half its eps, or half
// of its smallest number.
template <class S, class Out>
void check_bound(const context& ctx, bool scaled) {
  using T = value_of<S>;
  constexpr index_t m = 37, n = 41, k = 1100;
  matrix<T> a(m, k), b(k, n);
  matrix<Out> d(m, n), c(m, n, poison<Out>());
  problems::generator g(5);
  const auto draw = [&](auto& x) {
    using E = std::remove_cvref_t<decltype(x(0, 0))>;
    for (index_t i = 0; i < x.rows(); ++i)
      for (index_t j = 0; j < x.cols(); ++j) x(i, j) = E(2 * g.real() - 1);
  };
  draw(a), draw(b), draw(d);
  const float alpha = 0.1f, beta = -3.3f;
  if (scaled) gemm(ctx, S{}, a, b, c, {.alpha = alpha, .beta = beta, .source = d});
  else gemm(ctx, S{}, a, b, c);
  const long double half_eps = std::is_same_v<Out, float> ? 0 : std::numeric_limits<Out>::epsilon() / 2.0L;
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      long double sum = 0, size = 0;
      for (index_t l = 0; l < k; ++l) {
        const long double term = static_cast<long double>(float(a(i, l))) * float(b(l, j));
        sum += term, size += std::abs(term);
      }
      if (scaled) {
        sum = alpha * sum + static_cast<long double>(beta) * float(d(i, j));
        size = alpha * size + std::abs(static_cast<long double>(beta) * float(d(i, j)));
      }
      const long double error = (k + 4) * 0x1p-23L * size, got = float(c(i, j));
      const long double rounding = half_eps * (std::abs(sum) + error) + std::numeric_limits<Out>::denorm_min() / 2.0L;
      ASSERT_LE(std::abs(got - sum), error + rounding) << type_name<T> << " to " << type_name<Out>;
    }
}

TEST(gemm_mixed, floats_stay_within_their_bound) {
  on_every_context([](const context& ctx) {
    for (const bool scaled : {false, true}) {
      check_bound<plus_times<bf16>, bf16>(ctx, scaled);
      check_bound<plus_times<bf16>, float>(ctx, scaled);
      check_bound<plus_times<f16>, f16>(ctx, scaled);
      check_bound<plus_times<f16>, float>(ctx, scaled);
    }
  });
}

// Every byte there is, against sums in 64 bits; C in f32 is the nearest float.
template <class T, class Out>
void check_bytes(const context& ctx) {
  constexpr index_t m = 21, n = 70, k = 900;
  matrix<T> a(m, k), b(k, n);
  matrix<Out> c(m, n, Out(-77)), d(m, n);
  problems::generator g(6);
  for (index_t e = 0; e < a.size(); ++e) a.data()[e] = static_cast<T>(g.next());
  for (index_t e = 0; e < b.size(); ++e) b.data()[e] = static_cast<T>(g.next());
  for (index_t e = 0; e < d.size(); ++e) d.data()[e] = static_cast<Out>(g.below(1000) - 500);
  const auto check = [&](std::int64_t alpha, std::int64_t beta) {
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j) {
        std::int64_t sum = 0;
        for (index_t l = 0; l < k; ++l) sum += std::int64_t(a(i, l)) * b(l, j);
        const std::int64_t want = alpha * sum + beta * std::int64_t(d(i, j));
        ASSERT_EQ(c(i, j), static_cast<Out>(want)) << type_name<T> << " to " << type_name<Out>;
      }
  };
  gemm(ctx, plus_times<T>{}, a, b, c);
  check(1, 0);
  gemm(ctx, plus_times<T>{}, a, b, c, {.alpha = 2, .beta = -3, .source = d});
  check(2, -3);
}

TEST(gemm_mixed, integers_are_exact) {
  on_every_context([](const context& ctx) {
    check_bytes<i8, i32>(ctx);
    check_bytes<i8, float>(ctx);
    check_bytes<u8, i32>(ctx);
  });
}

// What C's type means for D, alpha and beta.
TEST(gemm_mixed, nothing_is_narrowed_before_c_is) {
  const context ctx = context::cpu({.threads = 1});
  const matrix<bf16> a{{bf16(1), bf16(1)}}, b{{bf16(256)}, {bf16(1)}};
  matrix<float> c{{0x1p-10f}};
  gemm(ctx, plus_times<bf16>{}, a, b, c, {.accumulate = true});
  EXPECT_EQ(c(0, 0), 257 + 0x1p-10f) << "no bf16";
  gemm(ctx, plus_times<bf16>{}, a, b, c, {.alpha = 0.1f, .beta = 1 + 0x1p-20f, .source = matrix<float>{{1.0f}}});
  EXPECT_NEAR(c(0, 0), 0.1f * 257 + 1 + 0x1p-20f, 4e-6);
  matrix<bf16> narrow(1, 1);
  gemm(ctx, plus_times<bf16>{}, a, b, narrow, {.alpha = 1.01f});
  EXPECT_EQ(narrow(0, 0), bf16(260)) << "257 as a bf16 is 256, 1.01 is 1.0078125: together 258";
  const matrix<i8> x{{100, 27}}, y{{100}, {1}};
  matrix<float> f(1, 1);
  gemm(ctx, plus_times<i8>{}, x, y, f, {.alpha = 0.5f, .beta = 0.25f, .source = matrix<float>{{3.0f}}});
  EXPECT_EQ(f(0, 0), 5014.25f);
  EXPECT_EQ(multiply(plus_times<bf16>{}, a, b)(0, 0), bf16(256));
  matrix<number<plus_times<f16>>> p(1, 1, f16(3)), q(1, 1, f16(5));
  EXPECT_EQ(multiply(p, q)(0, 0).value, f16(15));
}

TEST(gemm_mixed, what_does_not_fit_is_reported) {
  const context ctx = context::cpu({.threads = 1});
  const auto refused = [](const auto& call) { return refusal<value_error>(fault_code::bad_input, call); };
  const matrix<i8> x{{64, 64}}, y{{1}, {1}};
  matrix<i8> c(1, 1);
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, plus_times<i8>{}, x, y, c); }), "too large"));
  gemm(ctx, plus_times<i8>{}, x, y, c, {.alpha = -1});
  EXPECT_EQ(c(0, 0), -128);

  // 133,200 products of 127 and 127 can leave 32 bits, of 127 and 126 cannot; with alpha or a source fewer do.
  const index_t k = 133200;
  const matrix<i8> row(1, k, 127), column(k, 1, 127), less(k, 1, 126);
  matrix<i32> sum(1, 1, -5);
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, plus_times<i8>{}, row, column, sum); }),
                       "133200 products of magnitudes up to 127 and 127 can leave 32 bits"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, plus_times<i8>{}, row, less, sum, {.alpha = 2}); }),
                       "133200 products of magnitudes up to 127 and 126, times alpha, can leave 32 bits"));
  EXPECT_TRUE(
      contains(refused([&] { gemm(ctx, plus_times<i8>{}, row, less, sum, {.source = matrix<i32>{{1 << 30}}}); }),
               "133200 products of magnitudes up to 127 and 126, and the source, can leave 32 bits"));
  EXPECT_EQ(sum(0, 0), -5) << "refused before C is touched";
  gemm(ctx, plus_times<i8>{}, row, less, sum);
  EXPECT_EQ(sum(0, 0), 133200 * 127 * 126);
  // In f32 alpha and D come in floats: only the sum itself could wrap.
  matrix<float> f(1, 1);
  gemm(ctx, plus_times<i8>{}, row, less, f, {.alpha = 4.0f});
  EXPECT_EQ(f(0, 0), 4.0f * static_cast<float>(133200 * 127 * 126));
}

}  // namespace
}  // namespace kleene::test::gemm_mixed_test
