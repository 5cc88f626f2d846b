// Threads, as kernels see them: a team runs one function, with barriers. The threads are the compiled library's own, so
// that a user's own algebra runs on all cores without a compiler flag. They are started when first asked for, sleep
// between teams, and are shared by all contexts of the process. A forked child starts threads of its own.
#pragma once

#include <algorithm>
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

// How many of `threads` threads a call takes: as many as have a grain of its work each, so that small calls stay on the
// thread that made them. Work and grain are counted in one unit, whatever the time of the operation follows.
inline int threads_for(double work, double grain, int threads) {
  return static_cast<int>(std::clamp(work / grain, 1.0, std::max(1.0, static_cast<double>(threads))));
}

// The grain of passes over the elements of a matrix: some 20 us, about what waking a thread that sleeps takes.
inline constexpr double elements_per_thread = 1 << 15;

namespace detail {
enum class presence : bool { as_they_come, all };  // of the members of a team
void start_team(int threads, presence members, void (*body)(void*, const team_member&), void* state);

template <class Body>
void run_members(int threads, presence members, Body& body) {
  if (threads <= 1) {
    body(team_member{});
    return;
  }
  start_team(
      threads, members, [](void* state, const team_member& member) { (*static_cast<Body*>(state))(member); },
      const_cast<void*>(static_cast<const void*>(&body)));
}
}  // namespace detail

// Runs body(member) on up to `threads` threads and returns when all are done. There are fewer members where the system
// gives no more threads, and one alone in a team that a member of another team starts: divide work by member.threads.
// What body throws arrives here, once every member has ended: the first exception, if there are several.
template <class Body>
void run_team(int threads, Body&& body) {
  detail::run_members(threads, detail::presence::all, body);
}

// The same for members that take tasks from a queue until none is left, and meet at no barrier. Members that have not
// begun when the caller's part is over have nothing left to take and are let go: where other processes have the
// other cores, the caller does the work alone instead of waiting for its end.
template <class Body>
void run_tasks(int threads, Body&& body) {
  detail::run_members(threads, detail::presence::as_they_come, body);
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
inline constexpr int least_most_threads = 256;
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
