// Programs that start themselves as several processes, in the environment that torchrun would make.
#pragma once

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace kleene::test {

// Runs work() in that many processes, and ends with the largest of their exit codes; a signal is 128 and its number.
template <class Work>
int start_ranks(int ranks, const Work& work) {
  setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  setenv("MASTER_PORT", std::to_string(20'000 + getpid() % 12'000).c_str(), 1);
  setenv("TORCHELASTIC_RUN_ID", std::to_string(getpid()).c_str(), 1);
  std::fflush(stdout);
  for (int rank = 0; rank < ranks; ++rank) {
    if (fork() != 0) continue;
    setenv("RANK", std::to_string(rank).c_str(), 1);
    setenv("LOCAL_RANK", std::to_string(rank).c_str(), 1);
    std::exit(work());
  }
  int worst = 0;
  for (int state = 0; wait(&state) > 0;) {
    const int code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    std::fprintf(stderr, "a rank has ended with %d\n", code);
    worst = std::max(worst, code);
  }
  return worst;
}

// main of such a program: PROGRAM RANKS [a test's flag, --one-... or --first-..., which lose_a_worker(flag) gets].
template <class Lose>
int run_tests_as_ranks(int argc, char** argv, const Lose& lose_a_worker) {
  if (argc < 2) return 2;
  const int ranks = std::atoi(argv[1]);
  argv[1] = argv[0];
  ++argv, --argc;
  return start_ranks(ranks, [&] {
    const std::string first = argc > 1 ? argv[1] : "";
    if (first.starts_with("--one-") || first.starts_with("--first-")) lose_a_worker(first);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  });
}

}  // namespace kleene::test
