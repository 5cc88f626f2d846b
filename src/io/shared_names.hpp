// Which columns of a table without titles draw from the same names, as the ends of arcs do.
#pragma once

#include "io/edge_list_sample.hpp"

#include <array>
#include <vector>

namespace kleene::io::detail {

// The two of these columns that have names in common, a quarter of those of either at least, where no other column has
// one of theirs; -1, -1: none, or several could be meant.
std::array<int, 2> columns_of_shared_names(const std::vector<sample_line>& sample, const std::vector<int>& columns);

}  // namespace kleene::io::detail
