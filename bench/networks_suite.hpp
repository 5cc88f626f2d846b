// Tensor networks: questions to graphs, on the CPU or on a CUDA device; how long the order takes, and how long the
// contraction.
#pragma once

#include "kleene/data/context.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kleene::bench {

struct networks_row {
  std::string work;
  double contract_most = 0, all_most = 0, times_most = 0;  // that are promised; 0: none
  double answer = 0;                                       // what came out; of several graphs the sum
  double operations = 0, largest = 0;  // log2 of the order's products, and of the elements of its largest tensor
  double slices = 1;
  std::string method{};            // which search found the order
  double order = 0, contract = 0;  // seconds
  double beside = 0;               // of the contraction of the value alone; 0: not measured
  double peak_bytes = 0;
  std::string failure{};  // not measured: why

  double all() const { return order + contract; }
  double times() const { return beside > 0 ? contract / beside : 0; }
  bool promises() const { return contract_most > 0 || all_most > 0 || times_most > 0; }
  bool met() const {
    return failure.empty() && (contract_most == 0 || contract <= contract_most) &&
           (all_most == 0 || all() <= all_most) && (times_most == 0 || (beside > 0 && times() <= times_most));
  }
};

inline constexpr const char* networks_definitions =
    "order: seconds from the problem to an order of contraction, all threads, traffic weighed as 16 operations; two "
    "variables that forbid each other's values are one where clustered() finds that this pays; a "
    "row says what it was found by, log2 of its products (operations) and of the elements of its largest tensor, and"
    " in how many slices memory lets it run. Where a row says 'planning included', searches of 0.25 s, 0.5 s, ... "
    "follow each other until they have taken as long as the contraction is likely to take (3e9 operations and "
    "elements a second, on a device 3e11); elsewhere there is one, of 1 to 12 s, by the row. contract: all "
    "contractions that the answer took, once it was asked before, the median of three; one run, the first, where "
    "that takes a second and more. times: beside the contraction of the value alone by the same order. Of several "
    "graphs seconds, operations and sizes are medians, the answer is the sum. peak_bytes: of workspace. 3-regular "
    "graphs: the configuration model, pairs of 3 n ends shuffled by splitmix64 from the seed, drawn again until "
    "there is no loop and no double edge; couplings and fields +-1 and King's graphs likewise. Files: the largest "
    "independent set, all weights 1. A configuration is evaluated again by the problem before it is given.";

struct networks_suite_options {
  std::string only;                 // rows whose name holds this
  std::vector<std::string> graphs;  // files: their largest independent sets
};

std::vector<networks_row> run_networks_suite(const context& ctx, const networks_suite_options& options,
                                             const std::function<void(const networks_row&)>& done);

}  // namespace kleene::bench
