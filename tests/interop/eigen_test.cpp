// Eigen itself over semirings, and its matrices as arguments of Kleene's operations.
#include "kleene/interop/eigen.hpp"

#include "kleene/data/print.hpp"
#include "kleene/operations/closure.hpp"
#include "support/product.hpp"

namespace kleene::test {
namespace {

template <class T>
using by_columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using by_rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class S>
by_columns<eigen_number<S>> eigen_of(const matrix<value_of<S>>& a) {
  by_columns<eigen_number<S>> e(a.rows(), a.cols());
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < a.cols(); ++j) e(i, j) = number<S>(a(i, j));
  return e;
}
template <class S, class E>
testing::AssertionResult holds(const E& got, const matrix<value_of<S>>& want) {
  if (got.rows() != want.rows() || got.cols() != want.cols()) return testing::AssertionFailure() << "other extents";
  for (index_t i = 0; i < want.rows(); ++i)
    for (index_t j = 0; j < want.cols(); ++j)
      if (!(got(i, j).value == want(i, j))) return testing::AssertionFailure() << "at " << i << ", " << j;
  return testing::AssertionSuccess();
}

// 0 and 1 are what Eigen writes for the identities.
TEST(eigen, integers_are_sums_of_ones) {
  using shorter = eigen_number<min_plus<float>>;
  EXPECT_EQ(shorter(0).value, std::numeric_limits<float>::infinity());
  EXPECT_EQ(shorter(1).value, 0);
  EXPECT_EQ(shorter(3).value, 0);
  EXPECT_EQ(eigen_number<plus_times<double>>(3).value, 3);
  EXPECT_EQ(eigen_number<xor_and<bool>>(2).value, false);
  EXPECT_EQ(shorter(tropical_min<float>(3)).value, 3);
  const by_columns<shorter> identity = by_columns<shorter>::Identity(2, 2);
  EXPECT_EQ(identity(0, 0).value, 0);
  EXPECT_EQ(identity(0, 1).value, std::numeric_limits<float>::infinity());
  std::ostringstream out;
  out << identity;
  EXPECT_EQ(out.str(), "  0 inf\ninf   0");
}

TEST(eigen, products_by_hand) {
  using S = min_plus<float>;
  const auto a = eigen_of<S>({{1, 2}, {3, 4}}), b = eigen_of<S>({{5, 1}, {0, 9}});
  const by_columns<eigen_number<S>> c = a * b;
  EXPECT_TRUE(holds<S>(c, {{2, 2}, {4, 4}}));
  EXPECT_EQ((a + b)(1, 0).value, 0);
  EXPECT_EQ(a.sum().value, 1);
  EXPECT_EQ((a.row(0) * b.col(1))(0, 0).value, 2);
}

// Below 20 Eigen sums element by element, above that by blocks; products with vectors have code of their own.
template <class S>
void check_products(distribution values) {
  for (const auto& [m, n, k] :
       {std::array<index_t, 3>{3, 4, 5}, {31, 23, 40}, {70, 65, 130}, {1, 50, 60}, {50, 1, 60}}) {
    const auto a = problems::random_matrix<S>(m, k, values, 1), b = problems::random_matrix<S>(k, n, values, 2);
    const auto want = multiply(S{}, a, b);
    const auto x = eigen_of<S>(a), y = eigen_of<S>(b);
    const by_columns<eigen_number<S>> xy = x * y;
    EXPECT_TRUE(holds<S>(xy, want)) << S::name << " " << m << " " << n << " " << k;
    const by_rows<eigen_number<S>> rows = x, product = rows * y;
    EXPECT_TRUE(holds<S>(product, want)) << S::name << ", by rows";
    const by_columns<eigen_number<S>> transposed = y.transpose() * x.transpose();
    EXPECT_TRUE(holds<S>(transposed.transpose(), want)) << S::name << ", transposed";
    const Eigen::Matrix<eigen_number<S>, Eigen::Dynamic, 1> column = y.col(0), ax = x * column;
    EXPECT_TRUE(holds<S>(ax, multiply(S{}, a, b.view().block(0, 0, k, 1)))) << S::name << ", a vector";
  }
}
TEST(eigen, products_of_every_size) {
  check_products<min_plus<float>>(distribution::infinities);  // each takes seconds to compile
  check_products<xor_and<bool>>(distribution::sparse);
}

TEST(eigen, its_matrices_are_arguments) {
  const context ctx = context::cpu({.threads = 1});
  Eigen::MatrixXf a(2, 3), b(3, 2);
  a << 1, 2, 3, 4, 5, 6;
  b << 1, 4, 2, 5, 3, 6;
  by_rows<float> c(2, 2);
  gemm(ctx, min_plus<float>{}, a, b, c);
  EXPECT_EQ(c, (by_rows<float>(2, 2) << 2, 5, 5, 8).finished());
  Eigen::MatrixXf large = Eigen::MatrixXf::Constant(5, 6, -1);
  auto inside = large.block(1, 2, 2, 2);
  gemm(ctx, min_plus<float>{}, a, b, inside);
  EXPECT_EQ(large.block(1, 2, 2, 2), (Eigen::MatrixXf(2, 2) << 2, 5, 5, 8).finished());
  EXPECT_EQ(large(0, 0), -1);
  EXPECT_EQ(large(3, 2), -1);
  float memory[12] = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
  const Eigen::Map<Eigen::MatrixXf, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> strided(memory, 3, 2, {6, 2});
  EXPECT_TRUE(equal(multiply(plus_times<float>{}, a, strided), matrix<float>{{14, 32}, {32, 77}}));

  using S = min_plus<float>;
  auto graph = eigen_of<S>({{0, 3, 9}, {99, 0, 4}, {99, 99, 0}});
  ASSERT_TRUE(closure(ctx, S{}, graph).exists);
  EXPECT_TRUE(holds<S>(graph, {{0, 3, 7}, {99, 0, 4}, {99, 99, 0}}));
}

}  // namespace
}  // namespace kleene::test
