// The shortest route between two crossings of a road network.
//
//   road_trip [FILE [FROM TO]]     crossings numbered as in the file
#include "kleene/io/graph.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>

int drive(const char* file, std::int32_t from, std::int32_t to) {
  const kleene::io::graph_file network = kleene::io::read_graph(file);
  const auto& roads = std::get<kleene::coo<double>>(network.edges);
  const auto shorter = [](double a, double b) { return std::min(a, b); };  // of two roads between the same crossings
  const kleene::csr<double> graph = kleene::make_csr(roads, shorter);

  const std::array sources{from - network.first_vertex};
  const auto result = kleene::shortest_paths(kleene::context::cpu(), graph, {.predecessors = true, .sources = sources});
  const auto route = result.path(sources[0], to - network.first_vertex);
  if (route.vertices.empty()) {
    std::printf("no road leads from %d to %d\n", from, to);
    return 1;
  }
  std::printf("%d to %d: %.3f km over %zu crossings\n", from, to, route.cost, route.vertices.size());
  for (std::int32_t crossing : route.vertices) std::printf(" %d", crossing + network.first_vertex);
  std::printf("\n");
  return 0;
}

int main(int count, char** words) {
  try {
    return drive(count > 1 ? words[1] : "data/road/minnesota_km.mtx", count > 3 ? std::atoi(words[2]) : 1,
                 count > 3 ? std::atoi(words[3]) : 2642);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "road_trip: %s\n", failure.what());
    return 1;
  }
}
