// What the workers of a grid say to each other. An implementation (threads of a process, ranks of MPI) has broadcasts,
// messages and their ends; everything else is made of these.
//
// Contract
//   order       Within a scope all workers begin the same broadcasts in the same order; messages from one worker to
//               another are received in the order in which they were sent. Requests are waited for in the order in
//               which they were begun.
//   memory      is left alone from the beginning until wait(): a broadcast's root may not write it, nor may the others
//               read it. A request that is destroyed without wait() lets go of the memory first.
//   failure     A worker that fails ends every wait of the others, now and later (grid.hpp says how they learn of it).
//   threads     One worker's communicator is called by one thread.
//   devices     broadcast_on is for workers with CUDA devices. All workers of the scope call it, in the same order as
//               what they say to each other otherwise. It returns before anything is copied.
#pragma once

#include "kleene/data/device.hpp"
#include "kleene/data/error.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace kleene {

// Which workers take part: those of the caller's row, of its column, or all. (The BLACS' word.)
enum class scope : int { row, column, all };

// Something that was begun.
class request {
 public:
  virtual ~request() = default;
  // Returns once it is done: the memory has what was received, or may be written again. Once only.
  virtual void wait() = 0;
};
using pending = std::unique_ptr<request>;

// What takes panels from device to device where the communicator itself does not: broadcast_on() in its words.
class panel_carrier {
 public:
  virtual ~panel_carrier() = default;
  virtual void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) = 0;
};

class communicator {
 public:
  virtual ~communicator() = default;

  // Copies `bytes` bytes from the root's memory to that of all others in the scope. root: a column of the grid within a
  // row, a row within a column, a rank within all.
  virtual pending begin_broadcast(scope within, int root, void* data, std::size_t bytes) = 0;
  virtual pending begin_send(int to, const void* data, std::size_t bytes) = 0;
  virtual pending begin_receive(int from, void* data, std::size_t bytes) = 0;
  // Of device memory, in the order of a CUDA stream of each worker's: copies wait for what is on the stream already,
  // the root's and their own, and what is put on it later waits for them. error(device) on grids without devices.
  virtual void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes);
  void carry_panels_by(std::unique_ptr<panel_carrier> carrier) { carrier_ = std::move(carrier); }
  // Whether all workers are threads of one process, which see each other's memory.
  virtual bool is_one_process() const { return false; }
  // The smallest of all workers' numbers, for each of them.
  virtual std::int64_t minimum(std::int64_t mine) = 0;

  void broadcast(scope within, int root, void* data, std::size_t bytes) {
    begin_broadcast(within, root, data, bytes)->wait();
  }
  void send(int to, const void* data, std::size_t bytes) { begin_send(to, data, bytes)->wait(); }
  void receive(int from, void* data, std::size_t bytes) { begin_receive(from, data, bytes)->wait(); }
  void barrier() { minimum(0); }

 private:
  std::unique_ptr<panel_carrier> carrier_;
};

}  // namespace kleene
