// Whether the first line of an edge list names its columns, where its words do not say so: numbers may, too.
#pragma once

#include "io/edge_columns.hpp"
#include "io/edge_list_sample.hpp"

#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Whether the fields are 0, 1, 2, ... from the first of them looked at: titles of pandas, where none were given.
bool counts_from_zero(const std::vector<std::string>& fields, std::size_t first = 0);

// Whether the first two words call the ends, are no single letters, and stand nowhere below: a header, whatever the
// others are.
bool starts_with_ends(const std::vector<sample_line>& sample);

// error(bad_input), a question, where numbers that may be titles stand above what they are not: a first line without a
// first title, or 0, 1, 2 above weights with a point. `chosen` says that --columns has the columns.
void ask_about_numbers_in_front(std::string_view file, const std::vector<sample_line>& sample, bool chosen,
                                char separator);

// The same, of numbers above ends that are names.
void ask_about_numbers_above_names(std::string_view file, const std::vector<sample_line>& sample,
                                   const edge_columns& columns);

// The same, of a word that stands nowhere below and may be the title of lists of vertices, "predecessors".
void ask_about_list_titles(std::string_view file, const std::vector<sample_line>& sample);

// error(bad_input), a question, where a first column of three or more without titles counts the rows, and whole numbers
// or names follow that may be the ends.
void ask_about_row_numbers(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns,
                           const std::vector<column_facts>& facts);

}  // namespace kleene::io::detail
