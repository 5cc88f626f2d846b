#include "graph_facts.hpp"

#include "text.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace kleene::cli {

namespace {

// "with 3, 2 and 1 vertices", of many "the largest with 50, 20, ... vertices".
std::string vertices_words(const component_sizes& sizes) {
  constexpr std::size_t most = 8;
  std::string text = sizes.size() > most ? "the largest with " : "with ";
  for (std::size_t c = 0; c < std::min(sizes.size(), most); ++c)
    text += (c == 0 ? "" : c + 1 == sizes.size() ? " and " : ", ") + grouped(sizes[c]);
  return text + (sizes.size() > most ? ", ..." : "") + " vertices";
}

}  // namespace

std::string weak_words(const component_sizes& sizes, bool undirected) {
  const char* const arcs = undirected ? "edges join" : "arcs, taken both ways, join";
  if (sizes.empty()) return "none";
  if (sizes.size() == 1) return fmt::format("1: the {} all vertices", arcs);
  if (sizes.front() == 1) return grouped(std::ssize(sizes)) + " parts of one vertex each";
  return fmt::format("{} parts that no {} joins, {}", grouped(std::ssize(sizes)), undirected ? "edge" : "arc",
                     vertices_words(sizes));
}

std::string strong_words(const component_sizes& sizes) {
  if (sizes.empty()) return "none";
  if (sizes.size() == 1) return "1: every vertex reaches every other";
  if (sizes.front() == 1)
    return grouped(std::ssize(sizes)) + " groups of one vertex each: no two reach each other both ways";
  return fmt::format("{} groups in which all vertices reach each other, {}", grouped(std::ssize(sizes)),
                     vertices_words(sizes));
}

component_sizes weak_components(index_t vertices, std::span<const std::int32_t> from,
                                std::span<const std::int32_t> to) {
  std::vector<std::int32_t> parent(static_cast<std::size_t>(vertices));
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  for (std::size_t e = 0; e < from.size(); ++e) {
    const std::int32_t u = root(from[e]), v = root(to[e]);
    parent[std::max(u, v)] = std::min(u, v);
  }
  std::vector<index_t> size(parent.size(), 0);
  for (std::size_t v = 0; v < parent.size(); ++v) ++size[root(static_cast<std::int32_t>(v))];
  std::erase(size, 0);
  std::ranges::sort(size, std::greater{});
  return size;
}

component_sizes strong_components(std::span<const index_t> offsets, std::span<const std::int32_t> columns) {
  const auto n = static_cast<std::int32_t>(offsets.size() - 1);
  std::vector<std::int32_t> found(n, -1), low(n, 0), open, way;  // way: from the root of the search to where it is
  std::vector<index_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<char> is_open(n, 0);
  component_sizes sizes;
  std::int32_t count = 0;
  const auto enter = [&](std::int32_t v) {
    found[v] = low[v] = count++;
    open.push_back(v);
    is_open[v] = 1;
    way.push_back(v);
  };
  for (std::int32_t root = 0; root < n; ++root) {
    if (found[root] >= 0) continue;
    enter(root);
    while (!way.empty()) {
      const std::int32_t v = way.back();
      if (next[v] < offsets[v + 1]) {
        const std::int32_t w = columns[next[v]++];
        if (found[w] < 0) enter(w);
        else if (is_open[w]) low[v] = std::min(low[v], found[w]);
        continue;
      }
      way.pop_back();
      if (!way.empty()) low[way.back()] = std::min(low[way.back()], low[v]);
      if (low[v] != found[v]) continue;
      index_t size = 0;
      for (std::int32_t w = -1; w != v; ++size) {
        w = open.back();
        open.pop_back();
        is_open[w] = 0;
      }
      sizes.push_back(size);
    }
  }
  std::ranges::sort(sizes, std::greater{});
  return sizes;
}

degree_range degrees(index_t vertices, std::span<const std::int32_t> ends) {
  std::vector<index_t> degree(static_cast<std::size_t>(vertices), 0);
  for (const std::int32_t v : ends) ++degree[v];
  if (degree.empty()) return {};
  const auto [least, most] = std::ranges::minmax(degree);
  return {least, most};
}

}  // namespace kleene::cli
