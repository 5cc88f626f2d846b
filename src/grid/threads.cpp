// Grids of threads. A message is a note of where the sender's memory is; the receiver copies it from there.
#include "kleene/data/parallel.hpp"
#include "kleene/grid/grid.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace kleene {

namespace {

// Ends the program of a worker whose grid has failed. The first failure is what run() throws.
struct worker_stopped : std::exception {
  const char* what() const noexcept override { return "another worker of the grid has failed"; }
};

enum channel : int { in_row, in_column, in_all, messages };
using line_key = std::array<int, 3>;  // from, to, channel

// What the workers share.
class hub {
 public:
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
  void take(const line_key& key, std::uint64_t number, void* to, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    auto& posts = lines_[key].posts;
    await(lock, [&] { return posts.contains(number); });
    post_note& from = posts[number];
    if (from.bytes != bytes)
      throw error(fault_code::internal, "a worker expects " + std::to_string(bytes) + " bytes and is sent " +
                                            std::to_string(from.bytes) + ": the workers' programs differ");
    from.is_being_copied = true;
    lock.unlock();
    if (bytes > 0) std::memcpy(to, from.data, bytes);
    lock.lock();
    posts.erase(number);
    changed_.notify_all();
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
    await(lock, [&, round = round_] { return round_ != round; });
    return result_;  // nobody has come to the next round without this worker
  }

  void fail(std::exception_ptr thrown) noexcept {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(thrown);
    changed_.notify_all();
  }
  const std::exception_ptr& failure() const { return failure_; }  // once all workers have ended

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
  int arrived_ = 0;
  std::uint64_t round_ = 0;
};

class sent_posts : public request {
 public:
  explicit sent_posts(hub& h) : hub_(h) {}
  ~sent_posts() override {
    for (const auto& [key, number] : posts_) hub_.withdraw(key, number);
  }
  void add(const line_key& key, const void* data, std::size_t bytes) {
    posts_.reserve(posts_.size() + 1);
    posts_.emplace_back(key, hub_.post(key, data, bytes));
  }
  void wait() override {
    for (const auto& [key, number] : posts_) hub_.await_taken(key, number);
  }

 private:
  hub& hub_;
  std::vector<std::pair<line_key, std::uint64_t>> posts_;
};

class expected_post : public request {
 public:
  expected_post(hub& h, const line_key& key, void* to, std::size_t bytes)
      : hub_(h), key_(key), number_(h.expect(key)), to_(to), bytes_(bytes) {}
  void wait() override { hub_.take(key_, number_, to_, bytes_); }

 private:
  hub& hub_;
  line_key key_;
  std::uint64_t number_;
  void* to_;
  std::size_t bytes_;
};

class thread_communicator : public communicator {
 public:
  thread_communicator(hub& h, const grid_place& place) : hub_(h), place_(place) {}

  pending begin_broadcast(scope within, int root, void* data, std::size_t bytes) override {
    const int me = within == scope::row ? place_.col : within == scope::column ? place_.row : place_.rank();
    const int members = within == scope::row ? place_.cols : within == scope::column ? place_.rows : place_.size();
    const int channel = within == scope::row ? in_row : within == scope::column ? in_column : in_all;
    if (me != root)
      return std::make_unique<expected_post>(hub_, line_key{rank_of(within, root), place_.rank(), channel}, data,
                                             bytes);
    auto sent = std::make_unique<sent_posts>(hub_);
    for (int member = 0; member < members; ++member)
      if (member != root) sent->add({place_.rank(), rank_of(within, member), channel}, data, bytes);
    return sent;
  }
  pending begin_send(int to, const void* data, std::size_t bytes) override {
    auto sent = std::make_unique<sent_posts>(hub_);
    sent->add({place_.rank(), to, messages}, data, bytes);
    return sent;
  }
  pending begin_receive(int from, void* data, std::size_t bytes) override {
    return std::make_unique<expected_post>(hub_, line_key{from, place_.rank(), messages}, data, bytes);
  }
  std::int64_t minimum(std::int64_t mine) override { return hub_.minimum(mine); }

 private:
  int rank_of(scope within, int member) const {
    if (within == scope::row) return place_.row * place_.cols + member;
    if (within == scope::column) return member * place_.cols + place_.col;
    return member;
  }

  hub& hub_;
  grid_place place_;
};

void run_threads(const grid_place& shape, const cpu_options& each, const std::function<void(worker&)>& program) {
  hub shared(shape.size());
  const auto run = [&](int rank) {
    grid_place place = shape;
    place.row = rank / shape.cols, place.col = rank % shape.cols;
    thread_communicator comm(shared, place);
    try {
      worker self(place, context::cpu(each), comm);
      program(self);
    } catch (const worker_stopped&) {
    } catch (...) {
      shared.fail(std::current_exception());
    }
  };
  std::vector<std::thread> threads;
  try {
    threads.reserve(shape.size() - 1);
    for (int rank = 1; rank < shape.size(); ++rank) threads.emplace_back(run, rank);
    run(0);  // on the caller's own thread
  } catch (const std::system_error& e) {
    shared.fail(std::make_exception_ptr(
        error(fault_code::memory, "a grid of " + std::to_string(shape.size()) + " threads: " + e.what())));
  }
  for (std::thread& thread : threads) thread.join();
  if (shared.failure()) std::rethrow_exception(shared.failure());
}

}  // namespace

grid grid::threads(int rows, int cols, const cpu_options& each) {
  detail::require_grid(rows, cols);
  cpu_options mine = each;
  if (mine.threads == 0) mine.threads = std::max(1, default_threads() / (rows * cols));
  context::cpu(mine);  // refuses what it would refuse on each thread
  return grid(rows, cols, [rows, cols, mine](const std::function<void(worker&)>& program) {
    run_threads({.rows = rows, .cols = cols}, mine, program);
  });
}

}  // namespace kleene
