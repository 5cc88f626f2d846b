// Rows whose fields are no vertices: brackets around an arc, several vertices in one field, titles of another table.
// Each is error(bad_input) "file:line: what".
#pragma once

#include "io/edge_columns.hpp"
#include "io/edge_list_sample.hpp"

#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Titles of ends behind an empty line: a table of arcs below one of vertices, or below another of arcs.
void refuse_second_table(std::string_view file, const std::vector<sample_line>& sample);

// "(1, 2)", "[a,b]", "edge(a,b).": each row has its brackets around several fields.
void refuse_brackets(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns);

// "A" and "B,C": a question, where vertices of other rows stand in one field with others, or several in brackets, and
// each vertex has one line, as in lists of neighbours.
void ask_about_lists(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns);

}  // namespace kleene::io::detail
