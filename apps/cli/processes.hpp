// The processes that mpirun, srun or torchrun has started for one call of the command line: each is a worker of one
// grid, on a GPU of its own, or by MPI on a CPU. The first of them says what there is to say.
#pragma once

#include "commands.hpp"
#include "kleene/grid/grid.hpp"

#include <functional>
#include <memory>

namespace kleene::cli {

// Whether this process is one of several. (The script of a job of Slurm's is none: its tasks are started by srun.)
bool is_one_of_several();
// error(usage) there: this command works in one process.
void require_one_process(const char* command);
// Whether another process says what goes wrong with all of them: of every one but the first, once they are together.
bool another_says_it();

class processes {
 public:
  // By MPI where mpirun or srun started them, and this build has it. error(usage) for a --device of several devices,
  // and where MPI knows of another number of processes; those of grid::from_environment.
  explicit processes(const shared_flags& shared);
  ~processes();
  processes(const processes&) = delete;
  processes& operator=(const processes&) = delete;

  const kleene::grid& workers() const { return *grid_; }
  bool is_first() const { return is_first_; }
  // Runs work() in all of them, without the others. What one of them throws, all throw.
  void together(const std::function<void()>& work) const;

 private:
  std::shared_ptr<kleene::grid> grid_;
  bool is_first_ = true;
};

// Where this build has what it takes for MPI: the file; empty: nowhere.
std::string mpi_module();

}  // namespace kleene::cli
