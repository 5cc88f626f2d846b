#include "grid/grids.hpp"

#include <unistd.h>

namespace kleene::test {

grid make_grid(grid_shape s) { return grid::threads(s.rows, s.cols, {.threads = 1}); }
bool is_possible(grid_shape) { return true; }
bool is_first_process() { return true; }
int run_number() { return getpid(); }

}  // namespace kleene::test
