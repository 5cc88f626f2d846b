// Streams and events of a CUDA device, and pinned memory, for those who are compiled without CUDA: the runtime's behind
// plain C++.
#pragma once

#include "kleene/data/device.hpp"

#include <cstddef>
#include <deque>
#include <vector>

struct CUevent_st;

namespace kleene::detail {

// Makes a device the calling thread's as long as it lives.
class device_scope {
 public:
  explicit device_scope(int device);
  ~device_scope();
  device_scope(const device_scope&) = delete;
  device_scope& operator=(const device_scope&) = delete;

 private:
  [[maybe_unused]] int before_ = 0;
};

// A stream on the calling thread's device whose work goes before that of other streams. error(device).
class device_stream {
 public:
  device_stream();
  ~device_stream();
  device_stream(const device_stream&) = delete;
  device_stream& operator=(const device_stream&) = delete;

  cuda_stream get() const { return stream_; }

 private:
  cuda_stream stream_ = nullptr;
};

// A point in the work of a stream, which others wait for. One that was never recorded delays nothing.
class device_event {
 public:
  device_event();
  ~device_event();
  device_event(const device_event&) = delete;
  device_event& operator=(const device_event&) = delete;

  void record(cuda_stream stream);
  // What is put on the stream from here on waits for what came before record().
  void delay(cuda_stream stream) const;
  // The calling thread waits.
  void wait() const;

 private:
  [[maybe_unused]] CUevent_st* event_ = nullptr;  // not used by a library without CUDA
  [[maybe_unused]] bool is_recorded_ = false;
};

// How long a stream is at work, and waits, between begin() and end(), over all such pairs.
class device_timer {
 public:
  device_timer() = default;
  ~device_timer();
  device_timer(const device_timer&) = delete;
  device_timer& operator=(const device_timer&) = delete;

  void begin(cuda_stream stream);
  void end(cuda_stream stream);
  // Of the pairs that are over.
  double seconds();

 private:
  struct pair {
    CUevent_st *begin, *end;
  };
  std::deque<pair> begun_;  // not known to be over
  std::vector<pair> free_;
  double seconds_ = 0;
};

// Pins memory of the caller's as long as it lives: copies between it and devices then need no buffer in between, and
// the thread that asks for one goes on at once. Without effect where the system does not allow it, and for more than
// three quarters of the machine's memory: copies then go through buffers, slower and with the same result.
class pinned_range {
 public:
  pinned_range(void* first, std::size_t bytes);
  // Waits for the device first: its copies may be under way.
  ~pinned_range();
  pinned_range(const pinned_range&) = delete;
  pinned_range& operator=(const pinned_range&) = delete;

 private:
  [[maybe_unused]] void* first_ = nullptr;  // null: not pinned
};

}  // namespace kleene::detail
