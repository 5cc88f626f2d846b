// fmt writes what streams do, by the formats of the elements.
#include "kleene/interop/fmt.hpp"

#include "kleene/algebra/f8.hpp"

#include <gtest/gtest.h>

namespace kleene {
namespace {

TEST(fmt_formatters, numbers) {
  EXPECT_EQ(fmt::format("{}", tropical_min<float>(2.5f)), "2.5");
  EXPECT_EQ(fmt::format("{:7.2f}|", tropical_min<double>(2.5)), "   2.50|");
  EXPECT_EQ(fmt::format("{}", tropical_max<float>()), "-inf");
  EXPECT_EQ(fmt::format("{:>5}|{:<5}|", tropical_min<int>(), tropical_min<int>(-3)), "  inf|-3   |");
  EXPECT_EQ(fmt::format("{}", boolean(true)), "1");
}

TEST(fmt_formatters, narrow_floats) {
  EXPECT_EQ(fmt::format("{} {}", f16(0.5f), bf16(-2.0f)), "0.5 -2");
  EXPECT_EQ(fmt::format("{:.2f}|{:>5}", f8_e4m3(1.5f), f8_e5m2(3.0f)), "1.50|    3");
}

TEST(fmt_formatters, matrices) {
  const matrix<float> a{{1, 2.5f}, {30, 4}};
  EXPECT_EQ(fmt::format("{}", a), " 1  2.5\n30    4");
  EXPECT_EQ(fmt::format("{:.1f}", a.view().transposed()), "1.0  30.0\n2.5   4.0");
  EXPECT_EQ(fmt::format("{}", matrix<tropical_max<int>>{{5, -1073741823}}), "5  -inf");
  EXPECT_EQ(fmt::format("{}", matrix<std::int8_t>{{65}}), "65");
  EXPECT_EQ(fmt::format("{}", matrix<f16>{{f16(0.25f)}}), "0.25");
  EXPECT_EQ(fmt::format("{}", matrix<int>(1, 13, 4)), "4  4  4  4  4  ...  4  4  4  4  4\n(1 x 13)");
  EXPECT_EQ(fmt::format("{}", matrix<int>(0, 2)), "(0 x 2)");
  EXPECT_EQ(fmt::format("{}", batch<int>(2, 1, 1, 3)), "3\n\n3");
}

}  // namespace
}  // namespace kleene
