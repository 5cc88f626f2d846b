// The name that was meant (those of files and lists are tested with edge lists).
#include "kleene/io/names.hpp"

#include <gtest/gtest.h>

namespace names_test {

using namespace kleene::io;

// One change makes any letter of any other, which helps nobody.
TEST(nearest_name, short_names_differ_in_case_alone) {
  const std::vector<std::string> all{"B", "Ab", "ä", "abc"};
  const auto near = [&](std::string_view asked) {
    return nearest(asked, static_cast<long>(all.size()), [&](long w) { return std::string_view(all[w]); });
  };
  EXPECT_EQ(near("b"), 0);
  EXPECT_EQ(near("aB"), 1);
  for (const char* none : {"x", "c", "ba", "xy", "ö", "ac"}) EXPECT_EQ(near(none), -1) << none;
  EXPECT_EQ(near("abd"), 3);
  EXPECT_EQ(near("b12"), -1);
}

}  // namespace names_test
