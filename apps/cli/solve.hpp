// kleene solve: what can be asked, and the flags that ask it.
#pragma once

#include "commands.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace kleene::cli {

enum class solve_kind {
  ising,
  cut,
  independent_set,
  vertex_cover,
  clique,
  coloring,
  dominating_set,
  set_packing,
  sat,
  factors
};

struct solve_row {
  solve_kind kind;
  const char* name;
  const char* aim;     // what is looked for
  const char* holds;   // what the check found of an answer
  const char* column;  // of an answer's values in --configuration
  bool takes_graph;    // reads a graph, and can be drawn on it
  bool takes_weights;  // of vertices or sets
  bool drops_loops;    // a loop makes no difference to it
  bool chooses;        // an answer is a set of vertices, sets or variables
};
const solve_row& problem_row_of(solve_kind kind);

constexpr double most_exponent = 100;  // of --operations, years of any machine

struct solve_flags {
  solve_kind kind = solve_kind::independent_set;
  input_flags input;
  std::string weights, fields, configuration, svg, coordinates;  // files; empty: not given
  std::int64_t colors = 0;                                       // 0: not given
  bool count = false, partition = false, soft = false, drop_loops = false;
  int best = 0;            // how many of the best values; 0: none
  double seconds = 10;     // for the search for an order
  double memory = 0;       // bytes; 0: what there is
  double operations = 48;  // log2 of the most that are begun
};

// What is looked for, of vertices or sets that have weights too: "the greatest sum of weights of vertices, no two ...".
std::string aim_of(const solve_flags& flags);

}  // namespace kleene::cli
