#include "graph_input.hpp"

#include "session.hpp"

#include <algorithm>

namespace kleene::cli {

std::int32_t graph_input::vertex(std::int64_t number, const char* flag) const {
  if (file.vertices == 0) throw error(fault_code::usage, fmt::format("{}: {} has no vertices", flag, path));
  if (number < first() || number >= first() + file.vertices)
    throw error(fault_code::usage, fmt::format("{}: {} has no vertex {} (they are numbered {} to {})", flag, path,
                                               number, first(), first() + file.vertices - 1));
  return static_cast<std::int32_t>(number - first());
}

graph_input read_graph_input(const std::string& path, const shared_flags& shared) {
  require_algebra<path_algebras>(shared.algebra_name(), shared.dtype);
  const algebra_facts facts = facts_of(shared.algebra_name());
  const bool narrow = shared.dtype == "f32" && !facts.ignores_weights;
  graph_input input{io::read_graph(path, narrow ? io::real_type::f32 : io::real_type::f64), path, shared.algebra_name(),
                    shared.dtype};
  // What take_arcs will hold at once: offsets and the starts of two counting sorts (a file of a few bytes can
  // promise 2^31 vertices), and 52 bytes for an arc: its weight in the element type, twice it and a vertex, the result.
  const double vertices = static_cast<double>(input.file.vertices), stored = static_cast<double>(input.file.arcs);
  require_memory(vertices * 3 * sizeof(index) + stored * 52,
                 fmt::format("{}: a graph of {} vertices and {} arcs", path, input.file.vertices, input.file.arcs));
  if (!input.dtype.empty()) {
    if (const auto* arcs = std::get_if<coo<std::int64_t>>(&input.file.edges))
      note_rounding(shared, path, arcs->value, input.dtype);
    return input;
  }
  input.dtype = "f64";
  if (const auto* arcs = std::get_if<coo<std::int64_t>>(&input.file.edges)) {
    double largest = 0;
    for (std::int64_t w : arcs->value) largest = std::max(largest, std::abs(static_cast<double>(w)));
    input.dtype = type_for_integers(input.algebra, largest, std::max(vertices, 3.0));
  } else if (facts.ignores_weights) {
    input.dtype = "i32";
  }
  return input;
}

std::string graph_size(const graph_input& input, index arcs) {
  return fmt::format("{} vertices, {} arcs{}", grouped(input.file.vertices), grouped(arcs),
                     input.file.symmetric ? " (undirected)" : "");
}

void refuse_negative_cycle(const graph_input& input, const std::vector<std::int32_t>& cycle) {
  std::vector<std::int32_t> closed = cycle;
  closed.push_back(cycle.front());
  const algebra_facts facts = facts_of(input.algebra);
  throw value_error(input.path + ": distances do not exist, " +
                    (facts.sums_weights && facts.prefers_less ? "a negative" : "an ever improving") +
                    " cycle: " + route_text(closed, input.first(), 20));
}

}  // namespace kleene::cli
