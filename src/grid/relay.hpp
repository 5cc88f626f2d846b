// What processes without MPI say to each other: each has a connection to rank 0, which hands on what is for others.
// For the few and small messages beside panels, which NCCL takes (docs/decisions/0024).
//
//   rendezvous  Rank 0 listens at host:port until all have come; strangers and processes of another run are turned
//               away.
//   messages    go from a rank to another on a channel, in order, and wait where they arrive until they are asked for:
//               a sender never waits for its receiver.
//   ends        A process that leaves says so first. A connection that ends before is a process that is gone: it ends
//               all others. What has vanished without a word (a machine) is noticed within 20 s.
//   safety      Whoever reaches the port while ranks are coming, and knows the run's name, can take part: it is for
//               networks of the machine's own.
#pragma once

#include "grid/sockets.hpp"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kleene {

struct relay_place {
  int rank = 0, size = 1;
  std::string rendezvous;  // host:port
  std::string job;         // the same for all
  double patience = 60;    // seconds that rank 0 waits for the others, and they for it
};

class relay {
 public:
  // Called once, from some thread, when another process is gone or has failed: words to say (empty: it was said
  // already), and an exit code.
  using ending = std::function<void(const std::string& words, int code)>;

  // A call of all ranks. error(device) where they do not meet.
  relay(const relay_place& place, ending when_it_ends);
  // Waits until the others need this one no more.
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  void send(int to, int channel, const void* data, std::size_t bytes);
  // Waits for it. worker_stopped once another process is gone.
  void receive(int from, int channel, void* data, std::size_t bytes);
  // Tells all others that this one has failed: they end with this code.
  void fail(int code) noexcept;

 private:
  struct head {
    std::uint32_t kind;
    std::int32_t from, to, channel;
    std::uint64_t bytes;
  };
  struct line {  // a connection, and who reads from it
    socket_handle socket;
    std::mutex writing;
    std::thread reader;
  };

  void await_others(const relay_place& place);
  void find_first(const relay_place& place);
  void read_from(int rank);
  bool take(int rank, const head& h);  // whether more may come
  void deliver(const head& h, std::vector<char> data);
  void write(int rank, const head& h, const void* data);
  void lose(int rank);
  void tell_others(int code) noexcept;
  void end(int code, const std::string& words);
  void end_waits(int code, const std::string& words);
  line& line_to(int rank) { return *lines_[rank_ == 0 ? rank : 0]; }

  int rank_, size_;
  ending when_it_ends_;
  std::vector<std::unique_ptr<line>> lines_;  // rank 0: by rank; others: that to rank 0
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::deque<std::vector<char>>> arrived_;  // by sender and channel
  bool is_ending_ = false, has_ended_ = false, is_leaving_ = false;
};

}  // namespace kleene
