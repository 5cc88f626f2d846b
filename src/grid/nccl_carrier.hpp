// Panels by ncclBroadcast: the communicators of one worker, those of all workers of a process, and who looks whether
// NCCL itself has found something wrong.
//
// A worker that fails. Kernels of the others' wait for its part in the broadcasts that they have begun, for ever.
// Within a process these are known: whoever fails first takes part in them, for itself and for all who are behind, with
// memory that nobody looks at. Then all streams come to their ends, and the communicators can be used again.
// (ncclCommAbort() frees memory that kernels of the others still read: an unspecified launch failure on two H100.)
#pragma once

#include "grid/nccl.hpp"
#include "kleene/grid/grid.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kleene {

class nccl_carrier;

// What a worker that has failed takes part with.
class panel_scratch {
 public:
  virtual ~panel_scratch() = default;
  virtual void* memory(std::size_t bytes) = 0;
  virtual cuda_stream stream(scope of) = 0;
  virtual void wait() = 0;  // until all is done on these streams
};
using scratch_maker = std::function<std::unique_ptr<panel_scratch>(int rank)>;

// The carriers of a process, kept from one program to the next.
class nccl_group {
 public:
  // Without scratch: of one worker alone, whose failure ends the process.
  explicit nccl_group(scratch_maker make_scratch = {}) : make_scratch_(std::move(make_scratch)) {}

  // A program begins.
  void begin();
  // A call of all workers: the one that was kept, or else a new one.
  nccl_carrier& join(worker& w);
  // A worker has failed, which has no more work on its streams.
  void stop() noexcept;
  // NCCL itself has failed: nothing will be used again.
  void abort() noexcept;
  // Whether begin() has not been called since stop() or abort().
  bool is_stopped() const { return is_stopped_; }

  // A worker is about to begin this. worker_stopped: it may not.
  void note(const grid_place& place, scope of, int root, std::size_t bytes);
  // What NCCL found wrong with one of them; empty: nothing.
  std::string trouble();

 private:
  struct broadcast {
    scope of;
    int root;
    std::size_t bytes;
  };
  // What has been begun on one communicator, from the first that not all have begun.
  struct line {
    std::uint64_t first = 0;
    std::vector<std::uint64_t> begun;  // by member
    std::deque<broadcast> open;
  };

  std::vector<broadcast> missing(const grid_place& place);
  void take_part(nccl_carrier& one, const std::vector<broadcast>& in);

  scratch_maker make_scratch_;
  std::mutex mutex_;
  std::atomic<bool> is_stopped_ = false, is_aborted_ = false;
  std::map<int, std::unique_ptr<nccl_carrier>> all_;  // by rank
  std::map<std::pair<scope, int>, line> lines_;
};

class nccl_carrier {
 public:
  // A call of all workers. The calling thread's device is its own.
  nccl_carrier(const nccl::library& library, nccl_group& group, const grid_place& place, const nccl::unique_id& id);
  // Destroyed by an exception, or aborted before, it does not wait for the others.
  ~nccl_carrier();
  nccl_carrier(const nccl_carrier&) = delete;
  nccl_carrier& operator=(const nccl_carrier&) = delete;

  const grid_place& place() const { return place_; }
  // As communicator::broadcast_on() has it; worker_stopped where the group was stopped.
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes);
  // The same in a group that is stopped.
  void take_part(cuda_stream stream, scope of, int root, void* data, std::size_t bytes);
  void abort() noexcept;
  std::string trouble();

 private:
  nccl::comm of(scope within) const;
  std::vector<nccl::comm> distinct() const;

  const nccl::library& library_;
  nccl_group& group_;
  grid_place place_;
  std::mutex mutex_;
  std::atomic<bool> is_aborted_ = false;
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

// Whose communicator a scope has: a line that is all of the grid has none of its own.
inline scope communicator_scope(const grid_place& place, scope within) {
  return place.members_of(within) == place.size() ? scope::all : within;
}

}  // namespace kleene
