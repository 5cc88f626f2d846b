#include "solve_subgraphs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kleene::cli {

neighbour_lists neighbours_of(const simple_graph& g) {
  neighbour_lists lists;
  lists.near.resize(static_cast<std::size_t>(g.vertices));
  for (const auto& [u, v] : g.edges) {
    lists.near[static_cast<std::size_t>(u)].push_back(v);
    lists.near[static_cast<std::size_t>(v)].push_back(u);
  }
  for (auto& list : lists.near) std::sort(list.begin(), list.end());
  lists.edges = g.edges.size();
  return lists;
}

simple_graph graph_of(const neighbour_lists& g) {
  simple_graph graph;
  graph.vertices = std::ssize(g.near);
  for (std::int32_t u = 0; u < graph.vertices; ++u)
    for (const std::int32_t v : g.near[static_cast<std::size_t>(u)])
      if (u < v) graph.edges.emplace_back(u, v);
  return graph;
}

std::vector<std::int32_t> degeneracy_order(const neighbour_lists& g) {
  // Vertices by the number of neighbours that they have left; where one moves on, its entry is left behind.
  std::vector<std::vector<std::int32_t>> by_degree;
  std::vector<std::size_t> degree;
  for (std::size_t v = 0; v < g.near.size(); ++v) {
    degree.push_back(g.near[v].size());
    if (by_degree.size() <= degree[v]) by_degree.resize(degree[v] + 1);
    by_degree[degree[v]].push_back(static_cast<std::int32_t>(v));
  }
  constexpr std::size_t gone = std::numeric_limits<std::size_t>::max();
  std::vector<std::int32_t> order;
  for (std::size_t d = 0; order.size() < g.near.size();) {
    if (by_degree[d].empty()) {
      ++d;
      continue;
    }
    const std::int32_t v = by_degree[d].back();
    by_degree[d].pop_back();
    if (degree[static_cast<std::size_t>(v)] != d) continue;
    degree[static_cast<std::size_t>(v)] = gone;
    order.push_back(v);
    for (const std::int32_t u : g.near[static_cast<std::size_t>(v)]) {
      std::size_t& left = degree[static_cast<std::size_t>(u)];
      if (left == gone) continue;
      by_degree[--left].push_back(u);
      d = std::min(d, left);
    }
  }
  return order;
}

std::vector<std::int32_t> later_neighbours(const neighbour_lists& g, std::int32_t v,
                                           const std::vector<std::int32_t>& place) {
  std::vector<std::int32_t> later;
  for (const std::int32_t u : g.near[static_cast<std::size_t>(v)])
    if (place[static_cast<std::size_t>(u)] > place[static_cast<std::size_t>(v)]) later.push_back(u);
  return later;
}

neighbour_lists induced(const neighbour_lists& g, const std::vector<std::int32_t>& vertices) {
  neighbour_lists inner;
  for (const std::int32_t v : vertices) {
    const std::vector<std::int32_t>& near = g.near[static_cast<std::size_t>(v)];
    std::vector<std::int32_t> kept;
    for (std::size_t k = 0; k < vertices.size(); ++k)
      if (std::binary_search(near.begin(), near.end(), vertices[k])) kept.push_back(static_cast<std::int32_t>(k));
    inner.edges += kept.size();
    inner.near.push_back(std::move(kept));
  }
  inner.edges /= 2;
  return inner;
}

std::vector<int> greedy_colors(const neighbour_lists& g) {
  std::vector<int> colors;
  std::vector<std::size_t> taken_by;  // of each colour: the last vertex that it was forbidden to
  for (std::size_t v = 0; v < g.near.size(); ++v) {
    for (const std::int32_t u : g.near[v])
      if (static_cast<std::size_t>(u) < v)
        taken_by[static_cast<std::size_t>(colors[static_cast<std::size_t>(u)])] = v + 1;
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [&](std::size_t by) { return by != v + 1; });
    colors.push_back(static_cast<int>(free - taken_by.begin()));
    if (free == taken_by.end()) taken_by.push_back(0);
  }
  return colors;
}

std::string sum_of_decimals(const std::string& a, const std::string& b) {
  std::string sum;
  int carry = 0;
  for (std::size_t k = 0; k < std::max(a.size(), b.size()) || carry > 0; ++k) {
    const int of_a = k < a.size() ? a[a.size() - 1 - k] - '0' : 0, of_b = k < b.size() ? b[b.size() - 1 - k] - '0' : 0;
    sum.push_back(static_cast<char>('0' + (of_a + of_b + carry) % 10));
    carry = (of_a + of_b + carry) / 10;
  }
  std::reverse(sum.begin(), sum.end());
  return sum;
}

double log2_sum_of(double a, double b) {
  const double top = std::max(a, b);
  return std::isinf(top) ? top : top + std::log2(std::exp2(a - top) + std::exp2(b - top));
}

}  // namespace kleene::cli
