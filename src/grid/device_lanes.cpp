#include "kleene/grid/detail/host/device_lanes.hpp"

#include "kleene/data/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace kleene::detail {

namespace {

// Of a worker, where it has as many threads. 100,000 matrices of 64 vertices in pageable memory take one H100 218, 123
// and 67 ms with 2, 4 and 8 lanes, two 115, 68 and 48 ms: then the host's memory is at its end.
constexpr int most_lanes = 8;

// Lanes that nobody uses.
class idle_lanes {
 public:
  static std::shared_ptr<idle_lanes> of_grids() {
    static std::mutex busy;
    static std::weak_ptr<idle_lanes> kept;
    const std::lock_guard lock(busy);
    std::shared_ptr<idle_lanes> lanes = kept.lock();
    if (!lanes) kept = lanes = std::make_shared<idle_lanes>();
    return lanes;
  }
  std::unique_ptr<device_lane> take(int device) {
    {
      const std::lock_guard lock(mutex_);
      auto& idle = idle_[device];
      if (!idle.empty()) {
        auto lane = std::move(idle.back());
        idle.pop_back();
        return lane;
      }
    }
    return std::make_unique<device_lane>(device);
  }
  void give_back(int device, std::unique_ptr<device_lane> lane) {
    const std::lock_guard lock(mutex_);
    idle_[device].push_back(std::move(lane));
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<std::unique_ptr<device_lane>>> idle_;
};

}  // namespace

std::shared_ptr<void> keep_lanes() { return idle_lanes::of_grids(); }

void* device_lane::pinned(std::size_t bytes) {
  if (bytes > bytes_) {
    is_pinned_.reset();
    memory_.reset(new char[bytes]);
    is_pinned_ = std::make_unique<pinned_range>(memory_.get(), bytes);
    bytes_ = bytes;
  }
  return memory_.get();
}

void on_lanes(const worker& w, index_t parts, const std::function<void(device_lane&, index_t)>& work) {
  const int device = w.context().device()->ordinal;
  const std::shared_ptr<idle_lanes> idle = idle_lanes::of_grids();
  const int threads_here = std::max(1, default_threads() / w.size());
  const auto lanes = static_cast<int>(std::min<index_t>({parts, most_lanes, threads_here}));
  std::atomic<index_t> next{0};
  std::exception_ptr failure;
  std::mutex first;
  const auto run = [&] {
    try {
      const device_scope here(device);
      std::unique_ptr<device_lane> lane = idle->take(device);
      for (index_t part; (part = next++) < parts;) work(*lane, part);
      idle->give_back(device, std::move(lane));  // one that failed is not used again
    } catch (...) {
      next = parts;
      const std::lock_guard lock(first);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int lane = 1; lane < lanes; ++lane) try {
      others.emplace_back(run);
    } catch (const std::system_error&) {
      break;  // fewer lanes do it
    }
  run();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kleene::detail
