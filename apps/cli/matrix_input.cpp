#include "matrix_input.hpp"

#include "kleene/io/input.hpp"
#include "kleene/io/matrix_market.hpp"

#include <algorithm>
#include <array>

namespace kleene::cli {

namespace {

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<coo<T>> = true;

std::string first_bytes(const std::string& path) {
  std::array<char, 14> bytes{};
  io::input file(path);
  return std::string(bytes.data(), file.read(bytes.data(), bytes.size()));
}

double largest_magnitude(const matrix_input& input) {
  double largest = 0;
  const auto look = [&](auto value) { largest = std::max(largest, std::abs(static_cast<double>(value))); };
  std::visit(
      [&](const auto& values) {
        if constexpr (is_list<std::remove_cvref_t<decltype(values)>>)
          std::ranges::for_each(values.value, look);
        else
          std::for_each_n(values.data(), values.size(), look);
      },
      input.values);
  return largest;
}

}  // namespace

index matrix_input::rows() const {
  return std::visit(
      [](const auto& v) {
        if constexpr (is_list<std::remove_cvref_t<decltype(v)>>)
          return v.rows;
        else
          return v.rows();
      },
      values);
}

index matrix_input::cols() const {
  return std::visit(
      [](const auto& v) {
        if constexpr (is_list<std::remove_cvref_t<decltype(v)>>)
          return v.cols;
        else
          return v.cols();
      },
      values);
}

std::string matrix_input::natural_type(const std::string& algebra, double factors) const {
  const bool integers = std::holds_alternative<matrix<i64>>(values) || std::holds_alternative<coo<i64>>(values);
  if (text && integers) return type_for_integers(algebra, largest_magnitude(*this), factors);
  return std::visit([](const auto& v) { return type_name<typename std::remove_cvref_t<decltype(v)>::value_type>; },
                    values);
}

matrix_input read_matrix_input(const std::string& path) {
  matrix_input input{{}, path, true};
  const auto keep = [&](auto&& values) { input.values = std::forward<decltype(values)>(values); };
  const std::string start = first_bytes(path);
  if (start == "%%MatrixMarket") {
    std::visit(keep, io::read_matrix_market(path).values);
  } else if (start.starts_with("\x93NUMPY")) {
    input.text = false;
    std::visit(keep, io::read_dense(path));
  } else {
    std::visit(keep, io::read_graph(path).edges);
  }
  return input;
}

}  // namespace kleene::cli
