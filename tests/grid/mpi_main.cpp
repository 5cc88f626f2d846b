// The tests of grids as mpirun starts them; or a program of which one worker fails, for the test of what others do.
#include "kleene/grid/mpi.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

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
