#include "solve_subgraphs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace kleene::cli {

neighbour_lists neighbours_of(const simple_graph& g) {
  neighbour_lists lists(static_cast<std::size_t>(g.vertices));
  for (const auto& [u, v] : g.edges) {
    lists[static_cast<std::size_t>(u)].push_back(v);
    lists[static_cast<std::size_t>(v)].push_back(u);
  }
  for (auto& list : lists) std::sort(list.begin(), list.end());
  return lists;
}

std::vector<std::int32_t> degeneracy_order(const neighbour_lists& g) {
  // Vertices by the number of neighbours that they have left; where one moves on, its entry is left behind.
  std::vector<std::vector<std::int32_t>> by_degree;
  std::vector<std::size_t> degree;
  for (std::size_t v = 0; v < g.size(); ++v) {
    degree.push_back(g[v].size());
    if (by_degree.size() <= degree[v]) by_degree.resize(degree[v] + 1);
    by_degree[degree[v]].push_back(static_cast<std::int32_t>(v));
  }
  constexpr std::size_t gone = std::numeric_limits<std::size_t>::max();
  std::vector<std::int32_t> order;
  for (std::size_t d = 0; order.size() < g.size();) {
    if (by_degree[d].empty()) {
      ++d;
      continue;
    }
    const std::int32_t v = by_degree[d].back();
    by_degree[d].pop_back();
    if (degree[static_cast<std::size_t>(v)] != d) continue;
    degree[static_cast<std::size_t>(v)] = gone;
    order.push_back(v);
    for (const std::int32_t u : g[static_cast<std::size_t>(v)]) {
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
  for (const std::int32_t u : g[static_cast<std::size_t>(v)])
    if (place[static_cast<std::size_t>(u)] > place[static_cast<std::size_t>(v)]) later.push_back(u);
  return later;
}

bit_set& bit_set::operator&=(const bit_set& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  return *this;
}
void bit_set::remove(const bit_set& other) {
  for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
}
int bit_set::first() const {
  for (std::size_t w = 0; w < words_.size(); ++w)
    if (words_[w] != 0) return static_cast<int>(64 * w) + std::countr_zero(words_[w]);
  return -1;
}
std::size_t bit_set::size() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}
std::vector<int> bit_set::members() const {
  std::vector<int> all;
  for (std::size_t w = 0; w < words_.size(); ++w)
    for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
      all.push_back(static_cast<int>(64 * w) + std::countr_zero(word));
  return all;
}

bit_graph::bit_graph(const neighbour_lists& g, const std::vector<std::int32_t>& vertices) {
  for (const std::int32_t v : vertices) {
    const std::vector<std::int32_t>& near = g[static_cast<std::size_t>(v)];
    bit_set row(vertices.size());
    for (std::size_t k = 0; k < vertices.size(); ++k)
      if (std::binary_search(near.begin(), near.end(), vertices[k])) row.insert(static_cast<int>(k));
    near_.push_back(std::move(row));
  }
}
bit_set bit_graph::all() const {
  bit_set set(near_.size());
  for (std::size_t v = 0; v < near_.size(); ++v) set.insert(static_cast<int>(v));
  return set;
}
std::size_t bit_graph::edges_among(const bit_set& these) const {
  std::size_t twice = 0;
  for (const int v : these.members()) twice += among(these, v).size();
  return twice / 2;
}
std::vector<colored_vertex> bit_graph::by_colors(bit_set these) const {
  std::vector<colored_vertex> order;
  for (int color = 0; these.first() >= 0; ++color) {
    bit_set free = these;
    for (int v = free.first(); v >= 0; v = free.first()) {
      order.push_back({v, color});
      these.erase(v), free.erase(v);
      free.remove(near_[static_cast<std::size_t>(v)]);
    }
  }
  return order;
}
simple_graph bit_graph::induced(const std::vector<int>& vertices) const {
  simple_graph graph;
  graph.vertices = std::ssize(vertices);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const std::vector<int> near = near_[static_cast<std::size_t>(vertices[i])].members();
    for (std::size_t j = i + 1; j < vertices.size(); ++j)
      if (std::binary_search(near.begin(), near.end(), vertices[j]))
        graph.edges.emplace_back(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
  }
  return graph;
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
