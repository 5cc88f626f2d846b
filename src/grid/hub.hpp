// What the workers of a grid in one process share: notes of where messages are, and the end of all where one fails.
#pragma once

#include "kleene/grid/grid.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kleene {

// Ends the program of a worker whose grid has failed. The first failure is what run() throws.
struct worker_stopped : std::exception {
  const char* what() const noexcept override { return "another worker of the grid has failed"; }
};

inline void require_same_size(std::size_t expected, std::size_t sent) {
  if (expected != sent)
    throw error(fault_code::internal, "a worker expects " + std::to_string(expected) + " bytes and is sent " +
                                          std::to_string(sent) + ": the workers' programs differ");
}

class hub {
 public:
  enum channel : int { in_row, in_column, in_all, messages, on_devices };
  using line_key = std::array<int, 3>;  // from, to, channel

  explicit hub(int workers) : workers_(workers) {}

  std::uint64_t post(const line_key& key, const void* data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    line& at = lines_[key];
    at.posts[at.sent] = {data, bytes, false};
    changed_.notify_all();
    return at.sent++;
  }
  // Until the receiver has it.
  void await_taken(const line_key& key, std::uint64_t number) {
    std::unique_lock lock(mutex_);
    await(lock, [&] { return !lines_[key].posts.contains(number); });
  }
  // The memory behind a post is about to go.
  void withdraw(const line_key& key, std::uint64_t number) noexcept {
    std::unique_lock lock(mutex_);
    auto& posts = lines_[key].posts;
    const auto is_being_copied = [&] {
      const auto found = posts.find(number);
      return found != posts.end() && found->second.is_being_copied;
    };
    changed_.wait(lock, [&] { return !is_being_copied(); });
    posts.erase(number);
  }
  // The number of the next message on a line.
  std::uint64_t expect(const line_key& key) {
    const std::lock_guard lock(mutex_);
    return lines_[key].expected++;
  }
  // copy(the sender's memory): the sender waits until it is done.
  template <class Copy>
  void take(const line_key& key, std::uint64_t number, std::size_t bytes, const Copy& copy) {
    std::unique_lock lock(mutex_);
    auto& posts = lines_[key].posts;
    await(lock, [&] { return posts.contains(number); });
    post_note& from = posts[number];
    require_same_size(bytes, from.bytes);
    from.is_being_copied = true;
    lock.unlock();
    std::exception_ptr wrong;
    try {
      copy(from.data);
    } catch (...) {
      wrong = std::current_exception();
    }
    lock.lock();
    posts.erase(number);
    changed_.notify_all();
    if (wrong) std::rethrow_exception(wrong);
  }

  std::int64_t minimum(std::int64_t mine) {
    std::unique_lock lock(mutex_);
    least_ = std::min(least_, mine);
    if (++arrived_ == workers_) {
      result_ = std::exchange(least_, std::numeric_limits<std::int64_t>::max());
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return result_;
    }
    // Workers mostly come together, and to sleep and wake takes longer than that.
    const std::uint64_t round = round_;
    lock.unlock();
    const auto enough = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    while (round_ == round && std::chrono::steady_clock::now() < enough) std::this_thread::yield();
    lock.lock();
    await(lock, [&] { return round_ != round; });
    return result_;  // nobody has come to the next round without this worker
  }

  void fail(std::exception_ptr thrown) noexcept {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(thrown);
    changed_.notify_all();
  }
  const std::exception_ptr& failure() const { return failure_; }  // once all workers have ended

  // So many workers have ended, or never began.
  void end(int workers) noexcept {
    const std::lock_guard lock(mutex_);
    ended_ += workers;
    changed_.notify_all();
  }
  void await_end() noexcept {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ == workers_; });
  }

 private:
  struct post_note {
    const void* data = nullptr;
    std::size_t bytes = 0;
    bool is_being_copied = false;
  };
  struct line {
    std::uint64_t sent = 0, expected = 0;
    std::map<std::uint64_t, post_note> posts;
  };

  template <class Condition>
  void await(std::unique_lock<std::mutex>& lock, const Condition& holds) {
    changed_.wait(lock, [&] { return failure_ || holds(); });
    if (failure_) throw worker_stopped();
  }

  const int workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<line_key, line> lines_;
  std::exception_ptr failure_;
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max(), result_ = 0;
  int arrived_ = 0, ended_ = 0;
  std::atomic<std::uint64_t> round_ = 0;
};

// Messages for the others, until they have them or this is gone.
class sent_posts : public request {
 public:
  explicit sent_posts(hub& h) : hub_(h) {}
  ~sent_posts() override {
    for (const auto& [key, number] : posts_) hub_.withdraw(key, number);
  }
  void add(const hub::line_key& key, const void* data, std::size_t bytes) {
    posts_.reserve(posts_.size() + 1);
    posts_.emplace_back(key, hub_.post(key, data, bytes));
  }
  void wait() override {
    for (const auto& [key, number] : posts_) hub_.await_taken(key, number);
  }

 private:
  hub& hub_;
  std::vector<std::pair<hub::line_key, std::uint64_t>> posts_;
};

// Between threads of a process: the receiver copies a message from where the sender has it.
class thread_communicator : public communicator {
 public:
  thread_communicator(hub& h, const grid_place& place) : hub_(h), place_(place) {}

  pending begin_broadcast(scope within, int root, void* data, std::size_t bytes) override;
  pending begin_send(int to, const void* data, std::size_t bytes) override;
  pending begin_receive(int from, void* data, std::size_t bytes) override;
  std::int64_t minimum(std::int64_t mine) override { return hub_.minimum(mine); }
  bool is_one_process() const override { return true; }

 protected:
  hub& hub_;
  grid_place place_;
};

// What a worker starts with.
struct worker_start {
  std::unique_ptr<communicator> comm;
  kleene::context context;
};

// Runs a program for every worker of a grid of that shape, each on a thread of its own, and throws what the first that
// failed threw. start(hub, place) is called on that thread.
void run_workers(const grid_place& shape, const std::function<worker_start(hub&, const grid_place&)>& start,
                 const std::function<void(worker&)>& program);

}  // namespace kleene
