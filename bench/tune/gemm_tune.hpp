// The search for tile policies of the CUDA product: every trial that was compiled in, timed on the device of a context.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/kernels/cuda/gemm/simt/policy.hpp"
#include "kleene/operations/gemm.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

// One policy on one algebra. run multiplies n x n matrices that it makes itself (`rounds` times after two warm-ups) and
// returns the median seconds, or a negative number where the result differs from the tuned row's or the launch fails.
struct gemm_trial {
  std::string work, algebra, type, signs;
  kernels::cuda::simt_policy policy;
  double (*run)(const context& ctx, index_t n, int rounds);
};

// All trials of the search space, in the order of gemm_space.def; empty in builds without KLEENE_TUNE.
std::vector<gemm_trial>& gemm_trials();

struct gemm_trial_result {
  const gemm_trial* trial;
  double tops;  // 2 n^3 / t / 1e12; 0 where the trial failed
};

// Runs them all; `report` hears each result as it comes.
std::vector<gemm_trial_result> tune_gemm(const context& ctx, index_t n, int rounds,
                                         const std::function<void(const gemm_trial_result&)>& report);

// The rows of the table for the best policy of each kind of work (by the geometric mean over its algebras), to paste.
std::string rows_to_paste(const std::vector<gemm_trial_result>& results, const std::string& device);

}  // namespace kleene::bench
