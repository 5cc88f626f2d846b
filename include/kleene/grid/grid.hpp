// A grid of workers, rows x cols of them, which run one program together.
//
//   const grid g = grid::threads(2, 3);                              // six workers in this process
//   const grid g = grid::mpi(MPI_COMM_WORLD, 2, 3);                  // one a rank: <kleene/grid/mpi.hpp>
//   const grid g = grid::cuda({0, 1, 2, 3});                         // four CUDA devices, 2 x 2, of this process
//   const grid g = grid::from_environment();                         // a device a process: of mpirun, srun or torchrun
//   g.run([&](worker& w) {
//     distributed_matrix<float> a(w, {.m = n, .n = n, .mb = 384, .nb = 384});
//     a.fill([&](index_t i, index_t j) { return weight(i, j); });
//     closure_info info = closure(w, min_plus<float>{}, a);          // the same for all workers
//   });
//
// Contract
//   collective   Distributed matrices and what is done with them are calls of all workers, in the same order, with the
//                same arguments (each with its own share of a matrix).
//   errors       What is wrong with such a call, on whichever worker, is thrown by all of them, the same error with the
//                same words: run() throws it, and the grid can be used again.
//   failures     What else a worker throws (a function of the caller's, no memory in between) ends the waits of all
//                others. Threads: run() throws what it threw, once all have ended. Ranks, and threads whose panels
//                go by NCCL: the process says it on standard error and ends all, with MPI_Abort or by telling the
//                others, since memory that others still send to cannot be given up.
//   a rank killed  ends the others by way of mpirun; without MPI the others see its connection end, and end too, with
//                one line and exit code 4.
//   contexts     Each worker has a context for the CPU of its own: for a grid of threads, unsaid, with its part of this
//                machine's threads; for MPI with all that the rank may run on.
//   devices      On a grid of them (cuda) it is a context for the worker's device, and a thread drives each; matrices
//                are those of distributed_device_matrix.hpp. Panels go from device to device (ranks/panels.hpp says
//                how; unsaid, by way of the host where these cannot reach each other). A device may be named several
//                times: its workers share it, though not with NCCL.
//                error(device) where one is not there; what fails on a device says on which.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/grid/communicator.hpp"
#include "kleene/grid/ranks/panels.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace kleene {

// Where a worker stands: rank = row * cols + col.
struct grid_place {
  int rows = 1, cols = 1, row = 0, col = 0;

  int size() const { return rows * cols; }
  int rank() const { return row * cols + col; }
  // Its number among the workers of a scope, how many they are, and the rank of one of them.
  int number_in(scope within) const { return within == scope::row ? col : within == scope::column ? row : rank(); }
  int members_of(scope within) const { return within == scope::row ? cols : within == scope::column ? rows : size(); }
  int rank_of(scope within, int member) const {
    return within == scope::row ? row * cols + member : within == scope::column ? member * cols + col : member;
  }
};

// One of a grid's workers, as its program sees it. It lives as long as the call of run().
class worker {
 public:
  worker(const grid_place& place, kleene::context context, communicator& comm)
      : place_(place), context_(std::move(context)), comm_(comm) {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  int rows() const { return place_.rows; }
  int cols() const { return place_.cols; }
  int row() const { return place_.row; }
  int col() const { return place_.col; }
  int rank() const { return place_.rank(); }
  int size() const { return place_.size(); }
  const kleene::context& context() const { return context_; }
  kleene::context& context() { return context_; }
  communicator& comm() const { return comm_; }

  // Runs work() on every worker; it talks to none. Where Kleene's errors or std::bad_alloc come of it, all workers
  // throw that of the lowest rank. Anything else is the worker's own failure.
  void together(const std::function<void()>& work);
  // What together() threw last.
  const std::exception_ptr& agreed() const { return agreed_; }

 private:
  void throw_of(int rank, const std::exception_ptr& mine);

  grid_place place_;
  kleene::context context_;
  communicator& comm_;
  std::exception_ptr agreed_;
};

// For processes that a launcher has started, one worker each.
struct rank_options {
  int rows = 0, cols = 0;  // 0: as square as can be, and no more rows than columns
  transport panels = transport::automatic;
  double patience = 60;           // seconds in which all ranks have to come, without MPI
  bool cpus_without_mpi = false;  // workers on CPUs that talk through rank 0: for trying a program, slow beyond that
  cpu_options each = {};          // of workers on CPUs
};

class grid {
 public:
  // argument_error: a grid without a worker, or of more than 4096.
  static grid threads(int rows, int cols, const cpu_options& each = {});
  // Devices by rank, row after row. rows and cols of 0: as square as can be, and no more rows than columns.
  // argument_error: no device, rows and columns that are not so many, or NCCL and a device that is named twice.
  static grid cuda(const std::vector<int>& devices, int rows = 0, int cols = 0,
                   transport panels = transport::automatic);
  // Ranks of an MPI communicator (MPI_Comm) of rows * cols of them, or argument_error: include kleene/grid/mpi.hpp.
  template <class Comm>
  static grid mpi(Comm comm, int rows, int cols, const cpu_options& each = {});
  // The same with a CUDA device for each rank: of this machine's devices the one with the rank's number among its ranks
  // there, beginning again where these are more. error(device) of all ranks where one has none.
  template <class Comm>
  static grid mpi(Comm comm, int rows, int cols, transport panels);

  // As mpirun, srun or torchrun say (ranks/launch.hpp): a worker a process, with a CUDA device each as above; without a
  // launcher one worker, on the first device if there is one, else on the CPU. Programs with MPI give its communicator:
  // what is no panel is MPI's then, and workers may be on CPUs, all of them where one has no device. Without MPI ranks
  // meet at launched::rendezvous, and NCCL takes the panels; rank 0 hands on the few other messages.
  // argument_error: variables that are malformed, a grid that is not as large, CPUs without MPI. error(device): ranks
  // that do not come, no NCCL.
  static grid from_environment(const rank_options& options = {});
  template <class Comm>
  static grid from_environment(Comm comm, const rank_options& options = {});

  int rows() const { return rows_; }
  int cols() const { return cols_; }
  int size() const { return rows_ * cols_; }

  // Calls program(worker&) for every worker that lives in this process, each on a thread of its own where there are
  // several, and returns when they have ended.
  void run(const std::function<void(worker&)>& program) const { run_(program); }

 private:
  using runner = std::function<void(const std::function<void(worker&)>&)>;
  grid(int rows, int cols, runner run) : rows_(rows), cols_(cols), run_(std::move(run)) {}

  int rows_, cols_;
  runner run_;
};

// Whether that CUDA device copies from the other one's memory without going through the host's.
bool can_reach_peer(int device, int other);

namespace detail {
// argument_error where a grid cannot have that many rows and columns.
void require_grid(int rows, int cols);
struct worker_noun {
  const char *one, *many;
};
// The shape for so many workers ("3 CUDA devices"); rows and cols of 0 as grid::cuda() has it, and its errors.
grid_place grid_shape(int workers, int rows, int cols, const worker_noun& what);
// That of a rank with this number on its machine; error(device) where there is none.
int device_of_rank(int local_rank);
// Idle lanes, by which batches go to devices (streams, and page-locked memory), are kept from call to call while
// anybody holds what this returns. Each grid of devices does, so they are freed with the last grid and not when the
// process ends, by when the driver may be gone.
std::shared_ptr<void> keep_lanes();
}  // namespace detail

}  // namespace kleene
