#include "grid/relay.hpp"

#include "grid/hub.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <system_error>

namespace kleene {

namespace {

using clock_type = std::chrono::steady_clock;

// Kinds of what goes over a line.
enum kind : std::uint32_t { data = 0x6b6c0001, leaves = 0x6b6c0002, has_failed = 0x6b6c0003, hello = 0x6b6c0010 };

// What a rank says when it comes, and rank 0 answers when all have.
struct greeting {
  std::uint32_t kind = hello;
  std::int32_t rank = 0, size = 0;
  std::uint32_t run = 0;
};

std::uint32_t hash_of(const std::string& job) {
  std::uint32_t hash = 2'166'136'261u;  // FNV-1a
  for (const char c : job) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619u;
  return hash;
}

double seconds_since(clock_type::time_point start) {
  return std::chrono::duration<double>(clock_type::now() - start).count();
}

std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

relay::relay(const relay_place& place, ending when_it_ends)
    : rank_(place.rank), size_(place.size), when_it_ends_(std::move(when_it_ends)) {
  lines_.resize(rank_ == 0 ? static_cast<std::size_t>(size_) : 1);
  if (size_ == 1) return;
  if (rank_ == 0) await_others(place);
  else find_first(place);
  for (int rank = 0; rank < static_cast<int>(lines_.size()); ++rank)
    if (lines_[rank]) lines_[rank]->reader = std::thread([this, rank] { read_from(rank); });
}

void relay::await_others(const relay_place& place) {
  const auto start = clock_type::now();
  const socket_handle listening = listen_at(place.rendezvous, size_);
  for (int came = 1; came < size_;) {
    const double left = place.patience - seconds_since(start);
    socket_handle caller = left > 0 ? accept_within(listening, left) : socket_handle();
    if (!caller && left > 0) continue;
    if (!caller) {
      std::string missing;
      for (int rank = 1; rank < size_; ++rank)
        if (!lines_[rank]) missing += (missing.empty() ? " " : ", ") + std::to_string(rank);
      throw error(fault_code::device, std::to_string(came) + " of " + std::to_string(size_) + " ranks came to " +
                                          place.rendezvous + " within " + std::to_string(int(place.patience)) +
                                          " s; missing:" + missing);
    }
    greeting said;
    caller.limit_reads(5);
    if (!caller.read(&said, sizeof said) || said.kind != hello || said.run != hash_of(place.job))
      continue;  // a stranger
    caller.limit_reads(0);
    if (said.size != size_ || said.rank < 1 || said.rank >= size_ || lines_[said.rank])
      throw error(fault_code::device, "rank " + std::to_string(said.rank) + " of " + std::to_string(said.size) +
                                          " came to " + place.rendezvous + ", where " + std::to_string(size_) +
                                          " ranks meet" + (said.size == size_ ? " once each" : ""));
    lines_[said.rank] = std::make_unique<line>();
    lines_[said.rank]->socket = std::move(caller);
    ++came;
  }
  const greeting answer{.size = size_, .run = hash_of(place.job)};
  for (int rank = 1; rank < size_; ++rank) lines_[rank]->socket.write(&answer, sizeof answer);
}

void relay::find_first(const relay_place& place) {
  const auto start = clock_type::now();
  const greeting mine{.rank = rank_, .size = size_, .run = hash_of(place.job)};
  lines_[0] = std::make_unique<line>();
  socket_handle& socket = lines_[0]->socket;
  std::chrono::milliseconds pause(1);  // ranks that start together miss rank 0 by less
  while (!(socket = connect_to(place.rendezvous))) {
    if (seconds_since(start) > place.patience)
      throw error(fault_code::device, rank_text(rank_) + " found nobody at " + place.rendezvous + " within " +
                                          std::to_string(int(place.patience)) +
                                          " s (KLEENE_RENDEZVOUS names another host:port)");
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(50));
  }
  greeting answer;
  socket.limit_reads(place.patience + 5);
  if (!socket.write(&mine, sizeof mine) || !socket.read(&answer, sizeof answer) || answer.kind != hello ||
      answer.run != mine.run || answer.size != size_)
    throw error(fault_code::device, "rank 0 at " + place.rendezvous + " turned " + rank_text(rank_) + " of " +
                                        std::to_string(size_) + " away, or is gone");
  socket.limit_reads(0);
}

// Rank 0 stays until all have left, as it hands on what they say to each other; the others until it has heard them.
relay::~relay() {
  const head bye{leaves, rank_, 0, 0, 0};
  if (size_ > 1 && rank_ == 0) {
    std::unique_lock lock(mutex_);
    is_leaving_ = true;
  } else if (size_ > 1) {
    {
      const std::lock_guard lock(mutex_);
      is_leaving_ = true;
    }
    write(0, bye, nullptr);
    lines_[0]->socket.shut_writing();
  }
  for (const auto& each : lines_)
    if (each && each->reader.joinable()) each->reader.join();
}

void relay::send(int to, int channel, const void* data, std::size_t bytes) {
  const head h{kind::data, rank_, to, channel, bytes};
  if (to != rank_) return write(to, h, data);
  const char* const first = static_cast<const char*>(data);
  deliver(h, {first, first + bytes});
}

void relay::write(int rank, const head& h, const void* data) {
  line& to = line_to(rank);
  const std::lock_guard lock(to.writing);
  // Where it does not go the other is gone, and who reads from it finds out.
  if (to.socket.write(&h, sizeof h) && h.bytes > 0) to.socket.write(data, h.bytes);
}

void relay::receive(int from, int channel, void* data, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  auto& waiting = arrived_[{from, channel}];
  changed_.wait(lock, [&] { return has_ended_ || !waiting.empty(); });
  if (waiting.empty()) throw worker_stopped();
  const std::vector<char> message = std::move(waiting.front());
  waiting.pop_front();
  lock.unlock();
  require_same_size(bytes, message.size());
  if (bytes > 0) std::memcpy(data, message.data(), bytes);
}

void relay::deliver(const head& h, std::vector<char> message) {
  {
    const std::lock_guard lock(mutex_);
    arrived_[{h.from, h.channel}].push_back(std::move(message));
  }
  changed_.notify_all();
}

void relay::read_from(int rank) {
  const line& from = *lines_[rank];
  try {
    for (head h; from.socket.read(&h, sizeof h);)
      if (!take(rank, h)) return;
  } catch (const std::exception& e) {
    return end(static_cast<int>(fault_code::memory), "messages of " + rank_text(rank) + ": " + e.what());
  }
  lose(rank);
}

bool relay::take(int rank, const head& h) {
  if (h.kind == leaves) {
    lines_[rank]->socket.shut();
    return false;
  }
  if (h.kind == has_failed) {
    if (rank_ == 0)
      for (int other = 1; other < size_; ++other)
        if (other != rank) write(other, h, nullptr);
    end(h.channel, "");
    return false;
  }
  std::vector<char> message(h.bytes);
  if (!lines_[rank]->socket.read(message.data(), message.size())) {
    lose(rank);
    return false;
  }
  if (h.to == rank_) deliver(h, std::move(message));
  else write(h.to, h, message.data());
  return true;
}

// A line has come to its end without a word. Those who are told end as well, and their lines, which is no news: then it
// is this rank that is named.
void relay::lose(int rank) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_ || (is_leaving_ && rank_ != 0)) return;
    is_ending_ = true;
  }
  const int code = static_cast<int>(fault_code::device);
  tell_others(code);
  end_waits(code, rank_text(rank) + " of the grid is gone: its process, its machine or the network between has ended");
}

// The others may be gone before this process is: nothing to say of that.
void relay::fail(int code) noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  tell_others(code);
}

void relay::tell_others(int code) noexcept {
  const head h{has_failed, rank_, 0, code, 0};
  for (int rank = 0; rank < static_cast<int>(lines_.size()); ++rank)
    if (lines_[rank]) write(rank, h, nullptr);
}

void relay::end(int code, const std::string& words) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_ending_, true)) return;
  }
  end_waits(code, words);
}

void relay::end_waits(int code, const std::string& words) {
  when_it_ends_(words, code);  // before waits end, whose worker would have words of its own
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

}  // namespace kleene
