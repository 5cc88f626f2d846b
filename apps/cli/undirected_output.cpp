#include "undirected_output.hpp"

#include "kleene/io/atomic_file.hpp"
#include "labels.hpp"
#include "text.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

namespace kleene::cli {

namespace {

[[noreturn]] void refuse(const graph_request& request, const std::string& why) {
  throw value_error(fmt::format("{}: {}", request.name(), why));
}

template <class T>
void write_edges(const graph_request& request, const coo<T>& arcs, bool weighted) {
  const bool col = request.format == graph_format::col;
  const auto is_listed = [&](index_t e) { return arcs.row[e] <= arcs.col[e]; };
  index_t edges = 0;
  for (index_t e = 0; e < arcs.entries(); ++e) edges += is_listed(e);
  io::atomic_file out(request.path);
  out.write(fmt::format("{}{} {}\n", col ? "p edge " : "", arcs.rows, edges));
  std::string line;
  for (index_t e = 0; e < arcs.entries(); ++e) {
    if (!is_listed(e)) continue;
    line.clear();
    fmt::format_to(std::back_inserter(line), "{}{} {}", col ? "e " : "", arcs.row[e] + 1, arcs.col[e] + 1);
    if (!col) fmt::format_to(std::back_inserter(line), " {}", weighted ? arcs.value[e] : T{1});
    out.write(line += '\n');
  }
  out.commit();
}

// A line for each vertex: its neighbours, ascending, with the weights of their edges.
template <class T>
void write_metis(const graph_request& request, const coo<T>& arcs, bool weighted, const labels& names) {
  const auto show = [&](index_t e) {
    return fmt::format("the edge from {} to {}", names.text(arcs.row[e]), names.text(arcs.col[e]));
  };
  for (index_t e = 0; e < arcs.entries(); ++e) {
    if (arcs.row[e] == arcs.col[e]) refuse(request, show(e) + " is a loop, which METIS does not have");
    const bool whole = arcs.value[e] >= 1 && arcs.value[e] < 0x1p53 && T(std::int64_t(arcs.value[e])) == arcs.value[e];
    if (weighted && !whole)
      refuse(request, fmt::format("{} has the weight {}; METIS has whole numbers from 1", show(e), arcs.value[e]));
  }
  std::vector<index_t> order(static_cast<std::size_t>(arcs.entries()));
  std::iota(order.begin(), order.end(), index_t{0});
  const auto ends = [&](index_t e) { return std::pair(arcs.row[e], arcs.col[e]); };
  std::ranges::sort(order, {}, ends);
  const auto twice = std::ranges::adjacent_find(order, {}, ends);
  if (twice != order.end()) refuse(request, show(*twice) + " is there twice, which METIS does not have");
  io::atomic_file out(request.path);
  out.write(fmt::format("{} {}{}\n", arcs.rows, arcs.entries() / 2, weighted ? " 1" : ""));
  std::string line;
  auto next = order.begin();
  for (std::int32_t v = 0; v < arcs.rows; ++v) {
    line.clear();
    for (; next != order.end() && arcs.row[*next] == v; ++next) {
      if (!line.empty()) line += ' ';
      fmt::format_to(std::back_inserter(line), "{}", arcs.col[*next] + 1);
      if (weighted) fmt::format_to(std::back_inserter(line), " {}", static_cast<std::int64_t>(arcs.value[*next]));
    }
    out.write(line += '\n');
  }
  out.commit();
}

}  // namespace

void write_undirected(const graph_request& request, const io::graph_file& graph) {
  const std::string format = format_words(request.format);
  if (!graph.symmetric)
    refuse(request, fmt::format("{} holds undirected graphs, and this one is directed (an edge list is undirected with "
                                "--undirected)",
                                format));
  if (request.format == graph_format::col && !graph.pattern && !request.lossy)
    refuse(request, "DIMACS edges has no room for weights; --lossy leaves them out");
  std::visit(
      [&](const auto& arcs) {
        if (request.format != graph_format::metis) return write_edges(request, arcs, !graph.pattern);
        write_metis(request, arcs, !graph.pattern, labels(graph.names, graph.first_vertex));
      },
      graph.edges);
}

}  // namespace kleene::cli
