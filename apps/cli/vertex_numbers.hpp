// Numbers of vertices that stand in a file of their own: those of --weights, --fields and --coordinates.
#pragma once

#include "kleene/data/matrix.hpp"
#include "labels.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kleene::cli {

// Whole numbers, or real ones as soon as one is.
using number_list = std::variant<std::vector<std::int64_t>, std::vector<double>>;

// A number for each of `count` vertices: one a line in their order, or their name and it (separated by a tab, a
// semicolon, a comma or blanks; a title whose second word is "weight" may stand above). error(bad_input), by its line,
// for anything else: a vertex that there is not, one twice, one that has none.
number_list read_vertex_numbers(const std::string& path, const labels& names, index_t count);

// What --coordinates takes, for helps.
inline constexpr const char* coordinate_files = ".csv, .tsv or .txt: name,x,y or x,y; .co; .mtx: an array";

// Two coordinates of each vertex: of a .csv, .tsv or .txt in the same way (name,x,y or x,y; a title ends in y, lat or
// latitude), of other files as maps have them.
matrix<double> read_vertex_coordinates(const std::string& path, const labels& names, index_t count);

}  // namespace kleene::cli
