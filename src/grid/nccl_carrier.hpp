// Panels by ncclBroadcast: the communicators of one worker, those of all workers of a process, and who looks whether
// NCCL itself has found something wrong.
//
// A worker that fails. Kernels of the others' wait for its part in the broadcasts that they have begun, for ever, and
// nothing ends them safely within a process (docs/decisions/0024): it says what has failed, and ends.
#pragma once

#include "grid/nccl.hpp"
#include "kleene/grid/grid.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kleene {

class nccl_carrier;

// The carriers of a process, kept from one program to the next: making communicators takes most of a second.
class nccl_group {
 public:
  // A call of all workers: the one that was kept, or else a new one.
  nccl_carrier& join(worker& w);
  // What NCCL found wrong with one of them; empty: nothing.
  std::string trouble();

 private:
  std::mutex mutex_;
  std::map<int, std::unique_ptr<nccl_carrier>> all_;  // by rank
};

class nccl_carrier {
 public:
  // A call of all workers. The calling thread's device is its own.
  nccl_carrier(const nccl::library& library, const grid_place& place, const nccl::unique_id& id);
  // Destroyed by an exception it does not wait for the others.
  ~nccl_carrier();
  nccl_carrier(const nccl_carrier&) = delete;
  nccl_carrier& operator=(const nccl_carrier&) = delete;

  // As communicator::broadcast_on() has it.
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes);
  std::string trouble();

 private:
  nccl::comm of(scope within) const;
  std::vector<nccl::comm> distinct() const;

  const nccl::library& library_;
  grid_place place_;
  std::mutex mutex_;
  nccl::comm all_ = nullptr, row_ = nullptr, column_ = nullptr;
};

// Calls found(words) once, from a thread of its own, when `trouble` returns some; looks ten times a second.
class trouble_watch {
 public:
  trouble_watch(std::function<std::string()> trouble, std::function<void(const std::string&)> found);
  ~trouble_watch();
  trouble_watch(const trouble_watch&) = delete;
  trouble_watch& operator=(const trouble_watch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

inline grid_place place_of(const worker& w) {
  return {.rows = w.rows(), .cols = w.cols(), .row = w.row(), .col = w.col()};
}

// Says what NCCL has found wrong with a worker, and ends the process.
[[noreturn]] void end_by_trouble(const grid_place& place, const std::string& words);

// Whose communicator a scope has: a line that is all of the grid has none of its own.
inline scope communicator_scope(const grid_place& place, scope within) {
  return place.members_of(within) == place.size() ? scope::all : within;
}

}  // namespace kleene
