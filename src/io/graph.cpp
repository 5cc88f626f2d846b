#include "kleene/io/graph.hpp"

#include "io/edge_list_comments.hpp"
#include "io/memory.hpp"
#include "io/other_containers.hpp"
#include "io/other_formats.hpp"
#include "io/words.hpp"
#include "kleene/io/dimacs.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/graphml.hpp"
#include "kleene/io/gset.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/metis.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/io/npz.hpp"
#include "kleene/io/parquet.hpp"
#include "kleene/io/text.hpp"
#include "kleene/io/undirected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace kleene::io {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw error(fault_code::bad_input, fmt::format("{}: {}", path, what));
}

// Of a content that is not what it should start as: by its first line with data, or by its first byte where it is no
// text.
[[noreturn]] void refuse_start(std::string_view text, const std::string& path, const std::string& what) {
  if (!detail::is_text(text)) refuse(path + ": at byte 0", what);
  scanner in(text.substr(0, 1 << 12), "");
  while (in.next_filled_line() && detail::is_comment(in.line())) continue;
  refuse(fmt::format("{}:{}", path, std::max<index_t>(in.line_number(), 1)), what);
}

// A file of which nothing, or only a part of the npy magic, is there: its name says what it was to be, its content
// cannot.
void refuse_stump(std::string_view text, const std::string& path) {
  if (text.empty()) refuse(path, "the file is empty");
  const std::string_view magic = row_of(file_format::npy).sign;
  if (text.size() < magic.size() && magic.starts_with(text))
    refuse(path, fmt::format("a truncated npy file: it ends after {} bytes", text.size()));
}

// A file of a binary format, by its name.
[[noreturn]] void refuse_sign(const std::string& path, file_format kind) {
  refuse(path + ": at byte 0",
         fmt::format("no {} file: it does not start with {}", row_of(kind).name, row_of(kind).shown));
}

void count(graph_file& graph) {
  std::visit(
      [&](const auto& edges) {
        graph.vertices = edges.rows;
        graph.arcs = edges.entries();
      },
      graph.edges);
}

graph_file graph_of(matrix_market_file&& file, const std::string& path) {
  if (file.rows != file.cols)
    refuse(fmt::format("{}:{}", path, file.size_line),
           fmt::format("a graph is a square matrix, and this one is {} x {}", file.rows, file.cols));
  graph_file graph;
  if (auto* integers = std::get_if<coo<std::int64_t>>(&file.values)) graph.edges = std::move(*integers);
  else graph.edges = std::move(std::get<coo<double>>(file.values));
  graph.pattern = file.field == mm_field::pattern;
  graph.symmetric = file.symmetry == mm_symmetry::symmetric;
  graph.format = row_of(file_format::matrix_market).name;
  return graph;
}

graph_file graph_of(edge_list_file&& file, file_format format) {
  graph_file graph;
  graph.edges = std::move(file.edges);
  graph.pattern = !file.weighted;
  graph.symmetric = !file.directed;
  graph.format = row_of(format).name;
  graph.first_vertex = file.first_vertex;
  graph.names = std::move(file.names);
  graph.description = std::move(file.description);
  graph.doubt = std::move(file.doubt);
  return graph;
}

graph_file graph_of(graphml_file&& file) {
  graph_file graph;
  graph.edges = std::move(file.edges);
  graph.pattern = !file.weighted;
  graph.symmetric = file.undirected;
  graph.first_vertex = file.first_vertex;
  graph.names = std::move(file.names);
  graph.description = std::move(file.description);
  return graph;
}

graph_file graph_of(metis_file&& file) {
  graph_file graph;
  graph.edges = std::move(file.edges);
  graph.pattern = !file.weighted;
  graph.symmetric = true;
  if (file.vertex_weights || file.vertex_sizes)
    graph.description =
        fmt::format("{}, {} of vertices not used", file.weighted ? "weighted edges" : "edges of weight 1",
                    !file.vertex_sizes     ? "weights"
                    : !file.vertex_weights ? "sizes"
                                           : "sizes and weights");
  return graph;
}

using graph_or_dense = std::variant<graph_file, dense_file>;

graph_or_dense content_of(matrix_market_file&& file, const std::string& path) {
  if (file.layout == mm_layout::coordinate) return graph_of(std::move(file), path);
  dense_file dense{{}, std::string(row_of(file_format::matrix_market).name), 1};
  dense.facts.place = fmt::format("{}:{}", path, file.size_line);
  if (auto* integers = std::get_if<matrix<std::int64_t>>(&file.values)) dense.values = std::move(*integers);
  else dense.values = std::move(std::get<matrix<double>>(file.values));
  return dense;
}

// An array of numpy.save, or an archive of SciPy or numpy.savez.
graph_or_dense read_numpy(input& in, file_format format, real_type reals) {
  dense_file dense{{}, std::string(row_of(format).name), 0};
  if (format == file_format::npy) {
    dense.values = numbers_of(read_npy_any(in, dense.facts));
    return dense;
  }
  npz_content content = read_npz(in, reals, dense.facts);
  if (auto* sparse = std::get_if<npz_sparse>(&content)) return graph_of(std::move(*sparse), in.path());
  dense.values = numbers_of(std::get<npy_matrix>(std::move(content)));
  return dense;
}

[[noreturn]] void refuse_dense(const std::string& path, std::string_view word) {
  refuse(path, fmt::format("a dense matrix ({}) is no graph file: nothing in it says which arcs are absent", word));
}

// The dense form of a list of entries.
template <class T>
matrix<T> spread(const coo<T>& list, T absent, const std::string& path, index_t first) {
  require_memory(path, static_cast<double>(list.rows) * static_cast<double>(list.cols) * (sizeof(T) + 1.0 / 8));
  matrix<T> values(list.rows, list.cols, absent);
  std::vector<bool> seen(static_cast<std::size_t>(values.size()), false);
  for (index_t e = 0; e < list.entries(); ++e) {
    const index_t at = list.row[e] * list.cols + list.col[e];
    if (seen[at]) refuse(path, fmt::format("entry ({}, {}) is given twice", list.row[e] + first, list.col[e] + first));
    seen[at] = true;
    values.data()[at] = list.value[e];
  }
  return values;
}

// The same of whichever list it is.
template <class Lists>
dense_matrix spread_list(const Lists& lists, const absent_entries& absent, const std::string& path, index_t first) {
  if (const auto* list = std::get_if<coo<double>>(&lists)) return spread(*list, absent.real, path, first);
  return spread(std::get<coo<std::int64_t>>(lists), absent.integer, path, first);
}

// METIS is known by its name alone, and starts with numbers.
void refuse_head_of_others(scanner& text) {
  scanner head(text.ahead(), text.file());
  while (head.next_filled_line())
    if (!head.line().starts_with('%')) break;
  const format_row* const named = row_of_name(text.file());
  const bool by_name = named && named->format == file_format::metis;
  if (head.line().find_first_not_of("0123456789 \t\r") != std::string_view::npos)
    throw error(fault_code::bad_input,
                fmt::format("{}:{}: METIS{} starts with the numbers of its vertices and edges, and this line is {}: if "
                            "it is an edge list, say so (--input-format edge-list)",
                            text.file(), head.line_number(), by_name ? ", as the name of the file says," : "",
                            shown(head.line().substr(0, 40))));
}

graph_or_dense read_text(scanner& text, file_format kind, const edge_list_options& lists) {
  const std::string path(text.file());
  graph_file graph;
  switch (kind) {
    case file_format::matrix_market:
      return content_of(parse_matrix_market(text, lists.threads, true), path);
    case file_format::dimacs_graph:
      graph.edges = parse_dimacs_graph(text, lists.threads);
      break;
    case file_format::edge_list:
      return graph_of(parse_edge_list(text, lists), kind);
    case file_format::dimacs_edges:
    case file_format::pace:
      graph.edges =
          kind == file_format::pace ? parse_pace(text, lists.threads) : parse_dimacs_edges(text, lists.threads);
      graph.pattern = graph.symmetric = true;
      break;
    case file_format::gset:
      graph.edges = parse_gset(text, lists.threads);
      graph.symmetric = true;
      break;
    case file_format::metis:
      refuse_head_of_others(text);
      graph = graph_of(parse_metis(text, lists.threads));
      break;
    case file_format::graphml:
      graph = graph_of(parse_graphml(text));
      break;
    case file_format::dimacs_coordinates:
      while (text.next_filled_line() && text.word() != "p") continue;
      text.fail("these are coordinates of vertices, or other facts about them (p aux), not a graph");
    case file_format::npy:
    case file_format::npz:
    case file_format::parquet:
      refuse_sign(path, kind);
    case file_format::unknown:
      refuse_start(text.ahead(), path,
                   "no graph format that is known: save the graph as an edge list, a line from,to,weight for each arc "
                   "(this is " +
                       neither_of(file_content(holds_graph | holds_dense)) + ")");
  }
  graph.format = row_of(kind).name;
  return graph;
}

}  // namespace

dense_matrix numbers_of(npy_matrix&& values) {
  return std::visit(
      [](auto& m) -> dense_matrix {
        using T = typename std::decay_t<decltype(m)>::value_type;
        if constexpr (!std::is_same_v<T, bool>) return std::move(m);
        matrix<std::int32_t> ones(m.rows(), m.cols(), uninitialised{});
        std::copy_n(m.data(), m.size(), ones.data());
        return ones;
      },
      values);
}

graph_file graph_of(npz_sparse&& matrix, const std::string& path) {
  graph_file graph;
  graph.edges = std::move(matrix.entries);
  count(graph);
  const index_t columns = std::visit([](const auto& entries) { return entries.cols; }, graph.edges);
  if (graph.vertices != columns)
    refuse(matrix.place.empty() ? path : matrix.place,
           fmt::format("a graph is a square matrix, and this one is {} x {}", graph.vertices, columns));
  graph.format = row_of(file_format::npz).name;
  graph.first_vertex = 0;
  graph.description = fmt::format("a sparse matrix ({}), rows to columns", matrix.layout);
  return graph;
}

graph_or_dense read_graph_or_dense(input& in, real_type reals, const edge_list_options& lists, file_format meant) {
  const std::string& path = in.path();
  return detail::with_memory_of(path, [&]() -> graph_or_dense {
    const file_format start = format_at_start(in.start());
    if (start == file_format::npy || start == file_format::npz) return read_numpy(in, start, reals);
    if (start == file_format::parquet) {
      graph_file graph = graph_of(read_parquet(in, lists, reals), file_format::parquet);
      count(graph);
      return graph;
    }
    scanner text(in, reals);
    const file_format kind = format_of(text.ahead(), path, meant);
    if (kind != file_format::graphml && detail::is_utf16(text.ahead())) refuse(path + ":1", detail::utf16_words);
    if (kind == file_format::unknown || kind == file_format::edge_list)
      detail::refuse_other_containers(text.ahead(), path);
    if (kind != file_format::matrix_market) refuse_stump(text.ahead(), path);
    if (meant == file_format::unknown) detail::refuse_other_formats(text.ahead(), path, kind);
    graph_or_dense content = read_text(text, kind, lists);
    if (auto* graph = std::get_if<graph_file>(&content)) {
      count(*graph);
      const format_row* const named = row_of_name(path);
      if (kind == file_format::gset && meant != kind && named && named->format != kind)
        graph->doubt = fmt::format(
            "{}: two numbers above three a line are a G-set, whose edges go both ways "
            "(--input-format edge-list without that line, if these are arcs)",
            path);
    }
    return content;
  });
}
graph_file read_graph(input& in, real_type reals, const edge_list_options& lists) {
  return detail::with_memory_of(in.path(), [&] {
    if (format_at_start(in.start()) == file_format::npy) refuse_dense(in.path(), "npy");
    graph_or_dense content = read_graph_or_dense(in, reals, lists);
    if (const auto* dense = std::get_if<dense_file>(&content))
      refuse_dense(in.path(), dense->format == row_of(file_format::npz).name ? "npz" : "array");
    return std::move(std::get<graph_file>(content));
  });
}
graph_file read_graph(const std::string& path, real_type reals, const edge_list_options& lists) {
  return detail::with_memory_of(path, [&] {
    input in(path);
    return read_graph(in, reals, lists);
  });
}

matrix<double> read_coordinates(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input in(path);
    scanner text(in);
    const file_format kind = format_of(text.ahead(), path);
    if (kind != file_format::matrix_market) refuse_stump(text.ahead(), path);
    if (kind == file_format::dimacs_coordinates) return parse_dimacs_coordinates(text);
    if (kind != file_format::matrix_market)
      refuse_start(text.ahead(), path, "no coordinates: neither a Matrix Market array of two columns nor a DIMACS .co");
    const matrix_market_file file = parse_matrix_market(text);
    if (file.layout != mm_layout::array || file.cols != 2)
      refuse(path, fmt::format("coordinates are an array of n x 2, and this is {} of {} x {}",
                               file.layout == mm_layout::array ? "an array" : "a sparse matrix", file.rows, file.cols));
    matrix<double> places(file.rows, 2);
    for (index_t v = 0; v < file.rows; ++v)
      for (index_t axis = 0; axis < 2; ++axis) {
        if (const auto* reals = std::get_if<matrix<double>>(&file.values)) places(v, axis) = (*reals)(v, axis);
        else places(v, axis) = static_cast<double>(std::get<matrix<std::int64_t>>(file.values)(v, axis));
        if (!std::isfinite(places(v, axis)))
          refuse(path, fmt::format("a coordinate of vertex {} is not finite", v + 1));
      }
    return places;
  });
}

dense_matrix read_dense(input& in, const absent_entries& absent) {
  const std::string& path = in.path();
  return detail::with_memory_of(path, [&]() -> dense_matrix {
    if (format_at_start(in.start()) == file_format::npy) return numbers_of(read_npy_any(in));
    if (format_at_start(in.start()) == file_format::npz) {
      npz_content content = read_npz(in);
      if (auto* dense = std::get_if<npy_matrix>(&content)) return numbers_of(std::move(*dense));
      return spread_list(std::get<npz_sparse>(content).entries, absent, path, 0);
    }
    scanner text(in);
    const file_format kind = format_of(text.ahead(), path);
    if (kind != file_format::matrix_market) refuse_stump(text.ahead(), path);
    if (kind == file_format::npy || kind == file_format::npz) refuse_sign(path, kind);
    if (kind != file_format::matrix_market)
      refuse_start(text.ahead(), path, "no dense matrix: " + neither_of(holds_dense));
    matrix_market_file file = parse_matrix_market(text);
    if (auto* m = std::get_if<matrix<double>>(&file.values)) return std::move(*m);
    if (auto* m = std::get_if<matrix<std::int64_t>>(&file.values)) return std::move(*m);
    return spread_list(file.values, absent, path, 1);
  });
}
dense_matrix read_dense(const std::string& path, const absent_entries& absent) {
  return detail::with_memory_of(path, [&] {
    input in(path);
    return read_dense(in, absent);
  });
}

}  // namespace kleene::io
