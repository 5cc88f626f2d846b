// How many items a range has, and whether a number of items can be one. Host only: operations ask before anything else.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"

#include <string>

namespace kleene::detail {

// last - first. argument_error where the range is reversed: as a length it would be a want of memory, or no work.
template <class It>
index_t length_of(It first, It last) {
  const index_t items = last - first;
  if (items < 0)
    throw argument_error("a range ends " + std::to_string(-items) + " items before it begins", fault_code::usage);
  return items;
}

// A number of items, segments or rows that was handed over; argument_error where it is negative.
inline index_t require_count(const char* what, index_t count) {
  if (count < 0) throw argument_error(std::to_string(count) + " " + what, fault_code::usage);
  return count;
}

}  // namespace kleene::detail
