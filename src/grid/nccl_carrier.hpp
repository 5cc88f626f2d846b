// Panels by ncclBroadcast: the communicators of one worker, those of all workers of a process, and who looks whether
// NCCL itself has found something wrong.
//
// Aborting. A kernel of NCCL's waits for the other workers, for ever if one of them has failed. ncclCommAbort() ends
// such kernels, and so all waits for them. Within a process whoever fails aborts the communicators of all its workers.
#pragma once

#include "grid/nccl.hpp"
#include "kleene/grid/grid.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kleene {

class nccl_carrier;

// The carriers of a process.
class nccl_group {
 public:
  void add(nccl_carrier& one);
  void remove(nccl_carrier& one);
  void abort() noexcept;
  // What NCCL found wrong with one of them; empty: nothing.
  std::string trouble();

 private:
  std::mutex mutex_;
  std::vector<nccl_carrier*> all_;
};

class nccl_carrier final : public panel_carrier {
 public:
  // A call of all workers. The calling thread's device is its own.
  nccl_carrier(const nccl::library& library, nccl_group& group, const grid_place& place, const nccl::unique_id& id);
  // Destroyed by an exception it aborts the group.
  ~nccl_carrier() override;
  nccl_carrier(const nccl_carrier&) = delete;
  nccl_carrier& operator=(const nccl_carrier&) = delete;

  // Where the group was aborted, worker_stopped.
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override;
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

// A call of all workers, which throw the same error where one of them has no NCCL or cannot begin.
std::unique_ptr<nccl_carrier> make_nccl_carrier(worker& w, nccl_group& group);

}  // namespace kleene
