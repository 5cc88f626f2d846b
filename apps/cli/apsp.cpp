// kleene apsp: all-pairs shortest (widest, most reliable, ...) paths of a graph file.
#include "closeness.hpp"
#include "commands.hpp"
#include "devices.hpp"
#include "extremes.hpp"
#include "graph_facts.hpp"
#include "graph_input.hpp"
#include "graph_pictures.hpp"
#include "grid_work.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "plan.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "session.hpp"
#include "text.hpp"

#include <algorithm>
#include <optional>

namespace kleene::cli {

namespace {

// The answer without its element type: what is printed.
struct apsp_report {
  std::string method, reason;
  double seconds = 0, operations = 0;
  index_t arcs = 0, reachable = 0, unreachable = 0;
  std::string sum{}, mean{}, diameter{};  // as JSON; null: beyond the range of f64
  std::string diameter_shown{}, mean_shown{};
  std::int32_t from = -1, to = -1;  // of the diameter
  std::vector<std::int32_t> negative_cycle{}, route{};
  std::string route_length{}, route_cost{};
  bool is_asked = false;  // for the route, by --from and --to
  std::int32_t asked_from = -1, asked_to = -1;
  std::vector<std::string> route_weights{};  // as JSON
  extreme_pairs extremes{};
  std::optional<index_t> asked_pairs{};         // how many --targets and --within have left
  std::string absent{};                         // what stands for no path in the file of --out
  std::optional<plan> longest{};                // over max_plus
  std::optional<component_sizes> components{};  // over or_and: of vertices that reach each other
};

template <class S>
void add_summary(apsp_report& report, int threads, const apsp_result<S>& result) {
  const auto summary = summarise(result, context::cpu({.threads = threads, .isa = {}}));
  report.reachable = summary.reachable_pairs;
  report.unreachable = summary.unreachable_pairs;
  report.sum = number_json(summary.distance_sum);
  if (!summary.any_finite) return;
  report.mean = number_json(summary.distance_mean);
  report.mean_shown = number_text(summary.distance_mean);
  report.diameter = number_json(summary.diameter);
  report.diameter_shown = number_text(summary.diameter);
  report.from = summary.diameter_from;
  report.to = summary.diameter_to;
}

void print_json(const shared_flags& shared, const graph_input& input, const context& ctx, const apsp_report& r) {
  const bool exists = r.negative_cycle.empty();
  json_object json;
  json.text("file", input.path);
  add_description(json, input);
  json.number("vertices", input.file.vertices).number("arcs", r.arcs);
  json.number("entries", input.file.arcs).text("algebra", input.algebra).text("dtype", input.dtype);
  add_place(json, ctx);
  add_devices(json, shared);
  json.text("method", r.method).text("reason", r.reason).number("seconds", r.seconds);
  json.number("gops", r.seconds > 0 ? r.operations / r.seconds / 1e9 : 0.0);
  const auto fact = [&](const char* key, const std::string& value) {
    json.raw(key, exists && !value.empty() ? value : "null");
  };
  fact("reachable_pairs", std::to_string(r.reachable));
  fact("unreachable_pairs", std::to_string(r.unreachable));
  fact("distance_sum", r.sum);
  fact("distance_mean", r.mean);
  fact("diameter", r.diameter);
  fact("diameter_from", r.from < 0 ? "" : input.names.json(r.from));
  fact("diameter_to", r.to < 0 ? "" : input.names.json(r.to));
  json.raw("negative_cycle", exists ? "null" : input.names.json(r.negative_cycle));
  if (!r.route.empty()) {
    json.raw("route", input.names.json(r.route)).raw("route_cost", r.route_cost);
    json.raw("route_weights", fmt::format("[{}]", fmt::join(r.route_weights, ",")));
  } else if (r.is_asked && exists) {
    json.raw("route", "[]").null("route_cost");
  }
  const auto pairs = [&](const char* key, const std::vector<far_pair>& list) {
    std::string all;
    for (const far_pair& p : list) {
      json_object pair;
      pair.raw("from", input.names.json(p.from)).raw("to", input.names.json(p.to)).raw("distance", p.json);
      all += (all.empty() ? "" : ", ") + pair.inner();
    }
    if (!list.empty()) json.raw(key, "[" + all + "]");
  };
  if (r.asked_pairs) json.number("asked_pairs", *r.asked_pairs);
  pairs("nearest", r.extremes.nearest);
  pairs("farthest", r.extremes.farthest);
  if (r.longest) add_plan(json, *r.longest, input.names);
  if (r.components) {
    json.number("components", static_cast<index_t>(r.components->size()));
    json.raw("component_sizes", fmt::format("[{}]", fmt::join(*r.components, ",")));
  }
  if (!r.absent.empty()) json.text("absent", r.absent);
  write_answer(json.str());
}

void print_text(const shared_flags& shared, const graph_input& input, const context& ctx, const picture_flags& picture,
                const apsp_report& r) {
  const std::string unit = picture.unit.empty() ? "" : " " + picture.unit;
  const extreme_words words = extreme_words_of(input.algebra);
  answer text;
  text.line("graph",
            fmt::format("{} ({}{})", input.path, input.file.format, input.file.symmetric ? ", undirected" : ""));
  if (!input.file.description.empty()) text.line("read as", input.file.description);
  text.line("vertices", grouped(input.file.vertices));
  text.line("arcs", grouped(r.arcs) + (input.file.arcs > r.arcs
                                           ? fmt::format(" ({} {} combined)", grouped(input.file.arcs - r.arcs),
                                                         input.file.arcs - r.arcs == 1 ? "duplicate" : "duplicates")
                                           : ""));
  text.line("algebra", input.algebra + " over " + input.dtype);
  if (!r.negative_cycle.empty()) {
    text.line("cycle",
              input.names.route(r.negative_cycle, r.negative_cycle.size()) + " -> back: distances do not exist");
  } else {
    text.line("reachable", grouped(r.reachable) + " of " + grouped(r.reachable + r.unreachable) + " pairs");
    if (r.components) text.line("components", strong_words(*r.components));
    if (r.from >= 0 && !r.components) {  // over or_and every length is 1
      text.line(words.diameter, fmt::format("{}{} from {} to {}", r.diameter_shown, unit, input.names.text(r.from),
                                            input.names.text(r.to)));
      text.line("mean", r.mean_shown + unit);
    }
    if (r.longest) add_plan(text, *r.longest, input.names, unit);
    if (!r.route.empty() && !(r.longest && r.route == r.longest->critical))
      text.line("route", fmt::format("{} ({}, {}{})", input.names.route(r.route, 8), arcs_text(r.route.size() - 1),
                                     r.route_length, unit));
    if (r.is_asked && r.route.empty())
      text.line("route", fmt::format("{} cannot be reached from {}", input.names.text(r.asked_to),
                                     input.names.text(r.asked_from)));
  }
  const auto pairs = [&](const char* label, const std::vector<far_pair>& list) {
    for (const far_pair& p : list)
      text.line(&p == list.data() ? label : "",
                fmt::format("{}{} from {} to {}", p.shown, unit, input.names.text(p.from), input.names.text(p.to)));
  };
  if (r.asked_pairs)
    text.line("asked for", *r.asked_pairs == 0   ? "no pair that has a path"
                           : *r.asked_pairs == 1 ? "1 pair that has a path"
                                                 : grouped(*r.asked_pairs) + " pairs that have a path");
  pairs(words.best, r.extremes.nearest);
  pairs(words.worst, r.extremes.farthest);
  if (!r.absent.empty()) text.line("no path", "written as " + r.absent + " (--absent chooses another number)");
  // On a device the reason says it.
  const char* const way = ctx.kind() == device_kind::cuda ? ""
                          : r.method == "dijkstra"        ? ", a search from each source"
                                                          : ", all pairs at once";
  text.line("method", r.method + way + (r.reason.empty() ? "" : ": " + r.reason));
  text.line("time", seconds_text(r.seconds) + ", " + rate_text(r.operations, r.seconds) + " on " +
                        place_words(ctx, devices_of(shared.device)));
  write_answer(text.str());
}

// What --sources, --targets, --from and --to say, as 0-based vertices. error(usage) for one that is not there.
struct asked_vertices {
  std::vector<std::int32_t> sources, targets;  // empty: all
  std::int32_t from = -1, to = -1;             // -1: those of the diameter

  asked_vertices(const graph_input& input, const apsp_flags& flags) {
    if (!flags.sources.empty()) sources = input.vertices(flags.sources, "--sources");
    if (!flags.targets.empty()) targets = input.vertices(flags.targets, "--targets");
    if (flags.picture.from.empty()) return;
    from = input.vertex(flags.picture.from, "--from");
    to = input.vertex(flags.picture.to, "--to");
    if (!sources.empty() && std::ranges::find(sources, from) == sources.end())
      throw error(fault_code::usage, fmt::format("--from {} is not among the --sources", input.names.text(from)));
  }
};

// Over max_plus the best path of all is what people ask for, as in a project's plan: the longest. Not the pair whose
// best path is the shortest, which is its diameter in the algebra's order.
template <class S>
void put_longest_first(apsp_report& report, const apsp_result<S>& result) {
  const extreme_pairs best = extremes_of(1, false, pair_filter<S>({}, "", 0), result);
  if (best.nearest.empty()) return;
  const far_pair& longest = best.nearest.front();
  report.from = longest.from;
  report.to = longest.to;
  report.diameter = longest.json;
  report.diameter_shown = longest.shown;
}

// The route between --from and --to, else the longest one.
template <class S>
void add_route(apsp_report& report, const asked_vertices& asked, const csr<value_of<S>>& graph,
               const apsp_result<S>& result) {
  const std::int32_t from = asked.from >= 0 ? asked.from : report.from, to = asked.to >= 0 ? asked.to : report.to;
  report.asked_from = asked.from, report.asked_to = asked.to, report.is_asked = asked.from >= 0;
  if (result.predecessors.empty() || from < 0 || to < 0) return;
  const auto route = result.path(from, to);
  report.route = route.vertices;
  report.route_length = number_text(route.cost);
  report.route_cost = number_json(route.cost);
  for (std::size_t hop = 0; hop + 1 < route.vertices.size(); ++hop)
    report.route_weights.push_back(number_json(weight_of(graph, route.vertices[hop], route.vertices[hop + 1])));
}

// --svg is written; the text is what --plot shows.
template <class S>
std::string draw(const graph_input& input, const picture_flags& picture, const asked_vertices& asked,
                 const apsp_report& report, const csr<value_of<S>>& graph, const apsp_result<S>& result,
                 matrix<double> coordinates) {
  if (picture.svg.empty() && !picture.plot) return {};
  const std::string unit = picture.unit.empty() ? "" : " " + picture.unit, stem = file_stem(input.path);
  const algebra_facts algebra = facts_of(input.algebra);
  const char* const worst = extreme_words_of(input.algebra).worst;
  picture_words words{.title = stem, .subtitle = {}, .facts = graph_size(input, report.arcs)};
  const bool shows_route = picture.kind == picture_kind::route || !picture.coordinates.empty();
  if (!shows_route) {
    words.title += algebra.ignores_weights ? ": which vertices reach which"
                   : !algebra.sums_weights ? ": the best paths"
                   : asked.sources.empty() ? ": all distances"
                                           : ": distances from some vertices";
    if (report.from >= 0 && !algebra.ignores_weights)
      words.subtitle =
          fmt::format("the {} pair is {} and {}: {}{}", algebra.sums_weights ? "farthest" : worst,
                      input.names.text(report.from), input.names.text(report.to), report.diameter_shown, unit);
    words.facts += fmt::format("; {} of {} pairs have a path", grouped(report.reachable),
                               grouped(report.reachable + report.unreachable));
    return draw_distances<S>(input.names, picture, result.distances, result.sources, words, algebra);
  }
  words.title += !picture.from.empty()   ? ": the best route"
                 : !algebra.sums_weights ? fmt::format(": the {} of the best routes", worst)
                 : algebra.prefers_less  ? ": the longest shortest route"
                                         : ": the longest route";
  words.subtitle = "there is no path";
  if (!report.route.empty())
    words.subtitle =
        fmt::format("{}{} from {} to {}, over {}", report.route_length, unit, input.names.text(report.route.front()),
                    input.names.text(report.route.back()), arcs_text(report.route.size() - 1));
  const route_picture route = make_route<S>(input.names, graph, report.route, asked.from, asked.to, words);
  if (picture.coordinates.empty()) write_svg(picture, route);
  else write_svg(picture, make_map(input.names, graph, report.route, std::move(coordinates), words));
  return plot_text(picture, route);
}

// The files of --predecessors and, if it is the matrix as it is with all its elements, --out, in which the paths are
// computed.
template <class T>
struct apsp_outputs {
  std::optional<io::npy_output<T>> distances{};
  std::optional<io::npy_output<std::int32_t>> predecessors{};

  apsp_outputs(const result_request& request, const apsp_flags& flags, bool all, index_t rows, index_t cols) {
    if (!request.path.empty() && request.is_plain() && all) distances.emplace(request.path, rows, cols);
    if (!flags.predecessors.empty()) predecessors.emplace(flags.predecessors, rows, cols);
  }
  apsp_targets<T> targets() const {
    apsp_targets<T> to;
    if (distances) to.distances = distances->view();
    if (predecessors) to.predecessors = predecessors->view();
    return to;
  }
  void commit() {
    if (distances) distances->commit();
    if (predecessors) predecessors->commit();
  }
};

// Writes the distances, unless they were computed in their file, and reports what stands for no path there.
template <class S>
void write_distances(const result_request& request, const pair_filter<S>& filter, const graph_input& input, int threads,
                     const apsp_result<S>& result, apsp_report& report) {
  using T = value_of<S>;
  const auto write = [&](const matrix_view<const T>& values) {
    write_result<T>(request, {values, S::zero(), &input.names, &result.sources, "distance", false, filter.targets()},
                    threads);
  };
  bool has_absent = report.unreachable > 0;
  if (filter.takes_all()) {
    if (!request.is_plain()) write(result.distances);
  } else {
    const matrix<T> chosen = filter.apply(result.distances);
    has_absent = std::find(chosen.data(), chosen.data() + chosen.size(), S::zero()) != chosen.data() + chosen.size();
    write(chosen.view());
  }
  if (has_absent) report.absent = absent_text(request, S::zero());
}

template <class S>
void solve(S s, context& ctx, const shared_flags& shared, const apsp_flags& flags, graph_input& input) {
  using T = value_of<S>;
  const picture_flags& picture = flags.picture;
  apsp_options options{.method = apsp_method_from(flags.method)};
  options.predecessors = input.algebra == "max_plus" || !flags.predecessors.empty() || !picture.coordinates.empty() ||
                         !picture.from.empty() || picture.kind == picture_kind::route;
  const asked_vertices asked(input, flags);
  options.sources = asked.sources;
  options.vertex_name = [&](index_t v) { return input.names.text(v); };

  const index_t n = input.file.vertices, rows = asked.sources.empty() ? n : static_cast<index_t>(asked.sources.size());
  require_memory(
      static_cast<double>(rows) * static_cast<double>(n * (sizeof(T) + (options.predecessors ? 4 : 0))),
      fmt::format("{} x {} distances in {}{}", rows, n, type_name<T>, options.predecessors ? " with predecessors" : ""),
      asked.sources.empty() ? "--sources computes only some rows" : "");
  matrix<double> coordinates;
  if (!picture.coordinates.empty()) coordinates = read_map_coordinates(picture.coordinates, input.file.vertices);
  const csr<T> graph = take_arcs(input, rules_of<S>());
  const result_request request = request_of(flags.out);
  const pair_filter<S> filter(asked.targets, flags.within, n);
  apsp_outputs<T> outputs(request, flags, filter.takes_all(), rows, n);

  const auto result = [&] {
    const progress_bar bar(ctx, "apsp", shared.prints_text());
    try {
      if (const std::vector<int> devices = devices_of(shared.device); devices.size() > 1)
        return paths_on_grid<S>(ctx, devices, graph, options, outputs.targets());
      return shortest_paths(ctx, s, graph, options, outputs.targets());
    } catch (const overflow_error&) {
      if constexpr (std::is_floating_point_v<T>) throw;
      throw value_error(fmt::format("{}: a length is too large for {}: say --dtype {}", input.path, type_name<T>,
                                    sizeof(T) < sizeof(i64) ? "i64 or f64" : "f64"));
    }
  }();
  apsp_report report{.method = to_string(result.method),
                     .reason = result.reason,
                     .seconds = result.seconds,
                     .operations = result.operations,
                     .arcs = graph.entries()};
  report.negative_cycle = result.negative_cycle;
  std::string plot;
  if (report.negative_cycle.empty()) {
    add_summary(report, shared.threads, result);
    if constexpr (std::is_same_v<S, max_plus<T>>) {
      put_longest_first(report, result);
      report.longest = make_plan(result, report.from, report.to);
      if (!flags.slack.empty()) write_slack(flags.slack, *report.longest, input.names);
    }
    if (input.algebra == "or_and") report.components = strong_components(graph.offsets, graph.columns);
    add_route(report, asked, graph, result);
    if (!filter.takes_all()) report.asked_pairs = filter.count(result);
    const bool each_once = input.file.symmetric && asked.sources.empty() && asked.targets.empty();
    if (flags.top > 0) report.extremes = extremes_of(flags.top, each_once, filter, result);
    if constexpr (std::is_same_v<S, min_plus<T>>)
      if (!flags.closeness.empty()) write_closeness(flags.closeness, make_closeness(result), input.names);
    outputs.commit();
    if (!request.path.empty()) write_distances(request, filter, input, shared.threads, result, report);
    plot = draw(input, picture, asked, report, graph, result, std::move(coordinates));
  }
  if (shared.json) print_json(shared, input, ctx, report);
  if (shared.prints_text()) print_text(shared, input, ctx, picture, report), write_answer(plot);
  if (!report.negative_cycle.empty()) refuse_negative_cycle(input, report.negative_cycle);
}

}  // namespace

void run_apsp(const shared_flags& shared, const apsp_flags& flags) {
  const apsp_method method = apsp_method_from(flags.method);
  require_picture(shared, flags.picture);
  require_outputs(
      shared,
      {{"--out", flags.out.path},
       {"--predecessors", flags.predecessors},
       {"--slack", flags.slack},
       {"--closeness", flags.closeness},
       {"--svg", flags.picture.svg}},
      {{"FILE", flags.input.file}, {"--names", flags.input.names}, {"--coordinates", flags.picture.coordinates}});
  (void)request_of(flags.out);
  require_svg_name("--svg", flags.picture.svg);
  require_npy_name("--predecessors", flags.predecessors);
  require_table_name("--slack", flags.slack);
  require_table_name("--closeness", flags.closeness);
  if (!flags.slack.empty() && (shared.algebra_name() != "max_plus" || !flags.sources.empty()))
    throw error(
        fault_code::usage,
        "--slack says by how much each vertex may wait on no longest path: it needs --algebra max_plus, and all "
        "sources (no --sources)");
  if (!flags.closeness.empty() && shared.algebra_name() != "min_plus")
    throw error(fault_code::usage, "--closeness is of distances: it needs --algebra min_plus");
  if ((!flags.targets.empty() || !flags.within.empty()) && flags.out.path.empty() && flags.top == 0)
    throw error(fault_code::usage, "--targets and --within limit what --out or --top list: give --out or --top");
  // A device computes all pairs; searches from a few vertices are for the CPU.
  const bool all_pairs = method != apsp_method::dijkstra && flags.sources.empty();
  shared_flags on_first = shared;  // of several devices
  on_first.device = first_device(shared.device);
  auto [ctx, input] = make_context_while(
      on_first, all_pairs, flags.input.file, [&] { return read_graph_input(flags.input, shared); },
      [](const graph_input& input) { return input.file.vertices; });
  dispatch<path_algebras>(input.algebra, input.dtype,
                          [&, &ctx = ctx, &input = input](auto s) { solve(s, ctx, shared, flags, input); });
  if (!input.doubt.empty()) note(shared, input.doubt);
}

}  // namespace kleene::cli
