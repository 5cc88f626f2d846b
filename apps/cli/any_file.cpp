#include "any_file.hpp"

#include "graph_input.hpp"
#include "kleene/io/dimacs.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/npz.hpp"
#include "session.hpp"

#include <type_traits>
#include <utility>

namespace kleene::cli {

namespace {

bool holds_places(const io::input& in) {
  const io::format_row* const named = io::row_of_name(in.path());
  return in.start().starts_with("p aux") || (named && named->format == io::file_format::dimacs_coordinates);
}

// A square coordinate file is a graph; as read_graph has it.
any_file of_matrix_market(io::matrix_market_file&& file, const input_flags& flags) {
  any_file made{.format = "Matrix Market", .content = {}};
  std::visit(
      [&]<class V>(V& values) {
        if constexpr (std::is_same_v<V, coo<std::int64_t>> || std::is_same_v<V, coo<double>>) {
          const bool pattern = file.field == io::mm_field::pattern;
          if (file.rows != file.cols) {
            refuse_list_flags(flags, "a matrix");
            made.content = sparse_file{std::move(values), pattern};
            return;
          }
          io::graph_file graph;
          graph.vertices = file.rows;
          graph.arcs = values.entries();
          graph.pattern = pattern;
          graph.symmetric = file.symmetry == io::mm_symmetry::symmetric;
          graph.format = made.format;
          graph.edges = std::move(values);
          made.content = add_names(std::move(graph), flags);
        } else {
          refuse_list_flags(flags, "a matrix");
          made.content = io::npy_matrix(std::move(values));
        }
      },
      file.values);
  return made;
}

any_file of_npz(io::npz_content&& file, const input_flags& flags) {
  any_file made{.format = "npz", .content = {}};
  auto* const sparse = std::get_if<io::npz_sparse>(&file);
  const bool square = sparse && std::visit([](const auto& m) { return m.rows == m.cols; }, sparse->entries);
  if (square) {
    made.content = add_names(io::graph_of(std::move(*sparse), flags.file), flags);
    return made;
  }
  refuse_list_flags(flags, "npz");
  if (sparse) made.content = sparse_file{std::move(sparse->entries), false, 0};
  else made.content = std::get<io::npy_matrix>(std::move(file));
  return made;
}

}  // namespace

any_file read_any_file(const input_flags& flags, const shared_flags& shared) {
  io::input in(flags.file);
  const io::file_format format = io::format_at_start(in.start());
  any_file made;
  if (!flags.no_arc.empty()) {  // a dense matrix is meant as a graph
    io::graph_file graph = read_graph_file(in, flags, shared, io::real_type::f64);
    made.format = graph.format;
    made.content = std::move(graph);
  } else if (format == io::file_format::npy) {
    refuse_list_flags(flags, "npy");
    made.format = "npy";
    made.content = io::read_npy_any(in);
  } else if (format == io::file_format::matrix_market) {
    io::scanner text(in);
    made = of_matrix_market(io::parse_matrix_market(text), flags);
  } else if (format == io::file_format::npz) {
    made = of_npz(io::read_npz(in), flags);
  } else if (holds_places(in)) {
    refuse_list_flags(flags, "coordinates");
    io::scanner text(in);
    made.format = "DIMACS coordinates";
    made.content = places_file{io::parse_dimacs_coordinates(text)};
  } else {
    io::graph_file graph = read_graph_file(in, flags, shared, io::real_type::f64);
    made.format = graph.format;
    made.content = std::move(graph);
  }
  made.compression = in.compression();
  return made;
}

}  // namespace kleene::cli
