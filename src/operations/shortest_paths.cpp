// What shortest paths check and say, compiled once and not with every algebra.
#include "kleene/operations/shortest_paths.hpp"

#include "kleene/operations/detail/checks/paths.hpp"

#include <cstdio>
#include <limits>
#include <numeric>

namespace kleene {

namespace {
constexpr std::pair<apsp_method, const char*> names[] = {
    {apsp_method::automatic, "auto"},
    {apsp_method::floyd_warshall, "floyd_warshall"},
    {apsp_method::dijkstra, "dijkstra"},
    {apsp_method::hierarchy, "hierarchy"},
};
}  // namespace

const char* to_string(apsp_method method) { return names[static_cast<int>(method)].second; }

apsp_method apsp_method_from(std::string_view name) {
  for (const auto& [method, text] : names)
    if (name == text) return method;
  throw error(fault_code::usage,
              "unknown method '" + std::string(name) + "' (auto, floyd_warshall, dijkstra or hierarchy)");
}

namespace detail {

void require_square_graph(index_t rows, index_t cols) {
  if (rows != cols)
    throw shape_error("a graph is a square matrix; this one is " + std::to_string(rows) + "x" + std::to_string(cols));
  if (rows > std::numeric_limits<std::int32_t>::max())
    throw shape_error("vertices are int32: " + std::to_string(rows) + " are too many");
}

std::vector<std::int32_t> checked_sources(std::span<const std::int32_t> asked, index_t n) {
  std::vector<std::int32_t> sources(asked.begin(), asked.end());
  for (std::int32_t s : sources)
    if (s < 0 || s >= n)
      throw value_error("source " + std::to_string(s) + " is no vertex of a graph of " + std::to_string(n) +
                        " (0-based)");
  if (asked.empty()) {
    sources.resize(n);
    std::iota(sources.begin(), sources.end(), 0);
  }
  return sources;
}

std::string two_vertices(const std::function<std::string(index_t)>& name, index_t i, const char* between, index_t j) {
  if (name) return name(i) + between + name(j);
  return std::to_string(i) + between + std::to_string(j) + " (0-based)";
}

std::string estimate_words(double chosen, double other, const std::string& other_name) {
  constexpr double noticed = 1e-3;
  if (other < noticed) return "the graph is so small that either method takes less than 1 ms";
  const auto words = [](double seconds) {
    if (seconds < noticed) return std::string("less than 1 ms");
    char text[32];
    std::snprintf(text, sizeof text, "about %.2g s", seconds);
    return std::string(text);
  };
  return "by estimate " + words(chosen) + " of one core, and " + other_name + " " + words(other);
}

void explain_paths(const std::string& algebra, const char* type, index_t vertices, index_t arcs, apsp_method method,
                   const std::string& reason, const context& ctx) {
  explain("shortest_paths " + algebra + " " + type + ": " + std::to_string(vertices) + " vertices, " +
          std::to_string(arcs) + " arcs: " + to_string(method) + " (" + reason + "), " + ctx.describe());
}

}  // namespace detail

}  // namespace kleene
