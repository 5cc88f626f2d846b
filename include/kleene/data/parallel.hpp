// Threads, as kernels see them: a team runs one function, with barriers. The threads are the compiled library's own, so
// that a user's own algebra runs on all cores without a compiler flag. They are started when first asked for, sleep
// between teams, and are shared by all contexts of the process. A forked child starts threads of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>

namespace kleene {

namespace detail {
struct team;
void wait_for_team(team& t);
}  // namespace detail

// One member of a running team.
struct team_member {
  int thread = 0;  // 0 .. threads - 1; 0 is the thread that called run_team
  int threads = 1;
  detail::team* team = nullptr;  // null where the member is alone
  // Every member must arrive before any goes on. Once a member has thrown, that cannot be: barrier() then throws in all
  // the others, which ends their bodies. Not to be caught, other than to throw it on.
  void barrier() const {
    if (threads > 1) detail::wait_for_team(*team);
  }
};

namespace detail {
void start_team(int threads, void (*body)(void*, const team_member&), void* state);
}

// Runs body(member) on up to `threads` threads and returns when all are done. There are fewer members where the system
// gives no more threads, and one alone in a team that a member of another team starts: divide work by member.threads.
// What body throws arrives here, once every member has ended: the first exception, if there are several.
template <class Body>
void run_team(int threads, Body&& body) {
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

// The most threads that a context has: 4 for each processor that this process may run on, at least 256.
int most_threads();
// The threads of a context that is not told: OMP_NUM_THREADS if it is set (of a list the first number), else as many as
// there are processors for this process: those it may run on, no more than the CPU quotas of its control groups are
// worth (cgroups 1 and 2; a quota of 150 % counts as 2). At most most_threads().
int default_threads();
// What is wrong with OMP_NUM_THREADS, for people; empty: nothing.
std::string thread_request_problem();

namespace detail {
// What the quotas in force are worth in processors, rounded up; INT_MAX without a quota. /proc and /sys are below root.
int quota_processors(const std::string& root = "");
}  // namespace detail

}  // namespace kleene
