// Devices that are too old, or that this build holds no code for, are told from the others, and the reason is said.
#include "kleene/data/detail/device_choice.hpp"

#include <gtest/gtest.h>

namespace kleene::device_choice_test {
namespace {

using detail::has_code_for;
using detail::why_device_is_unused;

TEST(device_choice, machine_code_is_for_one_major_version) {
  EXPECT_TRUE(has_code_for(80, "80"));
  EXPECT_TRUE(has_code_for(86, "80"));
  EXPECT_FALSE(has_code_for(90, "80"));
  EXPECT_FALSE(has_code_for(80, "86"));
}

TEST(device_choice, an_a_is_for_that_device_alone_and_a_plus_for_all_after) {
  EXPECT_TRUE(has_code_for(90, "90a"));
  EXPECT_FALSE(has_code_for(91, "90a"));
  EXPECT_FALSE(has_code_for(100, "90a"));
  EXPECT_TRUE(has_code_for(120, "90a 80+"));
  EXPECT_TRUE(has_code_for(86, "90a 80+"));
  EXPECT_FALSE(has_code_for(75, "90a 80+"));
}

TEST(device_choice, the_reason_names_the_device_and_what_would_do) {
  EXPECT_EQ(why_device_is_unused("Tesla T4", 75, "90a 80+"),
            "Tesla T4 has compute capability 7.5, and Kleene uses 8.0 (Ampere) and later");
  EXPECT_EQ(why_device_is_unused("NVIDIA A10", 86, "90a"),
            "NVIDIA A10 has compute capability 8.6, and this build holds code for 90a");
  EXPECT_EQ(why_device_is_unused("NVIDIA H200", 90, "90a"), "");
}

}  // namespace
}  // namespace kleene::device_choice_test
