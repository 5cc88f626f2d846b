#include "matrix_input.hpp"

#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/matrix_market.hpp"
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

}  // namespace

index matrix_input::rows() const {
  return std::visit(
      [](const auto& v) {
        if constexpr (is_list<std::remove_cvref_t<decltype(v)>>) return v.rows;
        else return v.rows();
      },
      values);
}

index matrix_input::cols() const {
  return std::visit(
      [](const auto& v) {
        if constexpr (is_list<std::remove_cvref_t<decltype(v)>>) return v.cols;
        else return v.cols();
      },
      values);
}

std::string matrix_input::natural_type(const std::string& algebra, double factors) const {
  const bool integers = std::holds_alternative<matrix<i64>>(values) || std::holds_alternative<coo<i64>>(values);
  if (text && integers) return type_for_integers(algebra, largest_magnitude(*this), factors);
  return std::visit([](const auto& v) { return type_name<typename std::remove_cvref_t<decltype(v)>::value_type>; },
                    values);
}

std::span<const std::int64_t> matrix_input::integers() const {
  if (const auto* list = std::get_if<coo<i64>>(&values)) return list->value;
  if (const auto* dense = std::get_if<matrix<i64>>(&values))
    return {dense->data(), static_cast<std::size_t>(dense->size())};
  return {};
}

matrix_input read_matrix_input(const std::string& path) {
  matrix_input input{{}, path, true};
  const auto keep = [&](auto&& values) { input.values = std::forward<decltype(values)>(values); };
  io::input file(path);  // opened once: it may be a pipe
  switch (io::format_at_start(file.start())) {
    case io::file_format::matrix_market: {
      io::scanner text(file);
      std::visit(keep, io::parse_matrix_market(text).values);
      break;
    }
    case io::file_format::npy:
      input.text = false;
      std::visit(keep, io::read_dense(file));
      break;
    default:
      std::visit(keep, io::read_graph(file).edges);
  }
  return input;
}

}  // namespace kleene::cli
