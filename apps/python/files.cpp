// Graphs and matrices from and to files: io/graph.hpp and the writers of .npy and Matrix Market.
#include "kleene/io/formats.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/npy.hpp"
#include "kleene/io/npz.hpp"

#include "arrays.hpp"
#include "call.hpp"
#include "module.hpp"
#include "rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>

namespace kleene::python {

namespace {

// Memory of `owner`'s as a NumPy array that keeps it: no copy.
template <class T, class Owner, std::size_t Rank>
nb::object array_of(Owner&& owner, const std::array<std::size_t, Rank>& shape) {
  using Kept = std::remove_cvref_t<Owner>;
  auto kept = std::make_unique<Kept>(std::forward<Owner>(owner));
  T* const data = reinterpret_cast<T*>(kept->data());
  const nb::capsule keeper(kept.release(), [](void* p) noexcept { delete static_cast<Kept*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, Rank, shape.data(), keeper));
}
template <class T>
nb::object array_of(matrix<T>&& m) {
  const std::array shape{static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols())};
  return array_of<T>(std::move(m), shape);
}
template <class T, class V>
nb::object array_of(std::vector<V>&& v) {
  const std::array shape{v.size()};
  return array_of<T>(std::move(v), shape);
}

// A list of entries as (rows, cols, row, col, value).
template <class T>
nb::tuple entries_of(coo<T>&& list) {
  const index_t rows = list.rows, cols = list.cols;
  return nb::make_tuple(rows, cols, array_of<std::int32_t>(std::move(list.row)),
                        array_of<std::int32_t>(std::move(list.col)), array_of<T>(std::move(list.value)));
}

// Names are bytes: those that are not UTF-8 become surrogates, as in the names of files (PEP 383).
nb::list names_of(const std::vector<std::string>& names) {
  nb::list texts;
  for (const std::string& name : names) {
    PyObject* text = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "surrogateescape");
    if (!text) throw nb::python_error();
    texts.append(nb::steal(text));
  }
  return texts;
}

nb::dict graph_of_file(io::graph_file&& file) {
  nb::dict graph;
  graph["kind"] = "graph";
  graph["entries"] = std::visit([](auto& list) { return entries_of(std::move(list)); }, file.edges);
  graph["vertices"] = file.vertices;
  graph["pattern"] = file.pattern;
  graph["symmetric"] = file.symmetric;
  graph["format"] = file.format;
  graph["first_vertex"] = file.first_vertex;
  graph["names"] = names_of(file.names);
  graph["description"] = file.description;
  graph["doubt"] = file.doubt;
  return graph;
}

template <class Variant>
nb::dict dense_of(Variant&& values) {
  nb::dict matrix;
  matrix["kind"] = "dense";
  matrix["values"] = std::visit([](auto& m) { return array_of(std::move(m)); }, values);
  return matrix;
}

template <class Variant>
nb::dict sparse_of(Variant&& lists) {
  nb::dict matrix;
  matrix["kind"] = "sparse";
  matrix["entries"] = std::visit([](auto& list) { return entries_of(std::move(list)); }, lists);
  return matrix;
}

using content = std::variant<io::graph_file, io::npy_matrix, std::variant<coo<std::int64_t>, coo<double>>>;

// A square coordinate file is a graph, as for the command line.
content of_matrix_market(io::matrix_market_file&& file) {
  using lists = std::variant<coo<std::int64_t>, coo<double>>;
  return std::visit(
      [&]<class V>(V& values) -> content {
        if constexpr (std::is_same_v<V, coo<std::int64_t>> || std::is_same_v<V, coo<double>>) {
          if (file.rows != file.cols) return lists(std::move(values));
          io::graph_file graph;
          graph.vertices = file.rows;
          graph.arcs = values.entries();
          graph.pattern = file.field == io::mm_field::pattern;
          graph.symmetric = file.symmetry == io::mm_symmetry::symmetric;
          graph.format = "Matrix Market";
          graph.edges = std::move(values);
          return graph;
        } else {
          return io::npy_matrix(std::move(values));
        }
      },
      file.values);
}

content of_npz(io::npz_content&& file, const std::string& path) {
  if (auto* const dense = std::get_if<io::npy_matrix>(&file)) return std::move(*dense);
  auto& sparse = std::get<io::npz_sparse>(file);
  const bool square = std::visit([](const auto& m) { return m.rows == m.cols; }, sparse.entries);
  if (square) return io::graph_of(std::move(sparse), path);
  return std::move(sparse.entries);
}

// Arguments for edge lists say nothing of another file.
void require_no_list_arguments(const std::string& path, const io::edge_list_options& lists, const std::string& format) {
  if (lists.any())
    throw argument_error(path + " is no edge list (" + format +
                         "): separator, header, columns, directed and vertices are for edge lists");
}

content read_content(const std::string& path, const io::edge_list_options& lists, io::file_format meant) {
  io::input in(path);
  if (meant != io::file_format::unknown) {
    auto found = io::read_graph_or_dense(in, io::real_type::f64, lists, meant);
    if (auto* const graph = std::get_if<io::graph_file>(&found)) return std::move(*graph);
    return std::visit([](auto& m) { return io::npy_matrix(std::move(m)); }, std::get<io::dense_file>(found).values);
  }
  switch (io::format_at_start(in.start())) {
    case io::file_format::npy:
      require_no_list_arguments(path, lists, "npy");
      return io::read_npy_any(in);
    case io::file_format::npz:
      require_no_list_arguments(path, lists, "npz");
      return of_npz(io::read_npz(in), path);
    case io::file_format::matrix_market: {
      require_no_list_arguments(path, lists, "Matrix Market");
      io::scanner text(in);
      return of_matrix_market(io::parse_matrix_market(text));
    }
    default: {
      io::graph_file graph = io::read_graph(in, io::real_type::f64, lists);
      if (graph.format != io::row_of(io::file_format::edge_list).name &&
          graph.format != io::row_of(io::file_format::parquet).name)
        require_no_list_arguments(path, lists, graph.format);
      return graph;
    }
  }
}

// What one of a few words stands for; "" for what is found out.
template <class T>
T choice(const char* name, const std::string& word, std::initializer_list<std::pair<std::string_view, T>> table) {
  std::string all;
  for (const auto& [said, value] : table) {
    if (said == word) return value;
    if (!said.empty()) all += (all.empty() ? "'" : ", '") + std::string(said) + "'";
  }
  throw argument_error(std::string(name) + " is one of " + all + ", and not '" + word + "'");
}

// None where something is found out from the file.
io::edge_list_options list_options(const std::string& separator, std::optional<bool> header,
                                   std::vector<std::string> columns, std::optional<bool> directed,
                                   const std::string& vertices, int threads) {
  using enum io::vertex_labels;
  io::edge_list_options options{
      .header = header,
      .columns = std::move(columns),
      .directed = directed,
      .vertices = choice<io::vertex_labels>(
          "vertices", vertices, {{"", automatic}, {"names", names}, {"0-based", zero_based}, {"1-based", one_based}}),
      .threads = threads};
  if (separator.size() > 1) throw argument_error("a separator is one character, and not '" + separator + "'");
  if (!separator.empty()) options.separator = separator[0];
  return options;
}

nb::dict read(const std::string& path, const std::string& separator, std::optional<bool> header,
              const std::vector<std::string>& columns, std::optional<bool> directed, const std::string& vertices,
              const std::string& format, int threads) {
  using enum io::file_format;
  const io::edge_list_options lists = list_options(separator, header, columns, directed, vertices, threads);
  const io::file_format meant = choice<io::file_format>(
      "format", format, {{"", unknown}, {"edge-list", edge_list}, {"metis", metis}, {"gset", gset}});
  content found = [&] {
    const nb::gil_scoped_release unlocked;
    return read_content(path, lists, meant);
  }();
  if (auto* const graph = std::get_if<io::graph_file>(&found)) return graph_of_file(std::move(*graph));
  if (auto* const dense = std::get_if<io::npy_matrix>(&found)) return dense_of(std::move(*dense));
  return sparse_of(std::get<2>(std::move(found)));
}

template <class T, class Visit>
bool with_type(const nb::dlpack::dtype& type, const Visit& visit) {
  if (type != nb::dtype<T>()) return false;
  visit(std::type_identity<T>{});
  return true;
}

// Calls visit(std::type_identity<T>{}) for the type among Ts that the array has; TypeError for another.
template <class... Ts, class Visit>
void with_types(const nb::dlpack::dtype& type, const Visit& visit) {
  if (!(with_type<Ts>(type, visit) || ...))
    refuse_array("the matrix", type_words(type), "a number type that the file format has");
}

void write_dense(const std::string& path, const input_array& values, bool as_npy) {
  with_types<float, double, std::int32_t, std::int64_t, bool>(values.dtype(), [&]<class T>(std::type_identity<T>) {
    const auto v = view_of<2, T>("the matrix", values);
    const nb::gil_scoped_release unlocked;
    if (as_npy) io::write_npy(path, v);
    else io::write_matrix_market(path, matrix_view<const T>(v));
  });
}

void write_entries(const std::string& path, index_t rows, index_t cols, const input_array& row, const input_array& col,
                   const input_array& values) {
  with_types<float, double, std::int32_t, std::int64_t>(values.dtype(), [&]<class T>(std::type_identity<T>) {
    const auto r = span_of<std::int32_t>("row", row), c = span_of<std::int32_t>("col", col);
    const auto v = span_of<T>("data", values);
    const nb::gil_scoped_release unlocked;
    coo<T> list{rows, cols, {r.begin(), r.end()}, {c.begin(), c.end()}, {v.begin(), v.end()}};
    io::write_matrix_market(path, list);
  });
}

// A list of arcs as the three arrays of a csr, duplicates combined by the algebra's add.
using csr_function = nb::tuple (*)(index_t, const input_array&, const input_array&, const input_array&);
template <class S>
nb::tuple make_rows(index_t vertices, const input_array& row, const input_array& col, const input_array& values) {
  using T = value_of<S>;
  const auto r = span_of<std::int32_t>("row", row), c = span_of<std::int32_t>("col", col);
  const auto v = span_of<T>("data", values);
  csr<T> graph = [&] {
    const nb::gil_scoped_release unlocked;
    const coo<T> list{vertices, vertices, {r.begin(), r.end()}, {c.begin(), c.end()}, {v.begin(), v.end()}};
    return make_csr(list, [](T a, T b) { return normalise<S>(S::add(widen<S>(a), widen<S>(b))); });
  }();
  return nb::make_tuple(array_of<index_t>(std::move(graph.offsets)), array_of<std::int32_t>(std::move(graph.columns)),
                        array_of<T>(std::move(graph.values)));
}

const std::vector<csr_function>& csr_functions() {
  static const auto rows = function_rows<csr_function>([]<class S>(S) -> csr_function {
    if constexpr (is_selective<S>) return &make_rows<S>;
    else return nullptr;
  });
  return rows;
}

}  // namespace

void add_files(nb::module_& m) {
  m.def("read", &read, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
        nb::arg());
  m.def("write_dense", &write_dense);
  m.def("write_entries", &write_entries);
  m.def("csr",
        [](int row, index_t vertices, const input_array& rows, const input_array& columns, const input_array& values) {
          return function_of(csr_functions(), row, "csr")(vertices, rows, columns, values);
        });
}

}  // namespace kleene::python
