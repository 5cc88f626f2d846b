// Processes that are killed at some moment of what they do.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace kleene::test {

// Does the work in a process of its own, which is killed after so many microseconds. Whether it ended before; then it
// must have found all as it should be: `work` returns that.
template <class Work>
bool ends_before(useconds_t limit, const Work& work) {
  const pid_t child = fork();
  if (child == 0) _exit(work() ? 0 : 1);
  usleep(limit);
  kill(child, SIGKILL);
  int state = 0;
  EXPECT_EQ(waitpid(child, &state, 0), child);
  if (WIFEXITED(state)) {
    EXPECT_EQ(WEXITSTATUS(state), 0);
  }
  return WIFEXITED(state);
}

}  // namespace kleene::test
