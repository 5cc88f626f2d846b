// The grids that tests go through: of threads, or, in the program that mpirun starts, of its ranks. One source is both.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/grid/grid.hpp"
#include "kleene/grid/mpi.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

namespace kleene::test {

struct grid_shape {
  int rows, cols;
};

#ifdef KLEENE_TEST_MPI
inline int ranks() {
  int count = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}
inline grid make_grid(grid_shape s) { return grid::mpi(MPI_COMM_WORLD, s.rows, s.cols, {.threads = 1}); }
inline bool is_first_process() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}
inline int run_number() { return static_cast<int>(getppid()); }  // mpirun's: the same for all ranks
inline bool is_possible(grid_shape s) { return s.rows * s.cols == ranks(); }
#else
inline grid make_grid(grid_shape s) { return grid::threads(s.rows, s.cols, {.threads = 1}); }
inline bool is_first_process() { return true; }
inline int run_number() { return static_cast<int>(getpid()); }
inline bool is_possible(grid_shape) { return true; }
#endif

// Of 1, 2, 3, 4 and 6 workers: lines, columns, and grids that are not square.
inline std::vector<grid_shape> shapes() {
  std::vector<grid_shape> found;
  for (const grid_shape s : {grid_shape{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}, {2, 2}, {1, 4}, {2, 3}, {3, 2}, {6, 1}})
    if (is_possible(s)) found.push_back(s);
  return found;
}

// Runs program(worker&) on each of them.
template <class Program>
void on_every_grid(const Program& program) {
  for (const grid_shape s : shapes()) {
    SCOPED_TRACE("a grid of " + std::to_string(s.rows) + " x " + std::to_string(s.cols));
    make_grid(s).run(program);
  }
}

// The name of a file of this run's, the same for all workers.
inline std::string temporary_name(const std::string& stem) {
  return (std::filesystem::temp_directory_path() / ("kleene_grid_" + std::to_string(run_number()) + "_" + stem))
      .string();
}

}  // namespace kleene::test
