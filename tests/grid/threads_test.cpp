// Failures of a worker of a grid of threads. (Of MPI's ranks: grids_of_ranks.cpp, and the tests of CMakeLists.txt.)
#include "kleene/grid/grid.hpp"
#include "kleene/grid/ranks/launch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace kleene::test {
namespace {

// A failure of one worker's own: the others wait for it in every way there is, and all waits end.
TEST(grid, a_worker_that_throws_ends_all_waits) {
  struct own_exception {
    int number;
  };
  for (int way = 0; way < 5; ++way) {
    const grid g = grid::threads(2, 2);
    std::atomic<int> went_on{0};
    try {
      g.run([&](worker& w) {
        std::vector<char> large(1 << 20, static_cast<char>(w.rank()));
        if (w.rank() == 3) throw own_exception{way};
        if (way == 0) w.comm().barrier();
        else if (way == 1) w.comm().broadcast(scope::all, 3, large.data(), large.size());
        else if (way == 2) w.comm().receive(3, large.data(), large.size());
        else if (way == 3) w.comm().send(3, large.data(), large.size());
        else w.together([] {});
        ++went_on;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const own_exception& e) {
      EXPECT_EQ(e.number, way);
    }
    EXPECT_EQ(went_on, 0) << way;
  }
}

// On the first device where there is one.
TEST(grid, without_a_launcher_there_is_one_worker) {
  if (read_launch().size > 1) GTEST_SKIP() << "these tests are themselves ranks of " << to_string(read_launch().by);
  const grid g = grid::from_environment();
  EXPECT_EQ(g.size(), 1);
  g.run([](worker& w) {
    EXPECT_EQ(w.context().kind(), cuda_devices().empty() ? device_kind::cpu : device_kind::cuda);
    EXPECT_EQ(w.comm().minimum(7), 7);
  });
  EXPECT_THROW(grid::from_environment({.rows = 2, .cols = 2}), argument_error);
}

TEST(grid, programs_that_differ_are_an_error) {
  try {
    grid::threads(1, 2).run([](worker& w) {
      char bytes[8] = {};
      w.comm().broadcast(scope::row, 0, bytes, w.rank() == 0 ? 8 : 4);
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::internal);
    EXPECT_STREQ(e.what(), "a worker expects 4 bytes and is sent 8: the workers' programs differ");
  }
}

}  // namespace
}  // namespace kleene::test
