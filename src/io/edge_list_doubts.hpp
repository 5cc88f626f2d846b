// What is said of an edge list that is read, and may not be what was meant.
#pragma once

#include "io/edge_columns.hpp"
#include "io/edge_list_graph.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// "file:7", or whatever says where a row of this number is.
using row_place = std::function<std::string(index_t row)>;

// The first vertex that is no number where those of all rows above it are; empty: there is none. It makes names of all
// of them, and may be a total, or a line of another table. error(bad_input) where it is a number that is not whole.
std::string doubt_of_late_word(const std::vector<arcs_of_block*>& blocks, const row_place& place);

// error(bad_input), a question, where weights may have a point between their thousands, "1.234" beside "999".
void ask_about_thousands(const std::vector<arcs_of_block*>& blocks, const edge_columns& columns,
                         const row_place& place);

// A name that is not in UTF-8, or stands for a missing value; empty: there is none.
std::string doubt_of_names(const std::vector<std::string>& names, std::string_view file, int threads);

}  // namespace kleene::io::detail
