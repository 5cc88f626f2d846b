// The line of a file in which a refused entry stands. Readers count lines and keep no numbers of them, for an entry is
// seldom refused once the file is read: its type does not hold it, or the algebra's domain. Then, and only then, the
// file is read once more for its line.
#pragma once

#include "kleene/data/view.hpp"
#include "labels.hpp"

#include <string>
#include <string_view>

namespace kleene::cli {

// What entries were read from.
struct entry_source {
  std::string path;
  std::string_view format;  // its name in io::format_table
  const labels& names;      // of rows and columns
};

// "net.csv:17": the path and the first line that holds both ends, in either order, and the value; of METIS the line of
// the first vertex that holds the other one and the value; of GraphML, where the value may stand on another line, the
// line with both ends. The path alone where there is none: of what is no text, of what cannot be read twice.
std::string place_of(const entry_source& source, index_t row, index_t col, double value);

// The same of a value alone, in a list of nothing else.
std::string place_of(const std::string& path, double value);

}  // namespace kleene::cli
