#include "kleene/data/detail/failing_allocation.hpp"

#include <gtest/gtest.h>

namespace kleene::detail {
namespace {

TEST(failing_allocation, the_nth_fails_once) {
  EXPECT_TRUE(may_allocate());
  fail_device_allocation(3);
  EXPECT_TRUE(may_allocate());
  EXPECT_TRUE(may_allocate());
  EXPECT_FALSE(may_allocate());
  EXPECT_TRUE(may_allocate());
  EXPECT_EQ(fail_device_allocation(5), 0) << "it happened";
  EXPECT_TRUE(may_allocate());
  EXPECT_EQ(fail_device_allocation(0), 4) << "still to come";
  EXPECT_TRUE(may_allocate());
}

}  // namespace
}  // namespace kleene::detail
