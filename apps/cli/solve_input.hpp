// What kleene solve reads: a graph whose edges lead both ways, sets, clauses or factors; and numbers of their vertices.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/io/problems/cnf.hpp"
#include "kleene/io/problems/uai.hpp"
#include "kleene/networks/undirected.hpp"
#include "labels.hpp"
#include "solve.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kleene::cli {

// Whole numbers, or real ones as soon as one is.
using number_list = std::variant<std::vector<std::int64_t>, std::vector<double>>;

struct solve_input {
  std::string path, format{}, description{};
  labels names{};                                 // of what answers are about: vertices, sets or variables
  index_t parts = 0;                              // how many of those
  simple_graph graph{};                           // of problems on graphs
  number_list edges{};                            // the weight of each edge, where the problem asks for them
  number_list weights{};                          // of --weights or --fields; empty: none
  index_t elements = 0;                           // of sets
  std::vector<std::vector<std::int32_t>> sets{};  // of set_packing
  io::cnf_file clauses{};
  io::uai_file factors{};
};

// error(usage) for flags that the problem does not take, before anything is read.
void require_solvable(const solve_flags& flags);

// Reads what the problem is about. Loops, and edges whose directions differ, are refused, with the names of the file;
// loops that make no difference, or that --drop-loops is about, are left out with a note.
solve_input read_solve_input(const solve_flags& flags, const shared_flags& shared);

// A number for each of `count` vertices: one a line in their order, or their name and it (separated by a tab, a
// semicolon, a comma or blanks; a title whose second word is "weight" may stand above). error(bad_input), by its line,
// for anything else: a vertex that there is not, one twice, one that has none.
number_list read_vertex_numbers(const std::string& path, const labels& names, index_t count);

// Two coordinates of each vertex: of a .csv, .tsv or .txt in the same way (name,x,y or x,y; a title ends in y, lat or
// latitude), of other files as maps have them.
matrix<double> read_vertex_coordinates(const std::string& path, const labels& names, index_t count);

}  // namespace kleene::cli
