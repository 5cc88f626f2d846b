// kleene solve: the memory that a problem takes before anything is contracted, and what its questions take after that.
#pragma once

#include "solve_input.hpp"
#include "solve_order.hpp"

#include <cstddef>

namespace kleene::cli {

// What the questions that the flags ask take, over values of so many bytes.
solve_work work_of(const solve_input& input, const solve_flags& flags, std::size_t value_bytes);

// error(memory), before anything is built, where the tables are more than --memory, of 256 MiB at least, or than what
// is free. A file of a few bytes can name 10^9 variables.
void require_room(const solve_input& input, const solve_flags& flags, std::size_t value_bytes);

}  // namespace kleene::cli
