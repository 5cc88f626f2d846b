// The grids that tests go through: of threads, or, in the program that mpirun starts, of its ranks. The tests are
// compiled once, and linked with either.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/grid/grid.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace kleene::test {

struct grid_shape {
  int rows, cols;
};

// Of threads in grids_of_threads.cpp, of ranks in grids_of_ranks.cpp.
grid make_grid(grid_shape s);
bool is_possible(grid_shape s);
bool is_first_process();
int run_number();  // the same for all workers

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

template <class T>
testing::AssertionResult same_bits(const matrix<T>& got, const matrix<T>& want) {
  if (got.extents() != want.extents()) return testing::AssertionFailure() << "extents differ";
  for (index_t i = 0; i < want.rows(); ++i)
    for (index_t j = 0; j < want.cols(); ++j)
      if (std::memcmp(&got(i, j), &want(i, j), sizeof(T)) != 0)
        return testing::AssertionFailure() << "at " << i << ", " << j << ": " << got(i, j) << ", not " << want(i, j);
  return testing::AssertionSuccess();
}

}  // namespace kleene::test
