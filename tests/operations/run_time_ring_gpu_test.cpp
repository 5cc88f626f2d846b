// Rings at run time on a CUDA device: against plain loops, and against the library's own algebra where they are that.
#include "kleene/operations/own/run_time_ring.hpp"

#include "kleene/data/error.hpp"
#include "support/device.hpp"
#include "support/trust_ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kleene::test {
namespace run_time_ring_gpu_test {

// Eighths, so that sums are exact; half of them 0.
template <class T>
T value_at(index_t i, index_t j) {
  const index_t n = (i * 37 + j * 101 + i * j % 13) % 16;
  return n < 8 ? T(n) / T(std::is_integral_v<T> ? 1 : 8) : T(0);
}
template <class T>
matrix<T> values(index_t rows, index_t cols, index_t seed) {
  matrix<T> m(rows, cols);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j) m(i, j) = value_at<T>(i + seed, j);
  return m;
}

// The products that trust's functions give, and the smallest k of each.
struct trusted {
  matrix<float> c;
  matrix<std::int32_t> k;
};
trusted loops_over_trust(const matrix<float>& a, const matrix<float>& b) {
  trusted found{matrix<float>(a.rows(), b.cols()), matrix<std::int32_t>(a.rows(), b.cols())};
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < b.cols(); ++j) {
      found.c(i, j) = 0, found.k(i, j) = -1;
      for (index_t k = 0; k < a.cols(); ++k) {
        const float sum = a(i, k) + b(k, j), term = sum > 1 ? sum - 1 : 0;
        if (found.c(i, j) < term) found.c(i, j) = term, found.k(i, j) = static_cast<std::int32_t>(k);
      }
    }
  return found;
}

TEST(run_time_ring_gpu, products_and_witnesses) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const run_time_ring<float> trust(trust_text());
  using shape = std::array<index_t, 3>;
  for (const auto& [m, n, k] :
       {shape{3, 4, 5}, {1, 1, 1}, {130, 90, 70}, {64, 65, 1500}, {300, 310, 33}, {700, 520, 64}}) {
    const matrix<float> a = values<float>(m, k, 1), b = values<float>(k, n, 5);
    const trusted want = loops_over_trust(a, b);
    device_matrix<float> c(ctx, m, n);
    device_matrix<std::int32_t> witness(ctx, m, n);
    const auto da = to_device(ctx, a), db = to_device(ctx, b);
    gemm(ctx, trust, da, db, c);
    EXPECT_TRUE(equal(to_host(ctx, c), want.c)) << m << "x" << n << "x" << k;
    gemm(ctx, trust, da, db, c, witness);
    EXPECT_TRUE(equal(to_host(ctx, c), want.c)) << m << "x" << n << "x" << k << " with a witness";
    EXPECT_TRUE(equal(to_host(ctx, witness), want.k)) << m << "x" << n << "x" << k;
  }
}

TEST(run_time_ring_gpu, layouts_and_accumulation) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const run_time_ring<float> trust(trust_text());
  const matrix<float> a = values<float>(70, 40, 2), b = values<float>(40, 55, 3), before = values<float>(70, 55, 11);
  trusted want = loops_over_trust(a, b);
  for (index_t i = 0; i < 70; ++i)
    for (index_t j = 0; j < 55; ++j) want.c(i, j) = std::max(want.c(i, j), before(i, j));
  matrix<float> transposed(40, 70);
  for (index_t i = 0; i < 70; ++i)
    for (index_t j = 0; j < 40; ++j) transposed(j, i) = a(i, j);
  const auto stored = to_device(ctx, transposed);
  const view<const float, 2, memory::device> by_columns(stored.data(), {70, 40}, {1, 70});
  device_matrix<float> c = to_device(ctx, before);
  gemm(ctx, trust, by_columns, to_device(ctx, b), c, {.accumulate = true});
  EXPECT_TRUE(equal(to_host(ctx, c), want.c));

  // A batch of small ones, whose B is one for all.
  const index_t count = 50;
  const matrix<float> many = values<float>(count * 20, 24, 4), one = values<float>(24, 18, 9);
  const auto operands = to_device(ctx, many), right = to_device(ctx, one);
  device_matrix<float> results(ctx, count * 20, 18);
  gemm(ctx, trust, view<const float, 3, memory::device>(operands.data(), {count, 20, 24}),
       view<const float, 3, memory::device>(right.data(), {1, 24, 18}),
       view<float, 3, memory::device>(results.data(), {count, 20, 18}));
  EXPECT_TRUE(equal(to_host(ctx, results), loops_over_trust(many, one).c));
}

// What is not selective, over all types: sums of minima.
template <class T>
void check_sums_of_minima(const context& ctx) {
  const run_time_ring<T> ring({.name = "own_plus_min", .add = "a + b", .mul = "b < a ? b : a", .zero = "0"});
  const index_t m = 150, n = 70, k = 90;
  const matrix<T> a = values<T>(m, k, 1), b = values<T>(k, n, 2);
  matrix<T> want(m, n);
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      want(i, j) = 0;
      for (index_t l = 0; l < k; ++l) want(i, j) += std::min(a(i, l), b(l, j));
    }
  device_matrix<T> c(ctx, m, n);
  gemm(ctx, ring, to_device(ctx, a), to_device(ctx, b), c);
  EXPECT_TRUE(equal(to_host(ctx, c), want));
}
TEST(run_time_ring_gpu, of_all_types) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_sums_of_minima<float>(ctx);
  check_sums_of_minima<double>(ctx);
  check_sums_of_minima<std::int32_t>(ctx);
  check_sums_of_minima<std::int64_t>(ctx);
}

// Small products, of which the device does not look at the signs, and larger ones, for which it chooses a kernel by
// them.
TEST(run_time_ring_gpu, that_computes_as_one_of_the_library) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const run_time_ring<float> own({.name = "own_max_plus",
                                  .add = "a < b ? b : a",
                                  .mul = "a + b",
                                  .zero = "-INFINITY",
                                  .is_selective = true,
                                  .computes_as = "max_plus"});
  using S = max_plus<float>;
  using shape = std::array<index_t, 3>;
  for (const auto& [m, n, k] : {shape{20, 30, 10}, {300, 290, 310}, {1024, 1000, 512}, {1300, 1290, 1310}})
    for (const float shift : {0.0f, -2.0f, -0.5f}) {  // one sign, the other, both
      matrix<float> a = problems::random_matrix<S>(m, k, distribution::uniform, 1);
      matrix<float> b = problems::random_matrix<S>(k, n, distribution::uniform, 2);
      for (index_t e = 0; e < a.size(); ++e) a.data()[e] += shift;
      for (index_t e = 0; e < b.size(); ++e) b.data()[e] += shift;
      const auto da = to_device(ctx, a), db = to_device(ctx, b);
      device_matrix<float> got(ctx, m, n), want(ctx, m, n);
      device_matrix<std::int32_t> got_k(ctx, m, n), want_k(ctx, m, n);
      gemm(ctx, own, da, db, got);
      gemm(ctx, S{}, da, db, want);
      EXPECT_TRUE(equal(to_host(ctx, got), to_host(ctx, want))) << m << " " << shift;
      gemm(ctx, own, da, db, got, got_k);
      gemm(ctx, S{}, da, db, want, want_k);
      EXPECT_TRUE(equal(to_host(ctx, got), to_host(ctx, want))) << m << " " << shift;
      EXPECT_TRUE(equal(to_host(ctx, got_k), to_host(ctx, want_k))) << m << " " << shift;
    }
}

// In place and, where rows are not of 16 bytes, in a copy; one block, and several.
TEST(run_time_ring_gpu, closures) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const run_time_ring<float> trust(trust_text());
  for (const auto& [n, block] : {std::pair<index_t, index_t>{1, 0}, {70, 0}, {131, 64}, {500, 0}, {400, 100}}) {
    matrix<float> a = values<float>(n, n, 3), want = a;
    for (index_t i = 0; i < n; ++i) want(i, i) = 1;
    for (index_t k = 0; k < n; ++k)
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) want(i, j) = std::max(want(i, j), want(i, k) + want(k, j) - 1);
    auto d = to_device(ctx, a);
    EXPECT_TRUE(closure(ctx, trust, d, {.block = block}).exists);
    EXPECT_TRUE(equal(to_host(ctx, d), want)) << n << " in blocks of " << block;
  }
  ring_text text{.name = "own_min_plus",
                 .add = "kleene::ops::min{}(a, b)",
                 .mul = "a + b",
                 .zero = "INFINITY",
                 .one = "0",
                 .is_selective = true,
                 .computes_as = "min_plus"};
  const run_time_ring<float> own(text);
  matrix<float> a = problems::random_matrix<min_plus<float>>(1500, 1500, distribution::uniform, 4);
  auto got = to_device(ctx, a), want = to_device(ctx, a);
  EXPECT_TRUE(closure(ctx, own, got).exists);
  EXPECT_TRUE(closure(ctx, min_plus<float>{}, want).exists);
  EXPECT_TRUE(equal(to_host(ctx, got), to_host(ctx, want)));
  a(900, 901) = -1, a(901, 900) = 0.5f;
  auto bad = to_device(ctx, a);
  EXPECT_FALSE(closure(ctx, own, bad).exists);
  a(7, 9) = std::numeric_limits<float>::quiet_NaN();
  bad = to_device(ctx, a);
  EXPECT_THROW((void)closure(ctx, own, bad), value_error);
  text.is_selective = false;
  EXPECT_THROW((void)closure(ctx, run_time_ring<float>(text), bad), argument_error);
}

TEST(run_time_ring_gpu, what_is_wrong_is_said) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const run_time_ring<float> trust(trust_text());
  matrix<float> a = values<float>(40, 50, 1);
  a(7, 9) = 2;
  const matrix<float> b = values<float>(50, 60, 2);
  device_matrix<float> c(ctx, 40, 60);
  const auto said = [&](const auto& work) {
    try {
      work();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const auto da = to_device(ctx, a), db = to_device(ctx, b);
  gemm(ctx, trust, da, db, c);
  const std::string domain = said([&] { ctx.synchronise(); });
  EXPECT_NE(domain.find("A(7, 9) = 2 is outside the domain of trust"), std::string::npos) << domain;
  EXPECT_NE(said([&] { gemm(ctx, trust, a, db, c); }).find("A is in host memory"), std::string::npos)
      << said([&] { gemm(ctx, trust, a, db, c); });
  EXPECT_THROW(gemm(ctx, trust, da, da, c), argument_error);
  device_matrix<std::int32_t> before(ctx, 40, 60);
  EXPECT_THROW((void)closure(ctx, trust, c), shape_error);
  EXPECT_THROW((void)closure(ctx, trust, c, before), argument_error);
  ring_text wrong = trust_text();
  wrong.mul = "a + nobody";
  const std::string compiler = said([&] { gemm(ctx, run_time_ring<float>(wrong), da, db, c); });
  EXPECT_NE(compiler.find("nobody"), std::string::npos) << compiler;
}

}  // namespace run_time_ring_gpu_test
}  // namespace kleene::test
