// METIS graphs (Karypis, Kumar: "METIS 5.1 manual", 2013, section 4.1.1), also those of the 10th DIMACS challenge,
// plain or compressed.
//
//   % comment
//   3 2 11 1          n vertices, m edges, fmt, ncon: fmt is three digits of 0 and 1 (sizes and weights of vertices,
//   7 2 5             weights of edges; leading zeros may be left out, and the whole), ncon the weights of a vertex
//   1 1 5 3 2         (unsaid: 1); then a line for each vertex:
//   4 2 2             [size] [ncon weights] neighbour [weight] neighbour [weight] ...
//
// Undirected: an edge stands in the lines of both of its ends, m counts it once, and it is returned in both
// directions. Vertices count from 1 in the file, from 0 here; fewer than 2^31. Weights of edges are integers from 1,
// and 1 where the file has none. Sizes and weights of vertices are checked, then not used: paths know no such thing.
// An empty line is a vertex without neighbours; comments are lines that start with %. The line of a vertex may be as
// long as n and m let it be, and is held in memory; any other has less than scanner::longest_line bytes.
//
// Every refusal is error(bad_input) "file:line: what": an edge that only one of its ends lists, or that weighs
// something else there, a neighbour that is listed twice, a loop, more or fewer lines or neighbours than are
// promised, a line that is longer than they can make it.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kleene::io {

struct metis_file {
  coo<std::int64_t> edges;  // by rows
  bool weighted = false, vertex_weights = false, vertex_sizes = false;
};

metis_file read_metis(const std::string& path);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
metis_file parse_metis(std::string_view text, std::string_view file);
metis_file parse_metis(scanner& in, int threads = 0);

}  // namespace kleene::io
