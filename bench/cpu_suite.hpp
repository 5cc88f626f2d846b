// The CPU suite: the work that Kleene promises a speed for, each beside the roof (or the peer) measured in the same
// run.
#pragma once

#include "interleave.hpp"
#include "kleene/data/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct cpu_row {
  std::string work;              // what was done
  std::string against{};         // what it is compared with
  std::string unit = "pairs";    // what `rate` counts: pairs (one add and one mul each), items, or bytes (read)
  double rate = 0;               // of them per second; searches: 0
  double seconds = 0;            // of the median run
  double share = 0;              // rate / the yardstick's rate, median over interleaved rounds
  double per_clock = 0;          // operations (2 a pair) per clock and thread; other units: 0
  double at_least = 0;           // the promise for `share`
  bool lower_is_better = false;  // seconds instead of a share: `share` is then seconds, `at_least` the most allowed
};

struct cpu_suite_options {
  int rounds = 5;
  std::string graph;  // a graph file for the shortest-path rows; empty: none
  std::string only;   // rows whose `work` holds this
};

// Which rows are asked for, and those that were measured.
class cpu_rows {
 public:
  cpu_rows(const cpu_suite_options& options, const std::function<void(const cpu_row&)>& done)
      : rounds(options.rounds), only_(options.only), done_(done) {}

  const int rounds;

  bool wants(const std::string& work) const { return work.find(only_) != std::string::npos; }
  void add(cpu_row row) {
    done_(row);
    all_.push_back(std::move(row));
  }
  // What was measured beside `against`; threads: that the clock's operations are shared by, of pairs.
  void add(const std::string& work, const std::string& against, const std::string& unit, const measurement& m,
           double at_least, int threads = 1) {
    add({.work = work,
         .against = against,
         .unit = unit,
         .rate = m.rate,
         .seconds = m.seconds,
         .share = m.share,
         .per_clock = unit == "pairs" ? 2 * m.rate / m.clock / threads : 0,
         .at_least = at_least});
  }
  const std::vector<cpu_row>& all() const { return all_; }

 private:
  std::string only_;
  const std::function<void(const cpu_row&)>& done_;
  std::vector<cpu_row> all_;
};

// Problem definitions: splitmix64 from seed 1; f32 and f64 uniform in [0, 1), i32 uniform in [0, 1000), in sequences
// all 32 bits (reduce: 4), packed bits 0 or 1 evenly. Row-major, inputs in memory and warm, outputs allocated and
// touched before; packing and threading are inside the time. Each round measures the yardstick right before and after
// the work, because shared machines change their clock.
std::vector<cpu_row> run_cpu_suite(const cpu_suite_options& options, const std::function<void(const cpu_row&)>& done);

}  // namespace kleene::bench
