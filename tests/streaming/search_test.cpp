#include "streaming/search_checks.hpp"

namespace kleene {

TEST(search, by_hand) {
  for_each_host([](auto& place) { check_search_by_hand(place); });
}
TEST(search, all_pairings) {
  for_each_host([](auto& place) { check_search(place); });
}

}  // namespace kleene
