// What kleene solve asks of the library, and what comes back without its element type.
#pragma once

#include "kleene/networks/solve.hpp"
#include "solve_input.hpp"
#include "solve_machine.hpp"
#include "solve_numbers.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kleene::cli {

struct solve_answer {
  bool is_feasible = false;
  std::string dtype{};
  bool is_exact = true;  // no sum was rounded, so that equal values are equal
  solve_value value{};
  std::vector<std::int32_t> configuration{};  // of vertices, sets or variables; empty where there is none
  std::optional<std::string> count{};         // in decimal
  std::optional<std::vector<solve_value>> best{};
  std::optional<double> log_partition{};
  index_t problems = 0;  // of cliques, one a neighbourhood; 0: one factor graph
  int variables = 0;     // of the factor graph
  std::size_t factors = 0;
  solve_report report{};                           // of the value and its configuration
  double log2_work = 0;                            // of all questions, in operations of the value's: at most
  double order_seconds = 0, contract_seconds = 0;  // of all questions
  std::size_t bytes = 0;
};

// error(memory), before any contraction, where the best order that is found takes more than the memory or operations
// allowed; error(internal) where an answer does not pass the problem's own check.
solve_answer ask(solve_machine& machine, const solve_input& input, const solve_flags& flags,
                 const shared_flags& shared);

}  // namespace kleene::cli
