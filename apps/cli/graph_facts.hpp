// What a graph is like: its components, degrees and doubles.
#pragma once

#include "kleene/data/sparse.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kleene::cli {

// The sizes of the sets of vertices, largest first.
using component_sizes = std::vector<index_t>;

// Of vertices that arcs join, whatever their direction. O(arcs), by union and find.
component_sizes weak_components(index_t vertices, std::span<const std::int32_t> from, std::span<const std::int32_t> to);
// Of vertices that reach each other: Tarjan, "Depth-first search and linear graph algorithms", 1972.
component_sizes strong_components(std::span<const index_t> offsets, std::span<const std::int32_t> columns);

// The same for people: how many there are, and how large the first of them are.
std::string weak_words(const component_sizes& sizes, bool undirected);
std::string strong_words(const component_sizes& sizes);

struct degree_range {
  index_t least = 0, most = 0;
};
degree_range degrees(index_t vertices, std::span<const std::int32_t> ends);

}  // namespace kleene::cli
