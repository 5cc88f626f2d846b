// How long each worker of a grid took, and how much of that it was busy with the others.
#pragma once

#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/grid.hpp"
#include "text.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace kleene::cli {

struct worker_row {
  int row = 0, col = 0;
  std::array<char, 64> host{}, place{};  // the machine's name; what worked there, in words
  double seconds = 0;
  // Of a CPU: the seconds in which it waited for the others. Of a device: those in which its panels were waited for or
  // in flight, beside its products.
  double communication = 0;
  double share() const { return seconds > 0 ? communication / seconds : 0; }
};

// A worker's communicator, whose time is taken.
class timed_communicator final : public communicator {
 public:
  explicit timed_communicator(communicator& of) : of_(of) {}

  pending begin_broadcast(scope within, int root, void* data, std::size_t bytes) override;
  pending begin_send(int to, const void* data, std::size_t bytes) override;
  pending begin_receive(int from, void* data, std::size_t bytes) override;
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override;
  bool is_one_process() const override { return of_.is_one_process(); }
  std::int64_t minimum(std::int64_t mine) override;

  // Of the host where no device has any.
  double seconds() { return on_devices_ ? panels_.seconds() : waited_; }

 private:
  class timed_request;

  communicator& of_;
  double waited_ = 0;
  bool on_devices_ = false;
  detail::device_timer panels_;
};

// Runs program(worker, its communicator's seconds so far) in the place of one of a grid's workers. Collective; worker
// 0 gets the rows of all.
std::vector<worker_row> run_timed(worker& w,
                                  const std::function<void(worker&, const std::function<double()>&)>& program);

// [{"rank": 0, ...}, ...], and in one line for people.
std::string workers_json(const std::vector<worker_row>& workers);
std::string workers_text(const std::vector<worker_row>& workers);

}  // namespace kleene::cli
