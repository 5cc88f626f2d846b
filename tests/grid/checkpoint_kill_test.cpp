// Closures that are killed, or find the disk full, and are resumed: the same bits.
#include "grid/checkpoints.hpp"
#include "support/killed.hpp"

#include <sys/resource.h>

#include <chrono>
#include <csignal>

namespace kleene::test {
namespace {

using namespace checkpoints;

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

// A hundred times, at any moment of a run, each of which goes on where the last one was.
TEST(checkpoint, survives_kill_9) {
  const auto a = graph();
  const closed want = by_one_worker(a);
  const checkpoint_folder folder("killed");
  const double every[] = {0, 1e-9};  // written at once, or beside the next steps
  std::int64_t whole[2];             // microseconds
  for (int i = 0; i < 2; ++i) {
    const auto start = std::chrono::steady_clock::now();
    grid::threads(2, 2).run([&](worker& w) { on_grid(w, a, {.folder = folder.path(), .every = every[i]}); });
    const auto time = std::chrono::steady_clock::now() - start;
    whole[i] = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  }
  problems::generator g(7);
  int kills = 0, resumed = 0;
  for (bool ended = true; kills < 100 || !ended; kills += !ended) {
    if (ended) folder.clear();
    resumed += !folder.find("checkpoint").empty();
    const int way = kills % 2;
    ended = ends_before(static_cast<useconds_t>(g.below(whole[way] + 1)), [&] {
      bool good = true;
      grid::threads(2, 2, {.threads = 1}).run([&](worker& w) {
        const closed got = on_grid(w, a, {.folder = folder.path(), .every = every[way], .resume = true});
        if (w.rank() == 0) good = same_bits(got.values, want.values) && same_bits(got.from, want.from);
      });
      return good;
    });
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

}  // namespace
}  // namespace kleene::test
