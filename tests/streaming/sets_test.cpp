#include "streaming/sets_checks.hpp"

namespace kleene {

TEST(sets, by_hand) {
  for_each_host([](auto& place) { check_sets_by_hand(place); });
}
TEST(sets, intersection) {
  for_each_host([](auto& place) { check_set<intersections>(place); });
}
TEST(sets, unions) {
  for_each_host([](auto& place) { check_set<unions>(place); });
}
TEST(sets, difference) {
  for_each_host([](auto& place) { check_set<differences>(place); });
}
TEST(sets, symmetric_difference) {
  for_each_host([](auto& place) { check_set<symmetric_differences>(place); });
}

}  // namespace kleene
