#include "matrix_input.hpp"

#include "kleene/data/print.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/names.hpp"
#include "kleene/io/npz.hpp"
#include "kleene/io/text.hpp"

#include <algorithm>

namespace kleene::cli {

namespace {

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<coo<T>> = true;

double largest_magnitude(const matrix_input& input) {
  double largest = 0;
  const auto look = [&](auto value) { largest = std::max(largest, std::abs(static_cast<double>(value))); };
  std::visit(
      [&](const auto& values) {
        if constexpr (is_list<std::remove_cvref_t<decltype(values)>>) std::ranges::for_each(values.value, look);
        else std::for_each_n(values.data(), values.size(), look);
      },
      input.values);
  return largest;
}

// Those of --names for a matrix, none if it is not given.
std::vector<std::string> names_of(const input_flags& flags, index_t rows, index_t cols) {
  refuse_list_flags(flags, "a matrix");
  if (flags.names.empty()) return {};
  std::vector<std::string> names = io::read_names(flags.names);
  if (rows != cols || static_cast<index_t>(names.size()) != rows)
    throw shape_error(fmt::format("{} has {}, and {} is {} x {}", flags.names,
                                  counted(std::ssize(names), "name", "names"), flags.file, rows, cols));
  return names;
}

// value_error for an element of a dense file that is outside the algebra's domain.
template <class T>
void require_domain(const matrix_input& input, const element_rules<T>& rules, const matrix<T>& values) {
  if (!rules.in_domain) return;
  for (index_t i = 0; i < values.rows(); ++i)
    for (index_t j = 0; j < values.cols(); ++j)
      if (!rules.in_domain(values(i, j)))
        throw value_error(fmt::format(
            "{}: element ({}, {}) is {}, {}", place_of(input.path, static_cast<double>(values(i, j))),
            input.names.text(i), input.names.text(j), kleene::detail::printable(values(i, j)), rules.domain_words()));
}

template <class T, class From>
matrix<T> converted_matrix(const matrix_input& input, const matrix<From>& values) {
  matrix<T> m(values.rows(), values.cols(), uninitialised{});
  for (index_t i = 0; i < m.rows(); ++i)
    for (index_t j = 0; j < m.cols(); ++j) {
      const std::optional<T> value = converted<T>(values(i, j));
      if (!value)
        throw value_error(fmt::format("{}: element ({}, {}) is {}, which {} cannot hold{}",
                                      place_of(input.path, static_cast<double>(values(i, j))), input.names.text(i),
                                      input.names.text(j), values(i, j), type_name<T>, range_hint<T>));
      m(i, j) = *value;
    }
  return m;
}

void take_npz(io::npz_content&& content, matrix_input& input) {
  const auto keep = [&](auto&& values) { input.values = std::forward<decltype(values)>(values); };
  if (auto* sparse = std::get_if<io::npz_sparse>(&content)) {
    input.place = sparse->place;
    return std::visit(keep, std::move(sparse->entries));
  }
  input.text = false;
  std::visit(keep, io::numbers_of(std::get<io::npy_matrix>(std::move(content))));
}

}  // namespace

template <class T>
matrix<T> take_matrix(matrix_input& input, const element_rules<T>& rules) {
  return std::visit(
      [&](auto& values) {
        using V = std::remove_cvref_t<decltype(values)>;
        if constexpr (is_list<V>) {
          return spread_out(rules, values, {input.path, input.format, input.names}, input.is_graph);
        } else {
          matrix<T> m;
          if constexpr (std::is_same_v<V, matrix<T>>) m = std::move(values);
          else m = converted_matrix<T>(input, values);
          require_domain(input, rules, m);
          return m;
        }
      },
      input.values);
}
template matrix<f32> take_matrix(matrix_input&, const element_rules<f32>&);
template matrix<f64> take_matrix(matrix_input&, const element_rules<f64>&);
template matrix<i32> take_matrix(matrix_input&, const element_rules<i32>&);
template matrix<i64> take_matrix(matrix_input&, const element_rules<i64>&);
template matrix<bool> take_matrix(matrix_input&, const element_rules<bool>&);
template matrix<i8> take_matrix(matrix_input&, const element_rules<i8>&);
template matrix<u8> take_matrix(matrix_input&, const element_rules<u8>&);
template matrix<f16> take_matrix(matrix_input&, const element_rules<f16>&);
template matrix<bf16> take_matrix(matrix_input&, const element_rules<bf16>&);

index_t matrix_input::rows() const {
  return std::visit(
      [](const auto& v) {
        if constexpr (is_list<std::remove_cvref_t<decltype(v)>>) return v.rows;
        else return v.rows();
      },
      values);
}

index_t matrix_input::cols() const {
  return std::visit(
      [](const auto& v) {
        if constexpr (is_list<std::remove_cvref_t<decltype(v)>>) return v.cols;
        else return v.cols();
      },
      values);
}

std::string matrix_input::natural_type(const std::string& algebra, double factors) const {
  if (std::holds_alternative<matrix<i64>>(values) || std::holds_alternative<coo<i64>>(values))
    return type_for_integers(algebra, largest_magnitude(*this), factors);
  // What means no arc depends on the type: a matrix of i32 is another one only where the algebra has no i32.
  if (std::holds_alternative<matrix<i32>>(values)) return type_for_integers(algebra, 0, factors);
  return std::visit([](const auto& v) { return type_name<typename std::remove_cvref_t<decltype(v)>::value_type>; },
                    values);
}

std::string matrix_input::type_words(const std::string& dtype) const {
  const bool other = !text && std::holds_alternative<matrix<i64>>(values) && dtype != "i64";
  return dtype + (!other ? "" : dtype == "i32" ? " (the file's int64 fits)" : " (from the file's int64)");
}

std::span<const std::int64_t> matrix_input::integers() const {
  if (const auto* list = std::get_if<coo<i64>>(&values)) return list->value;
  if (const auto* dense = std::get_if<matrix<i64>>(&values))
    return {dense->data(), static_cast<std::size_t>(dense->size())};
  return {};
}

matrix_input read_matrix_input(const input_flags& flags, const shared_flags& shared) {
  matrix_input input{{}, flags.file, true};
  const auto keep = [&](auto&& values) { input.values = std::forward<decltype(values)>(values); };
  io::input file(flags.file);  // opened once: it may be a pipe
  const io::file_format format = io::format_at_start(file.start());
  const bool from_numpy = format == io::file_format::npy || format == io::file_format::npz;
  const bool matrix = format == io::file_format::matrix_market || from_numpy;
  input.is_graph = !matrix || !flags.no_arc.empty();
  const bool narrow = shared.dtype == "f32" && !facts_of(shared.algebra_name()).ignores_weights;
  const io::real_type reals = narrow ? io::real_type::f32 : io::real_type::f64;
  if (input.is_graph) {
    io::graph_file graph = read_graph_file(file, flags, shared, reals);
    std::visit(keep, std::move(graph.edges));
    input.names = labels(std::move(graph.names), graph.first_vertex);
    input.description = std::move(graph.description);
    input.format = std::move(graph.format);
    return input;
  }
  io::dense_facts facts;
  if (format == io::file_format::matrix_market) {
    io::scanner text(file, reals);
    io::matrix_market_file read = io::parse_matrix_market(text);
    input.place = fmt::format("{}:{}", flags.file, read.size_line);
    std::visit(keep, std::move(read.values));
  } else if (format == io::file_format::npz) {
    io::npz_content read = io::read_npz(file, reals, facts);
    input.place = facts.place;
    take_npz(std::move(read), input);
  } else {
    input.text = false;
    std::visit(keep, io::numbers_of(io::read_npy_any(file, facts)));
    input.place = facts.place;
  }
  input.names = labels(names_of(flags, input.rows(), input.cols()), from_numpy ? 0 : 1);
  return input;
}

}  // namespace kleene::cli
