// Files by what they mean: a graph, coordinates, a dense matrix. The format is found in the content (a Matrix Market
// banner, a DIMACS or PACE p line in the first megabyte, the magic of npy or npz), then in the name (formats.hpp), and
// what is text with two fields a line is an edge list, or a G-set; compression is seen through either way. A file is
// opened once and read from its start to its end, so a pipe will do. Errors: error(bad_input), "file:line: what" where
// a line is at fault, else "file: what".
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/io/edge_list.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kleene::io {

struct graph_file {
  std::variant<coo<std::int64_t>, coo<double>>
      edges;  // entry (i, j) is the arc i -> j; weight 1 where the file has none
  index_t vertices = 0;
  index_t arcs = 0;                // as stored, both directions of a symmetric file counted
  bool pattern = false;            // the file has no weights
  bool symmetric = false;          // the file says so: undirected
  std::string format;              // "Matrix Market", "DIMACS", "edge list": the name in the table of formats
  int first_vertex = 1;            // the number that the file gives to vertex 0
  std::vector<std::string> names;  // of each vertex, where they have names; else empty
  std::string description;         // how it was read, where that is a question (io/edge_list.hpp); else empty
  std::string doubt;  // what is odd about it: fewer lines than a comment says (io/edge_list.hpp); else empty
};

using dense_matrix = std::variant<matrix<float>, matrix<double>, matrix<std::int32_t>, matrix<std::int64_t>>;

// A dense matrix that may be meant as a graph. Which of its elements are no arcs, only the reader can say.
struct dense_file {
  dense_matrix values;
  std::string format;    // "npy", "Matrix Market"
  int first_vertex = 0;  // as the format counts rows
  dense_facts facts{};
};

// A square Matrix Market coordinate file, any other format of graphs, or an edge list, read as `lists` says. Dense
// files (npy, Matrix Market array) are refused: in them nothing but an algebra's zero could say "no arc". An
// infinite weight is refused, and one that the type of `reals` would make infinite or zero: it would be another graph.
graph_file read_graph(const std::string& path, real_type reals = real_type::f64, const edge_list_options& lists = {});
// The same from a file that is open, of which nothing was read: start() tells a caller what it is.
graph_file read_graph(input& in, real_type reals = real_type::f64, const edge_list_options& lists = {});
// The same, and dense files as they are, of any extents. A file whose content does not say what it is is what is
// `meant`, whatever its name (METIS through a pipe).
std::variant<graph_file, dense_file> read_graph_or_dense(input& in, real_type reals = real_type::f64,
                                                         const edge_list_options& lists = {},
                                                         file_format meant = file_format::unknown);

// A square matrix of SciPy (io/npz.hpp) as the graph that read_graph makes of it; any other is refused.
struct npz_sparse;
graph_file graph_of(npz_sparse&& matrix, const std::string& path);

// n x 2 finite numbers: a Matrix Market array file of two columns, or a DIMACS .co.
matrix<double> read_coordinates(const std::string& path);

// What stands where a coordinate file stores nothing (the zero of the algebra that will read it).
struct absent_entries {
  double real = 0;
  std::int64_t integer = 0;
};

// The elements of an .npy file, bool as i32.
dense_matrix numbers_of(npy_matrix&& values);

// A dense matrix from .npy (bool becomes i32), .npz or Matrix Market (array, or a sparse one spread out: f64 or i64 by
// its field). An entry given twice is refused, since only an algebra could say which one counts. error(memory) with the
// number of bytes when they are not to be had.
dense_matrix read_dense(const std::string& path, const absent_entries& absent = {});
dense_matrix read_dense(input& in, const absent_entries& absent = {});

}  // namespace kleene::io
