#include "worker_times.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kleene::cli {

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

// Shortened where it is longer than its place.
void put(std::string_view text, std::array<char, 64>& to) { text.copy(to.data(), to.size() - 1); }

worker_row row_of(const worker& w) {
  worker_row row{.row = w.row(), .col = w.col()};
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  put(host.data(), row.host);
  put(w.context().describe(), row.place);
  return row;
}

std::vector<worker_row> gather(const worker& w, worker_row mine) {
  std::vector<worker_row> all;
  if (w.rank() != 0) w.comm().send(0, &mine, sizeof mine);
  for (int rank = 0; w.rank() == 0 && rank < w.size(); ++rank) {
    if (rank > 0) w.comm().receive(rank, &mine, sizeof mine);
    all.push_back(mine);
  }
  return all;
}

}  // namespace

class timed_communicator::timed_request : public request {
 public:
  timed_request(pending of, double& waited) : of_(std::move(of)), waited_(waited) {}
  void wait() override {
    const auto start = clock_type::now();
    of_->wait();
    waited_ += seconds_since(start);
  }

 private:
  pending of_;
  double& waited_;
};

pending timed_communicator::begin_broadcast(scope within, int root, void* data, std::size_t bytes) {
  return std::make_unique<timed_request>(of_.begin_broadcast(within, root, data, bytes), waited_);
}
pending timed_communicator::begin_send(int to, const void* data, std::size_t bytes) {
  return std::make_unique<timed_request>(of_.begin_send(to, data, bytes), waited_);
}
pending timed_communicator::begin_receive(int from, void* data, std::size_t bytes) {
  return std::make_unique<timed_request>(of_.begin_receive(from, data, bytes), waited_);
}
void timed_communicator::broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) {
  on_devices_ = true;
  panels_.begin(stream);
  of_.broadcast_on(stream, within, root, data, bytes);
  panels_.end(stream);
}
std::int64_t timed_communicator::minimum(std::int64_t mine) {
  const auto start = clock_type::now();
  const std::int64_t least = of_.minimum(mine);
  waited_ += seconds_since(start);
  return least;
}

std::vector<worker_row> run_timed(worker& w,
                                  const std::function<void(worker&, const std::function<double()>&)>& program) {
  timed_communicator timed(w.comm());
  worker_row mine = row_of(w);
  worker self({.rows = w.rows(), .cols = w.cols(), .row = w.row(), .col = w.col()}, std::move(w.context()), timed);
  const auto start = clock_type::now();
  try {
    program(self, [&] { return timed.seconds(); });
    w.context() = std::move(self.context());
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    w.context() = std::move(self.context());
    if (!self.agreed() || thrown != self.agreed()) throw;
    w.together([&] { std::rethrow_exception(thrown); });  // the grid's own worker knows that all throw it
  }
  mine.communication = timed.seconds();
  mine.seconds = seconds_since(start);
  return gather(w, mine);
}

std::string workers_json(const std::vector<worker_row>& workers) {
  std::string all;
  for (const worker_row& each : workers) {
    json_object json;
    json.number("rank", &each - workers.data()).number("row", each.row).number("col", each.col);
    json.text("host", each.host.data()).text("place", each.place.data());
    json.number("seconds", each.seconds).number("communication_seconds", each.communication);
    all += (all.empty() ? "" : ", ") + json.inner();
  }
  return "[" + all + "]";
}

std::string workers_text(const std::vector<worker_row>& workers) {
  const auto [least, most] =
      std::ranges::minmax_element(workers, {}, [](const worker_row& each) { return each.share(); });
  return fmt::format("{} ({} x {}), communication {:.0f} to {:.0f} % of the time{}", workers.size(),
                     workers.back().row + 1, workers.back().col + 1, 100 * least->share(), 100 * most->share(),
                     std::string_view(workers.front().place.data()).starts_with("cuda") ? ", beside products" : "");
}

}  // namespace kleene::cli
