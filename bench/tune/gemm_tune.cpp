#include "tune/gemm_tune.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace kleene::bench {

std::vector<gemm_trial>& gemm_trials() {
  static std::vector<gemm_trial> trials;
  return trials;
}

std::vector<gemm_trial_result> tune_gemm(const context& ctx, index_t n, int rounds,
                                         const std::function<void(const gemm_trial_result&)>& report) {
  std::vector<gemm_trial_result> results;
  for (const gemm_trial& trial : gemm_trials()) {
    const double seconds = trial.run(ctx, n, rounds);
    results.push_back({&trial, seconds > 0 ? 2e-12 * std::pow(double(n), 3) / seconds : 0});
    report(results.back());
  }
  return results;
}

std::string rows_to_paste(const std::vector<gemm_trial_result>& results, const std::string& device) {
  struct standing {
    const gemm_trial* trial;
    double log_sum = 0;
    std::string figures;
  };
  std::map<std::string, std::vector<standing>> works;
  for (const auto& [trial, tops] : results) {
    std::vector<standing>& rows = works[trial->work];
    if (rows.empty() || !(rows.back().trial->policy == trial->policy)) rows.push_back({trial, 0, ""});
    rows.back().log_sum += tops > 0 ? std::log(tops) : -1e9;
    rows.back().figures += fmt::format("{}{:.1f}", rows.back().figures.empty() ? "" : " / ", tops);
  }
  std::string text;
  for (const auto& [work, rows] : works) {
    const auto best =
        std::max_element(rows.begin(), rows.end(), [](auto& x, auto& y) { return x.log_sum < y.log_sum; });
    const kernels::cuda::simt_policy& p = best->trial->policy;
    text += fmt::format(
        "// {} on {}\n"
        "KLEENE_SIMT_ROW({:24}bulk,    {:3}, {:3}, {:3}, {:2}, {:2}, {:4}, {:4}, {:4}, {:4}, {:4}, {:4}, false)\n",
        best->figures, device, work + ",", p.bm, p.bn, p.bk, p.tm, p.tn, p.lanes_m, p.stages, p.blocks, p.unroll,
        p.group, p.slices);
  }
  return text;
}

}  // namespace kleene::bench
