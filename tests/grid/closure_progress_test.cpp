// What is reported of a closure on a grid while it runs.
#include "kleene/grid/closure.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kleene::test {
namespace {

TEST(grid_closure, progress_goes_up_to_all_and_may_stop_the_grid) {
  const grid g = grid::threads(2, 2);
  std::vector<double> seen;
  const auto run = [&](bool stop) {
    g.run([&](worker& w) {
      if (w.rank() == 0)
        w.context().on_progress([&](double done, double total) {
          seen.push_back(done / total);
          return !stop;
        });
      distributed_matrix<float> a(w, {40, 40, 10, 10});
      a.fill([](index_t i, index_t j) { return float(1 + (i + j) % 7); });
      EXPECT_TRUE(closure(w, min_plus<float>{}, a).exists);
    });
  };
  run(false);
  EXPECT_EQ(seen, (std::vector<double>{0.25, 0.5, 0.75, 1.0}));
  try {
    run(true);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), "interrupted");
    EXPECT_EQ(e.code(), fault_code::usage);
  }
}

}  // namespace
}  // namespace kleene::test
