// The grids of processes that no MPI connects, and the program of their tests: it starts itself as often as its first
// argument says, in the environment that torchrun would make.
#include "grid/processes.hpp"

#include "kleene/grid/ranks/launch.hpp"

#include "grid/grids.hpp"

#include <csignal>

namespace kleene::test {

grid make_grid(grid_shape s) {
  return grid::from_environment({.rows = s.rows, .cols = s.cols, .cpus_without_mpi = true, .each = {.threads = 1}});
}
bool is_possible(grid_shape s) { return s.rows * s.cols == read_launch().size; }
bool is_first_process() { return read_launch().rank == 0; }
int run_number() { return getppid(); }

TEST(grid, more_workers_than_processes_are_refused) {
  EXPECT_THROW(grid::from_environment({.rows = read_launch().size + 1, .cols = 1, .cpus_without_mpi = true}),
               argument_error);
}

TEST(grid, ranks_on_cpus_are_referred_to_mpi) {
  if (read_launch().size == 1 || !cuda_devices().empty()) GTEST_SKIP() << "one process, or one with a device";
  try {
    grid::from_environment();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const argument_error& e) {
    EXPECT_EQ(std::string(e.what()), std::to_string(read_launch().size) +
                                         " ranks of torchrun without a CUDA device: ranks on CPUs talk by MPI; include "
                                         "kleene/grid/mpi.hpp and call grid::from_environment(MPI_COMM_WORLD)");
  }
}

}  // namespace kleene::test

namespace {

// Worker 1 throws, or worker 0 or 1 is killed, while the others wait for it.
void lose_a_worker(const std::string& how) {
  kleene::grid::from_environment({.rows = 1, .cpus_without_mpi = true}).run([&](kleene::worker& w) {
    w.comm().barrier();
    if (w.rank() == 1 && how == "--one-throws") throw kleene::error(kleene::fault_code::memory, "no memory for it");
    if (w.rank() == (how == "--first-is-killed" ? 0 : 1)) raise(SIGKILL);
    w.comm().barrier();
  });
}

}  // namespace

int main(int argc, char** argv) { return kleene::test::run_tests_as_ranks(argc, argv, lose_a_worker); }
