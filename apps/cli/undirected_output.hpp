// Undirected graphs as files of formats that have no other: METIS (.graph), G-set (.gset), DIMACS .col.
#pragma once

#include "graph_output.hpp"

namespace kleene::cli {

// Each edge once, or in METIS at both of its ends; vertices from 1. value_error for what the format cannot hold:
// directed graphs, loops and edges given twice in METIS, weights of its edges that are not whole numbers from 1; and
// the weights of a .col, unless lossy leaves them out.
void write_undirected(const graph_request& request, const io::graph_file& graph);

}  // namespace kleene::cli
