// Parts of a graph, for kleene solve clique: neighbours, the order that keeps later ones few, and what is induced.
#pragma once

#include "kleene/networks/undirected.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kleene::cli {

// Whether at least half of the pairs are neighbours, so that the complement has no more edges than the graph.
inline bool is_dense(std::size_t vertices, std::size_t edges) {
  const auto n = static_cast<double>(vertices);
  return 4 * static_cast<double>(edges) >= n * (n - 1);
}

struct neighbour_lists {
  std::vector<std::vector<std::int32_t>> near;  // of each vertex, rising
  std::size_t edges = 0;
};
neighbour_lists neighbours_of(const simple_graph& g);
simple_graph graph_of(const neighbour_lists& g);

// Again and again the vertex that has the fewest neighbours left (Matula, Beck, "Smallest-last ordering", 1983).
std::vector<std::int32_t> degeneracy_order(const neighbour_lists& g);
// The neighbours of v that come after it, rising by number; place: of each vertex in the order.
std::vector<std::int32_t> later_neighbours(const neighbour_lists& g, std::int32_t v,
                                           const std::vector<std::int32_t>& place);
// What is between these vertices, which rise and are numbered anew.
neighbour_lists induced(const neighbour_lists& g, const std::vector<std::int32_t>& vertices);

// A colour of each vertex, another one than its neighbours': the first that is free.
std::vector<int> greedy_colors(const neighbour_lists& g);

// a + b, of non-negative numbers in decimal.
std::string sum_of_decimals(const std::string& a, const std::string& b);
// log2(2^a + 2^b); of minus infinity, 2^a is nothing.
double log2_sum_of(double a, double b);

}  // namespace kleene::cli
