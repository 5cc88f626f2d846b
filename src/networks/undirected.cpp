// What makes a list of pairs an undirected graph.
#include "kleene/networks/undirected.hpp"
#include "data/counted.hpp"

#include <limits>

namespace kleene {

void require_simple(const simple_graph& g) {
  if (g.vertices < 0 || g.vertices > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a graph has " + std::to_string(g.vertices) + " vertices; it can have 0 to 2147483647");
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    const std::int32_t u = g.edges[e].first, v = g.edges[e].second;
    const auto refuse = [&](const std::string& why) {
      throw argument_error("edge " + std::to_string(e) + " is {" + std::to_string(u) + ", " + std::to_string(v) + "}" +
                           why);
    };
    if (u < 0 || v >= g.vertices) refuse(" in a graph of " + detail::counted(g.vertices, "vertex", "vertices"));
    if (u >= v) refuse("; an edge's first vertex is below its second");
    if (e > 0 && !(g.edges[e - 1] < g.edges[e])) refuse(", not above the edge before it; edges rise");
  }
}

void detail::require_square(index_t rows, index_t cols) {
  if (rows != cols)
    throw shape_error("a graph is a square matrix, not one of " + std::to_string(rows) + " x " + std::to_string(cols));
}

}  // namespace kleene
