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
  std::unique_ptr<nccl_carrier> made;
  w.together([&] { made = std::make_unique<nccl_carrier>(nccl::open(), place_of(w), id); });
  const std::lock_guard lock(mutex_);
  return *(all_[w.rank()] = std::move(made));
}

std::string nccl_group::trouble() {
  const std::lock_guard lock(mutex_);
  for (const auto& [rank, one] : all_)
    if (std::string found = one->trouble(); !found.empty()) return found;
  return {};
}

nccl_carrier::nccl_carrier(const nccl::library& library, const grid_place& place, const nccl::unique_id& id)
    : library_(library), place_(place) {
  library_.require(library_.comm_init_rank(&all_, place.size(), id, place.rank()), "making a communicator");
  if (place.rows > 1 && place.cols > 1) {
    library_.require(library_.comm_split(all_, place.row, place.col, &row_, nullptr), "making a row's communicator");
    library_.require(library_.comm_split(all_, place.col, place.row, &column_, nullptr),
                     "making a column's communicator");
  }
}

nccl_carrier::~nccl_carrier() {
  const bool waits = std::uncaught_exceptions() == 0;
  for (const nccl::comm one : distinct()) (waits ? library_.comm_destroy : library_.comm_abort)(one);
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
  const nccl::comm comm = of(communicator_scope(place_, within));
  const std::lock_guard lock(mutex_);
  library_.require(library_.broadcast(data, data, bytes, nccl::int8, root, comm, stream), "broadcasting a panel", comm);
}

std::string nccl_carrier::trouble() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return {};
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

void end_by_trouble(const grid_place& place, const std::string& words) {
  std::fprintf(stderr, "kleene: worker (%d, %d) of the grid has failed: %s\n", place.row, place.col, words.c_str());
  std::fflush(stderr);
  std::_Exit(static_cast<int>(fault_code::device));
}

namespace detail {

namespace {

// Of one process that is a worker: what is wrong ends it.
class rank_carrier final : public panel_carrier {
 public:
  explicit rank_carrier(worker& w)
      : carrier_(group_.join(w)),
        watch_([this] { return group_.trouble(); },
               [place = place_of(w)](const std::string& words) { end_by_trouble(place, words); }) {}
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
