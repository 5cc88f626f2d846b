// What kleene solve reads: a graph whose edges lead both ways, sets, clauses or factors.
#pragma once

#include "kleene/io/problems/cnf.hpp"
#include "kleene/io/problems/uai.hpp"
#include "kleene/networks/undirected.hpp"
#include "labels.hpp"
#include "solve.hpp"
#include "vertex_numbers.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kleene::cli {

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

}  // namespace kleene::cli
