// Epilogues against their formulas, on the CPU: alone, and in products of every type they meet.
#include "kleene/operations/epilogues.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "support/product.hpp"

#include <cmath>
#include <vector>

namespace kleene::test::epilogues_test {
namespace {

using namespace epilogues;

// gemm_options{.mask = mask, .epilogue = f} for compilers that do not deduce an aggregate's arguments (clang before
// 17).
template <class F>
auto options_with(F f, operand<bool> mask = {}) {
  return gemm_options<none, F>{.mask = mask, .epilogue = f};
}

double exact_gelu(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

TEST(epilogues, gelu_is_near_its_formula) {
  for (double x = -12; x <= 12; x += 0x1p-10) {
    const float value = gelu{}(static_cast<float>(x), 0, 0);
    ASSERT_NEAR(value, exact_gelu(x), 3e-7 + 1e-6 * std::abs(exact_gelu(x))) << x;
    if (x > -3) {
      ASSERT_NEAR(value, exact_gelu(x), 4e-6 * std::abs(exact_gelu(x))) << x;
    }
    const float for_bf16 = kernels::applied<bf16>(gelu{}, static_cast<float>(x), 0, 0);
    ASSERT_NEAR(for_bf16, exact_gelu(x), 1e-6 + 5e-4 * std::abs(exact_gelu(x))) << x;
    EXPECT_EQ(kernels::applied<f16>(gelu{}, static_cast<float>(x), 0, 0), value);
    const double with_tanh = 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    ASSERT_NEAR(gelu_tanh{}(static_cast<float>(x), 0, 0), with_tanh, 1e-6 * std::max(1.0, std::abs(with_tanh))) << x;
    ASSERT_NEAR(gelu{}(x, 0, 0), exact_gelu(x), 1e-14);
    ASSERT_NEAR(gelu_tanh{}(x, 0, 0), with_tanh, 1e-13);
  }
}

TEST(epilogues, special_values) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(gelu{}(inf, 0, 0), inf);
  EXPECT_NEAR(gelu{}(-inf, 0, 0), 0, 1e-20);
  EXPECT_EQ(gelu{}(0.0f, 0, 0), 0);
  for (const float large : {inf, 3e38f, 20.0f}) {
    EXPECT_EQ(kernels::applied<bf16>(gelu{}, large, 0, 0), large);
    EXPECT_NEAR(kernels::applied<bf16>(gelu{}, -large, 0, 0), 0, 1e-18);
  }
  EXPECT_TRUE(std::isnan(kernels::applied<bf16>(gelu{}, nan, 0, 0)));
  EXPECT_EQ(kernels::applied<bf16>(then(relu{}, gelu{}), -1.0f, 0, 0), 0);
  EXPECT_TRUE(std::isnan(gelu{}(nan, 0, 0)));
  EXPECT_EQ(gelu_tanh{}(inf, 0, 0), inf);
  EXPECT_TRUE(std::isnan(gelu_tanh{}(nan, 0, 0)));
  EXPECT_TRUE(std::isnan(relu{}(nan, 0, 0)));
  EXPECT_EQ(relu{}(-inf, 0, 0), 0);
  EXPECT_EQ(relu{}(-3, 0, 0), 0);
  EXPECT_EQ(relu{}(3, 0, 0), 3);
  EXPECT_TRUE(std::isnan((clamp<float>{-1, 6}(nan, 0, 0))));
  EXPECT_EQ((clamp<float>{-1, 6}(7.5f, 0, 0)), 6);
  EXPECT_EQ((clamp<float>{-1, 6}(-7.5f, 0, 0)), -1);
  EXPECT_EQ((clamp<float>{-1, 6}(2.5f, 0, 0)), 2.5f);
  EXPECT_EQ(saturate<i8>{}(2.5f, 0, 0), 2);
  EXPECT_EQ(saturate<i8>{}(-300.0f, 0, 0), -128);
  EXPECT_EQ(saturate<i8>{}(inf, 0, 0), 127);
  EXPECT_EQ(saturate<i8>{}(nan, 0, 0), 0);
  EXPECT_EQ(saturate<u8>{}(-5, 0, 0), 0);
  EXPECT_EQ(saturate<u8>{}(300, 0, 0), 255);
}

TEST(epilogues, rows_columns_and_types) {
  const float f[] = {1, 20, 300};
  const bf16 h[] = {bf16(0.5f), bf16(3), bf16(-2)};
  const i32 n[] = {7, -9, 4};
  EXPECT_EQ(bias_by_row(f)(0.5f, 1, 2), 20.5f);
  EXPECT_EQ(bias_by_column(f)(0.5f, 1, 2), 300.5f);
  EXPECT_EQ(scale_by_row(h)(8.0f, 0, 2), 4);
  EXPECT_EQ(scale_by_column(h)(8, 0, 2), -16) << "an integer times a bf16 is a float";
  static_assert(std::is_same_v<decltype(scale_by_column(h)(8, 0, 2)), float>);
  static_assert(std::is_same_v<decltype(bias_by_row(n)(8, 0, 2)), int>);
  const auto all = then(scale_by_row(f), bias_by_column(h), relu{}, clamp<float>{0, 50});
  EXPECT_EQ(all(2.0f, 1, 1), 43);
  EXPECT_EQ(all(2.0f, 2, 1), 50);
  EXPECT_EQ(all(-2.0f, 0, 0), 0);
  const auto pair = kernels::prepared(all, 0);  // as kernels that hold pairs of columns call it
  EXPECT_EQ(pair(2.0f, 0, 0), all(2.0f, 0, 0));
  EXPECT_EQ(pair(2.0f, 1, 1), all(2.0f, 1, 1));
}

// A product by the plain loops, whose writer all kernels share.
template <class S, class Out, class F>
status product(const matrix<value_of<S>>& a, const matrix<value_of<S>>& b, matrix<Out>& c, const F& f,
               std::optional<scalar_of<S>> alpha = {}, const value_of<S>* source = nullptr,
               std::optional<scalar_of<S>> beta = {}) {
  kernels::gemm_arguments<S, F, Out> g;
  g.m = a.rows(), g.k = a.cols(), g.n = b.cols();
  g.a = a.data(), g.sa = {0, g.k, 1}, g.b = b.data(), g.sb = {0, g.n, 1}, g.c = c.data(), g.sc = {0, g.n, 1};
  g.d = source, g.sd = {0, g.n, 1};
  if (alpha) g.alpha = &*alpha;
  if (beta) g.beta = &*beta;
  g.epilogue = f;
  return kernels::reference::gemm(g);
}

// Sums of 16 and 8 bits come as they are, and are rounded once, at the end.
TEST(epilogues, get_sums_before_they_are_narrowed) {
  const matrix<bf16> a{{bf16(1), bf16(1)}}, b{{bf16(256)}, {bf16(1)}};
  const float minus = -256, scale = 0.001f;
  const bf16 six(6);
  matrix<bf16> c(1, 1);
  product<plus_times<bf16>>(a, b, c, bias_by_row(&minus));
  EXPECT_EQ(c(0, 0), 1) << "257 as a bf16 is 256";
  product<plus_times<bf16>>(a, b, c, bias_by_row(&minus), 2, &six, 0.5f);
  EXPECT_EQ(c(0, 0), 260) << "2 257 + 0.5 6 - 256 = 261, a tie";

  const matrix<i8> x{{100, 27}}, y{{100}, {1}};
  matrix<i8> q(1, 1);
  EXPECT_EQ((product<plus_times<i8>>(x, y, q, then(scale_by_row(&scale), saturate<i8>{}))), status::ok);
  EXPECT_EQ(q(0, 0), 10) << "10027 is no i8 and no overflow";
  matrix<f16> h(1, 1);
  product<plus_times<i8>>(x, y, h, scale_by_row(&scale));
  EXPECT_EQ(h(0, 0), f16(0.001f * 10027));

  // Elsewhere an epilogue gets the algebra's values: this sum is no i32.
  const matrix<i32> large{{std::numeric_limits<i32>::max(), 1}}, ones{{1}, {1}};
  matrix<float> out(1, 1);
  EXPECT_EQ(product<plus_times<i32>>(large, ones, out, relu{}), status::overflow);
}

TEST(epilogues, bias_and_gelu_of_a_product) {
  using S = plus_times<bf16>;
  const index_t m = 37, n = 70, k = 45;
  const auto a = problems::random_matrix<S>(m, k, distribution::small_integers, 1);
  const auto b = problems::random_matrix<S>(k, n, distribution::small_integers, 2);
  std::vector<float> bias(70);
  for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = -11 * float(j);
  const auto f = then(bias_by_column(bias.data()), gelu{});
  matrix<bf16> c(m, n), want(m, n);
  product<S>(a, b, want, f);
  for (const std::string_view isa : instruction_sets()) {
    gemm(context::cpu({.threads = 2, .isa = isa}), S{}, a, b, c, options_with(f));
    EXPECT_TRUE(equal(c, want)) << isa;
  }
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      double sum = bias[static_cast<std::size_t>(j)];
      for (index_t l = 0; l < k; ++l) sum += double(a(i, l)) * double(b(l, j));
      ASSERT_NEAR(double(want(i, j)), exact_gelu(sum), 3e-7 + 0x1.01p-8 * std::abs(exact_gelu(sum))) << i << " " << j;
    }
}

// What is beside C, against a plain loop over C as it was stored. Around the results nothing may change.
template <class R>
struct row_memory {
  index_t rows;
  std::vector<R> all = std::vector<R>(static_cast<std::size_t>(rows) + 2, R(-77));
  R* first() { return all.data() + 1; }
  const R& operator[](index_t i) const { return all[static_cast<std::size_t>(i) + 1]; }
  bool is_whole() const { return all.front() == R(-77) && all.back() == R(-77); }
};

TEST(row_results, of_every_layout_against_a_loop) {
  using S = plus_times<bf16>;
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{
           {1, 1, 1}, {37, 70, 45}, {130, 16, 8}, {64, 100, 0}, {5, 0, 3}, {0, 4, 3}, {300, 333, 20}})
    for (const layout l : output_layouts)
      for (const index_t batch : {1, 3}) {
        const auto a = problems::random_matrix<S>(batch * m, k, distribution::small_integers, 1);
        const auto b = problems::random_matrix<S>(k, n, distribution::small_integers, 2);
        std::vector<float> bias(static_cast<std::size_t>(n) + 1);
        for (std::size_t j = 0; j < bias.size(); ++j) bias[j] = float(j % 7) / 4 - 300;
        for (const int threads : {1, 3}) {
          strided<bf16> c(l, batch, m, n, bf16(-77));
          row_memory<float> greatest{batch * m}, size{batch * m};
          row_memory<double> sum{batch * m}, squares{batch * m};
          const auto f = row_sum(row_max(row_max(row_sum(bias_by_column(bias.data()), sum.first()), greatest.first()),
                                         size.first(), magnitude{}),
                                 squares.first(), square{});
          const batch_view<const bf16> va(a.data(), {batch, m, k}, {m * k, k, 1});
          gemm(context::cpu({.threads = threads}), S{}, va, b, c.at, options_with(f));
          EXPECT_TRUE(greatest.is_whole() && size.is_whole() && sum.is_whole() && squares.is_whole());
          for (index_t i = 0; i < batch * m; ++i) {
            float high = -std::numeric_limits<float>::infinity(), far = high;
            double all = 0, products = 0, sizes = 0;
            for (index_t j = 0; j < n; ++j) {
              const float x = c.at(i / m, i % m, j);
              high = std::max(high, x), far = std::max(far, std::abs(x));
              all += x, sizes += std::abs(x), products += double(x) * x;
            }
            ASSERT_EQ(greatest[i], high) << m << "x" << n << " row " << i;
            ASSERT_EQ(size[i], far);
            ASSERT_NEAR(sum[i], all, double(n + 2) * 0x1p-24 * sizes);
            ASSERT_NEAR(squares[i], products, double(n + 3) * 0x1p-24 * products);
          }
        }
      }
}

TEST(row_results, special_values_and_types) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const context ctx = context::cpu();
  const matrix<float> a{{1}, {0}, {-1}}, b{{nan, 2, inf}}, finite{{3, 2, 5}};
  matrix<float> c(3, 3);
  float high[3], all[3];
  const auto f = row_sum(row_max(high), all);
  gemm(ctx, plus_times<float>{}, a, b, c, options_with(f));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(high[i]) && std::isnan(all[i])) << i;
  gemm(ctx, plus_times<float>{}, a, finite, c, options_with(f));
  EXPECT_EQ(high[0], 5);
  EXPECT_EQ(high[2], -2) << "a row of negative numbers";
  EXPECT_EQ(all[2], -10);

  // Integers, by the plain loops: sums in 64 bits, where 32 would wrap.
  const i32 large = std::numeric_limits<i32>::max();
  const matrix<i32> x{{large}, {-large}}, ones{{1, 1, 1}};
  matrix<i32> y(2, 3);
  i64 sums[2];
  i32 greatest[2];
  product<plus_times<i32>>(x, ones, y, row_max(row_sum(sums), greatest));
  EXPECT_EQ(sums[0], 3 * i64{large});
  EXPECT_EQ(sums[1], -3 * i64{large});
  EXPECT_EQ(greatest[1], -large);
}

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

TEST(row_results, refusals) {
  const context ctx = context::cpu();
  matrix<float> a(4, 4, 1), b(4, 4, 1), c(4, 4, 1);
  const matrix<bool> mask(4, 4, true);
  float p[4], q[4];
  const auto run = [&](float* greatest, float* sum, operand<bool> where) {
    gemm(ctx, plus_times<float>{}, a, b, c, options_with(row_sum(row_max(greatest), sum), where));
  };
  EXPECT_TRUE(contains(refused([&] { run(p, q, mask); }), "no mask"));
  for (float* bad : {a.data() + 12, b.data(), c.data() + 15})
    EXPECT_TRUE(contains(refused([&] { run(p, bad, {}); }), "overlaps"));
  EXPECT_TRUE(contains(refused([&] { run(p, p + 3, {}); }), "overlaps"));
  EXPECT_TRUE(contains(refused([&] { run(p, nullptr, {}); }), "there is no memory"));
  EXPECT_EQ(c(0, 0), 1) << "nothing was written";
  run(p, q, {});
  EXPECT_EQ(q[3], 16);
}

}  // namespace
}  // namespace kleene::test::epilogues_test
