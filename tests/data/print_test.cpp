// Numbers and matrices as people read them.
#include "kleene/data/print.hpp"

#include "kleene/algebra/half.hpp"

#include <gtest/gtest.h>

#include <iomanip>
#include <limits>

namespace kleene {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

template <class T>
std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(print, numbers_are_their_values_and_infinities_words) {
  EXPECT_EQ(printed(tropical_min<float>(2.5f)), "2.5");
  EXPECT_EQ(printed(tropical_min<float>()), "inf");
  EXPECT_EQ(printed(tropical_max<double>()), "-inf");
  EXPECT_EQ(printed(tropical_min<int>(-7)), "-7");
  EXPECT_EQ(printed(tropical_min<int>()), "inf");
  EXPECT_EQ(printed(tropical_max<std::int64_t>()), "-inf");
  EXPECT_EQ(printed(number<min_times<int>>()), "inf");
  EXPECT_EQ(printed(bottleneck<int>()), "-inf");
  EXPECT_EQ(printed(reliability<int>()), "0");
  EXPECT_EQ(printed(boolean(true)), "1");
  EXPECT_EQ(printed(number<plus_times<std::int8_t>>(65)), "65");
  EXPECT_EQ(printed(number<plus_times<f16>>(f16(0.5))), "0.5");
  std::ostringstream out;
  out << std::setw(5) << tropical_min<int>() << std::setprecision(2) << std::fixed << tropical_min<float>(1);
  EXPECT_EQ(out.str(), "  inf1.00");
}

TEST(print, columns_are_aligned) {
  EXPECT_EQ(printed(matrix<float>{{0, 3, inf}, {inf, 0, 4.25f}}),
            "  0  3   inf\n"
            "inf  0  4.25");
  EXPECT_EQ(printed(matrix<tropical_min<int>>{{0, 1073741823}, {-12, 5}}),
            "  0  inf\n"
            "-12    5");
  EXPECT_EQ(printed(matrix<bool>{{true, false}}), "1  0");
  EXPECT_EQ(printed(matrix<std::uint8_t>{{65}, {200}}), " 65\n200");
  const matrix<float> a{{1, 2}, {3, 4}};
  EXPECT_EQ(printed(a.view().transposed()), "1  3\n2  4");
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << a;
  EXPECT_EQ(out.str(), "1.0  2.0\n3.0  4.0");
  batch<int> two(2, 1, 2, 7);
  EXPECT_EQ(printed(two), "7  7\n\n7  7");
}

TEST(print, empty_ones_say_their_extents) {
  EXPECT_EQ(printed(matrix<float>(0, 5)), "(0 x 5)");
  EXPECT_EQ(printed(matrix<float>(3, 0)), "(3 x 0)");
  EXPECT_EQ(printed(matrix_view<float>(nullptr, {2, 2})), "a view without data");
}

TEST(print, of_large_ones_the_edges) {
  EXPECT_EQ(printed(matrix<int>(1, 12, 4)), "4  4  4  4  4  4  4  4  4  4  4  4");
  matrix<int> row(1, 13, 4);
  row(0, 4) = 44, row(0, 5) = 1000;
  EXPECT_EQ(printed(row), "4  4  4  4  44  ...  4  4  4  4  4\n(1 x 13)");
  matrix<int> column(100, 1, 8);
  EXPECT_EQ(printed(column), "  8\n  8\n  8\n  8\n  8\n...\n  8\n  8\n  8\n  8\n  8\n(100 x 1)");
}

}  // namespace
}  // namespace kleene
