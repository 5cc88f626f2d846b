// The closure suite: all-pairs closures on a GPU, each beside the dense product of the same algebra, type and data in
// the same run. Plain C++: where it is not compiled in, gpu_suites_absent.cpp stands in.
#pragma once

#include "kleene/data/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct closure_row {
  std::string work;  // for people
  std::string algebra, dtype, data;
  index_t n = 0, count = 1, block = 0;  // count > 1: a batch of small matrices
  bool predecessors = false;
  int rounds = 0;
  double seconds = 0, fastest = 0, slowest = 0;  // of the call: median, extremes
  double tops = 0;                               // 2 count n^3 / seconds, 10^12 / s
  double gemm_tops = 0;                          // the product of the same algebra, type and data, 8192 cubed; 0: none
  double plain_seconds = 0;                      // with predecessors: the same without
  double share() const { return gemm_tops > 0 ? tops / gemm_tops : 0; }
  double outside = 0;  // end to end: seconds that were not the closure
  double extra() const { return plain_seconds > 0 ? seconds / plain_seconds - 1 : 0; }

  // What is asked: a share of the product at least, or seconds, extra time or time outside at most. 0: nothing.
  double share_at_least = 0, share_aim = 0, seconds_at_most = 0, seconds_aim = 0, extra_at_most = 0, extra_aim = 0;
  double outside_at_most = 0, outside_aim = 0;
  std::string failure;  // not measured: why
  bool met() const {
    return failure.empty() && share() >= share_at_least && (seconds_at_most == 0 || seconds <= seconds_at_most) &&
           (extra_at_most == 0 || extra() <= extra_at_most) && (outside_at_most == 0 || outside <= outside_at_most);
  }
};

struct closure_suite_options {
  int rounds = 0;  // 0: by size
  index_t largest = 65536;
  std::string only;  // rows whose `work` holds this
};

// What was measured and how, for the JSON.
inline constexpr const char* closure_definitions =
    "Tops = 2 count n^3 / seconds. seconds: host clock around the whole call closure(context, algebra, A[, P]), which "
    "returns when the result is there: inspection of the values, the elimination, predecessors; median of the rounds "
    "after one warm-up, A refilled on the device before each (outside the clock). A: element i n + j of splitmix64 "
    "from "
    "seed 4, row-major; one sign: uniform in [0, 1); any sign: uniform in [1/8, 9/8) plus h(i) - h(j), h uniform in "
    "[0, 1), so that arcs have both signs and cycles are positive (max_min: uniform in [-1, 1)); i32: 0 .. 2^20; "
    "unweighted: 1 with "
    "probability 16 / n, else no arc. "
    "gemm_tops: the product of two such random matrices of that algebra, type and signs, 8192 cubed, same run, events, "
    "median of 5. Each result is checked: 64 elements equal the best of A(i, k) (x) w(k, j) over all k (floats: within "
    "the rounding of a path), with predecessors the chains of 64 pairs are followed home and summed. "
    "End to end: wall time of the command `kleene apsp FILE --dtype f32 --out D.npy`, start of the process to its end, "
    "median "
    "of 3; the file has 20,000 vertices and 400,000 arcs (Matrix Market, splitmix64 from seed 7, weights in (0, 1) "
    "with six "
    "digits) and lies in the page cache; outside: without the seconds that the closure took.";

std::vector<closure_row> run_closure_suite(const context& ctx, const closure_suite_options& options,
                                           const std::function<void(const closure_row&)>& done);

}  // namespace kleene::bench
