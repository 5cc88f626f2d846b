// kleene path: the best route between two vertices of a graph file.
#include "commands.hpp"
#include "graph_input.hpp"
#include "graph_pictures.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"
#include "vertex_numbers.hpp"

#include <cmath>

namespace kleene::cli {

namespace {

// The answer without its element type.
struct path_report {
  std::string method, reason;
  double seconds = 0;
  index_t arcs = 0;
  std::int32_t from = 0, to = 0;
  std::vector<std::int32_t> vertices{}, negative_cycle{};
  std::string cost{}, cost_shown{};
  std::vector<std::string> weights{}, weights_shown{};  // of each hop

  bool reachable() const { return !vertices.empty(); }
};

void print_json(const graph_input& input, const context& ctx, const path_report& r) {
  std::string weights;
  for (const std::string& w : r.weights) weights += (weights.empty() ? "" : ",") + w;
  const bool exists = r.negative_cycle.empty();
  json_object json;
  json.text("file", input.path);
  add_description(json, input);
  json.number("vertices", input.file.vertices).number("arcs", r.arcs);
  json.text("algebra", input.algebra).text("dtype", input.dtype);
  add_place(json, ctx);
  json.text("method", r.method).number("seconds", r.seconds);
  json.raw("from", input.names.json(r.from)).raw("to", input.names.json(r.to));
  json.raw("reachable", !exists ? "null" : r.reachable() ? "true" : "false");
  json.raw("cost", r.reachable() ? r.cost : "null");
  json.raw("path", input.names.json(r.vertices)).raw("weights", "[" + weights + "]");
  json.raw("negative_cycle", exists ? "null" : input.names.json(r.negative_cycle));
  write_answer(json.str());
}

// What an algebra makes of a route's weights.
const char* cost_word(std::string_view algebra) {
  if (algebra == "max_min") return "narrowest";
  if (algebra == "min_max") return "greatest";
  return algebra.ends_with("_times") ? "product" : "total";
}

void print_text(const path_flags& flags, const graph_input& input, const path_report& r) {
  if (!r.negative_cycle.empty()) return;  // the line on stderr says it all
  const std::string unit = flags.picture.unit.empty() ? "" : " " + flags.picture.unit;
  std::string text;
  if (!input.file.description.empty()) text = "read as " + input.file.description + "\n";
  if (!r.reachable())
    return write_answer(
        text + fmt::format("{} cannot be reached from {}\n", input.names.text(r.to), input.names.text(r.from)));
  std::size_t width = 10;
  for (const std::int32_t v : r.vertices) width = std::max(width, columns(input.names.text(v)));
  const auto line = [&](const std::string& name, const std::string& arc) {
    text += std::string(width - columns(name), ' ') + name;
    if (!arc.empty()) text += fmt::format("  {:>14}", arc);
  };
  line("vertex", "arc");
  for (std::size_t v = 0; v < r.vertices.size(); ++v)
    text += '\n', line(input.names.text(r.vertices[v]), v == 0 ? "" : r.weights_shown[v - 1]);
  text += '\n';
  line(cost_word(input.algebra), r.cost_shown);
  text += fmt::format("{}  over {} ({}, {})\n", unit, arcs_text(r.weights.size()), r.method, seconds_text(r.seconds));
  write_answer(text);
}

// --svg is written; the text is what --plot shows.
template <class S>
std::string draw(const path_flags& flags, const graph_input& input, const path_report& r, const csr<value_of<S>>& graph,
                 matrix<double> coordinates) {
  const picture_flags& picture = flags.picture;
  if (picture.svg.empty() && !picture.plot) return {};
  const std::string unit = picture.unit.empty() ? "" : " " + picture.unit;
  picture_words words;
  words.title =
      fmt::format("{}: from {} to {}", file_stem(input.path), input.names.text(r.from), input.names.text(r.to));
  words.subtitle =
      r.reachable() ? fmt::format("{}{} over {}", r.cost_shown, unit, arcs_text(r.weights.size())) : "there is no path";
  words.facts = graph_size(input, r.arcs);
  const route_picture route = make_route<S>(input.names, graph, r.vertices, r.from, r.to, words);
  if (picture.coordinates.empty()) write_svg(picture, route);
  else write_svg(picture, make_map(input.names, graph, r.vertices, std::move(coordinates), words));
  return plot_text(picture, route);
}

// Whether there is a path.
template <class S>
bool solve(S s, context& ctx, const shared_flags& shared, const path_flags& flags, graph_input& input) {
  const std::int32_t from = input.vertex(flags.picture.from, "FROM"), to = input.vertex(flags.picture.to, "TO");
  matrix<double> coordinates;
  if (!flags.picture.coordinates.empty())
    coordinates = read_vertex_coordinates(flags.picture.coordinates, input.names, input.file.vertices);
  const csr<value_of<S>> graph = take_arcs(input, rules_of<S>());
  apsp_options options{.method = apsp_method_from(flags.method), .predecessors = true};
  options.sources = {&from, 1};
  options.vertex_name = [&](index_t v) { return input.names.text(v); };
  const auto result = [&] {
    const progress_bar bar(ctx, "path", shared.prints_text());
    return lengths_of_file<S>(input, [&] { return shortest_paths(ctx, s, graph, options); });
  }();

  path_report report{.method = to_string(result.method),
                     .reason = result.reason,
                     .seconds = result.seconds,
                     .arcs = graph.entries(),
                     .from = from,
                     .to = to};
  report.negative_cycle = result.negative_cycle;
  std::string plot;
  if (report.negative_cycle.empty()) {
    const auto route = result.path(from, to);
    report.vertices = route.vertices;
    const double cost = as_number<S>(route.cost);
    report.cost = std::isinf(cost) ? number_json(cost) : number_json(route.cost);
    report.cost_shown = std::isinf(cost) ? number_text(cost) : number_text(route.cost);
    for (std::size_t hop = 0; hop + 1 < route.vertices.size(); ++hop) {
      const auto weight = weight_of(graph, route.vertices[hop], route.vertices[hop + 1]);
      report.weights.push_back(number_json(weight));
      report.weights_shown.push_back(number_text(weight));
    }
    plot = draw<S>(flags, input, report, graph, std::move(coordinates));
  }
  if (shared.json) print_json(input, ctx, report);
  if (shared.prints_text()) print_text(flags, input, report), write_answer(plot);
  if (!report.negative_cycle.empty()) refuse_negative_cycle(input, report.negative_cycle);
  return report.reachable();
}

}  // namespace

int run_path(const shared_flags& shared, const path_flags& flags) {
  if (flags.picture.to.empty()) throw error(fault_code::usage, "path takes two vertices, FROM and TO, or --pairs FILE");
  apsp_method_from(flags.method);
  require_picture(shared, flags.picture);
  require_outputs(
      shared, {{"--svg", flags.picture.svg}},
      {{"FILE", flags.input.file}, {"--names", flags.input.names}, {"--coordinates", flags.picture.coordinates}});
  require_svg_name("--svg", flags.picture.svg);
  auto [ctx, input] = make_context_while(
      shared, false, flags.input.file, [&] { return read_graph_input(flags.input, shared); },
      [](const graph_input& input) { return input.file.vertices; });
  bool found = false;
  dispatch<path_algebras>(input.algebra, input.dtype,
                          [&, &ctx = ctx, &input = input](auto s) { found = solve(s, ctx, shared, flags, input); });
  if (!input.doubt.empty()) note(shared, input.doubt);
  return found ? 0 : 1;
}

}  // namespace kleene::cli
