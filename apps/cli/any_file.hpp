// A file for what it is: a graph, a matrix, or places. What `kleene convert` and `kleene info` read.
#pragma once

#include "commands.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/npy.hpp"

#include <string>
#include <variant>

namespace kleene::cli {

struct sparse_file {  // a coordinate file of another shape than a graph's
  std::variant<coo<std::int64_t>, coo<double>> entries;
  bool pattern = false;
  int first_row = 1;  // the number that the file gives to row 0
};
struct places_file {
  matrix<double> places;  // a row a vertex: x and y
};

struct any_file {
  std::string format;         // "npy", "Matrix Market", ...
  std::string compression{};  // "gzip", "xz", ...; empty: none
  std::variant<io::graph_file, io::npy_matrix, sparse_file, places_file> content;
};

// Errors as read_graph_file has them.
any_file read_any_file(const input_flags& flags, const shared_flags& shared);

}  // namespace kleene::cli
