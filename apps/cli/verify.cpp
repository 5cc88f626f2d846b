// kleene verify: whether distances (and predecessors) are those of a graph, however they were computed.
#include "commands.hpp"
#include "graph_input.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/io/npy.hpp"
#include "options.hpp"
#include "row_check.hpp"
#include "session.hpp"
#include "text.hpp"

#include <atomic>
#include <memory>
#include <mutex>

namespace kleene::cli {

namespace {

struct verify_flags {
  input_flags input;
  std::string distances, predecessors, sources, absent;
  double tolerance = -1;  // negative: by the element type
};

struct verify_report {
  index_t arcs = 0, rows = 0;
  double tolerance = 0, seconds = 0;
  std::optional<verify_fault> fault{};
};

// Of rounding, relative to the length: a rounding for each arc of a path, of which a path has fewer than vertices.
template <class S>
double default_tolerance(index_t vertices) {
  using T = value_of<S>;
  const algebra_facts facts = facts_of(S::name);
  if (!std::is_floating_point_v<T> || !(facts.sums_weights || facts.multiplies_weights)) return 0;
  return static_cast<double>(std::numeric_limits<T>::epsilon()) *
         std::clamp(static_cast<double>(vertices), 16.0, 4096.0);
}

// The fault of the first row that has one.
template <class S>
std::optional<verify_fault> first_fault(const shared_flags& shared, const csr<value_of<S>>& graph, const labels& names,
                                        const std::vector<std::int32_t>& sources, const matrix<value_of<S>>& distances,
                                        const matrix<std::int32_t>& predecessors, double tolerance) {
  const bool negative =
      facts_of(S::name).sums_weights && std::ranges::any_of(graph.values, [](const auto w) { return double(w) < 0; });
  std::atomic<index_t> first{distances.rows()};
  std::optional<verify_fault> found;
  std::mutex guard;
  task_queue queue;
  run_tasks(shared.threads > 0 ? shared.threads : default_threads(), [&](const team_member&) {
    row_check<S> check(graph, names, tolerance, negative);
    for (index_t i; (i = queue.next()) < first;) {
      auto wrong = check.fault(sources[i], &distances(i, 0), predecessors.size() > 0 ? &predecessors(i, 0) : nullptr);
      if (!wrong) continue;
      const std::lock_guard lock(guard);
      if (i >= first) continue;
      first = i;
      found = std::move(wrong);
    }
  });
  return found;
}

// Predecessors as int32, -1 for every negative number: -9999 is SciPy's for none.
matrix<std::int32_t> read_predecessors(const std::string& path) {
  const io::npy_matrix file = io::read_npy_any(path);
  return std::visit(
      [&]<class T>(const matrix<T>& read) -> matrix<std::int32_t> {
        if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>) {
          throw value_error(
              fmt::format("{}: predecessors are numbers of vertices, and these are {}", path, type_name<T>));
        } else {
          matrix<std::int32_t> p(read.rows(), read.cols(), uninitialised{});
          for (index_t e = 0; e < read.size(); ++e)
            p.data()[e] = static_cast<std::int32_t>(
                std::clamp<std::int64_t>(read.data()[e], -1, std::numeric_limits<std::int32_t>::max()));
          return p;
        }
      },
      file);
}

// The number that stands for no path in the file becomes the algebra's.
template <class S>
void replace_absent(const std::string& choice, matrix<value_of<S>>& distances) {
  using T = value_of<S>;
  if (choice.empty() || std::is_same_v<T, bool>) return;
  const T absent = choice == "-1"    ? T(-1)
                   : choice == "max" ? std::numeric_limits<T>::max()
                                     : std::numeric_limits<T>::infinity();
  if (choice == "inf" && !std::is_floating_point_v<T>)
    throw error(fault_code::usage, fmt::format("--absent inf: {} has no infinity", type_name<T>));
  std::replace(distances.data(), distances.data() + distances.size(), absent, S::zero());
}

template <class S>
verify_report check(const shared_flags& shared, const verify_flags& flags, graph_input& input,
                    matrix<value_of<S>>& distances) {
  const stopwatch watch;
  const index_t n = input.file.vertices;
  std::vector<std::int32_t> sources;
  if (!flags.sources.empty()) sources = input.vertices(flags.sources, "--sources");
  else
    for (index_t v = 0; v < n; ++v) sources.push_back(static_cast<std::int32_t>(v));
  const index_t rows = static_cast<index_t>(sources.size());
  const auto require_shape = [&](const std::string& path, const auto& m) {
    if (m.rows() != rows || m.cols() != n)
      throw shape_error(fmt::format("{} is {} x {}, and lengths from {} {} of {} are {} x {}{}", path, m.rows(),
                                    m.cols(), rows, rows == 1 ? "vertex" : "vertices", flags.input.file, rows, n,
                                    flags.sources.empty() && m.cols() == n ? " (--sources says which they are)" : ""));
  };
  require_shape(flags.distances, distances);
  matrix<std::int32_t> predecessors;
  if (!flags.predecessors.empty()) {
    predecessors = read_predecessors(flags.predecessors);
    require_shape(flags.predecessors, predecessors);
  }
  replace_absent<S>(flags.absent, distances);
  const csr<value_of<S>> graph = take_arcs(input, rules_of<S>());
  verify_report report{.arcs = graph.entries(), .rows = rows};
  report.tolerance =
      flags.tolerance >= 0 && std::is_floating_point_v<value_of<S>> ? flags.tolerance : default_tolerance<S>(n);
  report.fault = first_fault<S>(shared, graph, input.names, sources, distances, predecessors, report.tolerance);
  report.seconds = watch.seconds();
  return report;
}

void print(const shared_flags& shared, const verify_flags& flags, const graph_input& input, const verify_report& r) {
  if (shared.json) {
    json_object json;
    json.text("file", input.path).text("distances", flags.distances);
    add_description(json, input);
    json.number("vertices", input.file.vertices).number("arcs", r.arcs).number("rows", r.rows);
    json.text("algebra", input.algebra).text("dtype", input.dtype).number("tolerance", r.tolerance);
    json.number("seconds", r.seconds).boolean("correct", !r.fault);
    if (!r.fault) return write_answer(json.null("fault").str());
    const auto vertex = [&](std::int32_t v) {
      return v >= 0 && v < input.file.vertices ? input.names.json(v) : std::string("null");
    };
    json_object fault;
    fault.text("kind", r.fault->kind).raw("from", vertex(r.fault->from)).raw("to", vertex(r.fault->to));
    fault.raw("over", vertex(r.fault->over)).raw("found", r.fault->found).raw("expected", r.fault->expected);
    return write_answer(json.raw("fault", fault.text("words", r.fault->words).inner()).str());
  }
  if (!shared.prints_text()) return;
  answer text;
  text.line("graph", fmt::format("{} ({})", input.path, graph_size(input, r.arcs)));
  if (!input.file.description.empty()) text.line("read as", input.file.description);
  text.line("distances", fmt::format("{} ({} x {})", flags.distances, r.rows, input.file.vertices));
  text.line("algebra", input.algebra + " over " + input.dtype);
  text.line("tolerance", r.tolerance > 0 ? fmt::format("{:.2g} of a length", r.tolerance) : "none: lengths are exact");
  if (r.fault) text.line("wrong", r.fault->words);
  else
    text.line("correct", fmt::format("all {} lengths{}", grouped(r.rows * input.file.vertices),
                                     flags.predecessors.empty() ? "" : " and their predecessors"));
  write_answer(text.line("time", seconds_text(r.seconds)).str());
}

// The exit code.
int run_verify(const shared_flags& asked, const verify_flags& flags) {
  shared_flags shared = asked;
  require_algebra(path_algebras::need, shared.algebra_name(), "");
  require_outputs(shared, {}, {});
  io::npy_matrix file = io::read_npy_any(flags.distances);
  shared.dtype = std::visit([]<class T>(const matrix<T>&) { return std::string(type_name<T>); }, file);
  graph_input input = read_graph_input(flags.input, shared);
  verify_report report;
  dispatch<path_algebras>(input.algebra, input.dtype, [&]<class S>(S) {
    report = check<S>(shared, flags, input, std::get<matrix<value_of<S>>>(file));
  });
  print(shared, flags, input, report);
  return report.fault ? wrong_result : 0;
}

}  // namespace

void add_verify(CLI::App& app, const shared_flags& shared, int& code) {
  CLI::App* sub = app.add_subcommand("verify", "Check distances, and predecessors, however they were computed");
  const auto flags = std::make_shared<verify_flags>();
  add_input(*sub, "FILE", flags->input.file, "Graph")->required();
  add_input(*sub, "DISTANCES", flags->distances, "Lengths of best paths (.npy: a row a source)")->required();
  add_input(*sub, "PREDECESSORS", flags->predecessors,
            "Last vertex before j on the best path from i (.npy, integers, vertices from 0; negative: none)");
  sub->add_option("--sources", flags->sources, "Rows are from these vertices: 1,5,9 or Fulda,Essen")
      ->check(some("vertices such as 1,5,9"));
  add_choice<std::string>(*sub, "--absent", flags->absent, {{"inf", "inf"}, {"max", "max"}, {"-1", "-1"}},
                          "What stands for no path, unless it is the algebra's zero: inf, max or -1");
  sub->add_option(
         "--tolerance", flags->tolerance,
         "How far lengths of floats may be off, relative to the length (default: a rounding a vertex, of 16 to "
         "4096; where weights are negative, relative to the longest of the row)")
      ->check(a_number(true));
  add_input_flags(*sub, flags->input);
  sub->callback([&shared, flags, &code] { code = run_verify(shared, *flags); });
}

}  // namespace kleene::cli
