// Undirected graphs without weights whose edges stand one a line, plain or compressed: those of the 2nd DIMACS
// implementation challenge (Johnson, Trick, 1993: cliques and colourings; "ccformat", http://dimacs.rutgers.edu/pub/
// challenge/graph/doc), and those of the PACE challenges (https://pacechallenge.org/2017/treewidth, and the tracks with
// td, cep, ds and tww in place of tw).
//
//   .col .clq   c comment                  .gr   c comment
//               p edge n m  (or p col)           p tw n m
//               n v value   (any number)
//               e u v       (m lines)            u v   (m lines)
//
// Every edge is returned in both directions, a loop once, with weight 1; edges that stand there twice, as many .col
// files have them in both directions, stay. Vertices count from 1 in the file, from 0 here; fewer than 2^31. Values
// of vertices are checked, then not used. Comments and blank lines may stand anywhere. Every refusal is
// error(bad_input) "file:line: what": an unknown line, edges before the p line, a second p line, too few or too many
// edges, a vertex outside 1 .. n; and the binary form of .clq and .col files (.b), which only a text replaces.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kleene::io {

coo<std::int64_t> read_dimacs_edges(const std::string& path);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
coo<std::int64_t> parse_dimacs_edges(std::string_view text, std::string_view file);
coo<std::int64_t> parse_dimacs_edges(scanner& in, int threads = 0);

coo<std::int64_t> read_pace(const std::string& path);
coo<std::int64_t> parse_pace(std::string_view text, std::string_view file);
coo<std::int64_t> parse_pace(scanner& in, int threads = 0);

}  // namespace kleene::io
