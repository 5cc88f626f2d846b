// Files by what they mean, under each suffix: the first byte of the input chooses it.
#include "kleene/io/graph.hpp"

#include "fuzz/file.hpp"
#include "fuzz/lists.hpp"

#include <iterator>

using namespace kleene;
using namespace kleene::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static constexpr const char* names[] = {"f",       "f.mtx", "f.gr",    "f.co",  "f.npy", "f.mtx.gz",
                                          "f.gr.gz", "f.gz",  "f.graph", "f.col", "f.npz", "f.graphml"};
  static memory_file file;
  if (size == 0) return 0;
  file.hold(text_of(data + 1, size - 1));
  const std::string path = file.path(names[data[0] % std::size(names)]);
  reads([&] {
    const io::graph_file graph = io::read_graph(path);
    std::visit(
        [&](const auto& edges) {
          check_entries(edges, false);
          require(graph.vertices == edges.rows && graph.vertices == edges.cols && graph.arcs == edges.entries(),
                  "a graph of another size than its arcs");
        },
        graph.edges);
  });
  reads([&] {
    const matrix<double> places = io::read_coordinates(path);
    require(places.cols() == 2, "coordinates that are no pairs");
    check_entries(places, true);
  });
  reads(
      [&] { std::visit([](const auto& m) { (void)m.size(); }, io::read_dense(path, {.real = 1e300, .integer = 99})); });
  return 0;
}
