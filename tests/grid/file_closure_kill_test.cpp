// Closures from file to file that are killed, and go on: the same bits.

#include "grid/closure_files.hpp"
#include "kleene/operations/closure.hpp"
#include "support/closable.hpp"
#include "support/killed.hpp"

#include <chrono>

namespace kleene::test {
namespace {

TEST(file_closure, survives_kill_9) {
  const closure_files files;
  auto want = closable<min_plus<float>>(120, 0.1, 3);
  for (index_t i = 0; i < want.size(); ++i) want.data()[i] /= 7;
  io::write_npy(files.from(), want);
  const context ctx = context::cpu({.threads = 1});
  ASSERT_TRUE(closure(ctx, min_plus<float>{}, want, {.block = 16}).exists);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(
      closure_of_file(ctx, min_plus<float>{}, files.from(), files.to(), {.block = 16, .resumable = true}).exists);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  problems::generator g(7);
  int kills = 0, resumed = 0;
  for (bool ended = true; kills < 100 || !ended; kills += !ended) {
    if (ended) fs::remove(files.to());
    resumed += fs::exists(files.to() + ".checkpoint");
    ended = ends_before(static_cast<useconds_t>(g.below(whole.count() + 1)), [&] {
      return closure_of_file(context::cpu({.threads = 1}), min_plus<float>{}, files.from(), files.to(),
                             {.block = 16, .resumable = true})
          .exists;
    });
    if (!ended) continue;
    ASSERT_TRUE(same_bits(io::read_npy<float>(files.to()), want));
    ASSERT_EQ(files.count(), 2);
  }
  EXPECT_GT(resumed, 0);
}

TEST(file_closure, what_another_run_left_is_refused) {
  const closure_files files;
  const auto graph = closable<min_plus<float>>(60, 0.1, 3);
  auto other = graph;
  other(3, 4) = 1.25f;
  context ctx = context::cpu({.threads = 1});
  const auto run = [&](index_t block) -> std::string {
    try {
      (void)closure_of_file(ctx, min_plus<float>{}, files.from(), files.to(), {.block = block, .resumable = true});
    } catch (const error& e) {
      return e.what();
    }
    return "";
  };
  io::write_npy(files.from(), graph);
  ctx.on_progress([](double done, double total) { return done < total / 2; });
  EXPECT_EQ(run(16), "interrupted");
  ctx.on_progress({});
  const std::string note = files.to() + ".checkpoint: ";
  EXPECT_EQ(run(20), note +
                         "a checkpoint of another problem: min_plus f32, 60 vertices in blocks of 16; asked for is "
                         "min_plus f32, 60 vertices in blocks of 20");
  io::write_npy(files.from(), other);
  EXPECT_EQ(run(16),
            note + "a checkpoint of another matrix: the elements that it began with are not those of this one");
  io::write_npy(files.from(), graph);
  EXPECT_EQ(run(16), "");
  auto want = graph;
  ASSERT_TRUE(closure(ctx, min_plus<float>{}, want, {.block = 16}).exists);
  EXPECT_TRUE(same_bits(io::read_npy<float>(files.to()), want));
}

}  // namespace
}  // namespace kleene::test
