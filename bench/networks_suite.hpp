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
  double answer = 0;                   // what came out
  double operations = 0, largest = 0;  // log2 of the order's products, and of the elements of its largest tensor
  std::string method{};                // which search found the order
  double order = 0, contract = 0;      // seconds
  double peak_bytes = 0;
  double contract_most = 0, all_most = 0;  // seconds that are promised; 0: none
  std::string failure{};                   // not measured: why

  double all() const { return order + contract; }
  bool met() const {
    return failure.empty() && (contract_most == 0 || contract <= contract_most) && (all_most == 0 || all() <= all_most);
  }
};

inline constexpr const char* networks_definitions =
    "order: seconds from the problem to an order of contraction, of as many as are given (seconds), traffic weighed as "
    "16 operations, all threads; a row says what it was found by, and log2 of its products (operations) and of the "
    "elements of its largest tensor. contract: all contractions that the answer took, with that order, the second "
    "time: first touches of memory are not counted. peak_bytes: of workspace. 3-regular graphs: the configuration "
    "model, pairs of 3 n ends shuffled by splitmix64 from the seed, drawn again until there is no loop and no double "
    "edge; couplings +-1 and King's graphs likewise. Files: the largest independent set, all weights 1. Answers are "
    "checked by the library against the problem; a configuration is always evaluated again.";

struct networks_suite_options {
  double seconds = 5;               // for each order
  std::string only;                 // rows whose name holds this
  std::vector<std::string> graphs;  // files: their largest independent sets
};

std::vector<networks_row> run_networks_suite(const context& ctx, const networks_suite_options& options,
                                             const std::function<void(const networks_row&)>& done);

}  // namespace kleene::bench
