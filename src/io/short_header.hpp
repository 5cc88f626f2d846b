// A header with fewer titles than the rows below it have fields: R leaves out the title of row names, and spreadsheets
// end rows in separators.
#pragma once

#include "io/edge_list_dialect.hpp"
#include "io/edge_list_sample.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Gives each field of the rows a title, an empty one to those that have none, if all of `sample` have as many, and says
// in the dialect which have none. `lines` are the rows as they stand in the file, `chosen` says that --columns has the
// columns. error(bad_input) where the first column may hold row names, or what its title says; and for a row that is
// cut where most have row names.
void fit_titles(std::string_view file, std::span<const head_line> lines, const std::vector<sample_line>& sample,
                bool chosen, edge_list_dialect& dialect);

}  // namespace kleene::io::detail
