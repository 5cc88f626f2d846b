// Closures from file to file that are killed, and go on: the same bits.

#include "grid/closure_files.hpp"
#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/operations/closure.hpp"
#include "support/closable.hpp"
#include "support/killed.hpp"

#include <chrono>
#include <fstream>

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

// A resumable call, and what it says.
std::string resumed(const closure_files& files, const std::string& to, const file_closure_options& options,
                    const progress_callback& progress = {}) {
  context ctx = context::cpu({.threads = 1});
  ctx.on_progress(progress);
  try {
    EXPECT_TRUE(closure_of_file(ctx, min_plus<float>{}, files.from(), to, options).exists);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}
// Closes half of it.
void interrupt(const closure_files& files, const std::string& to, const file_closure_options& options) {
  const auto half = [](double done, double total) { return done < total / 2; };
  EXPECT_EQ(resumed(files, to, options, half), "interrupted");
}
// Weights that round: a closure of the closure is another one.
matrix<float> sevenths(index_t n) {
  auto graph = closable<min_plus<float>>(n, 0.1, 3);
  for (index_t i = 0; i < graph.size(); ++i) graph.data()[i] /= 7;
  return graph;
}
matrix<float> closed_in_memory(matrix<float> graph, index_t block) {
  EXPECT_TRUE(closure(context::cpu({.threads = 1}), min_plus<float>{}, graph, {.block = block}).exists);
  return graph;
}

TEST(file_closure, blocks_unsaid_are_those_of_the_checkpoint) {
  const closure_files files;
  const auto graph = sevenths(300);
  io::write_npy(files.from(), graph);
  const auto block_in = [](double most) { return detail::plan_file_closure(300, 4, 4, 0, most).block; };
  ASSERT_EQ(block_in(2'000'000), 128);
  ASSERT_EQ(block_in(1'000'000), 64);
  interrupt(files, files.to(), {.memory = 2'000'000, .resumable = true});
  // 4 (128 300 + 128 300 + 16 128 + 3 16 300 + 2 64 128) + 4 (300 + 128 + 128) 128, by hand
  EXPECT_EQ(resumed(files, files.to(), {.memory = 500'000, .resumable = true}),
            "a closure of 300 vertices in blocks of 128 takes at least 723200 bytes of memory, and the limit is 500000 "
            "bytes; these are the blocks of " +
                files.to() +
                ".checkpoint: give that much as options.memory to go on from it, or remove it to begin again in "
                "blocks that fit");
  double first = 0;
  EXPECT_EQ(resumed(files, files.to(), {.memory = 1'000'000, .resumable = true},
                    [&](double done, double total) {
                      if (first == 0) first = done / total;
                      return true;
                    }),
            "");
  EXPECT_GT(first, 0.4);  // the first of three steps had been done
  EXPECT_TRUE(same_bits(io::read_npy<float>(files.to()), closed_in_memory(graph, 128)));
}

TEST(file_closure, the_half_that_no_checkpoint_names_is_made_anew) {
  const closure_files files;
  const auto graph = sevenths(60);
  const auto want = closed_in_memory(graph, 16);
  io::write_npy(files.from(), graph);
  const file_closure_options options{.block = 16, .resumable = true};
  const std::string note = files.to() + ".checkpoint";
  const auto half = [&](bool named) {
    const bool first = detail::read_record(note)->values.ends_with(".0.partial");
    return files.to() + (first == named ? ".0.partial" : ".1.partial");
  };
  for (const bool is_gone : {true, false}) {
    interrupt(files, files.to(), options);
    if (is_gone) fs::remove(half(false));
    else std::ofstream(half(false)) << "anything";
    EXPECT_EQ(resumed(files, files.to(), options), "");
    EXPECT_TRUE(same_bits(io::read_npy<float>(files.to()), want));
    EXPECT_EQ(files.count(), 2);
    fs::remove(files.to());
  }
  interrupt(files, files.to(), options);
  const std::string named = half(true);
  std::fstream(named, std::ios::in | std::ios::out).seekp(40) << 'x';  // in what precedes the elements
  EXPECT_EQ(
      resumed(files, files.to(), options),
      named + ": this is not what a checkpoint wrote, some of it has changed: remove the checkpoint, and start again");
  fs::remove(named);
  EXPECT_EQ(resumed(files, files.to(), options),
            note + ": " + named + ", which it names, is gone: remove the checkpoint, and start again");
}

// The moment after the last rename: both halves may be gone, and where it is closed in its place, so is the input.
TEST(file_closure, killed_after_its_last_rename_it_is_not_closed_again) {
  const closure_files files;
  const auto graph = sevenths(120);
  const auto want = closed_in_memory(graph, 16), twice = closed_in_memory(want, 16);
  ASSERT_FALSE(same_bits(want, twice));
  const file_closure_options options{.block = 16, .resumable = true};
  const auto leave_as_killed = [&](const std::string& to) {
    io::write_npy(files.from(), graph);
    interrupt(files, to, options);
    auto record = *detail::read_record(to + ".checkpoint");
    record.done = 8, record.values_hash = 0;
    for (index_t i = 0; i < 120; ++i)
      for (index_t j = 0; j < 120; ++j) record.values_hash += detail::hash_of(i, j, want(i, j));
    detail::write_record(to + ".checkpoint", record);
    fs::remove(to + ".0.partial"), fs::remove(to + ".1.partial");
    io::write_npy(to, want);
  };
  const auto no_step = [](double, double) { return false; };
  for (const std::string& to : {files.from(), files.to()}) {
    leave_as_killed(to);
    EXPECT_EQ(resumed(files, to, options, no_step), "");
    EXPECT_TRUE(same_bits(io::read_npy<float>(to), want));
    EXPECT_EQ(files.count(), to == files.from() ? 1 : 2);
    leave_as_killed(to);
    io::write_npy(to, twice);
    EXPECT_EQ(
        resumed(files, to, options),
        to + ": this is not what a checkpoint wrote, some of it has changed: remove the checkpoint, and start again");
    fs::remove(to + ".checkpoint");
  }
}

TEST(file_closure, only_idempotent_algebras_are_resumed_in_place) {
  const closure_files files;
  const matrix<float> graph(30, 30, 1 / 64.0f);
  io::write_npy(files.from(), graph);
  fs::create_symlink(files.from(), files.to());
  const auto call = [&](const std::string& to, bool resumable) {
    try {
      (void)closure_of_file(context::cpu({.threads = 1}), plus_times<float>{}, files.from(), to,
                            {.block = 16, .resumable = resumable});
    } catch (const argument_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  for (const std::string& to : {files.from(), files.to()})
    EXPECT_EQ(call(to, true),
              "plus_times: " + files.from() +
                  " is to be closed in its place by a call that can be resumed; made again after its end, it would "
                  "close the closure, which is another matrix: give the result another name");
  EXPECT_TRUE(same_bits(io::read_npy<float>(files.from()), graph));
  fs::remove(files.to());
  EXPECT_EQ(call(files.to(), true), "");
  EXPECT_EQ(call(files.from(), false), "");
  EXPECT_TRUE(same_bits(io::read_npy<float>(files.from()), io::read_npy<float>(files.to())));
}

}  // namespace
}  // namespace kleene::test
