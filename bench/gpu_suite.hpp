// The GPU suite: the products that Kleene promises a speed for, each beside the roof measured in the same run and the
// best peer. Plain C++: compiled in with -DKLEENE_BENCHES=ON; elsewhere gpu_suites_absent.cpp stands in.
#pragma once

#include "kleene/data/context.hpp"
#include "roofs/gpu_roof.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

// Rates are Tops: 10^12 operations per second, two (one add and one mul) a pair.
struct gpu_row {
  std::string work;  // for people
  std::string algebra, dtype, data, layout = "NN";
  index_t m = 0, n = 0, k = 0, batch = 1;
  bool witness = false;
  double seconds = 0, fastest = 0, slowest = 0;  // of the device, over the rounds: median, extremes
  double call_seconds = 0;                       // median from the call to the end of synchronise(), launches included
  double tops = 0;                               // of the median
  double pairs_per_clock = 0;                    // a multiprocessor, at the highest clock
  std::string roof;                              // its instructions
  double roof_tops = 0;
  std::string peer;              // the best other library
  double peer_tops = 0;          // 0: none
  bool peer_is_quoted = false;   // from peers/quoted.def, not from this run
  std::string bar;               // what at_least is a share of, where it is one
  double at_least = 0, aim = 0;  // 0: no promise
  std::string failure;           // not measured: why

  bool met() const { return failure.empty() && tops >= at_least; }
};

struct gpu_suite_options {
  int rounds = 10;
  std::string only;  // rows whose `work` holds this
};

// What was measured and how, for the JSON.
inline constexpr const char* gpu_definitions =
    "Tops = 2 batch m n k / seconds. seconds: CUDA events around the whole call gemm(context, algebra, A, B, C) with "
    "default options (inspection of signs and domain, packing and all launches inside), median of the rounds after 3 "
    "warm-ups; before each, 256 MB are read, which evicts the L2 and covers the time that the host takes to enqueue "
    "the call. call_seconds: host clock from the call to the end of synchronise(), without that cover. Operands: "
    "element n of splitmix64 from seed 1 (A) and 2 (B), row-major unless the layout says T (stored transposed); any "
    "sign: uniform in [-1, 1), non-negative [0, 1), non-positive (-1, 0], 0 .. 2^20 (0 .. 25, 0 .. 20, 0 .. 60, 0 .. "
    "2000) whole "
    "numbers, bits 0 or 1 evenly, or 1 in 128. 64 elements of each result (and witness) are compared with sums formed "
    "on the host "
    "before it is timed. "
    "Roofs: registers only, 8 x 8 elements a thread, same run. pairs_per_clock: per multiprocessor at clock_ghz, the "
    "highest clock. Peers: their best measured rates on an H200.";

// Whether the suites of GPUs are compiled in; without them the others throw error(usage).
bool has_gpu_suites();

// One row after the other; `done` sees each when its bar is known.
std::vector<gpu_row> run_gpu_suite(const context& ctx, const std::vector<gpu_roof>& roofs,
                                   const gpu_suite_options& options, const std::function<void(const gpu_row&)>& done);

}  // namespace kleene::bench
