// Threads, as kernels see them: a team runs one function, with barriers. OpenMP provides the threads, inside the compiled
// library, so headers carry no pragma and a user's own algebra runs on all cores without a compiler flag.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace kleene {

// One member of a running team.
struct team_member {
  int thread = 0;  // 0 .. threads - 1
  int threads = 1;
  // Every member must arrive before any goes on.
  void barrier() const noexcept;
};

namespace detail {
void start_team(int threads, void (*body)(void*, const team_member&), void* state) noexcept;
}

// Runs body(member) on `threads` threads and returns when all are done. body must not throw.
template <class Body>
void run_team(int threads, Body&& body) noexcept {
  if (threads <= 1) {
    body(team_member{});
    return;
  }
  using F = std::remove_reference_t<Body>;
  detail::start_team(
      threads, [](void* state, const team_member& member) { (*static_cast<F*>(state))(member); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// Tasks 0 .. count - 1 handed out to whoever is free. Shared by a team; reset between barriers.
class task_queue {
 public:
  // The next task, or count when none is left.
  std::int64_t next() noexcept { return next_.fetch_add(1, std::memory_order_relaxed); }
  void reset() noexcept { next_.store(0, std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<std::int64_t> next_{0};
};

}  // namespace kleene
