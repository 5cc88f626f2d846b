// Graphs in text formats that are not read. Most have lines of words as an edge list has, and would be refused in words
// that say nothing, or be read as another graph.
#pragma once

#include "kleene/io/formats.hpp"

#include <string_view>

namespace kleene::io::detail {

// error(bad_input) "file:line: what, and what to do" where the text, or its start, is of a known format that is not
// read. `kind`: what it would be read as, from its name or its look alone.
void refuse_other_formats(std::string_view text, std::string_view file, file_format kind);

}  // namespace kleene::io::detail
