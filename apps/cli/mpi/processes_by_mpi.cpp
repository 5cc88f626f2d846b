// What the command line loads where mpirun or srun has started it as one of several processes: their grid, over MPI.
// Apart from it, so that a program of one process needs no MPI. The library's symbols are the program's (symbols.list).
#include "kleene/grid/mpi.hpp"

namespace {
bool is_ours = false;  // who initialises it ends it
}

// The grid of `size` processes, or null where MPI knows of another number: its library is not the launcher's.
extern "C" kleene::grid* kleene_open_mpi(int size, const kleene::rank_options& options, bool on_cpus) {
  using kleene::grid;
  int is_running = 0, level = 0, found = 0;
  if (MPI_Initialized(&is_running); !is_running) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    is_ours = true;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &found);
  if (found != size) return nullptr;
  if (!on_cpus) return new grid(grid::from_environment(MPI_COMM_WORLD, options));
  const auto shape = kleene::detail::grid_shape(size, options.rows, options.cols, {"rank of MPI", "ranks of MPI"});
  return new grid(grid::mpi(MPI_COMM_WORLD, shape.rows, shape.cols, options.each));
}

extern "C" void kleene_close_mpi(kleene::grid* made) {
  delete made;
  int is_over = 0;
  if (MPI_Finalized(&is_over); is_ours && !is_over) MPI_Finalize();
}
