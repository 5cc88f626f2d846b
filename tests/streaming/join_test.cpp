#include "streaming/join_checks.hpp"

#include <type_traits>

namespace kleene {

static_assert(std::is_move_constructible_v<detail::cpu::join_plan> &&
              !std::is_copy_constructible_v<detail::cpu::join_plan>);

TEST(join, by_hand) {
  for_each_host([](auto& place) { check_join_by_hand(place); });
}
TEST(join, all_pairings) {
  for_each_host([](auto& place) { check_join(place); });
}
TEST(join, runs_across_parts) {
  for_each_host([](auto& place) { check_join_of_runs(place, sequences::pairing::runs, 20481); });
}
TEST(join, of_a_kind_that_is_none) {
  const int keys[] = {1, 2};
  index_t left[4], right[4];
  const auto run = [&](int kind) {
    return join(context::cpu(), static_cast<join_kind>(kind), keys, keys + 2, keys, keys + 2, left, right, 4);
  };
  EXPECT_EQ(run(0), 2);
  EXPECT_THROW((void)run(17), argument_error);
  EXPECT_THROW((void)run(-1), argument_error);
}
TEST(join, many_rows) {
  for_each_host([](auto& place) { check_join_of_many_rows(place); });
}

}  // namespace kleene
