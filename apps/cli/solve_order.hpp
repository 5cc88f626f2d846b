// kleene solve: how long an order is looked for, and what is too entangled to be begun.
#pragma once

#include "kleene/networks/order.hpp"
#include "solve.hpp"
#include "solve_machine.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace kleene::cli {

// A line on stderr while an order is looked for: only on a terminal, and only after half a second.
class order_search_line {
 public:
  explicit order_search_line(bool wanted);
  ~order_search_line();
  order_search_line(const order_search_line&) = delete;
  order_search_line& operator=(const order_search_line&) = delete;

  void show(double part, const contraction_cost& best) const;

 private:
  bool wanted_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  mutable bool is_drawn_ = false;
};

// What all questions to a network take together.
struct solve_work {
  double operations = 1;    // as many times the operations of one contraction over sums and comparisons
  std::size_t element = 4;  // bytes, of the question that has the largest
};

// The order that all questions are answered by: looked for no longer than --seconds, and no longer than the
// contractions are likely to take. Where none is found that fits, error(memory), "`subject`too entangled: ...", with
// the size of the largest tensor and the number of operations.
contraction_order find_untangled_order(const network& n, const std::string& subject, const solve_work& work,
                                       const solve_flags& flags, const order_search_line& line,
                                       const solve_machine& machine);

}  // namespace kleene::cli
