// The ladder: one product in five rungs, from a loop to the library. Plain C++; compiled in with -DKLEENE_BENCHES=ON.
#pragma once

#include "kleene/data/context.hpp"

#include <string>
#include <vector>

namespace kleene::bench {

struct ladder_rung {
  std::string name, idea;                        // the file, and what it adds
  double seconds = 0, fastest = 0, slowest = 0;  // the median, the extremes
  double tops = 0;                               // 10^12 operations per second, two a pair
};

inline constexpr const char* ladder_definitions =
    "C = A B, bf16 with sums in f32, all row-major, n cubed. seconds: CUDA events around the call, median of the "
    "rounds "
    "after 3 warm-ups, operands in L2 or not as the call before left them. Data: multiples of 1/64 in [-1, 1), whose "
    "sums "
    "are exact in f32 here; all elements of every rung equal those of the first.";

// In order; n a multiple of 128. error(internal) where a rung differs from the first.
std::vector<ladder_rung> run_ladder(const context& ctx, index_t n, int rounds);

}  // namespace kleene::bench
