#include "streaming/range_checks.hpp"

namespace kleene {

TEST(range, reversed_or_negative) {
  for_each_host([](host_place& place) { check_ranges(place); });
}

}  // namespace kleene
