// A grid whose workers are the ranks of an MPI communicator, one a rank:
//
//   mpirun -n 6 program, with                    MPI_Init(&argc, &argv);
//   const grid g = grid::mpi(MPI_COMM_WORLD, 2, 3);
//
// or, with a CUDA device for each rank, whose panels go by NCCL and everything else by MPI:
//
//   const grid g = grid::mpi(MPI_COMM_WORLD, 2, 3, transport::automatic);
//   const grid g = grid::from_environment(MPI_COMM_WORLD);         // that, or on CPUs where a rank has no device
//
// For programs that have MPI (3.0 and later) and link it: Kleene's library does not. This header is empty where there
// is no <mpi.h>. The communicator is duplicated; all its ranks make the grid together, and the last copy of it goes
// before MPI_Finalize. One thread of a rank calls MPI (MPI_THREAD_FUNNELED is enough where that is the one that called
// MPI_Init). What MPI itself finds wrong goes to the communicator's error handler: unless told otherwise, all ranks
// end.
#pragma once

#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/grid.hpp"

#if __has_include(<mpi.h>)

#ifndef OMPI_SKIP_MPICXX  // the C++ bindings that MPI has not had since 3.0, and their library
#define OMPI_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace kleene::detail {

// A message has fewer elements than an int counts: bytes go in pieces of this size.
inline constexpr std::size_t mpi_piece = std::size_t{1} << 30;

// Returns once all are done. Short waits are spent looking, as MPI's own are; in long ones the core is left to others:
// with more ranks than cores they may be who is waited for.
inline void wait_for_all(std::vector<MPI_Request>& requests) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  for (int done = 0;;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done) return;
    if (clock::now() - start < std::chrono::milliseconds(1)) std::this_thread::yield();
    else std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

class mpi_request : public request {
 public:
  // begin(first byte, bytes, request) for each piece.
  template <class Begin>
  mpi_request(std::size_t bytes, const Begin& begin) : requests_(std::max<std::size_t>(1, ceil_pieces(bytes))) {
    for (std::size_t at = 0; MPI_Request & one : requests_) {
      begin(at, static_cast<int>(std::min(bytes - at, mpi_piece)), &one);
      at += mpi_piece;
    }
  }
  // One that is not waited for is that of a failing worker, whose end ends the program.
  void wait() override { wait_for_all(requests_); }

 private:
  static std::size_t ceil_pieces(std::size_t bytes) { return (bytes + mpi_piece - 1) / mpi_piece; }
  std::vector<MPI_Request> requests_;
};

// The communicators of a grid's rows, columns and whole.
class mpi_communicator : public communicator {
 public:
  mpi_communicator(MPI_Comm comm, const grid_place& place) {
    MPI_Comm_dup(comm, &all_);
    MPI_Comm_split(all_, place.row, place.col, &row_);
    MPI_Comm_split(all_, place.col, place.row, &column_);
  }
  ~mpi_communicator() override {
    int is_over = 0;
    if (MPI_Finalized(&is_over); is_over) return;
    for (MPI_Comm* one : {&row_, &column_, &all_}) MPI_Comm_free(one);
  }

  pending begin_broadcast(scope within, int root, void* data, std::size_t bytes) override {
    const MPI_Comm comm = within == scope::row ? row_ : within == scope::column ? column_ : all_;
    return std::make_unique<mpi_request>(bytes, [&](std::size_t at, int count, MPI_Request* one) {
      MPI_Ibcast(static_cast<char*>(data) + at, count, MPI_BYTE, root, comm, one);
    });
  }
  pending begin_send(int to, const void* data, std::size_t bytes) override {
    return std::make_unique<mpi_request>(bytes, [&](std::size_t at, int count, MPI_Request* one) {
      MPI_Isend(static_cast<const char*>(data) + at, count, MPI_BYTE, to, 0, all_, one);
    });
  }
  pending begin_receive(int from, void* data, std::size_t bytes) override {
    return std::make_unique<mpi_request>(bytes, [&](std::size_t at, int count, MPI_Request* one) {
      MPI_Irecv(static_cast<char*>(data) + at, count, MPI_BYTE, from, 0, all_, one);
    });
  }
  std::int64_t minimum(std::int64_t mine) override {
    std::int64_t least = mine;
    std::vector<MPI_Request> begun(1);
    MPI_Iallreduce(&mine, &least, 1, MPI_INT64_T, MPI_MIN, all_, begun.data());
    wait_for_all(begun);
    return least;
  }

  // Says what this rank threw, and ends all.
  [[noreturn]] void abort(const grid_place& place) const {
    MPI_Abort(all_, say_failure(place));
    std::abort();
  }

 private:
  MPI_Comm all_, row_, column_;
};

inline grid_place place_of_rank(MPI_Comm comm, int rows, int cols) {
  require_grid(rows, cols);
  int ranks = 0, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  grid_place place = grid_shape(ranks, rows, cols, {"rank of MPI", "ranks of MPI"});
  place.row = rank / cols, place.col = rank % cols;
  return place;
}

// Its number among the ranks of its machine.
inline int local_rank_of(MPI_Comm comm) {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int rank = 0;
  MPI_Comm_rank(here, &rank);
  MPI_Comm_free(&here);
  return rank;
}

inline void run_rank(const grid_place& place, mpi_communicator& comms, context on,
                     const std::function<void(worker&)>& program) {
  worker self(place, std::move(on), comms);
  try {
    program(self);
  } catch (...) {
    if (self.agreed() && std::current_exception() == self.agreed()) throw;  // all ranks throw it
    comms.abort(place);
  }
}

}  // namespace kleene::detail

namespace kleene {

template <class Comm>
grid grid::mpi(Comm comm, int rows, int cols, const cpu_options& each) {
  const grid_place place = detail::place_of_rank(comm, rows, cols);
  const auto comms = std::make_shared<detail::mpi_communicator>(comm, place);
  return grid(rows, cols, [comms, place, each](const std::function<void(worker&)>& program) {
    detail::run_rank(place, *comms, kleene::context::cpu(each), program);
  });
}

template <class Comm>
grid grid::mpi(Comm comm, int rows, int cols, transport panels) {
  if (panels == transport::peer_copies)
    throw argument_error("ranks of MPI are processes, and peer copies are for the threads of one");
  const grid_place place = detail::place_of_rank(comm, rows, cols);
  const auto comms = std::make_shared<detail::mpi_communicator>(comm, place);
  worker w(place, kleene::context::cpu({.threads = 1}), *comms);
  int device = 0;
  std::optional<detail::device_scope> here;
  w.together([&] { here.emplace(device = detail::device_of_rank(detail::local_rank_of(comm))); });
  const bool by_nccl =
      panels != transport::host && (panels == transport::nccl || comms->minimum(has_nccl() ? 1 : 0) == 1);
  comms->carry_panels_by(by_nccl ? detail::make_nccl_carrier(w) : detail::make_host_carrier(*comms, place));
  return grid(rows, cols,
              [comms, place, device, lanes = detail::keep_lanes()](const std::function<void(worker&)>& program) {
                const detail::device_scope on(device);
                detail::run_rank(place, *comms, kleene::context::cuda(device), program);
              });
}

template <class Comm>
grid grid::from_environment(Comm comm, const rank_options& options) {
  int ranks = 0, least = 0;
  MPI_Comm_size(comm, &ranks);
  const int devices = static_cast<int>(cuda_devices().size());
  MPI_Allreduce(&devices, &least, 1, MPI_INT, MPI_MIN, comm);
  const grid_place shape = detail::grid_shape(ranks, options.rows, options.cols, {"rank of MPI", "ranks of MPI"});
  if (least == 0) return mpi(comm, shape.rows, shape.cols, options.each);
  return mpi(comm, shape.rows, shape.cols, options.panels);
}

}  // namespace kleene

#endif
