// kleene convert: a file in another format.
#include "any_file.hpp"
#include "commands.hpp"
#include "graph_input.hpp"
#include "graph_output.hpp"
#include "kleene/io/matrix_market.hpp"
#include "options.hpp"
#include "session.hpp"
#include "text.hpp"

#include <memory>

namespace kleene::cli {

namespace {

struct convert_flags {
  input_flags input;
  graph_output_flags out;
  std::string layout, write_names;
};

// What is said of it afterwards.
struct convert_report {
  std::string from, to, what, read_as{};  // read_as: of an edge list, what was found out
  written_graph graph{};                  // what was said of it when it was written
};

// A square matrix as a graph, in which the algebra's zero is no arc: of NumPy only, since Matrix Market's own arrays
// say nothing of arcs.
io::graph_file as_graph(any_file& file, const convert_flags& flags, const shared_flags& shared) {
  if (auto* graph = std::get_if<io::graph_file>(&file.content)) return std::move(*graph);
  if (file.format == "npy" || (file.format == "npz" && std::holds_alternative<io::npy_matrix>(file.content)))
    return read_graph_file(flags.input, shared, io::real_type::f64);
  if (std::holds_alternative<places_file>(file.content))
    throw value_error(
        fmt::format("{} holds coordinates of vertices, which {} has no room for", flags.input.file, flags.out.path));
  throw value_error(fmt::format("{} is a matrix that is no graph: it can become .npy{}, and not {}", flags.input.file,
                                std::holds_alternative<sparse_file>(file.content) ? "" : " or .mtx", flags.out.path));
}

// Rows and columns of `path`, which the values are from, are numbered from `first`.
template <class T>
std::string write_matrix(const graph_request& request, const matrix<T>& values, const std::string& path, int first) {
  if (request.format == graph_format::npy) {
    if constexpr (io::npy_element<T>) io::write_npy(request.path, values);
  } else {
    for (index_t i = 0; i < values.rows(); ++i)
      for (index_t j = 0; j < values.cols(); ++j)
        if (values(i, j) != values(i, j))
          throw value_error(fmt::format("{}: element ({}, {}) is NaN, which Matrix Market does not have", path,
                                        i + first, j + first));
    io::write_matrix_market(request.path, values);
  }
  return fmt::format("a matrix of {} x {} {}", grouped(values.rows()), grouped(values.cols()), type_name<T>);
}

// A matrix whose entries that are not stored are the algebra's zero.
std::string write_sparse(const graph_request& request, sparse_file& file, const shared_flags& shared,
                         const std::string& path) {
  std::string words;
  const bool whole = std::holds_alternative<coo<std::int64_t>>(file.entries);
  const std::string integers = is_compiled(shared.algebra_name(), "i64") ? "i64" : "i32";
  const std::string dtype = !shared.dtype.empty() ? shared.dtype : whole ? integers : "f64";
  dispatch<closed_algebras>(shared.algebra_name(), dtype, [&]<class S>(S) {
    std::visit(
        [&](const auto& entries) {
          const labels numbers({}, file.first_row);
          words = write_matrix(request, spread_out(rules_of<S>(), entries, {path, {}, numbers}, false), path,
                               file.first_row);
        },
        file.entries);
  });
  return words;
}

// Matrices and places stay what they are where the output can be that, too.
convert_report convert(const convert_flags& flags, const shared_flags& shared, const graph_request& request) {
  any_file file = read_any_file(flags.input, shared);
  convert_report report{.from = file.format, .to = format_words(request.format), .what = {}};
  const bool holds_matrix = request.format == graph_format::npy || request.format == graph_format::mtx;
  if (holds_matrix && flags.layout != "pairs") {
    if (auto* dense = std::get_if<io::npy_matrix>(&file.content)) {
      const int first = file.format == "Matrix Market" ? 1 : 0;
      report.what = std::visit(
          [&](const auto& values) { return write_matrix(request, values, flags.input.file, first); }, *dense);
      return report;
    }
    if (auto* places = std::get_if<places_file>(&file.content)) {
      report.what = write_matrix(request, places->places, flags.input.file, 1);
      return report;
    }
    auto* sparse = std::get_if<sparse_file>(&file.content);
    if (sparse && request.format == graph_format::npy) {
      report.what = write_sparse(request, *sparse, shared, flags.input.file);
      return report;
    }
  }
  io::graph_file graph = as_graph(file, flags, shared);
  if (!flags.write_names.empty()) {
    if (graph.names.empty() && graph.first_vertex <= 1)
      throw error(fault_code::usage, fmt::format("--write-names: the vertices of {} have no names", flags.input.file));
    write_names(flags.write_names, labels(graph.names, graph.first_vertex), graph.vertices);
    if (!is_edge_list(request.format)) graph.names.clear(), graph.first_vertex = first_number(request.format);
  }
  report.graph = write_graph(request, graph, shared);
  report.read_as = graph.description;
  report.what = fmt::format("a graph of {} and {}{}", counted(graph.vertices, "vertex", "vertices"),
                            counted(graph.arcs, "arc", "arcs"), graph.symmetric ? " (undirected)" : "");
  if (graph.names.empty() && !is_edge_list(request.format) && graph.first_vertex != first_number(request.format))
    report.what += fmt::format(", numbered from {} (from {} in {})", first_number(request.format), graph.first_vertex,
                               flags.input.file);
  return report;
}

void run_convert(const shared_flags& shared, const convert_flags& flags) {
  const graph_request request = graph_request_of(flags.out, "OUT");
  require_outputs(shared, {{"OUT", request.path}, {"--write-names", flags.write_names}},
                  {{"IN", flags.input.file}, {"--names", flags.input.names}});
  const convert_report report = convert(flags, shared, request);
  if (shared.json) {
    json_object json;
    json.text("file", flags.input.file).text("format", report.from);
    if (!report.read_as.empty()) json.text("read_as", report.read_as);
    json.text("out", request.path).text("out_format", report.to).text("what", report.what);
    if (!report.graph.no_arc.empty()) json.raw("no_arc", number_json(report.graph.no_arc));
    add_lost(json, request, report.graph.lost);
    return write_answer(json.str());
  }
  if (!shared.prints_text()) return;
  answer text;
  text.line("read", fmt::format("{} ({})", flags.input.file, report.from));
  if (!report.read_as.empty()) text.line("read as", report.read_as);
  text.line("written", fmt::format("{} ({})", request.name(), report.to));
  text.line("holds", report.what);
  if (!report.graph.no_arc.empty()) text.line("no arc", report.graph.no_arc + " (--dtype chooses another type)");
  add_lost(text, request, report.graph.lost);
  write_answer(text.str());
}

}  // namespace

void add_convert(CLI::App& app, const shared_flags& shared) {
  CLI::App* sub = app.add_subcommand("convert", "A graph or matrix in another format (by suffix)");
  const auto flags = std::make_shared<convert_flags>();
  add_input(*sub, "IN", flags->input.file, "What to read")->required();
  add_output(*sub, "OUT", flags->out.path, fmt::format("What to write ({})", graph_suffixes()))->required();
  add_graph_output_flags(*sub, flags->out);
  add_choice<std::string>(*sub, "--layout", flags->layout, {{"pairs", "pairs"}, {"matrix", "matrix"}},
                          "pairs: .npy becomes a graph in .mtx, too; matrix (the default): it stays a matrix");
  add_output(*sub, "--write-names", flags->write_names,
             "Write the names of the vertices, one a line, which .mtx, .gr and .npy have no room for");
  add_input_flags(*sub, flags->input);
  sub->callback([&shared, flags] { run_convert(shared, *flags); });
}

}  // namespace kleene::cli
