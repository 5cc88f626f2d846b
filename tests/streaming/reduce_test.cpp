#include "streaming/reduce_checks.hpp"

namespace kleene {

TEST(reduce, by_hand) {
  for_each_host([](auto& place) { check_reduce_by_hand(place); });
}
TEST(reduce, sums) {
  for_each_host([](auto& place) { check_reduce(place); });
}
TEST(reduce, ordered) {
  for_each_host([](auto& place) { check_ordered_reduce(place); });
}
TEST(reduce, ordered_words) {
  for_each_host([](auto& place) { check_ordered_words(place); });
}
TEST(reduce, arg) {
  for_each_host([](auto& place) { check_arg(place); });
}
TEST(reduce, by_key) {
  for_each_host([](auto& place) { check_reduce_by_key(place); });
}

}  // namespace kleene
