// How a batch in worker 0's memory is shared out: in place where the others see it, else by messages there and back.
#pragma once

#include "kleene/data/device_matrix.hpp"
#include "kleene/grid/detail/host/one_process.hpp"
#include "kleene/operations/detail/checks.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace kleene::detail {

// Problems first .. first + count - 1.
struct problem_range {
  index_t first = 0, count = 0;
};
// Those of a worker: as even as can be, in the order of the ranks.
inline problem_range range_of(int rank, int workers, index_t count) {
  const auto start = [&](int r) { return count / workers * r + count % workers * r / workers; };
  return {start(rank), start(rank + 1) - start(rank)};
}
inline problem_range range_of(const worker& w, index_t count) { return range_of(w.rank(), w.size(), count); }

template <class T, memory Space>
view<T, 3, Space> part_of(const view<T, 3, Space>& v, const problem_range& r) {
  if (v.is_null()) return v;
  return {v.data() + r.first * v.stride(0), {r.count, v.rows(), v.cols()}, v.strides()};
}

// A batch that is worker 0's, and each worker's part of it; a batch of one matrix that is used for all is everybody's.
template <class T>
class shared_batch {
 public:
  using element = std::remove_const_t<T>;

  // Collective, as all here. mine: worker 0's; of the others it is not looked at. is_read: whether its elements go to
  // them.
  shared_batch(worker& w, const batch_view<T>& mine, index_t problems, bool is_read) : worker_(w), whole_(mine) {
    if (is_one_process(w)) {
      const batch_view<T> there = *of_first_worker(w, whole_);
      w.comm().barrier();  // all have read it
      whole_ = there;
      if (!whole_.is_null()) part_ = part_of(whole_, range_in(w.rank(), problems));
      return;
    }
    std::array<index_t, 4> shape{mine.extent(0), mine.rows(), mine.cols(), mine.is_null()};
    w.comm().broadcast(scope::all, 0, shape.data(), sizeof shape);
    if (w.rank() != 0) whole_ = {};
    if (shape[3]) return;
    count_ = shape[0];
    problems_ = problems;
    const problem_range range = range_in(w.rank(), problems);
    w.together([&] {
      if (w.rank() == 0) part_ = part_of(whole_, range);
      else part_ = own_.emplace(range.count, shape[1], shape[2]).view();
    });
    if (is_read) send_parts();
  }

  const batch_view<T>& part() const { return part_; }

  // What the workers have written goes to worker 0.
  void give_back() {
    if (count_ == 0) return;
    if (own_) return worker_.comm().send(0, own_->data(), bytes_of(*own_));
    for (int rank = 1; rank < worker_.size(); ++rank) {
      const auto there = part_of(whole_, range_in(rank, problems_));
      batch<element> packed(there.extent(0), there.rows(), there.cols());
      worker_.comm().receive(rank, packed.data(), bytes_of(packed));
      if constexpr (!std::is_const_v<T>) copy(worker_.context(), packed, there);
    }
  }

 private:
  problem_range range_in(int rank, index_t problems) const {
    const index_t count = whole_.is_null() ? count_ : whole_.extent(0);
    if (count == 1 && problems != 1) return {0, 1};
    return range_of(rank, worker_.size(), problems);
  }
  static std::size_t bytes_of(const batch<element>& b) { return static_cast<std::size_t>(b.size()) * sizeof(element); }

  void send_parts() {
    if (own_) return worker_.comm().receive(0, own_->data(), bytes_of(*own_));
    for (int rank = 1; rank < worker_.size(); ++rank) {
      const auto there = part_of(whole_, range_in(rank, problems_));
      batch<element> packed(there.extent(0), there.rows(), there.cols());
      copy(worker_.context(), there, packed);
      worker_.comm().send(rank, packed.data(), bytes_of(packed));
    }
  }

  worker& worker_;
  batch_view<T> whole_, part_;
  std::optional<batch<element>> own_;  // of a worker in another process than worker 0
  index_t count_ = 0, problems_ = 0;   // across processes
};

}  // namespace kleene::detail
