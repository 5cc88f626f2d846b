#include "streaming/search_checks.hpp"

namespace kleene {

TEST(search, by_hand) {
  for_each_host([](auto& place) { check_search_by_hand(place); });
}
TEST(search, all_pairings) {
  for_each_host([](auto& place) { check_search(place); });
}
#if !defined(__clang__) || __clang_major__ >= 17
TEST(search, outputs_by_name_as_the_header_has_it) {
  const context ctx = context::cpu({.threads = 1});
  const std::int32_t a[] = {1, 4, 4}, b[] = {0, 1, 4, 9};
  std::int32_t below[3] = {}, above[4] = {};
  sorted_search(ctx, a, a + 3, b, b + 4, search_outputs{.a_lower = below});
  EXPECT_EQ(std::vector<std::int32_t>(below, below + 3), (std::vector<std::int32_t>{1, 2, 2}));
  sorted_search(ctx, a, a + 3, b, b + 4, search_outputs{.b_upper = above});
  EXPECT_EQ(std::vector<std::int32_t>(above, above + 4), (std::vector<std::int32_t>{0, 1, 3, 3}));
}
#endif

}  // namespace kleene
