// A number and its noun, in the singular or the plural: 1 vertex, 12 vertices.
#pragma once

#include "kleene/data/view.hpp"

#include <string>

namespace kleene::detail {

inline std::string counted(index_t n, const char* one, const char* many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

}  // namespace kleene::detail
