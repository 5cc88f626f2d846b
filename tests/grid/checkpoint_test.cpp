// Closures that are saved and resumed: the same bits, on any grid.
#include "grid/checkpoints.hpp"

#include "kleene/grid/detail/checkpoint.hpp"
#include "kleene/grid/npy.hpp"

#include <unistd.h>

#include <fstream>

namespace kleene::test {
namespace {

using namespace checkpoints;

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

// Written beside the steps that follow, of which there may be any number; with steps of 10 ms there are not many.
TEST(checkpoint, what_is_written_beside_the_work_is_of_one_moment) {
  const auto a = graph();
  const closed want = by_one_worker(a);
  const checkpoint_folder folder("beside");
  on_every_grid([&](worker& w) {
    const auto is_saved = [&] { return w.comm().minimum(w.rank() > 0 || !folder.find("checkpoint").empty()) == 1; };
    w.comm().barrier();
    if (w.rank() == 0) folder.clear();
    w.comm().barrier();
    if (w.rank() == 0)
      w.context().on_progress([](double, double) {
        usleep(10'000);
        return true;
      });
    for (int run = 0; run < 100 && !is_saved(); ++run)
      expect_same(w, on_grid(w, a, {.folder = folder.path(), .every = 1e-9}), want);
    EXPECT_TRUE(is_saved());
    if (w.rank() == 0) {
      EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 3) << "something is left unfinished";
    }
    w.comm().barrier();
    expect_same(w, on_grid(w, a, {.folder = folder.path(), .every = 3600, .resume = true}), want);
    w.comm().barrier();
  });
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

TEST(checkpoint, folders_are_made_or_refused_before_any_work) {
  const auto a = graph();
  const checkpoint_folder parent("made");
  on_every_grid([&](worker& w) {
    const std::string made = parent.path() + "/made", killed = made + "/values-3.npy.partial";
    on_grid(w, a, {.folder = made, .every = 3600});
    EXPECT_TRUE(fs::is_directory(made));
    w.comm().barrier();
    const std::string other = made + "/values-x.npy", whole = made + "/values-3.npy";
    const auto write = [&](const std::string& path) {
      if (w.rank() == 0) std::ofstream(path) << "x";
      w.comm().barrier();
    };
    write(killed), write(other);
    on_grid(w, a, {.folder = made, .every = 3600});
    EXPECT_FALSE(fs::exists(killed));
    EXPECT_TRUE(fs::exists(other));
    w.comm().barrier();
    write(whole);
    EXPECT_EQ(refusal(w, a, {.folder = made, .every = 3600}),
              whole +
                  ": a checkpoint would replace this file, which no checkpoint here names: move it, or choose another "
                  "folder");
    EXPECT_TRUE(fs::exists(whole));
    w.comm().barrier();
    write(made + "/checkpoint.partial");
    on_grid(w, a, {.folder = made, .every = 3600});
    EXPECT_FALSE(fs::exists(whole));
    EXPECT_FALSE(fs::exists(made + "/checkpoint.partial"));
    EXPECT_EQ(refusal(w, a, {.folder = made + "/not/there", .every = 3600}),
              made + "/not/there: cannot make this folder for checkpoints: No such file or directory");
    w.comm().barrier();
    if (w.rank() == 0) std::ofstream(parent.path() + "/file") << "x";
    w.comm().barrier();
    EXPECT_EQ(refusal(w, a, {.folder = parent.path() + "/file", .every = 3600}),
              parent.path() + "/file: is to hold checkpoints, and is no folder");
    w.comm().barrier();
  });
}

// By one worker, and no others beside it: each refusal takes the seconds for which a run waits.
TEST(checkpoint, a_folder_has_one_run_at_a_time) {
  if (!is_possible({1, 1})) return;
  const auto a = graph();
  const checkpoint_folder folder("locked");
  const std::string writing = folder.path() + "/values-3.npy.partial";
  std::ofstream(writing) << "x";
  grid::threads(1, 1).run([&](worker& w) {
    {
      const detail::folder_lock other_run(folder.path());
      EXPECT_EQ(refusal(w, a, {.folder = folder.path(), .every = 0}),
                folder.path() + ": another run saves its checkpoints here: wait until it has ended, or end it");
      EXPECT_THROW(detail::folder_lock(folder.path(), 0), error);
      EXPECT_TRUE(fs::exists(writing)) << "the other run is writing it";
    }
    expect_same(w, on_grid(w, a, {.folder = folder.path(), .every = 0}), by_one_worker(a));
    EXPECT_FALSE(fs::exists(writing));
    const detail::folder_lock free(folder.path(), 0);
  });
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

}  // namespace
}  // namespace kleene::test
