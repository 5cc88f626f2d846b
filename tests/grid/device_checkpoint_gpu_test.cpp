// Closures on grids of devices that are stopped or killed, and resumed: the same bits.
#include "kleene/grid/device_closure.hpp"
#include "kleene/io/npy.hpp"

#include "grid/device_grids.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kleene::test {
namespace {

namespace device_checkpoint {

namespace fs = std::filesystem;
using S = min_plus<float>;
constexpr index_t n = 420, block = 64;  // seven blocks, the last of 36 vertices

struct folder {
  std::string path;
  explicit folder(const std::string& name)
      : path(fs::temp_directory_path() / ("kleene_" + std::to_string(getpid()) + "_" + name)) {
    fs::create_directories(path);
  }
  ~folder() { fs::remove_all(path); }
  void clear() const {
    fs::remove_all(path);
    fs::create_directories(path);
  }
};

// Weights that round.
matrix<float> graph() {
  auto a = closable<S>(n, 0.02, 3);
  for (index_t i = 0; i < a.size(); i += 3) a.data()[i] /= 7;
  return a;
}
matrix<float> by_one_worker(const matrix<float>& a) {
  matrix<float> closed = a;
  EXPECT_TRUE(closure(context::cpu({.threads = 2}), S{}, closed, {.block = block}).exists);
  return closed;
}
// At worker 0.
matrix<float> on_devices(worker& w, const matrix<float>& a, const checkpoint_options& options) {
  auto there = spread(w, {n, n, block, block}, a);
  EXPECT_TRUE(closure(w, S{}, there, {.checkpoint = options}).exists);
  return to_host(there).gather();
}

}  // namespace device_checkpoint
using namespace device_checkpoint;

TEST(device_checkpoint, may_be_resumed_on_another_grid) {
  KLEENE_NEEDS_GPU();
  const auto a = graph();
  const auto want = by_one_worker(a);
  const folder files("devices");
  for (int blocks = 1; blocks < 7; ++blocks) {
    files.clear();
    EXPECT_THROW(grid::cuda({0, 0, 0, 0}).run([&](worker& w) {
      if (w.rank() == 0)  // the report comes before the matrix is saved
        w.context().on_progress([&, left = blocks](double, double) mutable { return left-- > 0; });
      on_devices(w, a, {.folder = files.path, .every = 0});
    }),
                 error);
    EXPECT_TRUE(fs::exists(files.path + "/values-" + std::to_string(blocks) + ".npy")) << blocks;
    on_every_device_grid([&](worker& w) {
      const auto got = on_devices(w, a, {.folder = files.path, .every = 3600, .resume = true});
      if (w.rank() == 0) {
        EXPECT_TRUE(same_bits(got, want));
      }
    });
    grid::threads(2, 1).run([&](worker& w) {  // nor need it be devices
      distributed_matrix<float> host(w, {n, n, block, block});
      host.fill([&](index_t i, index_t j) { return a(i, j); });
      EXPECT_TRUE(closure(w, S{}, host, {.checkpoint = {files.path, 3600, true}}).exists);
      const auto got = host.gather();
      if (w.rank() == 0) {
        EXPECT_TRUE(same_bits(got, want));
      }
    });
  }
}

TEST(device_checkpoint, predecessors_are_found_after_it_is_resumed) {
  KLEENE_NEEDS_GPU();
  const auto a = graph();
  const folder files("device_paths");
  const checkpoint_options save{.folder = files.path, .every = 0}, resume{files.path, 3600, true};
  on_every_device_grid([&](worker& w) {
    const kleene::distribution d{n, n, block, block};
    auto whole = spread(w, d, a), rest = spread(w, d, a);
    distributed_device_matrix<std::int32_t> p(w, d), q(w, d);
    EXPECT_TRUE(closure(w, S{}, whole, p, {.checkpoint = save}).exists);
    EXPECT_TRUE(closure(w, S{}, rest, q, {.checkpoint = resume}).exists);
    const auto want = to_host(p).gather(), got = to_host(q).gather();
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(got, want));
    }
    w.comm().barrier();
  });
}

TEST(device_checkpoint, another_matrix_is_refused) {
  KLEENE_NEEDS_GPU();
  const auto a = graph();
  auto other = a;
  other(n - 1, 0) = 3;
  const folder files("device_other");
  grid::cuda({0, 0}).run([&](worker& w) {
    on_devices(w, a, {.folder = files.path, .every = 0});
    try {
      on_devices(w, other, {.folder = files.path, .every = 0, .resume = true});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const error& e) {
      EXPECT_EQ(std::string(e.what()), files.path +
                                           "/checkpoint: a checkpoint of another matrix: the elements that it "
                                           "began with are not those of this one");
    }
  });
}

// What the process that is killed does, started by the test below: devices cannot be used in one that was forked. It
// says when it begins.
TEST(device_checkpoint, DISABLED_a_run_that_is_killed) {
  KLEENE_NEEDS_GPU();
  const char* const path = std::getenv("KLEENE_TEST_CHECKPOINT");
  ASSERT_NE(path, nullptr) << "survives_kill_9 starts this";
  const auto a = graph();
  const auto want = by_one_worker(a);
  grid::cuda({0, 0, 0, 0}).run([&](worker& w) {
    w.comm().barrier();
    if (w.rank() == 0) std::ofstream(std::string(path) + ".begun") << "now";
    const auto got = on_devices(w, a, {.folder = path, .every = 0, .resume = true});
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(got, want));
    }
  });
}

class spawned_run {
 public:
  explicit spawned_run(const std::string& path) : begun_(path + ".begun") {
    fs::remove(begun_);
    setenv("KLEENE_TEST_CHECKPOINT", path.c_str(), 1);
    for (const char* const shard : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX"}) unsetenv(shard);  // it is in this one
    std::vector<std::string> words{"test", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
                                   "--gtest_filter=device_checkpoint.DISABLED_a_run_that_is_killed"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    EXPECT_EQ(posix_spawn(&child_, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ), 0);
    while (!fs::exists(begun_) && !has_ended()) usleep(200);
  }
  // Whether it ended, having found all as it should be, before so many microseconds were over; else it is killed.
  bool ends_before(useconds_t limit) {
    for (useconds_t waited = 0; waited < limit && !has_ended(); waited += 100) usleep(100);
    if (!has_ended()) {
      kill(child_, SIGKILL);
      EXPECT_EQ(waitpid(child_, &state_, 0), child_);
    }
    fs::remove(begun_);
    if (WIFEXITED(state_)) {
      EXPECT_EQ(WEXITSTATUS(state_), 0);
    }
    return WIFEXITED(state_);
  }

 private:
  bool has_ended() { return ended_ = ended_ || waitpid(child_, &state_, WNOHANG) == child_; }

  std::string begun_;
  pid_t child_ = 0;
  int state_ = 0;
  bool ended_ = false;
};

// At any moment of a run, each of which goes on where the last one was.
TEST(device_checkpoint, survives_kill_9) {
  KLEENE_NEEDS_GPU();
  using clock = std::chrono::steady_clock;
  const folder files("devices_killed");
  constexpr useconds_t a_minute = 60'000'000;
  spawned_run first(files.path);
  const auto start = clock::now();
  ASSERT_TRUE(first.ends_before(a_minute));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - start);
  files.clear();
  problems::generator g(7);
  int resumed = 0;
  for (int kills = 0; kills < 8;) {
    if (spawned_run(files.path).ends_before(static_cast<useconds_t>(g.below(whole.count() / 2 + 1)))) files.clear();
    else ++kills;
    resumed += fs::exists(files.path + "/checkpoint");
  }
  EXPECT_GT(resumed, 0);
  EXPECT_TRUE(spawned_run(files.path).ends_before(a_minute));
}

}  // namespace
}  // namespace kleene::test
