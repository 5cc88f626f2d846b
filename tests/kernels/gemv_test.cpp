// The CPU product of a matrix and a vector against the reference: every row of the catalog, every instruction set,
// thread count, size and layout.
#include "kleene/algebra/catalog.hpp"
#include "support/matrix_vector.hpp"

namespace kleene::test::gemv_test {
namespace {

template <class Run>
void on_every_context(const Run& run) {
  for (const std::string_view isa : instruction_sets())
    for (const int threads : {1, 2, 3}) run(context::cpu({.threads = threads, .isa = isa}));
}

// A x and x A of one case: `rows` elements of y, k terms each.
template <class S>
void check_both(const context& ctx, index_t rows, index_t k, product_case<S> p) {
  const double bound = bound_of<S>(k);
  p.m = rows, p.n = 1, p.k = k;
  check_gemv<S>(ctx, p, bound);
  p.m = 1, p.n = rows, std::swap(p.a, p.b);
  check_gemv<S>(ctx, p, bound);
}

template <class S>
distribution exact() {
  return std::is_floating_point_v<value_of<S>> ? distribution::signed_integers : distribution::small_integers;
}

// Sizes around vectors (2 to 64 lanes, two of them a step), groups of 4 rows and of 4 columns.
TEST(gemv, sizes_around_vectors_and_groups) {
  constexpr index_t sizes[][2] = {{1, 1},   {1, 7},    {2, 3},   {3, 8},   {4, 9},    {5, 15},  {7, 16},   {8, 17},
                                  {9, 31},  {15, 33},  {16, 64}, {17, 63}, {31, 65},  {33, 1},  {63, 129}, {64, 2},
                                  {65, 40}, {127, 23}, {130, 5}, {1, 300}, {300, 12}, {2, 515}, {6, 1030}};
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    on_every_context([&](const context& ctx) {
      for (const auto& [rows, k] : sizes)
        for (const layout l : {layout::row, layout::column}) {
          check_both<S>(ctx, rows, k, {.a = l, .values = exact<S>()});
          if constexpr (is_selective<S>) check_both<S>(ctx, rows, k, {.a = l, .values = exact<S>(), .witness = true});
        }
    });
  });
}

TEST(gemv, layouts) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const std::string_view isa : instruction_sets()) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      for (const layout a :
           {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved, layout::broadcast})
        for (const layout c : output_layouts) {
          const layout x = static_cast<layout>((int(a) + 2) % 6);
          check_both<S>(ctx, 37, 83, {.a = a, .b = x, .c = c, .values = exact<S>(), .accumulate = true});
          if constexpr (is_selective<S>)
            check_both<S>(ctx, 37, 83, {.a = a, .b = x, .c = c, .values = exact<S>(), .witness = true});
        }
    }
  });
}

// Infinities, NaN and -0 come out exactly as the reference has them.
TEST(gemv, values) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (is_selective<S>)
      for (const std::string_view isa : instruction_sets()) {
        const context ctx = context::cpu({.threads = 2, .isa = isa});
        for (const distribution d : problems::all_distributions)
          for (const layout l : {layout::row, layout::column})
            for (const bool witness : {false, true}) {
              check_both<S>(ctx, 45, 70, {.a = l, .values = d, .witness = witness, .seed = 3});
              check_both<S>(ctx, 45, 70, {.a = l, .values = d, .accumulate = true, .witness = witness, .seed = 4});
            }
      }
  });
}

TEST(gemv, options) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    const context ctx = context::cpu({.threads = 2});
    const std::optional<T> one = T(S::one()), none;
    for (const layout l : {layout::row, layout::column})
      for (const bool mask : {false, true})
        for (const bool scaled : {false, true}) {
          const auto factor = scaled ? one : none;
          check_both<S>(ctx, 70, 33, {.a = l, .mask = mask, .complement = mask, .alpha = factor});
          check_both<S>(ctx, 70, 33, {.a = l, .accumulate = true, .mask = mask, .alpha = factor, .beta = factor});
          check_both<S>(ctx, 70, 33, {.a = l, .source = true, .mask = mask, .replace = mask, .beta = factor});
          if constexpr (is_selective<S>)
            check_both<S>(ctx, 70, 33,
                          {.a = l, .source = scaled, .mask = mask, .replace = mask, .witness = true, .alpha = factor});
        }
  });
}

TEST(gemv, zero_extents) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    const context ctx = context::cpu({.threads = 2});
    for (const auto& [rows, k] : {std::array<index_t, 2>{0, 5}, {5, 0}, {0, 0}, {1, 0}, {4000, 0}})
      for (const bool source : {false, true}) {
        check_both<S>(ctx, rows, k, {.source = source});
        if constexpr (is_selective<S>) check_both<S>(ctx, rows, k, {.source = source, .witness = true});
      }
  });
}

// Several tasks, several ranges of k, several threads: tall, wide, square.
TEST(gemv, large_shapes) {
  const auto check_all = [](auto s) {
    using S = decltype(s);
    for (const int threads : {1, 3}) {
      const context ctx = context::cpu({.threads = threads});
      for (const auto& [rows, k] :
           {std::array<index_t, 2>{3, 50001}, {70000, 7}, {1031, 1033}, {4099, 300}, {1, 300000}})
        for (const layout l : {layout::row, layout::column, layout::interleaved}) {
          check_both<S>(ctx, rows, k, {.a = l, .values = exact<S>()});
          if constexpr (is_selective<S>) check_both<S>(ctx, rows, k, {.a = l, .values = exact<S>(), .witness = true});
        }
    }
  };
  check_all(min_plus<float>{});
  check_all(max_times<std::int32_t>{});
  check_all(plus_times<std::int32_t>{});
  check_all(max_min<double>{});
  // Columns so long that a task takes more of each where there are few threads.
  for (const int threads : {1, 3})
    for (const bool witness : {false, true})
      check_both<min_plus<float>>(context::cpu({.threads = threads}), 9001, 600,
                                  {.a = layout::column, .values = distribution::small_integers, .witness = witness});
}

// Values that fall (or rise) with k: each improves on all before it, and the witness is the last.
TEST(gemv, every_term_improves) {
  const index_t m = 300, k = 1111;
  for (const layout l : {layout::row, layout::column})
    for (const std::string_view isa : instruction_sets()) {
      strided<double> a(l, 1, m, k, 0);
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < k; ++j) a.at(0, i, j) = double(i - j);
      std::vector<double> x(k, 0.5), y(m);
      std::vector<std::int32_t> w(m);
      gemv(context::cpu({.isa = isa}), min_plus<double>{}, a.at[0], x, y, w);
      for (index_t i = 0; i < m; ++i) {
        ASSERT_EQ(y[i], double(i - k + 1) + 0.5);
        ASSERT_EQ(w[i], k - 1);
      }
      gemv(context::cpu({.isa = isa}), max_plus<double>{}, a.at[0], x, y, w);
      for (index_t i = 0; i < m; ++i) ASSERT_EQ(w[i], 0);
    }
}

// Equal terms: the witness is the first of them, in whatever stretch, vector and lane it is.
template <class T>
void finds_the_first() {
  const index_t m = 61, k = 1600;
  for (const std::string_view isa : instruction_sets())
    for (const layout l : {layout::row, layout::column}) {
      strided<T> a(l, 1, m, k, T(0));
      std::vector<std::int32_t> want(m), w(m);
      for (index_t i = 0; i < m; ++i) {
        want[i] = static_cast<std::int32_t>(i < 10 ? 508 + i : i < 20 ? 1015 + i : i * i % k);
        for (index_t j = 0; j < k; ++j) a.at(0, i, j) = T(j < want[i] ? 9 : j % 3 == want[i] % 3 ? 4 : 5);
      }
      const std::vector<T> x(k, T(1));
      std::vector<T> y(m);
      gemv(context::cpu({.threads = 1, .isa = isa}), min_plus<T>{}, a.at[0], x, y, w);
      EXPECT_EQ(y, std::vector<T>(m, T(5)));
      EXPECT_EQ(w, want) << isa << ", layout " << int(l);
    }
}
TEST(gemv, the_first_of_equal_terms) {
  finds_the_first<float>();
  finds_the_first<std::int64_t>();
}

// Sums that round do so in an order that the number of threads has no part in.
TEST(gemv, sums_repeat_whatever_the_number_of_threads) {
  for (const layout l : {layout::row, layout::column})
    for (const auto& [m, k] : {std::array<index_t, 2>{2, 100000}, {5000, 700}, {1500, 1500}}) {
      strided<float> a(l, 1, m, k, 0);
      problems::fill<plus_times<float>>(a.at, distribution::uniform, 1);
      const matrix<float> x = problems::random_matrix<plus_times<float>>(1, k, distribution::uniform, 2);
      std::vector<float> one(m), more(m);
      gemv(context::cpu({.threads = 1}), plus_times<float>{}, a.at[0], x.view().row(0), one);
      for (const int threads : {2, 3, 7}) {
        gemv(context::cpu({.threads = threads}), plus_times<float>{}, a.at[0], x.view().row(0), more);
        EXPECT_EQ(one, more) << threads << " threads, layout " << int(l);
      }
      for (index_t i = 0; i < m; i += 499) {
        double want = 0;
        for (index_t j = 0; j < k; ++j) want += double(a.at(0, i, j)) * double(x(0, j));
        EXPECT_NEAR(one[i], want, 1e-5 * want);
      }
    }
}

template <class S, class Out>
void check_mixed() {
  const context ctx = context::cpu({.threads = 2});
  for (const layout l : {layout::row, layout::column, layout::interleaved})
    for (const auto& [rows, k] : {std::array<index_t, 2>{7, 9}, {70, 33}, {33, 129}}) {
      check_gemv<S, Out>(ctx, {.m = rows, .n = 1, .k = k, .a = l, .values = distribution::small_integers});
      check_gemv<S, Out>(ctx, {.m = 1, .n = rows, .k = k, .b = l, .values = distribution::small_integers});
    }
}
TEST(gemv, mixed_types) {
  for_each_mixed([](auto s, auto out) {
    using Out = typename decltype(out)::type;
    if constexpr (!std::is_same_v<Out, i8>) check_mixed<decltype(s), Out>();  // sums of the case do not fit 8 bits
  });
}

TEST(gemv, bytes_of_any_value) {
  on_every_context([](const context& ctx) {
    const auto check = [&]<class T>(T, index_t rows, index_t k) {
      std::vector<std::int32_t> y(rows);
      const product_of_bytes<T> by_rows(rows, k, false), by_columns(rows, k, true);
      gemv(ctx, plus_times<T>{}, matrix_view<const T>(by_rows.a.data(), {rows, k}), by_rows.x, y);
      EXPECT_EQ(y, by_rows.y) << ctx.describe();
      gemv(ctx, plus_times<T>{}, by_columns.x, matrix_view<const T>(by_columns.a.data(), {k, rows}), y);
      EXPECT_EQ(y, by_columns.y) << ctx.describe();
    };
    for (const auto& [rows, k] : {std::array<index_t, 2>{70, 129}, {5, 33}, {129, 300}})
      check(i8{}, rows, k), check(u8{}, rows, k);
  });
}

// One term a sum, 1 (x) a: what an element is, infinities, NaN and subnormals too.
TEST(gemv, every_float_of_16_bits) {
  on_every_context([](const context& ctx) {
    const auto check = [&]<class T>(T) {
      const std::vector<T> a = every_pattern<T>(65536), x{T(1)};
      std::vector<float> y(a.size());
      gemv(ctx, plus_times<T>{}, x, matrix_view<const T>(a.data(), {1, 65536}), y);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const float want = a[i];
        ASSERT_TRUE(y[i] == want || (y[i] != y[i] && want != want)) << i << ": " << y[i] << " on " << ctx.describe();
      }
    };
    check(f16{}), check(bf16{});
  });
}

}  // namespace
}  // namespace kleene::test::gemv_test
