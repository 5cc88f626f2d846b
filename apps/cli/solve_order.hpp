// kleene solve: how long an order is looked for, and what is too entangled to be begun.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/networks/order.hpp"
#include "solve.hpp"

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

// A search ends once it has taken as long as the contraction is likely to take: of operations that take so many times
// as long as a sum and a comparison of int32.
order_options order_options_of(double seconds, double slowness, const context& ctx, const order_search_line& line);

// How many elements of so many bytes a tensor may have, if so many tensors are there at a time.
inline constexpr double tensors_at_a_time = 5;  // operands, a result, a copy and what waits: as optimum() reckons
index_t most_elements_in(double memory, std::size_t element, double tensors = tensors_at_a_time);

// error(memory), with the size of the largest tensor and the number of operations, unless an order is found that
// fits; of elements of so many bytes.
void require_untangled(const network& n, const std::string& path, std::size_t element, const solve_flags& flags,
                       const order_search_line& line, const context& ctx);

}  // namespace kleene::cli
