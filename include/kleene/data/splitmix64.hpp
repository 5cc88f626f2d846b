// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014): the one generator of
// test data, benches and internal draws. The same numbers on every machine, on hosts and devices.
#pragma once

#include "kleene/algebra/ops.hpp"

#include <cstdint>

namespace kleene {

// The output for a state.
KLEENE_FUNCTION constexpr std::uint64_t splitmix64_output(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline constexpr std::uint64_t splitmix64_step = 0x9e3779b97f4a7c15u;

struct splitmix64 {
  std::uint64_t state;
  KLEENE_FUNCTION constexpr std::uint64_t operator()() { return splitmix64_output(state += splitmix64_step); }
};

}  // namespace kleene
