// How many threads searches take.
#include "kleene/kernels/cpu/dijkstra/launch.inl.hpp"

#include "support/equal.hpp"

namespace kleene::test::dijkstra_test {
namespace {

// rome99: 3,353 vertices and 8,870 arcs, 0.153 ms a source.
TEST(dijkstra, few_sources_stay_on_the_callers_thread) {
  const auto threads = [](index_t sources, int most) {
    return kernels::cpu::dijkstra_threads(3353, 8870, sources, most);
  };
  EXPECT_EQ(threads(3, 2), 1);
  EXPECT_EQ(threads(13, 2), 1);
  EXPECT_EQ(threads(14, 2), 2);
  EXPECT_EQ(threads(14, 8), 2);
  EXPECT_EQ(threads(3353, 8), 8);
  EXPECT_EQ(kernels::cpu::dijkstra_threads(10'000'000, 40'000'000, 3, 8), 3) << "no more than there are sources";
  EXPECT_EQ(kernels::cpu::dijkstra_threads(0, 0, 0, 8), 1);
}

}  // namespace
}  // namespace kleene::test::dijkstra_test
