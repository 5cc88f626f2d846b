// Teams on threads of our own. OpenMP's would do but for three things: GNU's spin for milliseconds whenever they have
// nothing to do, which a library cannot switch off (two cores, a closure of 1,138 vertices beside a compiler and two
// busy processes: 1 to 3 s, with these 0.1); they are dead in a forked child, which then waits for ever; and they end
// the process where one cannot be started.
#include "kleene/data/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#endif

namespace kleene {

namespace {

using word = std::atomic<std::uint32_t>;

// std::atomic's wait() gives its core away four times before it sleeps (libstdc++ 12), which costs a turn of the
// scheduler each where other processes are busy (the same closure: 0.9 s).
#if defined(__linux__)
static_assert(sizeof(word) == 4 && word::is_always_lock_free);
void sleep_while(word& at, std::uint32_t value) noexcept {
  ::syscall(SYS_futex, &at, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}
void wake_all(word& at) noexcept { ::syscall(SYS_futex, &at, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0); }
#else
void sleep_while(word& at, std::uint32_t value) noexcept { at.wait(value, std::memory_order_acquire); }
void wake_all(word& at) noexcept { at.notify_all(); }
#endif

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// How long this thread looks before it sleeps: at most 1 ms, where looking pays. Where the others do not run at all,
// because other processes have their cores, looking only uses up this thread's share of its own: each look in vain
// halves the next. On two cores of a virtual machine, whose idle cores are slow to come back: closure of 4096 in
// 0.926 s (at most 50 us 0.979, 200 us 0.975, GNU's OpenMP 0.922), product of 2048 0.098 (0.102, 0.104, 0.097); the
// closure of 1,138 vertices beside two busy processes and a compiler in 0.08 s (50 us 0.07, 3 ms 0.12, OpenMP 0.22).
using nanoseconds = std::chrono::nanoseconds;
constexpr nanoseconds longest_look{1'000'000}, shortest_look{1'000};
thread_local nanoseconds look = longest_look;

// Waits until `at` is no longer `value`.
void wait_while(word& at, std::uint32_t value) noexcept {
  using clock = std::chrono::steady_clock;
  const auto changed = [&] { return at.load(std::memory_order_acquire) != value; };
  if (changed()) return;
  for (const auto until = clock::now() + look; clock::now() < until;)
    for (int i = 0; i < 16; ++i, pause())
      if (changed()) {
        look = std::min(2 * look, longest_look);
        return;
      }
  look = std::max(look / 2, shortest_look);
  while (!changed()) sleep_while(at, value);
}

// Thrown by barriers once a member has failed. No std::exception: nobody but the team is to catch it.
struct team_failed {};

thread_local bool in_team = false;

}  // namespace

namespace detail {

struct team {
  static constexpr std::uint32_t failed = 1, round = 2;

  void (*body)(void*, const team_member&);
  void* state;
  int threads = 1;
  struct worker* const* workers = nullptr;  // of members 1, 2, ...
  std::exception_ptr first;                 // of the exceptions
  std::atomic<bool> has_first{false};
  alignas(64) word arrived{0};  // at the barrier
  alignas(64) word phase{0};    // rounds of the barrier, and whether it is broken
  alignas(64) word running{0};  // members besides the caller

  // A member's part; throws nothing.
  void run(int thread) noexcept {
    in_team = true;
    try {
      body(state, team_member{thread, threads, this});
    } catch (const team_failed&) {
    } catch (...) {
      if (!has_first.exchange(true)) first = std::current_exception();
      phase.fetch_or(failed, std::memory_order_release);
      wake_all(phase);
    }
    in_team = false;
  }
};

void wait_for_team(team& t) {
  const std::uint32_t phase = t.phase.load(std::memory_order_acquire);
  if (phase & team::failed) throw team_failed();
  if (t.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(t.threads)) {
    t.arrived.store(0, std::memory_order_relaxed);
    t.phase.fetch_add(team::round, std::memory_order_release);
    wake_all(t.phase);
    return;
  }
  wait_while(t.phase, phase);
  // A failure in the next round may be seen here as well: then this round is over, and the next barrier throws.
  const std::uint32_t now = t.phase.load(std::memory_order_acquire);
  if (now == (phase | team::failed)) throw team_failed();
}

// A thread that sleeps at its gate until it is given a part of a team.
struct worker {
  alignas(64) word gate{0};
  std::atomic<team*> work{nullptr};  // taken by the worker, or back by the team
  int thread = 0;

  void give(team* t, int number) noexcept {
    thread = number;
    work.store(t, std::memory_order_release);
  }
  // False if the worker has begun.
  bool take_back() noexcept { return work.exchange(nullptr, std::memory_order_acq_rel) != nullptr; }
  void wake() noexcept {
    gate.fetch_add(1, std::memory_order_release);
    wake_all(gate);
  }

  [[noreturn]] void live() noexcept {
    for (;;) {
      const std::uint32_t seen = gate.load(std::memory_order_acquire);
      team* const t = work.exchange(nullptr, std::memory_order_acq_rel);
      if (!t) {  // nothing yet, or taken back
        wait_while(gate, seen);
        continue;
      }
      wake_two(t, thread);
      t->run(thread);
      word& running = t->running;  // once it is 0 the team is gone; to wake at where it was does no harm
      if (running.fetch_sub(1, std::memory_order_acq_rel) == 1) wake_all(running);
    }
  }

  // Members wake each other, two each, so that a large team is awake after a few turns.
  static void wake_two(team* t, int thread) noexcept {
    for (int next = 2 * thread + 1; next <= 2 * thread + 2 && next < t->threads; ++next) t->workers[next - 1]->wake();
  }
};

namespace {

// The workers that have nothing to do. Never destroyed: they sleep on while the process ends.
class worker_pool {
 public:
  static worker_pool& instance() {
    alignas(worker_pool) static unsigned char room[sizeof(worker_pool)];  // memory that is always there
    static worker_pool& pool = *::new (static_cast<void*>(room)) worker_pool;
    return pool;
  }

  // Up to `count` workers, the same as last time as far as possible; fewer where there are no more threads or memory.
  std::vector<worker*> take(int count) noexcept {
    std::vector<worker*> taken;
    try {
      taken.reserve(static_cast<std::size_t>(count));
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (; static_cast<int>(taken.size()) < count && !idle_.empty(); idle_.pop_back())
          taken.push_back(idle_.back());
      }
      while (static_cast<int>(taken.size()) < count) taken.push_back(start());
    } catch (const std::exception&) {  // bad_alloc, system_error
    }
    return taken;
  }

  void give_back(const std::vector<worker*>& workers) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.insert(idle_.end(), workers.rbegin(), workers.rend());
  }

 private:
  // A child has none of its parent's threads; it leaves what it knows of them alone.
  worker_pool() {
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] {
                     instance().idle_.clear();
                     instance().mutex_.unlock();
                   });
  }

  worker* start() {
    auto made = std::make_unique<worker>();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      idle_.reserve(started_ + 1);  // so that giving back cannot fail
      ++started_;
    }
    std::thread([w = made.get()] { w->live(); }).detach();
    return made.release();
  }

  std::mutex mutex_;
  std::vector<worker*> idle_;
  std::size_t started_ = 0;
};

}  // namespace

void start_team(int threads, presence members, void (*body)(void*, const team_member&), void* state) {
  if (in_team) return body(state, team_member{});
  worker_pool& pool = worker_pool::instance();
  const std::vector<worker*> workers = pool.take(threads - 1);
  if (workers.empty()) return body(state, team_member{});
  team t;
  t.body = body;
  t.state = state;
  t.threads = static_cast<int>(workers.size()) + 1;
  t.workers = workers.data();
  t.running = static_cast<std::uint32_t>(workers.size());
  for (int next = 1; next < t.threads; ++next) workers[next - 1]->give(&t, next);
  worker::wake_two(&t, 0);
  t.run(0);
  if (members == presence::as_they_come)
    for (worker* w : workers)
      if (w->take_back()) t.running.fetch_sub(1, std::memory_order_acq_rel);
  for (std::uint32_t running; (running = t.running.load(std::memory_order_acquire)) != 0;)
    wait_while(t.running, running);
  pool.give_back(workers);
  if (t.first) std::rethrow_exception(t.first);
}

}  // namespace detail
}  // namespace kleene
