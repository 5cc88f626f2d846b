// kleene apsp: all-pairs shortest (widest, most reliable, ...) paths of a graph file.
#include "apsp_report.hpp"
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
#include "processes.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "saved_words.hpp"
#include "session.hpp"
#include "text.hpp"
#include "vertex_numbers.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace kleene::cli {

namespace {

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
    write_result<T>(request,
                    {values, S::zero(), &input.names, &result.sources, "distance", false, filter.targets(), S::one()},
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

// Where the paths of one graph are found: on a context, or by a grid, of several devices or processes, or for its
// checkpoints.
struct apsp_place {
  context ctx;
  const processes* several;           // null: this one
  std::vector<int> devices;           // of this process, where they are several
  std::optional<saved_call> saved{};  // --checkpoint, of the first process

  bool is_first() const { return !several || several->is_first(); }
  // What one process throws, all throw.
  void together(const std::function<void()>& work) const { several ? several->together(work) : work(); }
  std::optional<kleene::grid> workers(bool saves, int threads) const {
    if (several) return several->workers();
    if (devices.size() > 1) return kleene::grid::cuda(devices);
    if (!saves) return {};
    if (ctx.kind() == device_kind::cuda) return kleene::grid::cuda({ctx.device()->ordinal});
    return kleene::grid::threads(1, 1, {.threads = threads, .isa = {}});
  }
};

// What is known of one graph before its paths are.
template <class S>
struct apsp_work {
  using T = value_of<S>;

  std::optional<asked_vertices> asked{};
  matrix<double> coordinates{};
  csr<T> graph{};
  std::optional<pair_filter<S>> filter{};
  std::optional<apsp_outputs<T>> outputs{};  // of the first process
  std::vector<worker_row> workers{};         // of a grid, when the paths are found
};

template <class S>
apsp_result<S> find_paths(apsp_place& place, const shared_flags& shared, const apsp_flags& flags,
                          const apsp_options& options, apsp_work<S>& work) {
  const apsp_targets<value_of<S>> targets = work.outputs ? work.outputs->targets() : apsp_targets<value_of<S>>{};
  const bool has_text = place.is_first() && (shared.prints_text() || (flags.progress > 0 && !shared.quiet));
  const double lines = flags.progress > 0 ? flags.progress : place.several ? 30 : 0;
  progress_bar bar(place.ctx, "apsp", has_text, lines);
  const auto workers = place.workers(flags.saving.is_on(), shared.threads);
  if (!workers) return shortest_paths(place.ctx, S{}, work.graph, options, targets);
  const bool resumes = !flags.saving.resume.empty();
  if (resumes) bar.goes_on();
  const checkpoint_options save{.folder = flags.saving.folder(), .every = flags.saving.every, .resume = resumes};
  grid_paths_call call{*workers, place.ctx, save, [&](double share) { bar.communicates(share); }};
  auto result = paths_on_grid<S>(call, work.graph, options, targets);
  work.workers = std::move(call.rows);
  return result;
}

// What is printed, drawn and written of the result.
template <class S>
void deliver(const apsp_place& place, const shared_flags& shared, const apsp_flags& flags, const graph_input& input,
             apsp_work<S>& work, const apsp_result<S>& result) {
  using T = value_of<S>;
  const asked_vertices& asked = *work.asked;
  const csr<T>& graph = work.graph;
  const pair_filter<S>& filter = *work.filter;
  const result_request request = request_of(flags.out);
  apsp_report report{.method = to_string(result.method),
                     .reason = result.reason,
                     .seconds = result.seconds,
                     .operations = result.operations,
                     .arcs = graph.entries()};
  report.workers = std::move(work.workers);
  report.of_processes = place.several != nullptr;
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
    work.outputs->commit();
    if (!request.path.empty()) write_distances(request, filter, input, shared.threads, result, report);
    plot = draw(input, flags.picture, asked, report, graph, result, std::move(work.coordinates));
  }
  if (shared.json) print_json(shared, input, place.ctx, report);
  if (shared.prints_text()) print_text(shared, input, place.ctx, flags.picture, report), write_answer(plot);
  if (flags.saving.is_on()) remove_saved(flags.saving.folder());
  if (!report.negative_cycle.empty()) refuse_negative_cycle(input, report.negative_cycle);
}

template <class S>
void solve(S, apsp_place& place, const shared_flags& shared, const apsp_flags& flags, graph_input& input) {
  using T = value_of<S>;
  const picture_flags& picture = flags.picture;
  apsp_options options{.method = apsp_method_from(flags.method)};
  options.predecessors = input.algebra == "max_plus" || !flags.predecessors.empty() || !picture.coordinates.empty() ||
                         !picture.from.empty() || picture.kind == picture_kind::route;
  options.vertex_name = [&](index_t v) { return input.names.text(v); };
  const index_t n = input.file.vertices;
  apsp_work<S> work;
  place.together([&] {
    work.asked.emplace(input, flags);
    options.sources = work.asked->sources;
    const bool all = options.sources.empty();
    const index_t rows = all ? n : static_cast<index_t>(options.sources.size());
    if (place.is_first())
      require_memory(static_cast<double>(rows) * static_cast<double>(n * (sizeof(T) + (options.predecessors ? 4 : 0))),
                     fmt::format("{} x {} distances in {}{}", rows, n, type_name<T>,
                                 options.predecessors ? " with predecessors" : ""),
                     all ? "--sources computes only some rows" : "");
    if (!picture.coordinates.empty()) work.coordinates = read_vertex_coordinates(picture.coordinates, input.names, n);
    work.graph = take_arcs(input, rules_of<S>());
    work.filter.emplace(work.asked->targets, flags.within, n);
    if (place.is_first()) work.outputs.emplace(request_of(flags.out), flags, work.filter->takes_all(), rows, n);
    if (place.saved) place.saved->begin(flags.saving.words);
  });
  const auto result = lengths_of_file<S>(input, [&] { return find_paths<S>(place, shared, flags, options, work); });
  place.together([&] {
    if (place.is_first()) deliver(place, shared, flags, input, work, result);
  });
}

// Refuses outputs that cannot be written, or are inputs. Of several processes the first one looks.
void require_files(const shared_flags& shared, const apsp_flags& flags) {
  const std::vector<named_file> outputs = {{"--out", flags.out.path},
                                           {"--predecessors", flags.predecessors},
                                           {"--slack", flags.slack},
                                           {"--closeness", flags.closeness},
                                           {"--svg", flags.picture.svg}};
  if (flags.saving.is_on())
    for (const auto& [flag, path] : outputs) refuse_saved_name(flags.saving.folder(), flag, path);
  require_outputs(
      shared, outputs,
      {{"FILE", flags.input.file}, {"--names", flags.input.names}, {"--coordinates", flags.picture.coordinates}});
}

// Each of several processes reads the graph, and what is piped to them reaches the first.
void require_named(const input_flags& input) {
  if (input.file == "/dev/stdin" || input.names == "/dev/stdin")
    throw error(fault_code::usage, "standard input reaches one process alone: give a file");
}

// Whether paths are searched from one source after another.
bool searches(apsp_method method) { return method == apsp_method::dijkstra || method == apsp_method::hierarchy; }

// Refuses what is wrong with the flags.
void require_sense(const shared_flags& shared, const apsp_flags& flags) {
  if (flags.saving.is_on() && searches(apsp_method_from(flags.method)))
    throw error(fault_code::usage,
                fmt::format("{} goes without --method {}: what it saves is of all pairs at once, floyd_warshall's",
                            flags.saving.resume.empty() ? "--checkpoint" : "--resume", flags.method));
  require_picture(shared, flags.picture);
  (void)request_of(flags.out);
  require_svg_name("--svg", flags.picture.svg);
  require_npy_name("--predecessors", flags.predecessors);
  require_table_name("--slack", flags.slack);
  require_table_name("--closeness", flags.closeness);
  if (!flags.slack.empty() && (shared.algebra_name() != "max_plus" || !flags.sources.empty()))
    throw error(
        fault_code::usage,
        "--slack says by how much each vertex may be late without making the longest path longer: it needs --algebra "
        "max_plus, and all sources (no --sources)");
  if (!flags.closeness.empty() && shared.algebra_name() != "min_plus")
    throw error(fault_code::usage, "--closeness is of distances: it needs --algebra min_plus");
  if ((!flags.targets.empty() || !flags.within.empty()) && flags.out.path.empty() && flags.top == 0)
    throw error(fault_code::usage, "--targets and --within limit what --out or --top list: give --out or --top");
}

}  // namespace

void run_apsp(const shared_flags& shared, const apsp_flags& flags) {
  const apsp_method method = apsp_method_from(flags.method);
  if (!is_one_of_several()) require_files(shared, flags);
  require_sense(shared, flags);
  std::optional<processes> several;
  if (is_one_of_several()) several.emplace(shared);
  // A device computes all pairs; searches from a few vertices are for the CPU.
  const bool all_pairs = !searches(method) && flags.sources.empty();
  shared_flags said = shared;
  said.quiet |= several && !several->is_first();
  shared_flags here = said;  // of several devices, or processes
  here.device = several ? "cpu" : first_device(shared.device);
  apsp_place place{context::cpu(), several ? &*several : nullptr, devices_of(shared.device)};
  std::optional<graph_input> input;
  place.together([&] {
    if (several) require_named(flags.input);
    if (place.is_first()) {
      if (several) require_files(shared, flags);
      if (!flags.saving.checkpoint.empty()) place.saved.emplace(flags.saving.checkpoint);
    }
    auto [ctx, graph] = make_context_while(
        here, all_pairs, flags.input.file, [&] { return read_graph_input(flags.input, here); },
        [](const graph_input& read) { return read.file.vertices; });
    place.ctx = std::move(ctx);
    input = std::move(graph);
  });
  dispatch<path_algebras>(input->algebra, input->dtype, [&](auto s) { solve(s, place, said, flags, *input); });
  if (!input->doubt.empty()) note(here, input->doubt);
}

}  // namespace kleene::cli
