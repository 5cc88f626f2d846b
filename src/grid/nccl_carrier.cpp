#include "grid/nccl_carrier.hpp"

#include "grid/hub.hpp"
#include "kleene/grid/ranks/panels.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace kleene {

void nccl_group::add(nccl_carrier& one) {
  const std::lock_guard lock(mutex_);
  all_.push_back(&one);
}
void nccl_group::remove(nccl_carrier& one) {
  const std::lock_guard lock(mutex_);
  std::erase(all_, &one);
}
void nccl_group::abort() noexcept {
  const std::lock_guard lock(mutex_);
  for (nccl_carrier* one : all_) one->abort();
}
std::string nccl_group::trouble() {
  const std::lock_guard lock(mutex_);
  for (nccl_carrier* one : all_)
    if (std::string found = one->trouble(); !found.empty()) return found;
  return {};
}

nccl_carrier::nccl_carrier(const nccl::library& library, nccl_group& group, const grid_place& place,
                           const nccl::unique_id& id)
    : library_(library), group_(group), place_(place) {
  library_.require(library_.comm_init_rank(&all_, place.size(), id, place.rank()), "making a communicator");
  // A line of the grid that is all of it has no communicator of its own, nor has one of a single worker.
  if (place.rows > 1 && place.cols > 1) {
    library_.require(library_.comm_split(all_, place.row, place.col, &row_, nullptr), "making a row's communicator");
    library_.require(library_.comm_split(all_, place.col, place.row, &column_, nullptr),
                     "making a column's communicator");
  }
  group_.add(*this);
}

nccl_carrier::~nccl_carrier() {
  if (std::uncaught_exceptions() > 0) group_.abort();
  group_.remove(*this);
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
  if (within == scope::all) return all_;
  const int members = place_.members_of(within);
  if (members == 1) return nullptr;
  if (members == place_.size()) return all_;
  return within == scope::row ? row_ : column_;
}

void nccl_carrier::broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) {
  const nccl::comm comm = of(within);
  if (!comm || bytes == 0) return;
  const std::lock_guard lock(mutex_);
  const int came = is_aborted_ ? 0 : library_.broadcast(data, data, bytes, nccl::int8, root, comm, stream);
  if (is_aborted_) throw worker_stopped();
  library_.require(came, "broadcasting a panel", comm);
}

// A thread that is held in broadcast_on() itself (the driver takes no more launches, say) lets go when its communicator
// is aborted under it.
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

std::unique_ptr<nccl_carrier> make_nccl_carrier(worker& w, nccl_group& group) {
  nccl::unique_id id{};
  w.together([&] { nccl::open(); });
  w.together([&] {
    if (w.rank() == 0) nccl::open().require(nccl::open().get_unique_id(&id), "asking for a name");
  });
  w.comm().broadcast(scope::all, 0, &id, sizeof id);
  std::unique_ptr<nccl_carrier> made;
  const grid_place place{.rows = w.rows(), .cols = w.cols(), .row = w.row(), .col = w.col()};
  w.together([&] { made = std::make_unique<nccl_carrier>(nccl::open(), group, place, id); });
  return made;
}

namespace detail {

namespace {

// Of one process that is a worker: what is wrong ends it.
class rank_carrier final : public panel_carrier {
 public:
  explicit rank_carrier(worker& w)
      : carrier_(kleene::make_nccl_carrier(w, group_)),
        watch_([this] { return group_.trouble(); },
               [row = w.row(), col = w.col()](const std::string& words) {
                 std::fprintf(stderr, "kleene: worker (%d, %d) of the grid has failed: %s\n", row, col, words.c_str());
                 std::fflush(stderr);
                 std::_Exit(static_cast<int>(fault_code::device));
               }) {}
  void broadcast_on(cuda_stream stream, scope within, int root, void* data, std::size_t bytes) override {
    carrier_->broadcast_on(stream, within, root, data, bytes);
  }

 private:
  nccl_group group_;
  std::unique_ptr<nccl_carrier> carrier_;
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
