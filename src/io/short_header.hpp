// A header with fewer titles than the rows below it have fields: R leaves out the title of row names, and spreadsheets
// end rows in separators.
#pragma once

#include "io/edge_columns.hpp"
#include "io/edge_list_dialect.hpp"
#include "io/edge_list_sample.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Gives each field of the rows a title, an empty one to those that have none, if all of `sample` have as many; returns
// which had none. `lines` are the rows as they stand in the file, `chosen` says that --columns has the columns.
// error(bad_input) where the first column may hold row names, or what its title says.
untitled_fields fit_titles(std::string_view file, std::span<const head_line> lines,
                           const std::vector<sample_line>& sample, bool chosen, edge_columns& columns);

}  // namespace kleene::io::detail
