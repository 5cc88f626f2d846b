// The grids of ranks, and the program of their tests that mpirun starts; or a program of which one worker fails, for
// the test of what others do.
#include "kleene/grid/mpi.hpp"

#include "grid/grids.hpp"

#include <unistd.h>

#include <csignal>
#include <string>

namespace kleene::test {

namespace {
int ranks() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}
}  // namespace

grid make_grid(grid_shape s) { return grid::mpi(MPI_COMM_WORLD, s.rows, s.cols, {.threads = 1}); }
bool is_possible(grid_shape s) { return s.rows * s.cols == ranks(); }
bool is_first_process() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}
int run_number() { return getppid(); }  // mpirun's

TEST(grid, more_workers_than_ranks_are_refused) {
  EXPECT_THROW(grid::mpi(MPI_COMM_WORLD, ranks() + 1, 1), argument_error);
}

TEST(grid, the_environment_of_mpirun_makes_one_of_all_ranks) {
  const grid g = grid::from_environment(MPI_COMM_WORLD, {.rows = 1, .each = {.threads = 1}});
  EXPECT_EQ(g.cols(), ranks());
  g.run([](worker& w) {
    const int rank = w.rank();
    EXPECT_EQ(w.comm().minimum(-rank), 1 - w.size());
  });
}

TEST(grid, ranks_without_a_device_are_refused_one) {
  if (!cuda_devices().empty()) GTEST_SKIP() << "there is a device";
  try {
    grid::mpi(MPI_COMM_WORLD, 1, ranks(), transport::automatic);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_STREQ(e.what(), "no CUDA device for a rank of the grid");
  }
  EXPECT_THROW(grid::mpi(MPI_COMM_WORLD, 1, ranks(), transport::peer_copies), argument_error);
}

}  // namespace kleene::test

namespace {

// Worker 1 throws, or is killed, while the others wait for it.
void lose_a_worker(const std::string& how) {
  kleene::grid::mpi(MPI_COMM_WORLD, 1, 3).run([&](kleene::worker& w) {
    if (w.rank() == 1 && how == "--one-throws") throw kleene::error(kleene::fault_code::memory, "no memory for it");
    if (w.rank() == 1) raise(SIGKILL);
    w.comm().barrier();
  });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.starts_with("--one-")) lose_a_worker(first);
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
