// Closures that are saved, killed and resumed: the same bits, on any grid.
#include "kleene/grid/closure.hpp"

#include "grid/grids.hpp"
#include "kleene/grid/npy.hpp"
#include "support/closable.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

namespace kleene::test {
namespace {

namespace fs = std::filesystem;
using S = min_plus<float>;

constexpr index_t n = 60, block = 8;  // eight blocks, the last of four vertices

// A folder of this run's, empty before and gone afterwards.
class checkpoint_folder {
 public:
  explicit checkpoint_folder(const std::string& name) : path_(temporary_name(name)) {
    if (is_first_process()) fs::create_directories(path_);
  }
  ~checkpoint_folder() {
    if (is_first_process()) fs::remove_all(path_);
  }
  checkpoint_folder(const checkpoint_folder&) = delete;
  checkpoint_folder& operator=(const checkpoint_folder&) = delete;
  void clear() const {
    for (const auto& entry : fs::directory_iterator(path_)) fs::remove_all(entry);
  }
  const std::string& path() const { return path_; }
  // The file of that beginning.
  std::string find(const std::string& beginning) const {
    for (const auto& entry : fs::directory_iterator(path_))
      if (entry.path().filename().string().starts_with(beginning)) return entry.path().string();
    return "";
  }

 private:
  std::string path_;
};

// Weights that round, and ties.
matrix<float> graph() {
  auto a = closable<S>(n, 0.15, 3);
  for (index_t i = 0; i < a.size(); ++i)
    if (i % 3 == 0) a.data()[i] /= 7;
  return a;
}

struct closed {
  matrix<float> values;
  matrix<std::int32_t> from;
};
template <class T>
bool same_bits(const matrix<T>& x, const matrix<T>& y) {
  return x.extents() == y.extents() && std::memcmp(x.data(), y.data(), std::size_t(x.size()) * sizeof(T)) == 0;
}

closed by_one_worker(const matrix<float>& a) {
  closed c{a, matrix<std::int32_t>(n, n)};
  EXPECT_TRUE(closure(context::cpu({.threads = 1}), S{}, c.values, c.from, {.block = block}).exists);
  return c;
}

// At worker 0.
closed on_grid(worker& w, const matrix<float>& a, const checkpoint_options& options, index_t mb = block) {
  distributed_matrix<float> at_a(w, {n, n, mb, mb});
  distributed_matrix<std::int32_t> at_p(w, at_a.layout());
  at_a.fill([&](index_t i, index_t j) { return a(i, j); });
  EXPECT_TRUE(closure(w, S{}, at_a, at_p, {.checkpoint = options}).exists);
  return {at_a.gather(), at_p.gather()};
}

void expect_same(const worker& w, const closed& got, const closed& want) {
  if (w.rank() != 0) return;
  EXPECT_TRUE(same_bits(got.values, want.values));
  EXPECT_TRUE(same_bits(got.from, want.from));
}

TEST(checkpoint, a_run_goes_on_from_the_last_one) {
  const auto a = graph();
  const closed want = by_one_worker(a);
  const checkpoint_folder folder("resume");
  on_every_grid([&](worker& w) {
    const checkpoint_options save{.folder = folder.path(), .every = 0};
    expect_same(w, on_grid(w, a, save), want);
    if (w.rank() == 0) {  // one block is left to do: the last one is not saved
      EXPECT_EQ(folder.find("values-"), folder.path() + "/values-7.npy");
      EXPECT_EQ(folder.find("predecessors-"), folder.path() + "/predecessors-7.npy");
      EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3);
    }
    w.comm().barrier();
    expect_same(w, on_grid(w, a, {.folder = folder.path(), .every = 0, .resume = true}), want);
    w.comm().barrier();
  });
}

TEST(checkpoint, nothing_is_saved_before_its_time) {
  const auto a = graph();
  const checkpoint_folder folder("early");
  on_every_grid([&](worker& w) { on_grid(w, a, {.folder = folder.path(), .every = 3600, .resume = true}); });
  if (is_first_process()) {
    EXPECT_TRUE(fs::is_empty(folder.path()));
  }
}

// What is thrown by all workers, and names the file.
std::string refusal(worker& w, const matrix<float>& a, const checkpoint_options& options, index_t mb = block) {
  try {
    on_grid(w, a, options, mb);
  } catch (const error& e) {
    EXPECT_EQ(e.code(), fault_code::bad_input);
    return e.what();
  }
  return "";
}

TEST(checkpoint, another_problem_is_refused) {
  const auto a = graph();
  auto other = a;
  other(n - 1, 0) = 3;
  const checkpoint_folder folder("other");
  const checkpoint_options resume{.folder = folder.path(), .every = 0, .resume = true};
  on_every_grid([&](worker& w) {
    on_grid(w, a, {.folder = folder.path(), .every = 0});
    const std::string file = folder.path() + "/checkpoint: ";
    EXPECT_EQ(refusal(w, other, resume),
              file + "a checkpoint of another matrix: the elements that it began with are not those of this one");
    EXPECT_EQ(refusal(w, a, resume, 9), file +
                                            "a checkpoint of another problem: min_plus f32, 60 vertices in blocks of "
                                            "8, with predecessors; asked for is min_plus f32, 60 vertices in blocks "
                                            "of 9, with predecessors");
    distributed_matrix<float> values(w, {n, n, block, block});
    values.fill([&](index_t i, index_t j) { return a(i, j); });
    EXPECT_THROW((void)closure(w, S{}, values, {.checkpoint = resume}), error);
    EXPECT_THROW((void)closure(w, max_plus<float>{}, values, {.checkpoint = resume}), error);
    w.comm().barrier();
  });
}

void flip(const std::string& path, std::uintmax_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const char byte = static_cast<char>(file.get() ^ 4);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

TEST(checkpoint, a_byte_that_changed_is_found) {
  const auto a = graph();
  const checkpoint_folder folder("changed");
  on_every_grid([&](worker& w) {
    on_grid(w, a, {.folder = folder.path(), .every = 0});
    for (const char* name : {"values-", "predecessors-", "checkpoint"})
      for (const double part : {0.3, 0.6, 0.999}) {
        const std::string path = folder.find(name);
        w.comm().barrier();
        const auto at = static_cast<std::uintmax_t>(part * double(fs::file_size(path)));
        w.comm().barrier();
        if (w.rank() == 0) flip(path, at);
        w.comm().barrier();
        EXPECT_NE(refusal(w, a, {.folder = folder.path(), .every = 0, .resume = true}).find(folder.path()),
                  std::string::npos)
            << name << part;
        w.comm().barrier();
        if (w.rank() == 0) flip(path, at);
        w.comm().barrier();
      }
    expect_same(w, on_grid(w, a, {.folder = folder.path(), .every = 0, .resume = true}), by_one_worker(a));
    w.comm().barrier();
  });
}

TEST(checkpoint, a_folder_that_is_not_there) {
  on_every_grid([](worker& w) {
    const std::string absent = temporary_name("absent");
    EXPECT_NE(refusal(w, graph(), {.folder = absent, .every = 0}).find(absent), std::string::npos);
  });
}

#ifndef KLEENE_TEST_MPI
// Stopped after each block in turn, and resumed on another grid.
TEST(checkpoint, may_be_resumed_on_another_grid) {
  const auto a = graph();
  const closed want = by_one_worker(a);
  const checkpoint_folder folder("elsewhere");
  for (int blocks = 1; blocks < 8; ++blocks) {
    folder.clear();
    EXPECT_THROW(grid::threads(2, 2).run([&](worker& w) {
      if (w.rank() == 0)  // the report comes before the matrix is saved
        w.context().on_progress([&, left = blocks](double, double) mutable { return left-- > 0; });
      on_grid(w, a, {.folder = folder.path(), .every = 0});
    }),
                 error);
    EXPECT_EQ(folder.find("values-"), folder.path() + "/values-" + std::to_string(blocks) + ".npy");
    for (const auto& [rows, cols] : {grid_shape{3, 1}, {1, 1}, {2, 3}})
      grid::threads(rows, cols).run([&, everything = &folder](worker& w) {
        expect_same(w, on_grid(w, a, {.folder = everything->path(), .every = 3600, .resume = true}), want);
      });
  }
}

// A closure in a process of its own, which is killed after so many microseconds, or ends before.
bool ends_before(useconds_t limit, const matrix<float>& a, const std::string& folder, const closed& want) {
  const pid_t child = fork();
  if (child == 0) {
    bool good = true;
    grid::threads(2, 2, {.threads = 1}).run([&](worker& w) {
      const closed got = on_grid(w, a, {.folder = folder, .every = 0, .resume = true});
      if (w.rank() == 0) good = same_bits(got.values, want.values) && same_bits(got.from, want.from);
    });
    _exit(good ? 0 : 1);
  }
  usleep(limit);
  kill(child, SIGKILL);
  int state = 0;
  EXPECT_EQ(waitpid(child, &state, 0), child);
  if (WIFEXITED(state)) {
    EXPECT_EQ(WEXITSTATUS(state), 0);
  }
  return WIFEXITED(state);
}

// A hundred times, at any moment of a run, each of which goes on where the last one was.
TEST(checkpoint, survives_kill_9) {
  const auto a = graph();
  const closed want = by_one_worker(a);
  const checkpoint_folder folder("killed");
  const auto start = std::chrono::steady_clock::now();
  grid::threads(2, 2).run([&](worker& w) { on_grid(w, a, {.folder = folder.path(), .every = 0}); });
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  problems::generator g(7);
  int kills = 0, resumed = 0;
  for (bool ended = true; kills < 100 || !ended; kills += !ended) {
    if (ended) folder.clear();
    resumed += !folder.find("checkpoint").empty();
    ended = ends_before(static_cast<useconds_t>(g.below(whole.count() + 1)), a, folder.path(), want);
  }
  EXPECT_GT(resumed, 0);
}

// No file may grow beyond a limit that the second matrix passes: the run ends, and the first checkpoint stays.
TEST(checkpoint, a_full_disk_leaves_the_last_one) {
  const auto a = graph();
  const checkpoint_folder folder("full");
  const checkpoint_options save{.folder = folder.path(), .every = 0};
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  EXPECT_THROW(grid::threads(2, 2).run([&](worker& w) {
    if (w.rank() == 0)
      w.context().on_progress([&, reports = 0](double, double) mutable {
        if (++reports == 4) {
          const rlimit small{4096, before.rlim_max};
          EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
        }
        return true;
      });
    on_grid(w, a, save);
  }),
               error);
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(folder.find("values-"), folder.path() + "/values-3.npy");
  grid::threads(1, 3).run([&](worker& w) {
    expect_same(w, on_grid(w, a, {.folder = folder.path(), .every = 0, .resume = true}), by_one_worker(a));
  });
}
#endif

}  // namespace
}  // namespace kleene::test
