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

using neighbour_lists = std::vector<std::vector<std::int32_t>>;  // of each vertex, rising
neighbour_lists neighbours_of(const simple_graph& g);

// Again and again the vertex that has the fewest neighbours left (Matula, Beck, "Smallest-last ordering", 1983).
std::vector<std::int32_t> degeneracy_order(const neighbour_lists& g);
// The neighbours of v that come after it, rising by number; place: of each vertex in the order.
std::vector<std::int32_t> later_neighbours(const neighbour_lists& g, std::int32_t v,
                                           const std::vector<std::int32_t>& place);

// Vertices of a small graph, a bit each.
class bit_set {
 public:
  bit_set() = default;
  explicit bit_set(std::size_t vertices) : words_((vertices + 63) / 64, 0) {}
  void insert(int v) { words_[static_cast<std::size_t>(v) / 64] |= bit(v); }
  void erase(int v) { words_[static_cast<std::size_t>(v) / 64] &= ~bit(v); }
  bit_set& operator&=(const bit_set& other);
  void remove(const bit_set& other);
  int first() const;  // -1: it is empty
  std::size_t size() const;
  std::vector<int> members() const;

 private:
  static std::uint64_t bit(int v) { return std::uint64_t{1} << (v % 64); }
  std::vector<std::uint64_t> words_;
};

struct colored_vertex {
  int vertex, color;
};

// What is between some vertices of a graph, which are numbered anew.
class bit_graph {
 public:
  bit_graph() = default;
  bit_graph(const neighbour_lists& g, const std::vector<std::int32_t>& vertices);
  bit_set all() const;
  // The neighbours of v among these.
  bit_set among(bit_set these, int v) const { return these &= near_[static_cast<std::size_t>(v)]; }
  std::size_t edges_among(const bit_set& these) const;
  // Neighbours have different colours, the first that is free; by rising colour, from 0.
  std::vector<colored_vertex> by_colors(bit_set these) const;
  simple_graph induced(const std::vector<int>& vertices) const;

 private:
  std::vector<bit_set> near_;
};

// a + b, of non-negative numbers in decimal.
std::string sum_of_decimals(const std::string& a, const std::string& b);
// log2(2^a + 2^b); of minus infinity, 2^a is nothing.
double log2_sum_of(double a, double b);

}  // namespace kleene::cli
