// How much of a sequence one worker takes. The first template parameter of every function of this room is a grain:
// reduce<grain<256, 11>>(ctx, ...) gives a CUDA block 256 threads of 11 values each, whatever the tuning tables say. It
// may change the speed, never a result of exact operators; CPU contexts divide a sequence evenly among their threads.
#pragma once

namespace kleene {

template <int Threads, int Values>
struct grain {
  static_assert(Threads > 0 && Values > 0, "a grain is at least one thread with one value");
  static constexpr int threads = Threads;
  static constexpr int values = Values;
};

// The default: the library chooses by operation, element size and machine.
struct tuned {};

}  // namespace kleene
