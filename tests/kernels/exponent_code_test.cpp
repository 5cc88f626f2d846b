// Whole numbers as powers of two: the code by hand, its sums at their limits, and whole products by it against the
// reference.
#include "kleene/kernels/cuda/gemm/exponents/policy.hpp"
#include "kleene/kernels/reference/exponents.hpp"

#include "kleene/algebra/catalog.hpp"
#include "support/product.hpp"

namespace kleene::test::exponent_code_test {
namespace {

using kernels::exponent_code, kernels::whole_number, kernels::whole_number_of;

TEST(exponent_code, by_hand) {
  using code = exponent_code<31>;
  EXPECT_EQ(code::bits, 5);
  EXPECT_EQ(code::most_level, 37);
  EXPECT_EQ(code::most_sum, 50);
  EXPECT_EQ(code::of_a(0), 0x5E80);   // 2^62
  EXPECT_EQ(code::of_a(1), 0x5C00);   // 2^57
  EXPECT_EQ(code::of_a(37), 0x0200);  // 2^-123
  EXPECT_EQ(code::of_b(0), 0x5F00);   // 2^63
  EXPECT_EQ(code::least(0x7E000000), 0) << "2^125";
  EXPECT_EQ(code::least(0x7F7FFFFF), 0) << "seven of it, and all that 24 bits hold beside";
  EXPECT_EQ(code::least(0x7F800000), 0) << "eight of it: infinity";
  EXPECT_EQ(code::least(0x7B800000), 1) << "2^120";
  EXPECT_EQ(code::least(0x7DFFFFFF), 1) << "all but thirty-two of it";
  EXPECT_EQ(code::least(0x01000000), 50) << "2^-125";
  EXPECT_EQ(exponent_code<15>::bits, 4);
  EXPECT_EQ(exponent_code<15>::most_level, 47);
  EXPECT_EQ(exponent_code<15>::most_sum, 62);
  EXPECT_EQ(exponent_code<63>::bits, 6);
  EXPECT_EQ(exponent_code<63>::most_level, 31);
  EXPECT_EQ(exponent_code<63>::most_sum, 41);
}

// Every level, with one and with 15 products that reach it: the key tells it, and of equal ones the first sum's is
// greater. No code of another product looks like it.
TEST(exponent_code, keys) {
  using key = kernels::exponent_key;
  const auto as_float = [](std::uint16_t code) { return std::bit_cast<float>(std::uint32_t{code} << 16); };
  EXPECT_EQ(as_float(key::code::of_b(0)), 0x1p63f);
  for (int sum = 0; sum <= 62; ++sum) {
    const int a = std::min(sum, 47), b = sum - a;
    const float product = as_float(key::code::of_a(a)) * as_float(key::code::of_b(b));
    float sums = 0;
    for (int count = 1; count <= 15; ++count) {
      sums += product;
      const std::int32_t k = key::of(std::bit_cast<std::int32_t>(sums), 1000);
      EXPECT_FALSE(key::is_empty(k));
      EXPECT_EQ(key::level(k), sum) << count;
      EXPECT_EQ(key::sums_after(k), 1000);
      EXPECT_GT(k, key::of(std::bit_cast<std::int32_t>(product), 999));
      if (sum < 62) {
        EXPECT_GT(k, key::of(std::bit_cast<std::int32_t>(product * 0x1p-4f * 15), 33554431));
      }
    }
    EXPECT_EQ(key::code::of_a(a) + key::code::of_b(b), static_cast<int>(key::sum_of_codes(sum)));
    for (int level = 0; level <= 47; ++level) {
      EXPECT_NE(key::code::of_a(level), key::sum_of_codes(sum));
      EXPECT_NE(key::code::of_b(level), key::sum_of_codes(sum));
    }
  }
  EXPECT_TRUE(key::is_empty(key::of(0, 33554431)));
  EXPECT_EQ(key::of(0x7F800000, 3), 0x7E000003) << "15 of the largest products overflow";
}

// Pieces of k on the tensor cores: room is planned for as many as any number of terms takes.
TEST(exponent_code, pieces_of_k) {
  using P = kernels::cuda::exponent_pieces;
  EXPECT_EQ(P::numbers(15), 60);
  EXPECT_EQ(P::numbers(31), 62);
  EXPECT_EQ(P::numbers(63), 63);
  EXPECT_EQ(P::steps(1000, 15), 17);
  EXPECT_EQ(P::steps(1000, 31), 18);
  EXPECT_EQ(P::steps(1000, 63), 16);
  for (index_t k = 0; k < 5000; ++k)
    for (const int terms : {15, 31, 63}) {
      EXPECT_GE(P::most_steps(k), P::steps(k, terms)) << k;
      EXPECT_GE(P::steps(k, terms) * P::numbers(terms), k);
      EXPECT_EQ(P::steps(k, terms) * (64 / (terms + 1)) % 4, 0) << "sums are worked on four by four";
    }
}

TEST(exponent_code, what_is_coded) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto kind = [](float x) { return whole_number_of<min_plus<float>>(x).kind; };
  EXPECT_EQ(kind(3), whole_number::finite);
  EXPECT_EQ(kind(-3), whole_number::finite);
  EXPECT_EQ(kind(0.0f), whole_number::finite);
  EXPECT_EQ(kind(inf), whole_number::infinite);
  EXPECT_EQ(kind(nan), whole_number::infinite);
  EXPECT_EQ(kind(-inf), whole_number::other);
  EXPECT_EQ(kind(-0.0f), whole_number::other);
  EXPECT_EQ(kind(0.5f), whole_number::other);
  EXPECT_EQ(kind(4194304), whole_number::finite);
  EXPECT_EQ(kind(4194305), whole_number::other);
  EXPECT_EQ(kind(3e38f), whole_number::other);
  EXPECT_EQ(whole_number_of<min_plus<float>>(7.0f).value, 7);
  EXPECT_EQ(whole_number_of<max_plus<float>>(7.0f).value, -7);
  EXPECT_EQ(whole_number_of<max_plus<float>>(-inf).kind, whole_number::infinite);
  EXPECT_EQ(whole_number_of<min_plus<std::int32_t>>(1073741823).kind, whole_number::infinite);
  EXPECT_EQ(whole_number_of<min_plus<std::int32_t>>(5000000).kind, whole_number::other);
  EXPECT_EQ(whole_number_of<max_plus<std::int64_t>>(std::int64_t{-12}).value, 12);
}

// All sums of Terms products that hold some number of each of two neighbouring levels, and the least at every place.
template <int Terms>
void check_neighbours() {
  using code = exponent_code<Terms>;
  const auto as_float = [](std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); };
  const auto product_of = [&](int x, int y) { return as_float(code::of_a(x)) * as_float(code::of_b(y)); };
  for (int sum = 0; sum <= code::most_sum; ++sum) {
    const int a = std::min(sum, code::most_level), b = sum - a;
    const float product = product_of(a, b);
    const bool more_in_a = a < code::most_level;
    const float next = sum < code::most_sum ? product_of(more_in_a ? a + 1 : a, more_in_a ? b : b + 1) : 0.0f;
    for (int most = 1; most <= Terms; ++most) {
      float forwards = 0, backwards = 0;
      for (int t = 0; t < most; ++t) forwards += product;
      for (int t = most; t < Terms; ++t) forwards += next, backwards += next;
      for (int t = 0; t < most; ++t) backwards += product;
      EXPECT_EQ(code::least(std::bit_cast<std::uint32_t>(forwards)), sum) << most << " of " << Terms;
      EXPECT_EQ(code::least(std::bit_cast<std::uint32_t>(backwards)), sum) << most << " of " << Terms;
    }
  }
}
TEST(exponent_code, sums_of_neighbouring_levels) {
  check_neighbours<15>();
  check_neighbours<31>();
  check_neighbours<63>();
}

// Numbers from low to high in both operands, some infinite, whole lines of them too; lines have offsets of their own.
template <class S, int Terms>
void check_product(index_t m, index_t n, index_t k, int high_a, int high_b, bool coded, std::uint64_t seed) {
  using T = value_of<S>;
  SCOPED_TRACE(testing::Message() << name_of<S>() << " " << type_name<T> << " " << m << "x" << n << "x" << k
                                  << " up to " << high_a << " and " << high_b << ", " << Terms << " terms");
  problems::generator g(seed);
  const auto fill = [&](matrix<T>& x, int high, bool by_columns) {
    const index_t lines = by_columns ? x.cols() : x.rows(), depth = by_columns ? x.rows() : x.cols();
    for (index_t i = 0; i < lines; ++i) {
      const int offset = static_cast<int>(g.below(2000)) - 1000;
      const bool all_infinite = i % 7 == 3;
      for (index_t l = 0; l < depth; ++l) {
        const int level = l == 0 ? 0 : l == 1 ? high : static_cast<int>(g.below(high + 1));
        T& element = by_columns ? x(l, i) : x(i, l);
        element = all_infinite || (l > 1 && g.chance(0.2)) ? S::zero() : T(offset + kernels::level_sign<S> * level);
      }
    }
  };
  matrix<T> a(m, k), b(k, n), got(m, n, T(77)), want(m, n);
  fill(a, high_a, false);
  fill(b, high_b, true);
  kernels::gemm_arguments<S> p;
  p.m = m, p.n = n, p.k = k;
  p.a = a.data(), p.sa = {0, k, 1}, p.b = b.data(), p.sb = {0, n, 1}, p.c = got.data(), p.sc = {0, n, 1};
  ASSERT_EQ((kernels::reference::exponents<Terms>(p)), coded);
  if (!coded) {
    EXPECT_TRUE(equal(got, matrix<T>(m, n, T(77)))) << "something was written";
    return;
  }
  p.c = want.data();
  ASSERT_EQ(kernels::reference::gemm(p), status::ok);
  EXPECT_TRUE(equal(got, want));
}

template <class S>
void check_products() {
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : std::initializer_list<std::array<index_t, 3>>{
           {1, 1, 1}, {5, 7, 2}, {16, 9, 16}, {33, 20, 17}, {20, 31, 64}, {9, 8, 200}}) {
    const bool two = k > 1;  // one element is a level of 0
    for (const auto& [high_a, high_b] : {std::pair{0, 0}, {1, 0}, {25, 25}, {37, 13}, {13, 37}}) {
      check_product<S, 31>(m, n, k, high_a, high_b, true, ++seed);
      check_product<S, 15>(m, n, k, high_a, high_b, true, ++seed);
    }
    check_product<S, 15>(m, n, k, 31, 31, true, ++seed);
    check_product<S, 63>(m, n, k, 20, 21, true, ++seed);
    check_product<S, 31>(m, n, k, 26, 25, !two, ++seed);
    check_product<S, 31>(m, n, k, 38, 0, !two, ++seed);
    check_product<S, 15>(m, n, k, 31, 32, !two, ++seed);
    check_product<S, 63>(m, n, k, 21, 21, !two, ++seed);
  }
}
TEST(exponents, products_equal_the_reference) {
  check_products<min_plus<float>>();
  check_products<max_plus<float>>();
  check_products<min_plus<double>>();
  check_products<min_plus<std::int32_t>>();
  check_products<max_plus<std::int64_t>>();
}

}  // namespace
}  // namespace kleene::test::exponent_code_test
