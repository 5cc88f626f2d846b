// A sample of a test's cases, for tools that slow a device down a thousand times (tools/sanitize_gpu.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace kleene::test {

// KLEENE_TEST_SAMPLE, at least 1.
inline std::uint64_t sample_one_in() {
  static const std::uint64_t one_in = [] {
    const char* text = std::getenv("KLEENE_TEST_SAMPLE");
    const long asked = text ? std::atol(text) : 1;
    return static_cast<std::uint64_t>(asked > 1 ? asked : 1);
  }();
  return one_in;
}

// Whether the case at hand is run. All are, but where KLEENE_TEST_SAMPLE=N asks for one in N: then the first one and
// others drawn at random, the same ones in each run of a test in a process of its own.
inline bool sampled() {
  const std::uint64_t one_in = sample_one_in();
  if (one_in == 1) return true;
  static std::uint64_t state = 0;
  const bool first = state == 0;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return first || (state >> 33) % one_in == 0;
}

// How many items the only case of a test has: all, or in a sample a part of them, 20,000 at least.
inline std::int64_t sampled_items(std::int64_t items) {
  return std::max(items / static_cast<std::int64_t>(sample_one_in()), std::min<std::int64_t>(items, 20000));
}

}  // namespace kleene::test
