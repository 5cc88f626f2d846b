#include "kleene/streaming/base/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

namespace kleene {

TEST(order, counting_iterator) {
  static_assert(
      std::is_same_v<std::iterator_traits<counting_iterator<int>>::iterator_category, std::random_access_iterator_tag>);
  counting_iterator<int> it(5);
  EXPECT_EQ(*it++, 5);
  EXPECT_EQ(*it--, 6);
  EXPECT_EQ(it[3], 8);
  EXPECT_EQ((it + 10) - it, 10);
  EXPECT_EQ(it - (2 + it), -2);
  EXPECT_TRUE(it < it + 1 && it + 1 > it && it <= it && it >= it && it == it && it != it - 1);
  it += 7;
  it -= 2;
  EXPECT_EQ(*it, 10);
  EXPECT_TRUE(std::equal(it, it + 3, std::vector{10, 11, 12}.begin()));
}

}  // namespace kleene
