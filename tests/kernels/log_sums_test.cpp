// Log-sum-exp products on the CPU against sums of exact terms in long double: every instruction set, narrow and wide
// ranges, infinities, and the elements around the limit between the two paths. Allowed: 1e-5 + 2 ulp in f32, 1e-12 + 2
// ulp in f64.
#include "kleene/kernels/cpu/tile/logarithms.hpp"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemv.hpp"
#include "support/log_sums.hpp"
#include "support/product.hpp"

#include <cmath>
#include <cstring>

namespace kleene::test::log_sums_test {
namespace {

template <class T>
inline constexpr T infinite = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T no_number = std::numeric_limits<T>::quiet_NaN();

// Every `step`-th element of A B.
template <class T>
void expect_within_bound(const context& ctx, const matrix<T>& a, const matrix<T>& b, index_t step = 1) {
  matrix<T> c(a.rows(), b.cols());
  gemm(ctx, log_plus<T>{}, a, b, c);
  for (index_t e = 0; e < c.rows() * c.cols(); e += step) {
    const index_t i = e / c.cols(), j = e % c.cols();
    const long double exact = exact_log_sum(a, b, i, j);
    if (static_cast<T>(exact) == c(i, j)) continue;
    ASSERT_LE(std::abs(static_cast<long double>(c(i, j)) - exact), allowed_of_log_sum(static_cast<T>(exact)))
        << a.rows() << "x" << b.cols() << "x" << a.cols() << " at " << i << ", " << j << ": " << c(i, j) << " for "
        << static_cast<double>(exact) << " on " << ctx.describe();
  }
}

// Units in the last place between what `function` gives and the exact values.
template <class T, int Bytes, class Function, class Exact>
double worst_error(const std::vector<T>& at, const Function& function, const Exact& exact) {
  using V = kernels::cpu::vector_of<T, Bytes>;
  constexpr int width = Bytes / static_cast<int>(sizeof(T));
  double worst = 0;
  for (std::size_t i = 0; i + width <= at.size(); i += width) {
    V x, y;
    std::memcpy(&x, &at[i], sizeof x);
    function(y, x);
    for (int l = 0; l < width; ++l) {
      const long double want = exact(static_cast<long double>(at[i + static_cast<std::size_t>(l)]));
      const T size = std::abs(static_cast<T>(want));
      const auto ulp = static_cast<long double>(std::nextafter(size, infinite<T>) - size);
      worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(y[l]) - want) / ulp));
    }
  }
  return worst;
}

template <class T>
void check_exponential() {
  problems::generator g(3);
  std::vector<T> at;
  for (int i = 0; i < 200000; ++i) {
    const double u = g.real();
    at.push_back(static_cast<T>(i % 3 == 0   ? u * kernels::cpu::exponential<T>::lowest
                                : i % 3 == 1 ? -u
                                             : -std::exp2(-50 * u)));
  }
  const auto function = [](auto& y, const auto& x) {
    kernels::cpu::exponential_of<T>(y, x, std::remove_cvref_t<decltype(x)>{});
  };
  EXPECT_LE((worst_error<T, 16>(at, function, [](long double x) { return std::exp(x); })), 4);
}

TEST(log_sums, exponential_errs_by_four_ulp_at_most) {
  check_exponential<float>();
  check_exponential<double>();
}

TEST(log_sums, exponential_of_what_has_none_is_zero) {
  using V = kernels::cpu::vector_of<float, 16>;
  const V x = {-infinite<float>, no_number<float>, -87, 0};
  V y;
  kernels::cpu::exponential_of<float>(y, x, V{});
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], 1);
}

TEST(log_sums, logarithm_errs_by_four_ulp_at_most) {
  problems::generator g(4);
  std::vector<double> at = {1, 2, 0.5, 4};
  for (int i = 0; i < 200000; ++i) {
    const double u = g.real();
    at.push_back(i % 3 == 0   ? std::exp2(2000 * u - 1000)
                 : i % 3 == 1 ? 1 + (u - 0.5) * std::exp2(-40 * u)
                              : 1e-9 + 4 * u);
  }
  const auto function = [](auto& y, const auto& x) { kernels::cpu::logarithm_of<12>(y, x); };
  EXPECT_LE((worst_error<double, 16>(at, function, [](long double x) { return std::log(x); })), 4);
}

// Narrow ranges are summed as products, wide ones streamed, and between them a matrix has elements of both kinds. With
// and without infinities, in shapes that leave edges of tiles, chains (64) and passes (512).
template <class T>
void check_ranges(const context& ctx) {
  constexpr index_t shapes[][3] = {{1, 1, 1}, {5, 7, 3}, {13, 33, 65}, {29, 70, 520}, {70, 3, 1100}, {3, 90, 40}};
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : shapes)
    for (const double range : {0.5, 30.0, 60.0, 100.0, 1e4})
      for (const double none : {0.0, 0.3, 0.97}) {
        if (!sampled()) continue;
        const double scale = std::is_same_v<T, float> ? range : 10 * range;
        const auto draw = [&](problems::generator& g) {
          return g.chance(none) ? -infinite<double> : scale * (2 * g.real() - 1);
        };
        seed += 2;
        expect_within_bound(ctx, drawn<T>(m, k, seed, draw), drawn<T>(k, n, seed + 1, draw), 1 + m * n / 100);
      }
}

TEST(log_sums, stay_within_their_bound) {
  for (const std::string_view isa : instruction_sets()) {
    check_ranges<float>(context::cpu({.threads = 2, .isa = isa}));
    check_ranges<double>(context::cpu({.threads = 2, .isa = isa}));
  }
}

// The best pair of an element lies ever further below the maxima of its row and column, through the limit.
template <class T>
void check_limit(double first, double last) {
  constexpr index_t n = 120, k = 200;
  matrix<T> a(n, k, T(-3)), b(k, n, T(-5));
  for (index_t i = 0; i < n; ++i) {
    const double depth = first + (last - first) * static_cast<double>(i) / n;
    for (index_t l = 0; l < k; ++l) a(i, l) = static_cast<T>(l == 0 ? 0 : -depth - 0.01 * static_cast<double>(l));
    b(0, i) = static_cast<T>(-depth * 1.5);
    b(k - 1, i) = 0;
  }
  for (const std::string_view isa : instruction_sets()) expect_within_bound(context::cpu({.isa = isa}), a, b, 7);
}

TEST(log_sums, stay_within_their_bound_around_the_limit) {
  check_limit<float>(40, 120);
  check_limit<double>(500, 900);
}

// Sums that cancel: C is near 0 where the maxima are large and the sum of products is small.
TEST(log_sums, near_zero_results_keep_the_absolute_bound) {
  matrix<float> a(3, 2), b(2, 3);
  a(0, 0) = 60, a(0, 1) = 0;
  a(1, 0) = 61.5f, a(1, 1) = -0.25f;
  a(2, 0) = 40, a(2, 1) = 1e-6f;
  for (index_t j = 0; j < 3; ++j) b(0, j) = -60 - static_cast<float>(j), b(1, j) = static_cast<float>(j) / 16;
  for (const std::string_view isa : instruction_sets()) expect_within_bound(context::cpu({.isa = isa}), a, b);
}

// A million terms: the sums of passes do not wear out.
TEST(log_sums, of_a_million_terms) {
  const auto narrow = [](problems::generator& g) { return g.real(); };
  const auto wide = [](problems::generator& g) { return 2000 * g.real(); };
  for (const auto& draw :
       {std::function<double(problems::generator&)>(narrow), std::function<double(problems::generator&)>(wide)}) {
    expect_within_bound(context::cpu(), drawn<float>(2, 1 << 20, 5, draw), drawn<float>(1 << 20, 2, 6, draw), 3);
    expect_within_bound(context::cpu(), drawn<double>(2, 1 << 20, 5, draw), drawn<double>(1 << 20, 2, 6, draw), 3);
  }
}

// A C of more elements than wait for their sums at a time (4 million in f32).
TEST(log_sums, of_many_rows_in_blocks) {
  const auto draw = [](problems::generator& g) { return g.chance(0.5) ? 200 * g.real() : g.real(); };
  expect_within_bound(context::cpu(), drawn<float>(2100, 3, 7, draw), drawn<float>(3, 2100, 8, draw), 997);
}

TEST(log_sums, of_infinities_and_nan) {
  constexpr float inf = infinite<float>, nan = no_number<float>;
  matrix<float> a(6, 2, -1.0f), b(2, 5, -2.0f);
  a(0, 1) = inf;                   // +inf, or NaN beside -inf
  a(1, 0) = nan;                   // NaN everywhere
  a(2, 0) = -inf, a(2, 1) = -inf;  // -inf, or NaN beside +inf
  a(3, 0) = -inf;
  a(4, 0) = 3e38f, a(4, 1) = -3e38f;
  b(1, 1) = -inf;
  b(0, 2) = inf;
  b(0, 3) = nan;
  b(0, 4) = 3e38f, b(1, 4) = -3e38f;
  const auto is_value = [](float got, float want) { return std::isnan(want) ? std::isnan(got) : got == want; };
  const float sum = -3 + std::log(2.0f);
  const float want[6][5] = {{inf, nan, inf, nan, inf},    {nan, nan, nan, nan, nan},     {-inf, -inf, nan, nan, -inf},
                            {-3, -inf, nan, nan, -3e38f}, {3e38f, 3e38f, inf, nan, inf}, {sum, -3, inf, nan, 3e38f}};
  for (const std::string_view isa : instruction_sets()) {
    matrix<float> c(6, 5);
    gemm(context::cpu({.isa = isa}), log_plus<float>{}, a, b, c);
    for (index_t i = 0; i < 6; ++i)
      for (index_t j = 0; j < 5; ++j)
        if (i == 5 && j == 0) EXPECT_NEAR(c(i, j), want[i][j], 1e-5);
        else EXPECT_PRED2(is_value, c(i, j), want[i][j]) << i << ", " << j << " by " << isa;
  }
}

// Along rows and along columns; each slice of split-K adds a rounding of its own.
template <class T>
void check_vectors(const context& ctx) {
  std::uint64_t seed = 1;
  for (const auto& [m, k] : {std::pair<index_t, index_t>{1, 1}, {5, 3}, {33, 64}, {70, 257}, {3, 20000}, {300, 600}})
    for (const double range : {1.0, 50.0, 1e4})
      for (const bool by_column : {false, true}) {
        if (!sampled()) continue;
        const auto draw = [&](problems::generator& g) {
          return g.chance(0.3) ? -infinite<double> : range * (2 * g.real() - 1);
        };
        seed += 2;
        const matrix<T> a = drawn<T>(m, k, seed, draw), x = drawn<T>(k, 1, seed + 1, draw);
        matrix<T> turned(k, m);
        for (index_t i = 0; i < m; ++i)
          for (index_t l = 0; l < k; ++l) turned(l, i) = a(i, l);
        std::vector<T> y(static_cast<std::size_t>(m));
        const std::vector<T> vector(x.data(), x.data() + k);
        if (by_column) gemv(ctx, log_plus<T>{}, turned.view().transposed(), vector, y);
        else gemv(ctx, log_plus<T>{}, a, vector, y);
        for (index_t i = 0; i < m; ++i) {
          const long double exact = exact_log_sum(a, x, i, 0);
          const T got = y[static_cast<std::size_t>(i)];
          if (static_cast<T>(exact) == got) continue;
          ASSERT_LE(std::abs(static_cast<long double>(got) - exact),
                    allowed_of_log_sum(static_cast<T>(exact)) * static_cast<T>(1 + static_cast<double>(k) / 256))
              << m << "x" << k << " row " << i << (by_column ? " by columns" : " by rows") << " on " << ctx.describe();
        }
      }
}

TEST(log_sums, of_a_matrix_and_a_vector) {
  for (const std::string_view isa : instruction_sets()) {
    check_vectors<float>(context::cpu({.threads = 2, .isa = isa}));
    check_vectors<double>(context::cpu({.threads = 2, .isa = isa}));
  }
}

TEST(log_sums, of_nan_in_a_matrix_and_a_vector) {
  constexpr float inf = infinite<float>, nan = no_number<float>;
  const matrix<float> a(3, 40, -1.0f);
  matrix<float> b = a;
  b(0, 7) = nan, b(1, 8) = inf, b(2, 9) = -inf;
  std::vector<float> x(40, 0.0f), y(3);
  const auto& ctx = context::cpu();
  gemv(ctx, log_plus<float>{}, b, x, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], inf);
  EXPECT_NEAR(y[2], -1 + std::log(39.0f), 1e-5f);
  x[8] = -inf;
  gemv(ctx, log_plus<float>{}, b, x, y);
  EXPECT_TRUE(std::isnan(y[1]));
}

TEST(log_sums, threads_change_no_bit) {
  const auto draw = [](problems::generator& g) { return g.chance(0.3) ? 300 * g.real() : g.real(); };
  const matrix<double> a = drawn<double>(150, 600, 9, draw), b = drawn<double>(600, 170, 10, draw);
  for (const std::string_view isa : instruction_sets()) {
    matrix<double> one(150, 170), three(150, 170);
    gemm(context::cpu({.threads = 1, .isa = isa}), log_plus<double>{}, a, b, one);
    gemm(context::cpu({.threads = 3, .isa = isa}), log_plus<double>{}, a, b, three);
    EXPECT_TRUE(equal(one, three)) << isa;
  }
}

}  // namespace
}  // namespace kleene::test::log_sums_test
