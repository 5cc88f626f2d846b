// Titles of columns that stand in a comment above the rows: "# FromNodeId ToNodeId", "#,from,to,km", "# weight i j".
#pragma once

#include "io/edge_list_sample.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// The words of a comment, as many as the rows have fields, if they name the columns; empty: they do not, or may be
// prose. They name them where two call the ends, where two differ by a number and the others are titles of measures,
// times and row numbers, and where one calls a column the weight that would be an end without titles.
std::vector<std::string> titles_of_comment(std::string_view comment, const std::vector<sample_line>& sample,
                                           char separator);

}  // namespace kleene::io::detail
