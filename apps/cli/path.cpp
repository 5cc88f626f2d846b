// kleene path: the best route between two vertices of a graph file.
#include "commands.hpp"
#include "graph_input.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "pictures.hpp"
#include "progress.hpp"
#include "session.hpp"
#include "text.hpp"

namespace kleene::cli {

namespace {

// The answer without its element type.
struct path_report {
  std::string method, reason;
  double seconds = 0;
  index arcs = 0;
  std::vector<std::int32_t> vertices{}, negative_cycle{};
  std::string cost{}, cost_shown{};
  std::vector<std::string> weights{}, weights_shown{};  // of each hop

  bool reachable() const { return !vertices.empty(); }
};

void print_json(const path_flags& flags, const graph_input& input, const context& ctx, const path_report& r) {
  std::string weights;
  for (const std::string& w : r.weights) weights += (weights.empty() ? "" : ",") + w;
  const bool exists = r.negative_cycle.empty();
  json_object json;
  json.text("file", input.path).number("vertices", input.file.vertices).number("arcs", r.arcs);
  json.text("algebra", input.algebra).text("dtype", input.dtype);
  add_place(json, ctx);
  json.text("method", r.method).number("seconds", r.seconds);
  json.number("from", flags.picture.from).number("to", flags.picture.to);
  json.raw("reachable", !exists ? "null" : r.reachable() ? "true" : "false");
  json.raw("cost", r.reachable() ? r.cost : "null");
  json.raw("path", json_list(r.vertices, input.first())).raw("weights", "[" + weights + "]");
  json.raw("negative_cycle", exists ? "null" : json_list(r.negative_cycle, input.first()));
  write_stdout(json.str());
}

void print_text(const path_flags& flags, const graph_input& input, const path_report& r) {
  if (!r.negative_cycle.empty()) return;  // the line on stderr says it all
  const std::string unit = flags.picture.unit.empty() ? "" : " " + flags.picture.unit;
  if (!r.reachable())
    return write_stdout(fmt::format("{} cannot be reached from {}\n", flags.picture.to, flags.picture.from));
  std::string text = fmt::format("{:>10}  {:>14}\n{:>10}\n", "vertex", "arc", r.vertices[0] + input.first());
  for (std::size_t hop = 0; hop < r.weights.size(); ++hop)
    text += fmt::format("{:>10}  {:>14}\n", r.vertices[hop + 1] + input.first(), r.weights_shown[hop]);
  text += fmt::format("{:>10}  {:>14}{}  over {} arcs ({}, {})\n", "total", r.cost_shown, unit, r.weights.size(),
                      r.method, seconds_text(r.seconds));
  write_stdout(text);
}

template <class T>
void draw(const path_flags& flags, const graph_input& input, const path_report& r, const csr<T>& graph,
          matrix<double> coordinates) {
  const picture_flags& picture = flags.picture;
  network_map map{std::move(coordinates), segments_of(graph), r.vertices, input.first(), {}, {}, {}};
  map.title = fmt::format("{}: from {} to {}", file_stem(input.path), picture.from, picture.to);
  map.subtitle = r.reachable() ? fmt::format("{}{} over {} arcs", r.cost_shown,
                                             picture.unit.empty() ? "" : " " + picture.unit, r.vertices.size() - 1)
                               : "there is no path";
  map.facts = graph_size(input, r.arcs);
  draw_map(picture.svg, map);
}

template <class S>
void solve(S s, context& ctx, const shared_flags& shared, const path_flags& flags, graph_input& input) {
  const std::int32_t from = input.vertex(flags.picture.from, "FROM"), to = input.vertex(flags.picture.to, "TO");
  matrix<double> coordinates;
  if (!flags.picture.coordinates.empty())
    coordinates = read_map_coordinates(flags.picture.coordinates, input.file.vertices);
  const csr<value_of<S>> graph = take_arcs<S>(input);
  apsp_options options{.method = apsp_method_from(flags.method), .predecessors = true};
  options.sources = {&from, 1};
  options.first_vertex = input.first();
  const auto result = [&] {
    const progress_bar bar(ctx, "path", shared.prints_text());
    return shortest_paths(ctx, s, graph, options);
  }();

  path_report report{
      .method = to_string(result.method), .reason = result.reason, .seconds = result.seconds, .arcs = graph.entries()};
  report.negative_cycle = result.negative_cycle;
  if (report.negative_cycle.empty()) {
    const auto route = result.path(from, to);
    report.vertices = route.vertices;
    report.cost = number_json(route.cost), report.cost_shown = number_text(route.cost);
    for (std::size_t hop = 0; hop + 1 < route.vertices.size(); ++hop) {
      const auto weight = weight_of(graph, route.vertices[hop], route.vertices[hop + 1]);
      report.weights.push_back(number_json(weight));
      report.weights_shown.push_back(number_text(weight));
    }
    if (!flags.picture.svg.empty()) draw(flags, input, report, graph, std::move(coordinates));
  }
  if (shared.json) print_json(flags, input, ctx, report);
  if (shared.prints_text()) print_text(flags, input, report);
  if (!report.negative_cycle.empty()) refuse_negative_cycle(input, report.negative_cycle);
}

}  // namespace

void run_path(const shared_flags& shared, const path_flags& flags) {
  apsp_method_from(flags.method);
  if (flags.picture.svg.empty() != flags.picture.coordinates.empty())
    throw error(fault_code::usage, "the picture of a path is a map: give --svg and --coordinates together");
  require_outputs(shared, {{"--svg", flags.picture.svg}},
                  {{"FILE", flags.file}, {"--coordinates", flags.picture.coordinates}});
  auto [ctx, input] = make_context_while(shared, false, [&] { return read_graph_input(flags.file, shared); });
  dispatch<path_algebras>(input.algebra, input.dtype,
                          [&, &ctx = ctx, &input = input](auto s) { solve(s, ctx, shared, flags, input); });
}

}  // namespace kleene::cli
