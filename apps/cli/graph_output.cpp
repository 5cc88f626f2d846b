#include "graph_output.hpp"

#include "graph_input.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/io/parquet.hpp"
#include "options.hpp"
#include "results.hpp"
#include "session.hpp"
#include "undirected_output.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace kleene::cli {

namespace {

struct format_name {
  const char* word;
  graph_format format;
  const char* shown;
};
constexpr format_name formats[] = {
    {"mtx", graph_format::mtx, "Matrix Market"}, {"gr", graph_format::gr, "DIMACS"},
    {"csv", graph_format::csv, "edge list"},     {"tsv", graph_format::tsv, "edge list"},
    {"txt", graph_format::txt, "edge list"},     {"edges", graph_format::txt, "edge list"},
    {"npy", graph_format::npy, "npy"},           {"graph", graph_format::metis, "METIS"},
    {"metis", graph_format::metis, "METIS"},     {"gset", graph_format::gset, "G-set"},
    {"col", graph_format::col, "DIMACS edges"},  {"parquet", graph_format::parquet, "Parquet"},
};

template <class T>
std::string& add_number(std::string& text, T value) {
  char digits[32];
  return text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// The vertices that no arc touches: how many, and the first.
std::pair<index_t, index_t> isolated(const io::graph_file& graph) {
  std::vector<char> touched(static_cast<std::size_t>(graph.vertices), 0);
  std::visit(
      [&](const auto& arcs) {
        for (const std::int32_t v : arcs.row) touched[v] = 1;
        for (const std::int32_t v : arcs.col) touched[v] = 1;
      },
      graph.edges);
  const auto first = std::ranges::find(touched, 0);
  return {std::ranges::count(touched, 0), first - touched.begin()};
}

// What no graph of the format has is refused, or left out and put into words.
void require_holds(const graph_request& request, const io::graph_file& graph, const labels& names,
                   std::vector<std::string>& lost) {
  const std::string lossy = "; --lossy leaves them out";
  if (!is_edge_list(request.format)) {
    const int first = first_number(request.format), last = first + static_cast<int>(graph.vertices) - 1;
    if (graph.vertices == 0) return;
    if (!names.named() && names.first() > 1) {
      if (!request.lossy)
        throw value_error(fmt::format(
            "{}: {} numbers vertices from {}, and these have numbers from {} on; --lossy numbers them anew, "
            "--write-names keeps their numbers in a file",
            request.name(), format_words(request.format), first, names.first()));
      lost.push_back(fmt::format("the numbers of {} (from {} on; from {} to {} here)",
                                 counted(graph.vertices, "vertex", "vertices"), names.first(), first, last));
    }
    if (!names.named()) return;
    if (!request.lossy)
      throw value_error(
          fmt::format("{}: {} has no room for names, and vertices have some (the first is {}){}, --write-names keeps "
                      "them in a file",
                      request.name(), format_words(request.format), names.text(0), lossy));
    lost.push_back(fmt::format("the names of {} (numbered from {} to {} here)",
                               counted(graph.vertices, "vertex", "vertices"), first, last));
    return;
  }
  const auto [count, first] = isolated(graph);
  if (count == 0) return;
  if (!request.lossy)
    throw value_error(
        fmt::format("{}: an edge list holds vertices that have an arc, and {} have none (the first is "
                    "{}){}",
                    request.name(), grouped(count), names.text(first), lossy));
  lost.push_back(
      fmt::format("{} without an arc (the first is {})", counted(count, "vertex", "vertices"), names.text(first)));
}

// What no reader of graphs takes back; in a matrix it is a number.
void require_finite(const graph_request& request, const io::graph_file& graph, const labels& names) {
  const auto* arcs = std::get_if<coo<double>>(&graph.edges);
  if (!arcs || request.format == graph_format::mtx || request.format == graph_format::npy) return;
  const auto found = std::ranges::find_if(arcs->value, [](double weight) { return !std::isfinite(weight); });
  if (found == arcs->value.end()) return;
  const auto e = found - arcs->value.begin();
  throw value_error(fmt::format("{}: arc {} -> {} has weight {}, which is not finite", request.name(),
                                names.text(arcs->row[e]), names.text(arcs->col[e]), *found));
}

class graph_writer {
 public:
  graph_writer(const graph_request& request, const io::graph_file& graph)
      : request_(request),
        graph_(graph),
        names_(graph.names, graph.first_vertex),
        separator_(request.format == graph_format::csv ? ',' : '\t') {}

  void write() const {
    io::atomic_file out(request_.path);
    std::visit([&](const auto& arcs) { write(out, arcs); }, graph_.edges);
    out.commit();
  }

 private:
  // Of an undirected arc one direction (of a symmetric .mtx the lower triangle), unless the format needs both.
  bool listed(std::int32_t u, std::int32_t v) const {
    if (!graph_.symmetric || request_.format == graph_format::gr) return true;
    return request_.format == graph_format::mtx ? v <= u : u <= v;
  }

  template <class T>
  std::string head(const coo<T>& arcs, index_t entries) const {
    const char* field = graph_.pattern ? "pattern" : std::is_integral_v<T> ? "integer" : "real";
    switch (request_.format) {
      case graph_format::mtx:
        return fmt::format("%%MatrixMarket matrix coordinate {} {}\n{} {} {}\n", field,
                           graph_.symmetric ? "symmetric" : "general", arcs.rows, arcs.cols, entries);
      case graph_format::gr:
        return fmt::format("p sp {} {}\n", arcs.rows, entries);
      case graph_format::txt:
        // As SNAP writes it: by the number of edges a reader knows that the first line is an arc ("3 2"), and no header
        // that counts vertices and arcs.
        return fmt::format("# {} graph\n# Nodes: {} Edges: {}\n", graph_.symmetric ? "Undirected" : "Directed",
                           graph_.vertices - isolated(graph_).first, entries);
      default:
        return fmt::format("{}from{}to{}\n", graph_.symmetric ? "# Undirected graph\n" : "", separator_,
                           graph_.pattern ? "" : std::string(1, separator_) + "weight");
    }
  }

  template <class T>
  void write(io::atomic_file& out, const coo<T>& arcs) const {
    index_t entries = 0;
    for (index_t e = 0; e < arcs.entries(); ++e) entries += listed(arcs.row[e], arcs.col[e]);
    out.write(head(arcs, entries));
    const bool gr = request_.format == graph_format::gr, numbered = gr || request_.format == graph_format::mtx;
    const auto vertex = [&](std::string& text, std::int32_t v) {
      if (numbered) add_number(text, index_t{v} + 1);
      else text += quoted(names_.plain(v), separator_);
    };
    std::string line;
    for (index_t e = 0; e < arcs.entries(); ++e) {
      if (!listed(arcs.row[e], arcs.col[e])) continue;
      line = gr ? "a " : "";
      vertex(line, arcs.row[e]);
      line += numbered ? ' ' : separator_;
      vertex(line, arcs.col[e]);
      if (gr || !graph_.pattern) add_number(line += numbered ? ' ' : separator_, arcs.value[e]);
      out.write(line += '\n');
    }
  }

  const graph_request& request_;
  const io::graph_file& graph_;
  labels names_;
  char separator_;
};

// The arcs as typed columns; of an undirected graph each once, as in text.
void write_parquet(const graph_request& request, const io::graph_file& graph) {
  std::visit(
      [&]<class T>(const coo<T>& arcs) {
        const auto type = graph.pattern           ? io::parquet_values::none
                          : std::is_integral_v<T> ? io::parquet_values::i64
                                                  : io::parquet_values::f64;
        io::parquet_output out(request.path, graph.names, graph.first_vertex,
                               {.values = type, .undirected = graph.symmetric});
        for (index_t e = 0; e < arcs.entries(); ++e) {
          if (graph.symmetric && arcs.row[e] > arcs.col[e]) continue;
          graph.pattern ? out.add(arcs.row[e], arcs.col[e]) : out.add(arcs.row[e], arcs.col[e], arcs.value[e]);
        }
        out.commit();
      },
      graph.edges);
}

// The matrix in the algebra's element type.
template <class S>
void write_dense(const graph_request& request, const io::graph_file& graph, const labels& names,
                 std::vector<std::string>& lost) {
  using T = value_of<S>;
  const double n = static_cast<double>(graph.vertices);
  require_memory(n * n * sizeof(T),
                 fmt::format("{}: a matrix of {:.0f} x {:.0f} {}", request.path, n, n, type_name<T>));
  matrix<T> dense(graph.vertices, graph.vertices, S::zero());
  index_t absent = 0, parallel = 0;
  std::visit(
      [&](const auto& arcs) {
        const element_rules<T> rules = rules_of<S>();
        const entry_source output{request.path, io::row_of(io::file_format::npy).name, names};
        const sparse_values<T> values = values_as(rules, arcs, output, true);
        for (index_t e = 0; e < arcs.entries(); ++e) {
          const std::int32_t u = arcs.row[e], v = arcs.col[e];
          const auto refuse = [&](const std::string& why) {
            if (!request.lossy)
              throw value_error(fmt::format("{}: {} from {} to {}{}", request.name(), why, names.text(u), names.text(v),
                                            "; --lossy keeps the best"));
          };
          if (values[e] == S::zero()) ++absent, refuse(fmt::format("{} means no arc, and is the weight", S::zero()));
          if (!(dense(u, v) == S::zero())) ++parallel, refuse("a matrix has room for one arc, and there are several");
          dense(u, v) = rules.add(dense(u, v), values[e]);
        }
      },
      graph.edges);
  io::write_npy(request.path, dense);
  if (absent > 0)
    lost.push_back(
        fmt::format("{} of weight {}, which means no arc", arcs_text(static_cast<std::size_t>(absent)), S::zero()));
  if (parallel > 0)
    lost.push_back(
        fmt::format("{} beside a better one of the same ends", arcs_text(static_cast<std::size_t>(parallel))));
}

}  // namespace

void add_graph_output_flags(CLI::App& app, graph_output_flags& flags) {
  std::vector<std::pair<std::string, std::string>> words;
  std::string offered;
  for (const format_name& f : formats) {
    words.emplace_back(f.word, f.word);
    // What this build lacks is refused by the name of its library, and not offered.
    if (f.format != graph_format::parquet || io::has_parquet())
      offered += (offered.empty() ? "{" : ",") + words.back().first;
  }
  add_choice<std::string>(app, "--format", flags.format, words, "The format, whatever the name (also of -)")
      ->type_name(offered + "}");
  app.add_flag("--lossy", flags.lossy, "Leave out what the format cannot hold, instead of refusing it");
}

graph_request graph_request_of(const graph_output_flags& flags, const char* flag) {
  graph_request request{.path = flags.path, .lossy = flags.lossy};
  const std::size_t name = flags.path.find_last_of('/') + 1, dot = flags.path.find_last_of('.');
  const bool has_suffix = dot != flags.path.npos && dot > name;
  const std::string word = !flags.format.empty() ? flags.format : has_suffix ? flags.path.substr(dot + 1) : "mtx";
  const auto found = std::ranges::find_if(formats, [&](const format_name& f) { return word == f.word; });
  if (found == std::end(formats))
    throw error(fault_code::usage,
                fmt::format("{}: no graph is written under the suffix of {} (there are {}; --format chooses whatever "
                            "the name){}",
                            flag, flags.path, graph_suffixes(),
                            word == "gz" ? "; write it without .gz, and compress it with gzip" : ""));
  request.format = found->format;
  if (request.format == graph_format::parquet) require_parquet(flag, request.path);
  if (request.format == graph_format::npy) refuse_npy_on_terminal(flag, request.path);
  return request;
}

bool is_edge_list(graph_format format) {
  return format == graph_format::csv || format == graph_format::tsv || format == graph_format::txt ||
         format == graph_format::parquet;
}

int first_number(graph_format format) { return format == graph_format::npy ? 0 : 1; }

std::string format_words(graph_format format) {
  return std::ranges::find_if(formats, [&](const format_name& f) { return format == f.format; })->shown;
}

written_graph write_graph(const graph_request& request, const io::graph_file& graph, const shared_flags& shared) {
  using enum graph_format;
  const labels names(graph.names, graph.first_vertex);
  written_graph written;
  std::vector<std::string>& lost = written.lost;
  require_holds(request, graph, names, lost);
  require_finite(request, graph, names);
  if (request.format == col && !graph.pattern) lost.push_back("the weights");  // refused below, unless lossy
  if (request.format == metis || request.format == gset || request.format == col) {
    write_undirected(request, graph);
  } else if (request.format == parquet) {
    write_parquet(request, graph);
  } else if (request.format != npy) {
    graph_writer(request, graph).write();
  } else {
    const std::string integers = is_compiled(shared.algebra_name(), "i64") ? "i64" : "i32";
    const bool whole = std::holds_alternative<coo<std::int64_t>>(graph.edges);
    const std::string dtype = !shared.dtype.empty() ? shared.dtype : whole ? integers : "f64";
    dispatch<path_algebras>(shared.algebra_name(), dtype, [&]<class S>(S) {
      write_dense<S>(request, graph, names, lost);
      written.no_arc = fmt::format("{}", S::zero());
    });
  }
  return written;
}

void add_lost(answer& text, const graph_request& request, const std::vector<std::string>& lost) {
  if (request.lossy)
    text.line("left out", lost.empty() ? "nothing: all of it had room" : fmt::format("{}", fmt::join(lost, "; ")));
}
void add_lost(json_object& json, const graph_request& request, const std::vector<std::string>& lost) {
  std::string all;
  for (const std::string& what : lost) all += (all.empty() ? "" : ", ") + json_string(what);
  if (request.lossy) json.raw("left_out", "[" + all + "]");
}

std::string graph_suffixes() {
  return fmt::format(
      ".mtx, .gr, .csv, .tsv, .txt, .edges, {}.npy; of undirected graphs also .graph, .metis, .gset, "
      ".col",
      io::has_parquet() ? ".parquet, " : "");
}

void write_names(const std::string& path, const labels& names, index_t vertices) {
  io::atomic_file out(path);
  for (index_t v = 0; v < vertices; ++v) out.write(quoted(names.plain(v), '\n') + '\n');
  out.commit();
}

}  // namespace kleene::cli
