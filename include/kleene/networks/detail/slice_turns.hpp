// Results of slices that several threads contract, used one after the other in the order of the slices: so that sums of
// floats are the same whatever the number of threads.
#pragma once

#include "kleene/data/view.hpp"

#include <condition_variable>
#include <mutex>

namespace kleene::detail {

class slice_turns {
 public:
  // use() once all slices before this one were used; not where one of them has failed. Whoever has a slice has to come
  // here with it, or to end all.
  template <class Use>
  void take(index_t slice, const Use& use) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == slice || has_ended_; });
    if (has_ended_) return;
    use();
    ++next_;
    changed_.notify_all();
  }
  // No slice is used from here on.
  void end() {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }
  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return has_ended_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  index_t next_ = 0;
  bool has_ended_ = false;
};

}  // namespace kleene::detail
