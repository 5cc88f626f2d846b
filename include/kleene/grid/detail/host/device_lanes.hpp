// Lanes of a device: what a batch in host memory goes to it and comes back by. Each has a stream, and pinned memory
// through which pageable memory goes; while one lane's part is worked on, others' parts are in flight.
#pragma once

#include "kleene/data/device_matrix.hpp"
#include "kleene/grid/detail/device_stream.hpp"
#include "kleene/grid/grid.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace kleene::detail {

class device_lane {
 public:
  explicit device_lane(int device) : ctx_(context::cuda(device)) {}

  const context& ctx() const { return ctx_; }
  // At least so many bytes, until the next call.
  void* pinned(std::size_t bytes);

 private:
  context ctx_;
  std::unique_ptr<char[]> memory_;
  std::unique_ptr<pinned_range> is_pinned_;
  std::size_t bytes_ = 0;
};

// work(lane, part) for parts 0 .. parts - 1, by a few threads, each with a lane of the worker's device. Throws what the
// first that failed threw, once all have ended. Idle lanes are kept for the next call (keep_lanes in grid.hpp).
void on_lanes(const worker& w, index_t parts, const std::function<void(device_lane&, index_t)>& work);

// Whether the driver copies from and to it without buffers of its own.
bool is_pinned(const void* p);

// Elements of a batch on a lane's device, packed, as long as it lives.
template <class T>
class lane_batch {
 public:
  lane_batch(const device_lane& lane, const std::array<index_t, 3>& extents)
      : memory_(lane.ctx().temporary(static_cast<std::size_t>(extents[0] * extents[1] * extents[2]) * sizeof(T))),
        there_(static_cast<T*>(memory_.get()), extents) {}

  const view<T, 3, memory::device>& there() const { return there_; }
  // Puts the elements of the host's batch there. Returns before they are.
  void send(device_lane& lane, const batch_view<const T>& from) const {
    if (is_pinned(from.data())) return copy(lane.ctx(), from, there_);
    const batch_view<T> staged = staged_on(lane);
    copy(on_host(), from, staged);
    copy(lane.ctx(), staged, there_);
  }
  // Waits for the lane's work, and puts its elements into the host's batch.
  void fetch(device_lane& lane, const batch_view<T>& to) const {
    if (is_pinned(to.data())) {
      copy(lane.ctx(), there_, to);
      return lane.ctx().synchronise();
    }
    const batch_view<T> staged = staged_on(lane);
    copy(lane.ctx(), there_, staged);
    lane.ctx().synchronise();
    copy(on_host(), staged, to);
  }

 private:
  static const context& on_host() {
    static const context ctx = context::cpu({.threads = 1});
    return ctx;
  }
  batch_view<T> staged_on(device_lane& lane) const {
    lane.ctx().synchronise();  // who went through it before has
    return {static_cast<T*>(lane.pinned(static_cast<std::size_t>(there_.size()) * sizeof(T))), there_.extents()};
  }

  decltype(std::declval<const context&>().temporary(0)) memory_;
  view<T, 3, memory::device> there_;
};

}  // namespace kleene::detail
