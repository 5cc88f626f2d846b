// A grid of workers, rows x cols of them, which run one program together.
//
//   const grid g = grid::threads(2, 3);                              // six workers in this process
//   const grid g = grid::mpi(MPI_COMM_WORLD, 2, 3);                  // one a rank: <kleene/grid/mpi.hpp>
//   const grid g = grid::cuda({0, 1, 2, 3});                         // four CUDA devices, 2 x 2, of this process
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
//                others. Threads: run() throws what it threw, once all have ended. MPI: the rank says it on standard
//                error and ends all ranks with MPI_Abort, since memory that others still send to cannot be given up.
//   a rank killed  ends the others by way of mpirun.
//   contexts     Each worker has a context for the CPU of its own: for a grid of threads, unsaid, with its part of this
//                machine's threads; for MPI with all that the rank may run on.
//   devices      On a grid of them (cuda) it is a context for the worker's device, and a thread drives each; matrices
//                are those of distributed_device_matrix.hpp. Panels go from device to device, by way of the host where
//                these cannot reach each other. A device may be named several times: its workers share it.
//                error(device) where one is not there; what fails on a device says on which.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/grid/communicator.hpp"

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

class grid {
 public:
  // argument_error: a grid without a worker, or of more than 4096.
  static grid threads(int rows, int cols, const cpu_options& each = {});
  // Devices by rank, row after row. rows and cols of 0: as square as can be, and no more rows than columns.
  // argument_error: no device, or rows and columns that are not so many.
  static grid cuda(const std::vector<int>& devices, int rows = 0, int cols = 0);
  // Ranks of an MPI communicator (MPI_Comm) of rows * cols of them, or argument_error: include kleene/grid/mpi.hpp.
  template <class Comm>
  static grid mpi(Comm comm, int rows, int cols, const cpu_options& each = {});

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
}  // namespace detail

}  // namespace kleene
