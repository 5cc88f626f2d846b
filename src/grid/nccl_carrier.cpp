#include "grid/nccl_carrier.hpp"

#include "grid/hub.hpp"
#include "kleene/grid/ranks/panels.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace kleene {

void nccl_group::begin() {
  const std::lock_guard lock(mutex_);
  if (is_aborted_.exchange(false)) {
    all_.clear();
    lines_.clear();
  }
  is_stopped_ = false;
}

nccl_carrier& nccl_group::join(worker& w) {
  const auto kept = [&]() -> nccl_carrier* {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(w.rank());
    return found == all_.end() ? nullptr : found->second.get();
  };
  if (nccl_carrier* const mine = kept()) return *mine;
  nccl::unique_id id{};
  w.together([&] { nccl::open(); });
  w.together([&] {
    if (w.rank() == 0) nccl::open().require(nccl::open().get_unique_id(&id), "asking for a name");
  });
  w.comm().broadcast(scope::all, 0, &id, sizeof id);
  const grid_place place{.rows = w.rows(), .cols = w.cols(), .row = w.row(), .col = w.col()};
  std::unique_ptr<nccl_carrier> made;
  w.together([&] { made = std::make_unique<nccl_carrier>(nccl::open(), *this, place, id); });
  const std::lock_guard lock(mutex_);
  return *(all_[w.rank()] = std::move(made));
}

void nccl_group::note(const grid_place& place, scope of, int root, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) throw worker_stopped();
  if (!make_scratch_) return;
  line& at = lines_[{of, of == scope::row ? place.row : of == scope::column ? place.col : 0}];
  at.begun.resize(static_cast<std::size_t>(place.members_of(of)));
  if (at.begun[place.number_in(of)]++ == at.first + at.open.size()) at.open.push_back({of, root, bytes});
  while (!at.open.empty() && *std::min_element(at.begun.begin(), at.begun.end()) > at.first) {
    at.open.pop_front();
    ++at.first;
  }
}

// What others have begun and this worker has not; from here on it has.
std::vector<nccl_group::broadcast> nccl_group::missing(const grid_place& place) {
  std::vector<broadcast> found;
  for (auto& [key, at] : lines_) {
    const auto& [of, number] = key;
    if (of != scope::all && number != (of == scope::row ? place.row : place.col)) continue;
    std::uint64_t& begun = at.begun[place.number_in(of)];
    found.insert(found.end(), at.open.begin() + static_cast<std::ptrdiff_t>(begun - at.first), at.open.end());
    begun = at.first + at.open.size();
  }
  return found;
}

void nccl_group::take_part(nccl_carrier& one, const std::vector<broadcast>& in) {
  std::size_t most = 0;
  for (const broadcast& each : in) most = std::max(most, each.bytes);
  try {
    const std::unique_ptr<panel_scratch> scratch = make_scratch_(one.place().rank());
    void* const memory = scratch->memory(most);
    for (const broadcast& each : in) one.take_part(scratch->stream(each.of), each.of, each.root, memory, each.bytes);
    scratch->wait();
  } catch (const std::exception&) {  // the device has failed, and with it the others' waits
    abort();
  }
}

void nccl_group::stop() noexcept {
  std::vector<std::thread> behind;
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_.exchange(true) || !make_scratch_) return;
    for (const auto& [rank, one] : all_) {
      std::vector<broadcast> those = missing(one->place());
      if (!those.empty())
        behind.emplace_back([this, &carrier = *one, those = std::move(those)] { take_part(carrier, those); });
    }
  }
  for (std::thread& each : behind) each.join();
}

void nccl_group::abort() noexcept {
  const std::lock_guard lock(mutex_);
  is_stopped_ = is_aborted_ = true;
  for (const auto& [rank, one] : all_) one->abort();
}

std::string nccl_group::trouble() {
  const std::lock_guard lock(mutex_);
  for (const auto& [rank, one] : all_)
    if (std::string found = one->trouble(); !found.empty()) return found;
  return {};
}

nccl_carrier::nccl_carrier(const nccl::library& library, nccl_group& group, const grid_place& place,
                           const nccl::unique_id& id)
    : library_(library), group_(group), place_(place) {
  library_.require(library_.comm_init_rank(&all_, place.size(), id, place.rank()), "making a communicator");
  if (place.rows > 1 && place.cols > 1) {
    library_.require(library_.comm_split(all_, place.row, place.col, &row_, nullptr), "making a row's communicator");
    library_.require(library_.comm_split(all_, place.col, place.row, &column_, nullptr),
                     "making a column's communicator");
  }
}

nccl_carrier::~nccl_carrier() {
  if (std::uncaught_exceptions() > 0) abort();
  if (is_aborted_) return;
  for (const nccl::comm one : distinct()) library_.comm_destroy(one);
}

std::vector<nccl::comm> nccl_carrier::distinct() const {
  std::vector<nccl::comm> found;
  for (const nccl::comm one : {row_, column_, all_})
    if (one) found.push_back(one);
  return found;
}

nccl::comm nccl_carrier::of(scope within) const {
  return within == scope::all ? all_ : within == scope::row ? row_ : column_;
}

void nccl_carrier::broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) {
  if (place_.members_of(within) == 1 || bytes == 0) return;
  const scope of = communicator_scope(place_, within);
  group_.note(place_, of, root, bytes);
  try {
    take_part(stream, of, root, data, bytes);
  } catch (const error&) {  // the others have begun it
    if (group_.is_stopped()) throw worker_stopped();
    group_.abort();
    throw;
  }
}

void nccl_carrier::take_part(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (is_aborted_) throw worker_stopped();
  const nccl::comm comm = of(within);
  library_.require(library_.broadcast(data, data, bytes, nccl::int8, root, comm, stream), "broadcasting a panel", comm);
}

// A thread that is held in a broadcast (the driver takes no more launches, say) lets go when its communicator is
// aborted under it.
void nccl_carrier::abort() noexcept {
  std::unique_lock lock(mutex_, std::defer_lock);
  for (int look = 0; look < 50 && !lock.try_lock(); ++look) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (is_aborted_.exchange(true)) return;
  for (const nccl::comm one : distinct()) library_.comm_abort(one);
}

std::string nccl_carrier::trouble() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || is_aborted_) return {};
  try {
    for (const nccl::comm one : distinct()) {
      int found = nccl::success;
      library_.require(library_.comm_get_async_error(one, &found), "asking for errors", one);
      library_.require(found, "broadcasting panels", one);
    }
  } catch (const error& e) {
    return e.what();
  }
  return {};
}

trouble_watch::trouble_watch(std::function<std::string()> trouble, std::function<void(const std::string&)> found)
    : thread_([this, trouble = std::move(trouble), found = std::move(found)] {
        std::unique_lock lock(mutex_);
        while (!ends_.wait_for(lock, std::chrono::milliseconds(100), [&] { return is_over_; })) {
          lock.unlock();
          const std::string words = trouble();
          if (!words.empty()) return found(words);
          lock.lock();
        }
      }) {}
trouble_watch::~trouble_watch() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

namespace detail {

namespace {

// Of one process that is a worker: what is wrong ends it.
class rank_carrier final : public panel_carrier {
 public:
  explicit rank_carrier(worker& w)
      : carrier_(group_.join(w)),
        watch_([this] { return group_.trouble(); },
               [row = w.row(), col = w.col()](const std::string& words) {
                 std::fprintf(stderr, "kleene: worker (%d, %d) of the grid has failed: %s\n", row, col, words.c_str());
                 std::fflush(stderr);
                 std::_Exit(static_cast<int>(fault_code::device));
               }) {}
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override {
    carrier_.broadcast_on(stream, within, root, data, bytes);
  }

 private:
  nccl_group group_;
  nccl_carrier& carrier_;
  trouble_watch watch_;
};

}  // namespace

std::unique_ptr<panel_carrier> make_nccl_carrier(worker& w) { return std::make_unique<rank_carrier>(w); }

int say_failure(const grid_place& place) {
  int code = static_cast<int>(fault_code::internal);
  std::string text = "an exception that is none of std's";
  try {
    throw;
  } catch (const std::exception& e) {
    text = e.what();
    if (const auto* known = dynamic_cast<const fault*>(&e)) code = static_cast<int>(known->code());
  } catch (...) {
  }
  std::fprintf(stderr, "kleene: worker (%d, %d) of the grid has failed: %s\n", place.row, place.col, text.c_str());
  std::fflush(stderr);
  return code;
}

}  // namespace detail

}  // namespace kleene
