// The streaming suite: scans, merges, sorts, searches, joins ... on a GPU, each beside CUB and Thrust in the same
// process. Plain C++; compiled in with -DKLEENE_BENCHES=ON (CUB and Thrust cost minutes).
#pragma once

#include "kleene/data/context.hpp"
#include "peers/quoted.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct peer_rate {
  std::string name;
  double seconds;
};

struct streaming_row {
  std::string work;                              // for people
  index_t items = 0;                             // of all inputs
  double amount = 0;                             // what a rate counts: bytes that any algorithm must move, or items
  std::string unit;                              // GB/s or G items/s
  double seconds = 0, fastest = 0, slowest = 0;  // the median, the extremes
  std::vector<peer_rate> peers{};                // same data, same run
  quoted_figure quoted = quoted_for(work);       // of a project that does not run here
  double at_least = 0;                           // in `unit`; 0: no promise
  double of_peer = 0;                            // share of the best peer of this run that is promised; 0: none
  std::string failure{};

  double rate() const { return seconds > 0 ? 1e-9 * amount / seconds : 0; }
  double best_peer() const {
    double best = 0;
    for (const peer_rate& p : peers) best = std::max(best, 1e-9 * amount / p.seconds);
    return best;
  }
  bool met() const { return failure.empty() && rate() >= at_least && rate() >= of_peer * best_peer(); }
};

struct streaming_suite_options {
  int rounds = 10;
  index_t items = index_t{1} << 27;
  std::string only;  // rows whose `work` holds this
  bool peers = true;
};

inline constexpr const char* streaming_definitions =
    "Items are 128 Mi unless a row says 1 Mi; i32 unless it says another type. GB/s count what any algorithm must "
    "move: "
    "reduce n s; scan and merge 2 n s; search n s + 4 needles; load-balancing search 4 (outputs + segments); segmented "
    "reduce n s + segments (s + 4); reduce by key 8 (n + n / 32); scan by key 12 n; interval move 8 n + 12 intervals; "
    "SpMV nnz (s + 4) + 4 (n + 1) + 2 n s; gemv (m k + m + k) s; sorts, joins and sets "
    "count items of both "
    "inputs. seconds: CUDA events around the call on a warm context (workspace there), median of the rounds after 3 "
    "warm-ups; before each, 256 MB are read, which evicts the L2. Calls that return a size include bringing it to the "
    "host. Peers: the same data and clock, temporary storage allocated beforehand. Data: item i of splitmix64 from the "
    "row's seed. Merge: two equal halves of sorted random keys. Search: 25 % needles, 75 % haystack. Load balance: 75 "
    "% "
    "outputs, 25 % segments, uniform, or Pareto(1.05) sizes. Joins and sets: two halves of sorted keys below n / 2, so "
    "about one match a row. Segmented reduce and sort, interval move: mean length 32 (long: 4,096), uniform in [0, "
    "64], or Pareto(1.05), or "
    "one giant and a million empty. By key: sorted keys below n / 32."
    " SpMV: 2^20 rows, 2^24 entries (1 Mi: 2^16, 2^20), uniform or R-MAT(.57, .19, .19, .05) with "
    "scrambled numbers. Results are checked in the run, against a peer's or by counting.";

double copy_rate(const context& ctx);  // bytes per second, reads and writes

std::vector<streaming_row> run_streaming_suite(const context& ctx, const streaming_suite_options& options,
                                               const std::function<void(const streaming_row&)>& done);

}  // namespace kleene::bench
