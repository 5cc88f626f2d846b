// The scale suite: closures and products on grids of GPUs, each beside one GPU's rate in the same run. Plain C++, over
// the library's own headers.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct scale_row {
  std::string work;  // for people
  // closure, with predecessors, with a checkpoint or from host memory; gemm; closures, in a batch or on devices
  std::string operation;
  std::string algebra = "min_plus", dtype = "f32";
  index_t n = 0, block = 0;
  double problems = 1;
  int devices = 0, rows = 0, cols = 0, rounds = 0;
  double seconds = 0, fastest = 0, slowest = 0;  // median, extremes
  double tops = 0;                               // 2 n^3 problems / seconds, 10^12 / s
  double one_tops = 0;                           // of one device, without a grid
  double share() const { return one_tops > 0 ? tops / (one_tops * devices) : 0; }
  double share_at_least = 0;
  double modelled = 0;  // seconds, of closures; 0: not said
  double saving = -1;   // of ten minutes, the share that one checkpoint takes; below 0: none
  static constexpr double saving_at_most = 0.02;
  std::uint64_t hash = 0;  // of some rows of the result
  std::string failure;     // not measured, or wrong: why
  bool met() const { return failure.empty() && share() >= share_at_least && saving <= saving_at_most; }
};

struct scale_suite_options {
  int rounds = 3;
  index_t largest = 65536, block = 0;  // rows of at most so many; 131,072 is for two or four. 0: by the share
  std::string only;                    // rows whose `work` holds this
};

inline constexpr const char* scale_definitions =
    "Tops = 2 n^3 problems / seconds. seconds: host clock on worker 0 from a barrier before the call to a barrier "
    "after it, median of the rounds after one warm-up (n of 65,536 and more: one round, without); closures are of the "
    "matrix that the round before closed, which takes no less time. Elements: multiples of 2^-20 in (0, 1), so that no "
    "sum of a few rounds. one_tops: closure(context, ...) or gemm(context, ...) on the first device, of the same n, or "
    "32,768 where that is less, in the same run. Checked: closures and products of 1,500 vertices against one device, "
    "whole, and three rows of each result against one device's (where n is at most 32,768). 100,000 closures: of a "
    "batch in pageable host memory, which goes to the devices and comes back within the time, or with a part of it on "
    "each device; one_tops is that of the same call on one device, and the results are compared whole. With "
    "predecessors: one_tops is that of a closure without. From host memory: pinned before the call, 6 GiB of the "
    "device, 32 GB of it for 131,072 vertices; one_tops is that of the same closure in the device's memory, and three "
    "rows are compared with it. With a checkpoint: one is begun when a fifth of the time has gone that the closure "
    "takes without, in the system's folder for temporary files; saving: the difference of the two times "
    "as a share of 600 s, though the closure may end before the file does; three rows are compared. modelled: seconds "
    "that "
    "grid/model.hpp expects with one device's rate of products of 32,768 in this run.";

// Whether this build has it: those with CUDA and all algebras.
bool has_scale_suite();
std::vector<scale_row> run_scale_suite(const scale_suite_options& options,
                                       const std::function<void(const scale_row&)>& done);

}  // namespace kleene::bench
