// Grids of threads.
#include "grid/hub.hpp"
#include "kleene/data/parallel.hpp"

#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

namespace kleene {

namespace {

class expected_post : public request {
 public:
  expected_post(hub& h, const hub::line_key& key, void* to, std::size_t bytes)
      : hub_(h), key_(key), number_(h.expect(key)), to_(to), bytes_(bytes) {}
  void wait() override {
    hub_.take(key_, number_, bytes_, [&](const void* from) {
      if (bytes_ > 0) std::memcpy(to_, from, bytes_);
    });
  }

 private:
  hub& hub_;
  hub::line_key key_;
  std::uint64_t number_;
  void* to_;
  std::size_t bytes_;
};

// Waits for what is on the worker's device. Errors of it were thrown where the program waited, or belong to nobody.
void finish(const worker& w) noexcept {
  try {
    w.context().synchronise();
  } catch (const std::exception&) {
  }
}

hub::channel channel_of(scope within) {
  return within == scope::row ? hub::in_row : within == scope::column ? hub::in_column : hub::in_all;
}

}  // namespace

pending thread_communicator::begin_broadcast(scope within, int root, void* data, std::size_t bytes) {
  const hub::channel channel = channel_of(within);
  if (place_.number_in(within) != root)
    return std::make_unique<expected_post>(hub_, hub::line_key{place_.rank_of(within, root), place_.rank(), channel},
                                           data, bytes);
  auto sent = std::make_unique<sent_posts>(hub_);
  for (int member = 0; member < place_.members_of(within); ++member)
    if (member != root) sent->add({place_.rank(), place_.rank_of(within, member), channel}, data, bytes);
  return sent;
}
pending thread_communicator::begin_send(int to, const void* data, std::size_t bytes) {
  auto sent = std::make_unique<sent_posts>(hub_);
  sent->add({place_.rank(), to, hub::messages}, data, bytes);
  return sent;
}
pending thread_communicator::begin_receive(int from, void* data, std::size_t bytes) {
  return std::make_unique<expected_post>(hub_, hub::line_key{from, place_.rank(), hub::messages}, data, bytes);
}

void run_workers(const grid_place& shape, const std::function<worker_start(hub&, const grid_place&)>& start,
                 const std::function<void(worker&)>& program) {
  hub shared(shape.size());
  const auto run = [&](int rank) {
    grid_place place = shape;
    place.row = rank / shape.cols, place.col = rank % shape.cols;
    std::optional<worker_start> with;
    std::optional<worker> self;
    try {
      with.emplace(start(shared, place));
      self.emplace(place, std::move(with->context), *with->comm);
      program(*self);
    } catch (const worker_stopped&) {
    } catch (...) {
      shared.fail(std::current_exception());
    }
    // Where one fails, others may still copy from its device's memory, and wait for events of its communicator: these
    // go when all have ended what they began.
    if (self) finish(*self);
    shared.end(1);
    shared.await_end();
  };
  std::vector<std::thread> threads;
  try {
    threads.reserve(shape.size() - 1);
    for (int rank = 1; rank < shape.size(); ++rank) threads.emplace_back(run, rank);
    run(0);  // on the caller's own thread
  } catch (const std::system_error& e) {
    shared.fail(std::make_exception_ptr(
        error(fault_code::memory, "a grid of " + std::to_string(shape.size()) + " threads: " + e.what())));
    shared.end(shape.size() - static_cast<int>(threads.size()));
  }
  for (std::thread& thread : threads) thread.join();
  if (shared.failure()) std::rethrow_exception(shared.failure());
}

grid grid::threads(int rows, int cols, const cpu_options& each) {
  detail::require_grid(rows, cols);
  cpu_options mine = each;
  if (mine.threads == 0) mine.threads = std::max(1, default_threads() / (rows * cols));
  context::cpu(mine);  // refuses what it would refuse on each thread
  return grid(rows, cols, [rows, cols, mine](const std::function<void(worker&)>& program) {
    run_workers(
        {.rows = rows, .cols = cols},
        [&](hub& shared, const grid_place& place) {
          return worker_start{std::make_unique<thread_communicator>(shared, place), context::cpu(mine)};
        },
        program);
  });
}

}  // namespace kleene
