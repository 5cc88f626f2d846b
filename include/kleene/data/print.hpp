// Numbers and matrices as text for people: operator<<. Include it where they are printed.
//
//   std::cout << a << '\n';       0    3  inf        columns are aligned, one row a line, none after the last
//                               inf    0    4
//
// Elements are written as the stream writes them (precision, std::fixed, std::boolalpha); those of one byte as numbers,
// floats of 8 and 16 bits as the floats that they are. A number (algebra/numbers.hpp) is written as its value, and the
// integer that stands for infinity as inf or -inf. Of more than 12 rows or columns the first five and the last five are
// written, and then the extents; those of an empty matrix as well. Matrices of a batch are apart by an empty line.
// Matrices and views in host memory; to_host(ctx, a) for those on a device. (interop/fmt.hpp has the same for fmt.)
#pragma once

#include "kleene/algebra/numbers.hpp"
#include "kleene/data/matrix.hpp"

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kleene {

namespace detail {

inline constexpr index_t most_printed = 12, edge_printed = 5;

// The rows (or columns) of `extent` that are printed; -1 stands for those left out.
std::vector<index_t> printed_lines(index_t extent);
// Aligned rows from their cells, `extents` below them where some were left out.
std::string aligned_rows(const std::vector<std::vector<std::string>>& rows, index_t all_rows, index_t all_cols);

// The text of a matrix whose elements text(element) writes.
template <class T, class Text>
std::string matrix_text(const matrix_view<const T>& a, const Text& text) {
  std::vector<std::vector<std::string>> rows;
  const std::vector<index_t> columns = printed_lines(a.cols());
  for (const index_t i : printed_lines(a.rows())) {
    auto& cells = rows.emplace_back();
    for (const index_t j : columns) cells.push_back(i < 0 || j < 0 ? "..." : text(a(i, j)));
  }
  return aligned_rows(rows, a.rows(), a.cols());
}
template <class T, class Text>
std::string matrix_text(const batch_view<const T>& a, const Text& text) {
  std::string all;
  for (const index_t b : printed_lines(a.extent(0)))
    all += (all.empty() ? "" : "\n\n") + (b < 0 ? std::string("...") : matrix_text<T>(a[b], text));
  return all;
}

// "inf" or "-inf" where an integer stands for that in the algebra, else null. Zeros of no great size are themselves.
template <class S>
constexpr const char* infinity_text(const value_of<S>& value) {
  using T = value_of<S>;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const T zero = S::zero();
    if (value == zero && zero > std::numeric_limits<T>::max() / 4) return "inf";
    if (value == zero && zero < std::numeric_limits<T>::lowest() / 4) return "-inf";
  }
  return nullptr;
}

// What is written of a value: a number of the same size, or the value itself.
template <class T>
auto printable(const T& value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 1 && !std::is_same_v<T, bool>) return static_cast<int>(value);
  else if constexpr (is_float<T> && sizeof(T) <= 2) return static_cast<float>(value);
  else return value;
}

template <class T>
concept streamable = requires(std::ostream& out, const T& value) { out << printable(value); };

}  // namespace detail

template <product_algebra S>
requires detail::streamable<value_of<S>>
std::ostream& operator<<(std::ostream& out, const number<S>& x) {
  if (const char* infinity = detail::infinity_text<S>(x.value)) return out << infinity;
  return out << detail::printable(x.value);
}

template <class T, int Rank, memory Space>
requires(Space != memory::device && detail::streamable<std::remove_const_t<T>>)
std::ostream& operator<<(std::ostream& out, const view<T, Rank, Space>& a) {
  using Element = std::remove_const_t<T>;
  std::ostringstream cell;
  cell.copyfmt(out);
  cell.width(0);
  if (!a.data() && !a.empty()) return out << "a view without data";
  const view<const Element, Rank> elements(a.data(), a.extents(), a.strides());
  return out << detail::matrix_text<Element>(elements, [&](const Element& x) {
           cell.str("");
           cell << detail::printable(x);
           return cell.str();
         });
}
template <class T, int Rank>
requires detail::streamable<T>
std::ostream& operator<<(std::ostream& out, const array<T, Rank>& a) {
  return out << a.view();
}

}  // namespace kleene
