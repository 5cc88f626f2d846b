// Products of all beginnings of a sequence of matrices, and matrices as elements of scans.
#include "kleene/operations/scan_products.hpp"

#include "kleene/algebra/small_matrix.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "support/equal.hpp"

#include <random>
#include <vector>

namespace kleene::test::scan_products_test {
namespace {

using minima = min_plus<std::int32_t>;

batch<std::int32_t> random_steps(index_t count, index_t n) {
  std::mt19937 random(5);
  batch<std::int32_t> a(count, n, n);
  for (index_t e = 0; e < a.size(); ++e)
    a.data()[e] = random() % 4 == 0 ? minima::zero() : static_cast<int>(random() % 100) - 30;
  return a;
}

// From left to right, one product after the other.
batch<std::int32_t> by_steps(const batch<std::int32_t>& a) {
  const index_t n = a.rows();
  batch<std::int32_t> out = a;
  for (index_t i = 1; i < a.extent(0); ++i)
    for (index_t r = 0; r < n; ++r)
      for (index_t c = 0; c < n; ++c) {
        std::int32_t best = minima::zero();
        for (index_t k = 0; k < n; ++k)
          if (out(i - 1, r, k) != minima::zero() && a(i, k, c) != minima::zero())
            best = std::min(best, out(i - 1, r, k) + a(i, k, c));
        out(i, r, c) = best;
      }
  return out;
}

bool same(const batch<std::int32_t>& a, const batch<std::int32_t>& b) {
  return a.extents() == b.extents() && std::equal(a.data(), a.data() + a.size(), b.data());
}

TEST(scan_products, two_by_two_by_hand) {
  const std::int32_t none = minima::zero();
  batch<std::int32_t> a(3, 2, 2, none), out(3, 2, 2);
  a(0, 0, 0) = 1, a(0, 0, 1) = 5;
  a(1, 0, 1) = 1, a(1, 1, 1) = -7;
  a(2, 1, 0) = 10;
  scan_products(context::cpu(), minima{}, a, out);
  EXPECT_EQ(out(0, 0, 1), 5);
  EXPECT_EQ(out(1, 0, 1), -2);  // 5 - 7, below 1 + 1
  EXPECT_EQ(out(1, 0, 0), none);
  EXPECT_EQ(out(2, 0, 0), 8);
  EXPECT_EQ(out(2, 1, 0), none);
}

TEST(scan_products, any_number_of_matrices_equals_one_after_the_other) {
  for (const index_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 100})
    for (const index_t n : {0, 1, 3, 17}) {
      const batch<std::int32_t> a = random_steps(count, n);
      batch<std::int32_t> out(count, n, n);
      scan_products(context::cpu({.threads = 2}), minima{}, a, out);
      EXPECT_TRUE(same(out, by_steps(a))) << count << " of " << n;
    }
}

TEST(scan_products, in_place_and_with_strides) {
  const batch<std::int32_t> a = random_steps(13, 5);
  batch<std::int32_t> in_place = a;
  scan_products(context::cpu(), minima{}, in_place, in_place);
  EXPECT_TRUE(same(in_place, by_steps(a)));

  batch<std::int32_t> wide(13, 8, 9, 77);
  const batch_view<std::int32_t> inner(&wide(0, 1, 2), {13, 5, 5}, {72, 9, 1});
  scan_products(context::cpu(), minima{}, a, inner);
  for (index_t i = 0; i < 13; ++i)
    for (index_t r = 0; r < 8; ++r)
      for (index_t c = 0; c < 9; ++c)
        EXPECT_EQ(wide(i, r, c), r >= 1 && r < 6 && c >= 2 && c < 7 ? in_place(i, r - 1, c - 2) : 77);
}

TEST(scan_products, shapes_are_refused) {
  batch<std::int32_t> a(3, 2, 2), fewer(2, 2, 2), oblong(3, 2, 3);
  EXPECT_THROW(scan_products(context::cpu(), minima{}, a, fewer), shape_error);
  EXPECT_THROW(scan_products(context::cpu(), minima{}, oblong, oblong), shape_error);
}

TEST(scan_products, refuses_before_it_writes) {
  const context ctx = context::cpu({.threads = 2});
  batch<std::int32_t> a(3, 2, 2, 1);
  a(2, 0, 1) = 2000000000;
  const auto said = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const argument_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(said([&] { scan_products(ctx, minima{}, a, a); }),
            "a[2](0, 1) = 2000000000 is outside the domain of min_plus");
  for (index_t e = 0; e < 8; ++e) EXPECT_EQ(a.data()[e], 1);
  const view<std::int32_t, 3> last(&a(2, 0, 0), {1, 2, 2}, {4, 2, 1});
  batch<std::int32_t> out(1, 2, 2);
  EXPECT_EQ(said([&] { scan_products(ctx, minima{}, last, out); }),
            "a[0](0, 1) = 2000000000 is outside the domain of min_plus");
  a(2, 0, 1) = 1;
  const view<std::int32_t, 3> transposed(a.data(), {3, 2, 2}, {4, 1, 2}), one_for_all(a.data(), {3, 2, 2}, {0, 2, 1}),
      none(nullptr, {3, 2, 2});
  EXPECT_EQ(said([&] { scan_products(ctx, minima{}, transposed, a); }), "a overlaps out, which the same call writes");
  EXPECT_EQ(said([&] { scan_products(ctx, minima{}, a, one_for_all); }),
            "out is written, but has stride 0 along an extent of 3");
  EXPECT_EQ(said([&] { scan_products(ctx, minima{}, none, a); }),
            "a has 2 x 2 elements, but its data is a null pointer");
  const view<std::int32_t, 3, memory::device> elsewhere(a.data(), {3, 2, 2});
  EXPECT_THROW(scan_products(ctx, minima{}, elsewhere, elsewhere), error);
}

// (0 1; 1 1) to the powers 1, 2, 3, ...: Fibonacci's numbers.
TEST(small_matrix, scans_and_reductions_take_it) {
  using m = small_matrix<std::int32_t, 2>;
  const std::vector<m> steps(10, m{{{0, 1}, {1, 1}}});
  std::vector<m> powers(10);
  const matrix_product<plus_times<std::int32_t>> product;
  const auto ctx = context::cpu({.threads = 2});
  inclusive_scan(ctx, steps.begin(), steps.end(), powers.begin(), product);
  EXPECT_EQ(powers[9], (m{{{34, 55}, {55, 89}}}));
  exclusive_scan(ctx, steps.begin(), steps.end(), powers.begin(), small_identity<plus_times<std::int32_t>, 2>(),
                 product);
  EXPECT_EQ(powers[0], (m{{{1, 0}, {0, 1}}}));
  EXPECT_EQ(powers[9], (m{{{21, 34}, {34, 55}}}));
}

TEST(small_matrix, infinities_of_integers_stay_infinite) {
  using m = small_matrix<std::int32_t, 2>;
  const std::int32_t none = minima::zero();
  m power{{{none, 1}, {none, none}}};
  const matrix_product<minima> product;
  for (int i = 0; i < 10; ++i) power = product(power, power);
  EXPECT_EQ(power, (m{{{none, none}, {none, none}}}));
  static_assert(matrix_product<minima>{}(small_matrix<std::int32_t, 1, 2>{{{3, 4}}},
                                         small_matrix<std::int32_t, 2, 1>{{{10}, {1}}})(0, 0) == 5);
}

}  // namespace
}  // namespace kleene::test::scan_products_test
