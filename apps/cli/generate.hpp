// Graphs drawn by a generator: the same on every machine, for the same options and seeds.
//
//   rmat           each arc falls into a quarter of the matrix with probabilities 0.57, 0.19, 0.19 and 0.05, then into
//                  a quarter of that, and so on. Those drawn twice count once, self loops not at all. Chakrabarti, Zhan
//                  and Faloutsos, "R-MAT: a recursive model for graph mining", 2004; the probabilities are Graph 500's.
//   grid           rows x columns, as near to a square as the number of vertices allows; neighbours joined both ways.
//                  SPGRID in Cherkassky, Goldberg and Radzik, "Shortest paths algorithms: theory and experimental
//                  evaluation", 1996.
//   geometric      points at random in the unit square, joined both ways where they are near; a weight is the distance
//                  unless weights are asked for. Gilbert, "Random plane networks", 1961.
//   regular        every vertex has as many neighbours, joined both ways. Steger and Wormald, "Generating random
//                  regular graphs quickly", 1999.
//   planted-cycle  arcs at random, and one negative cycle of so many vertices, which weighs -1; every other cycle is
//                  0 or more. Potentials hide it: an arc u -> v weighs p(v) - p(u) more than was drawn. Cherkassky and
//                  Goldberg, "Negative-cycle detection algorithms", 1999.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/io/graph.hpp"

#include <cstdint>
#include <vector>

namespace kleene::cli {

enum class graph_model { rmat, grid, geometric, regular, planted_cycle };

struct weight_range {
  bool drawn = false;  // else what the model says: its lengths, or the range as it is here
  bool reals = false, none = false;
  double low = 1, high = 100;  // both included; whole numbers below 2^53 unless reals
};

struct generate_options {
  graph_model model = graph_model::rmat;
  index_t vertices = 0;
  double degree = 0;  // rmat, planted-cycle: arcs a vertex; geometric: neighbours a vertex, on average; regular: each
  index_t cycle = 3;  // vertices of the planted one
  std::uint64_t seed = 1, weight_seed = 1;
  weight_range weights{};
};

struct generated_graph {
  io::graph_file graph;
  std::vector<std::int32_t> cycle{};  // the planted one
  matrix<double> places{};            // vertices x 2: of grid and geometric
};

// value_error for options that no such graph has.
generated_graph generate(const generate_options& options);

}  // namespace kleene::cli
