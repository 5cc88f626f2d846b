// kleene info FILE: what is in a file.
#include "any_file.hpp"
#include "commands.hpp"
#include "dispatch.hpp"
#include "graph_facts.hpp"
#include "kleene/data/error.hpp"
#include "labels.hpp"
#include "session.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace kleene::cli {

namespace {

// Numbers of one type: how many, and between what.
template <class T>
struct number_facts {
  index_t count = 0, negative = 0, zero = 0, infinite = 0, nan = 0;
  T least{}, most{};  // of the finite ones

  void add(T value) {
    if (value != value) return void(++nan);
    if (value - value != T(0)) return void(++infinite);
    if (count == 0 || value < least) least = value;
    if (count == 0 || value > most) most = value;
    ++count;
    negative += value < T(0);
    zero += value == T(0);
  }
  std::string range() const { return count == 0 ? "" : fmt::format("{} to {}", number_text(least), number_text(most)); }
  void add_to(json_object& json, const char* prefix) const {
    const auto key = [&](const char* what) { return fmt::format("{}{}", prefix, what); };
    count == 0 ? json.null(key("least")) : json.number(key("least"), least);
    count == 0 ? json.null(key("most")) : json.number(key("most"), most);
    json.number(key("negative"), negative).number(key("zero"), zero);
  }
};

std::string count_of(index_t some, index_t all) {
  return some == 0 ? "none" : fmt::format("{} of {}", grouped(some), grouped(all));
}

// "5, 1 to 5"; of names that are numbers in another order "5, 1 first and 0 last".
std::string range_of_vertices(const io::graph_file& graph) {
  if (graph.vertices == 0) return "none";
  const labels names(graph.names, graph.first_vertex);
  const std::string first = names.text(0), last = names.text(graph.vertices - 1);
  const auto is_number = [](const std::string& name) { return name.find_first_not_of("-.0123456789") == name.npos; };
  const bool falls = is_number(first) && is_number(last) && std::atof(first.c_str()) > std::atof(last.c_str());
  return falls ? fmt::format("{}, {} first and {} last", grouped(graph.vertices), first, last)
               : fmt::format("{}, {} to {}", grouped(graph.vertices), first, last);
}

template <class T>
void describe_graph(const shared_flags& shared, const std::string& path, const io::graph_file& graph,
                    const coo<T>& arcs, answer& text, json_object& json) {
  require_memory(static_cast<double>(graph.vertices) * 48 + static_cast<double>(graph.arcs) * 40,
                 fmt::format("{}: a graph of {} and {}", path, counted(graph.vertices, "vertex", "vertices"),
                             counted(graph.arcs, "arc", "arcs")));
  number_facts<T> weights;
  index_t loops = 0, parallel = 0;
  for (index_t e = 0; e < arcs.entries(); ++e) {
    weights.add(arcs.value[e]);
    loops += arcs.row[e] == arcs.col[e];
  }
  const degree_range out = degrees(graph.vertices, arcs.row), in = degrees(graph.vertices, arcs.col);
  const component_sizes weak = weak_components(graph.vertices, arcs.row, arcs.col);
  const csr<T> rows = make_csr(arcs, [&](T first, T) { return ++parallel, first; });
  const component_sizes strong = strong_components(rows.offsets, rows.columns);
  const char* const type = graph.pattern ? "none" : std::is_integral_v<T> ? "integer" : "real";
  if (shared.json) {
    json.text("kind", "graph").number("vertices", graph.vertices).boolean("named", !graph.names.empty());
    json.number("arcs", graph.arcs).boolean("directed", !graph.symmetric).text("weights", type);
    weights.add_to(json, "weight_");
    json.number("self_loops", loops).number("parallel_arcs", parallel);
    json.number("least_out_degree", out.least).number("most_out_degree", out.most);
    json.number("least_in_degree", in.least).number("most_in_degree", in.most);
    json.number("components", static_cast<index_t>(weak.size()));
    json.number("largest_component", weak.empty() ? 0 : weak.front());
    json.number("strong_components", static_cast<index_t>(strong.size()));
    json.number("largest_strong_component", strong.empty() ? 0 : strong.front());
    return;
  }
  text.line("vertices", range_of_vertices(graph));
  const index_t edges = (graph.arcs + loops) / 2;
  text.line("arcs", graph.symmetric ? fmt::format("{}, undirected: {}, both ways", grouped(graph.arcs),
                                                  counted(edges, "edge", "edges"))
                                    : grouped(graph.arcs) + ", directed");
  text.line("weights", graph.pattern        ? "none: every arc counts as 1"
                       : weights.count == 0 ? std::string(type)
                                            : fmt::format("{}, {}", type, weights.range()));
  if (!graph.pattern) text.line("negative", count_of(weights.negative, graph.arcs));
  text.line("self loops", count_of(loops, graph.arcs)).line("parallel", count_of(parallel, graph.arcs));
  if (graph.symmetric) text.line("degrees", fmt::format("{} to {}", grouped(out.least), grouped(out.most)));
  else
    text.line("degrees", fmt::format("out {} to {}, in {} to {}", grouped(out.least), grouped(out.most),
                                     grouped(in.least), grouped(in.most)));
  text.line("components", weak_words(weak, graph.symmetric));
  if (!graph.symmetric) text.line("strong", strong_words(strong));
}

template <class T>
void describe_matrix(const shared_flags& shared, const matrix<T>& values, answer& text, json_object& json) {
  using N = std::conditional_t<std::is_same_v<T, bool>, std::int32_t, T>;
  number_facts<N> facts;
  for (index_t e = 0; e < values.size(); ++e) facts.add(static_cast<N>(values.data()[e]));
  if (shared.json) {
    json.text("kind", "matrix").number("rows", values.rows()).number("cols", values.cols());
    json.text("dtype", type_name<T>);
    facts.add_to(json, "");
    json.number("infinite", facts.infinite).number("nan", facts.nan);
    return;
  }
  text.line("matrix", fmt::format("{} x {} {}", grouped(values.rows()), grouped(values.cols()), type_name<T>));
  if (facts.count > 0) text.line("elements", facts.range());
  text.line("negative", count_of(facts.negative, values.size())).line("zero", count_of(facts.zero, values.size()));
  if constexpr (std::is_floating_point_v<T>)
    text.line("infinite", count_of(facts.infinite, values.size())).line("NaN", count_of(facts.nan, values.size()));
}

void describe_sparse(const shared_flags& shared, const sparse_file& file, answer& text, json_object& json) {
  std::visit(
      [&]<class T>(const coo<T>& entries) {
        number_facts<T> facts;
        for (const T value : entries.value) facts.add(value);
        const char* const type = file.pattern ? "no numbers" : std::is_integral_v<T> ? "integers" : "reals";
        if (shared.json) {
          json.text("kind", "sparse matrix").number("rows", entries.rows).number("cols", entries.cols);
          json.number("entries", entries.entries()).text("elements", type);
          return facts.add_to(json, "");
        }
        text.line("matrix", fmt::format("{} x {}, {} entries of {}", grouped(entries.rows), grouped(entries.cols),
                                        grouped(entries.entries()), type));
        if (facts.count > 0) text.line("elements", facts.range());
        text.line("negative", count_of(facts.negative, entries.entries()));
      },
      file.entries);
}

void describe_places(const shared_flags& shared, const places_file& file, answer& text, json_object& json) {
  number_facts<double> x, y;
  for (index_t v = 0; v < file.places.rows(); ++v) x.add(file.places(v, 0)), y.add(file.places(v, 1));
  if (shared.json) {
    json.text("kind", "places").number("vertices", file.places.rows());
    x.add_to(json, "x_");
    return y.add_to(json, "y_");
  }
  text.line("coordinates", counted(file.places.rows(), "vertex", "vertices"));
  if (x.count > 0) text.line("x", x.range()).line("y", y.range());
}

}  // namespace

void run_file_info(const shared_flags& shared, const info_flags& flags) {
  if (flags.measures_links)
    throw error(fault_code::usage, "--measure-links is about this machine: say it without a FILE");
  require_outputs(shared, {}, {});
  const any_file file = read_any_file(flags.input, shared);
  answer text;
  json_object json;
  json.text("file", flags.input.file).text("format", file.format);
  file.compression.empty() ? json.null("compression") : json.text("compression", file.compression);
  text.line("file", fmt::format("{} ({}{}{})", flags.input.file, file.format, file.compression.empty() ? "" : ", ",
                                file.compression));
  if (const auto* graph = std::get_if<io::graph_file>(&file.content)) {
    if (!graph->description.empty()) {
      json.text("read_as", graph->description);
      text.line("read as", graph->description);
    }
    std::visit([&](const auto& arcs) { describe_graph(shared, flags.input.file, *graph, arcs, text, json); },
               graph->edges);
  } else if (const auto* dense = std::get_if<io::npy_matrix>(&file.content)) {
    std::visit([&](const auto& values) { describe_matrix(shared, values, text, json); }, *dense);
  } else if (const auto* sparse = std::get_if<sparse_file>(&file.content)) {
    describe_sparse(shared, *sparse, text, json);
  } else {
    describe_places(shared, std::get<places_file>(file.content), text, json);
  }
  write_answer(shared.json ? json.str() : shared.quiet ? "" : text.str());
}

}  // namespace kleene::cli
