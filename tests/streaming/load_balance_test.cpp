#include "streaming/load_balance_checks.hpp"

namespace kleene {

TEST(load_balance, by_hand) {
  for_each_host([](auto& place) { check_load_balance_by_hand(place); });
}
TEST(load_balance, without_items) {
  for_each_host([](auto& place) { check_load_balance_without_items(place); });
}
TEST(load_balance, all_segmentations) {
  for_each_host([](auto& place) { check_load_balance(place); });
}

}  // namespace kleene
