#include "streaming/scan_checks.hpp"

namespace kleene {

TEST(scan, by_hand) {
  for_each_host([](auto& place) { check_scan_by_hand(place); });
}
TEST(scan, sums) {
  for_each_host([](auto& place) { check_scans(place); });
}
TEST(scan, ordered) {
  for_each_host([](auto& place) { check_ordered_scans(place); });
}
TEST(scan, by_key) {
  for_each_host([](auto& place) { check_scans_by_key(place); });
}

}  // namespace kleene
