// Work beside its yardstick, their calls interleaved.
#pragma once

#include "roofs/cpu_roof.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace kleene::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct measurement {
  double rate = 0, share = 0, seconds = 0, clock = 0;
};

struct no_preparation {
  void operator()() const {}
};

// work() does `amount` of something (pairs, items, bytes); yardstick() returns as much per second. Interleaved:
// yardstick, work, yardstick, ... prepare() goes before each work() and takes no part in its time.
template <class Work, class Yardstick, class Prepare = no_preparation>
measurement interleave(int rounds, double amount, const Work& work, const Yardstick& yardstick,
                       const Prepare& prepare = {}) {
  prepare();
  work();  // warm: pages, workspace, threads
  std::vector<double> rates, shares, times;
  measurement m;
  double before = yardstick();
  for (int round = 0; round < rounds; ++round) {
    prepare();
    const double clock = clock_rate(), start = now();
    work();
    const double seconds = now() - start, after = yardstick();
    m.clock = std::max({m.clock, clock, clock_rate()});
    times.push_back(seconds);
    rates.push_back(amount / seconds);
    shares.push_back(amount / seconds / (0.5 * (before + after)));
    before = after;
  }
  m.rate = median(rates);
  m.share = median(shares);
  m.seconds = median(times);
  return m;
}

}  // namespace kleene::bench
