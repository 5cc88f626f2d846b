// Teams of threads: what they do with exceptions and forks, what they cost when idle, and how many threads there are.
#include "kleene/data/parallel.hpp"

#include "kleene/data/context.hpp"
#include "support/equal.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace kleene::test::parallel_test {
namespace {

// Members that meet twice a round, to see that nobody runs ahead. Returns how many there were; 0 if somebody did.
int meet(int threads, int rounds) {
  std::atomic<int> sum{0}, wrong{0}, members{0};
  run_team(threads, [&](const team_member& member) {
    ++members;
    for (int round = 1; round <= rounds; ++round) {
      ++sum;
      member.barrier();
      wrong += sum != round * member.threads;
      member.barrier();
    }
  });
  return wrong == 0 ? members.load() : 0;
}

TEST(parallel, a_member_that_throws_ends_the_team) {
  for (const int threads : {1, 2, 3, 7})
    for (int thrower = 0; thrower < threads; ++thrower)
      for (const int at : {0, 1, 5}) {
        try {
          run_team(threads, [&](const team_member& member) {
            for (int round = 0; round < 10; ++round) {
              if (member.thread == thrower && round == at) throw std::out_of_range("member " + std::to_string(thrower));
              member.barrier();
            }
          });
          FAIL() << "nothing thrown";
        } catch (const std::out_of_range& thrown) {
          EXPECT_EQ(thrown.what(), "member " + std::to_string(thrower));
        }
        ASSERT_EQ(meet(threads, 3), threads);
      }
}

TEST(parallel, all_members_may_throw) {
  for (int round = 0; round < 50; ++round) EXPECT_THROW(run_team(4, [](const team_member&) { throw 7; }), int);
  EXPECT_EQ(meet(4, 50), 4);
}

TEST(parallel, members_that_do_not_wait_finish_their_work) {
  std::atomic<int> done{0};
  EXPECT_THROW(run_team(3,
                        [&](const team_member& member) {
                          if (member.thread == 1) throw std::runtime_error("one of three");
                          for (int i = 0; i < 1000; ++i) ++done;
                        }),
               std::runtime_error);
  EXPECT_EQ(done, 2000);
}

TEST(parallel, a_team_within_a_team_is_one_member) {
  std::atomic<int> inner{0};
  run_team(3, [&](const team_member&) { inner += meet(4, 5); });
  EXPECT_EQ(inner, 3);
}

TEST(parallel, threads_of_the_caller_have_teams_of_their_own) {
  std::atomic<int> members{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) members += meet(3, 5);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(members, 4 * 100 * 3);
}

TEST(parallel, tasks_are_done_once_whoever_comes) {
  bool somebody_was_let_go = false;
  for (int round = 0; round < 2000; ++round) {
    task_queue queue;
    std::vector<int> done(9);
    std::atomic<int> members{0};
    run_tasks(8, [&](const team_member& member) {
      EXPECT_LT(member.thread, 8);
      ++members;
      for (std::int64_t task; (task = queue.next()) < 9;) ++done[task];
    });
    ASSERT_EQ(done, std::vector<int>(9, 1));
    somebody_was_let_go |= members < 8;
    if (round % 100 == 0) {
      ASSERT_EQ(meet(3, 3), 3) << "who was let go is there for the next team";
    }
  }
  EXPECT_TRUE(somebody_was_let_go) << "2,000 times seven threads were awake before nine empty tasks were done";
}

TEST(parallel, what_a_task_throws_arrives) {
  for (int round = 0; round < 200; ++round) EXPECT_THROW(run_tasks(4, [](const team_member&) { throw 7; }), int);
  EXPECT_EQ(meet(4, 50), 4);
}

TEST(threads, a_call_takes_as_many_as_have_a_grain_of_work_each) {
  EXPECT_EQ(threads_for(0, 100, 8), 1);
  EXPECT_EQ(threads_for(199, 100, 8), 1);
  EXPECT_EQ(threads_for(200, 100, 8), 2);
  EXPECT_EQ(threads_for(799, 100, 8), 7);
  EXPECT_EQ(threads_for(1e30, 100, 8), 8);
  EXPECT_EQ(threads_for(1e30, 100, 0), 1);
}

TEST(parallel, a_forked_child_has_threads_of_its_own) {
  ASSERT_EQ(meet(3, 10), 3);
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      ::alarm(60);
      ::_exit(meet(3, 10) == 3 && meet(2, 10) == 2 ? 0 : 1);
    }
    ASSERT_EQ(meet(3, 10), 3);
    int state = -1;
    ASSERT_EQ(::waitpid(pid, &state, 0), pid);
    EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0) << "the child ended with " << state << " (14: it hung)";
  }
}

// Seconds that all threads of this process have computed.
double processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

TEST(parallel, threads_without_work_sleep) {
  (void)meet(2, 10);
  const double before = processor_time();
  for (int i = 0; i < 50; ++i) {
    (void)meet(2, 1);
    ::usleep(20'000);
  }
  EXPECT_LT(processor_time() - before, 0.2) << "of a second";  // GNU's OpenMP: 0.4 and more
}

// An environment variable for the length of a scope.
class with_variable {
 public:
  with_variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    if (value) ::setenv(name, value, 1);
    else ::unsetenv(name);
  }
  ~with_variable() {
    if (before_) ::setenv(name_, before_->c_str(), 1);
    else ::unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(threads, omp_num_threads_is_obeyed) {
  const auto threads = [](const char* asked) {
    const with_variable set("OMP_NUM_THREADS", asked);
    EXPECT_EQ(context::cpu().threads(), default_threads());
    return default_threads();
  };
  EXPECT_EQ(threads("3"), 3);
  EXPECT_EQ(threads(" 5 "), 5);
  EXPECT_EQ(threads("7,2"), 7);
  EXPECT_EQ(threads("100000"), most_threads());
  EXPECT_EQ(threads("99999999999999999999"), most_threads());
  const int unasked = threads(nullptr);
  EXPECT_GE(unasked, 1);
  for (const char* nonsense : {"", "0", "-3", "many", "-99999999999999999999", "1.5", "1e3", "4k", "3x,2"})
    EXPECT_EQ(threads(nonsense), unasked) << nonsense;
}

TEST(threads, more_than_the_most_are_as_many_as_the_most) {
  EXPECT_GE(most_threads(), 256);
  const context ctx = context::cpu({.threads = INT_MAX});
  EXPECT_EQ(ctx.threads(), most_threads());
  const int members = meet(ctx.threads(), 1);
  EXPECT_GE(members, 1);
  EXPECT_LE(members, most_threads());
}

TEST(threads, a_negative_number_is_refused) {
  const std::string said = refusal<argument_error>(fault_code::usage, [] { (void)context::cpu({.threads = -3}); });
  EXPECT_TRUE(contains(said, "-3 threads")) << said;
}

// A folder with /proc and /sys of a process in some control groups.
class fake_root {
 public:
  fake_root() : folder_(std::filesystem::temp_directory_path() / ("kleene_quota_" + std::to_string(::getpid()))) {}
  ~fake_root() { std::filesystem::remove_all(folder_); }
  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  int quota() const { return detail::quota_processors(folder_.string()); }

 private:
  std::filesystem::path folder_;
};

TEST(threads, quotas_of_control_groups_2) {
  const fake_root root;
  EXPECT_EQ(root.quota(), INT_MAX) << "no groups at all";
  root.put("proc/self/cgroup", "0::/site/service\n");
  root.put("sys/fs/cgroup/site/service/cpu.max", "max 100000\n");
  EXPECT_EQ(root.quota(), INT_MAX);
  root.put("sys/fs/cgroup/site/cpu.max", "350000 100000\n");
  EXPECT_EQ(root.quota(), 4) << "of the group around it";
  root.put("sys/fs/cgroup/site/service/cpu.max", "20000 100000\n");
  EXPECT_EQ(root.quota(), 1) << "a fifth of a processor";
  root.put("sys/fs/cgroup/site/service/cpu.max", "nonsense\n");
  EXPECT_EQ(root.quota(), 4);
  root.put("proc/self/cgroup", "0::/elsewhere/outside\n");
  root.put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(root.quota(), 2) << "a container, which sees its group as the mount";
}

TEST(threads, quotas_of_control_groups_1) {
  const fake_root root;
  root.put("proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/a/b\n3:cpuset:/\n0::/\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(root.quota(), INT_MAX);
  root.put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "100001\n");
  root.put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(root.quota(), 2);
  root.put("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "50000\n");
  root.put("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(root.quota(), 1);
}

}  // namespace
}  // namespace kleene::test::parallel_test
