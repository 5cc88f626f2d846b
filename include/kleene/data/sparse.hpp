// Sparse matrices and graphs. coo is a list of entries as a file gives them; csr is rows of (column, value) sorted by
// column, without duplicates. A graph is a square matrix: entry (i, j) is the arc i -> j.
//
// In sparse data only "not stored" means "no edge": an explicit 0 or 1e-9 is a real edge, never compared to a
// tolerance. Rows and columns are int32 (fewer than 2^31 vertices), offsets int64.
#pragma once

#include "kleene/data/view.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace kleene {

namespace detail {
// A bool as an element of a std::vector: std::vector<bool> itself holds bits, to which nothing can point.
struct one_bool {
  bool value = false;
  constexpr one_bool() = default;
  constexpr one_bool(bool v) : value(v) {}
  constexpr operator bool() const { return value; }
};
}  // namespace detail

// The values of a sparse matrix: std::vector<T>, with a byte for each bool.
template <class T>
using sparse_values = std::vector<std::conditional_t<std::is_same_v<T, bool>, detail::one_bool, T>>;

// Entries (row[e], col[e]) = value[e], 0-based, in any order, duplicates allowed.
template <class T>
struct coo {
  using value_type = T;
  index_t rows = 0, cols = 0;
  std::vector<std::int32_t> row, col;
  sparse_values<T> value;

  index_t entries() const { return static_cast<index_t>(value.size()); }
  void add(std::int32_t r, std::int32_t c, T v) {
    row.push_back(r);
    col.push_back(c);
    value.push_back(v);
  }
};

// What an operation needs of a csr matrix, whoever owns it. Operations look at the extents and offsets before anything
// else (require_rows); whether columns lie inside the matrix and ascend they trust, where they do not say otherwise.
template <class T>
struct csr_view {
  using value_type = T;
  index_t rows = 0, cols = 0;
  std::span<const index_t> offsets;       // rows + 1; row i is [offsets[i], offsets[i + 1])
  std::span<const std::int32_t> columns;  // ascending within a row
  std::span<const T> values;

  index_t entries() const { return static_cast<index_t>(columns.size()); }
};

template <class T>
struct csr {
  using value_type = T;
  index_t rows = 0, cols = 0;
  std::vector<index_t> offsets{0};
  std::vector<std::int32_t> columns;
  sparse_values<T> values;

  index_t entries() const { return static_cast<index_t>(columns.size()); }
  csr_view<T> view() const {
    return {rows, cols, offsets, columns, {reinterpret_cast<const T*>(values.data()), values.size()}};
  }
  operator csr_view<T>() const { return view(); }
};

// Rows or columns that int32 can number.
inline constexpr index_t most_vertices = index_t{1} << 31;

namespace detail {
void require_rows(index_t rows, index_t cols, std::span<const index_t> offsets, std::span<const std::int32_t> columns,
                  std::size_t values, bool columns_too);
}

// A pass over the offsets: shape_error unless they give each row its entries, and each entry has its column and value.
// columns_too: a pass over the columns as well, value_error where one lies outside or does not ascend.
template <class T>
void require_rows(const csr_view<T>& a, bool columns_too = false) {
  detail::require_rows(a.rows, a.cols, a.offsets, a.columns, a.values.size(), columns_too);
}

namespace detail {

// The entries of a checked list, sorted.
template <class T, class Combine>
csr<T> sort_entries(const coo<T>& list, Combine& combine) {
  const index_t m = list.entries();
  // Stable by column, then by row: entries end sorted by (row, column), duplicates adjacent and in file order. Each
  // sort moves the entries themselves, so that memory is read in order (sorting indices to them took 2.7 times as long
  // on 4 million arcs at random).
  struct moved {
    std::int32_t other;  // the index that is not sorted by
    T value;
  };
  const auto starts = [](const std::vector<std::int32_t>& key, index_t keys) {
    std::vector<index_t> start(keys + 1, 0);
    for (std::int32_t k : key) ++start[k + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    return start;
  };
  const auto by_column = std::make_unique_for_overwrite<moved[]>(m);
  const auto by_row = std::make_unique_for_overwrite<moved[]>(m);
  std::vector<index_t> next = starts(list.col, list.cols);
  for (index_t e = 0; e < m; ++e) by_column[next[list.col[e]]++] = {list.row[e], list.value[e]};
  const std::vector<index_t> column_ends = std::move(next);  // next[c] has moved on to the end of column c
  next = starts(list.row, list.rows);
  for (index_t c = 0, e = 0; c < list.cols; ++c)
    for (; e < column_ends[c]; ++e)
      by_row[next[by_column[e].other]++] = {static_cast<std::int32_t>(c), by_column[e].value};

  csr<T> a;
  a.rows = list.rows;
  a.cols = list.cols;
  a.offsets.reserve(list.rows + 1);
  a.columns.reserve(m);
  a.values.reserve(m);
  for (index_t r = 0, e = 0; r < list.rows; ++r) {
    const index_t first = a.entries();
    for (; e < next[r]; ++e) {
      if (a.entries() > first && a.columns.back() == by_row[e].other) {
        a.values.back() = combine(a.values.back(), by_row[e].value);
      } else {
        a.columns.push_back(by_row[e].other);
        a.values.push_back(by_row[e].value);
      }
    }
    a.offsets.push_back(a.entries());
  }
  return a;
}

}  // namespace detail

// coo -> csr. Duplicates are combined: combine(earlier, later), in file order. Indices outside the extents are refused.
// O(entries + rows + cols): two counting sorts.
template <class T, class Combine>
csr<T> make_csr(const coo<T>& list, Combine combine) {
  const index_t m = list.entries();
  if (static_cast<index_t>(list.row.size()) != m || static_cast<index_t>(list.col.size()) != m)
    throw shape_error("a coordinate list has " + std::to_string(list.row.size()) + " rows, " +
                      std::to_string(list.col.size()) + " columns and " + std::to_string(m) + " values");
  if (list.rows < 0 || list.cols < 0 || std::max(list.rows, list.cols) > most_vertices)
    throw shape_error("a coordinate list of " + std::to_string(list.rows) + " x " + std::to_string(list.cols) +
                      " elements: extents are not negative, and at most 2147483648");
  for (index_t e = 0; e < m; ++e)
    if (list.row[e] < 0 || list.row[e] >= list.rows || list.col[e] < 0 || list.col[e] >= list.cols)
      throw value_error("entry " + std::to_string(e) + " is (" + std::to_string(list.row[e]) + ", " +
                        std::to_string(list.col[e]) + ") in a matrix of " + std::to_string(list.rows) + " x " +
                        std::to_string(list.cols));
  const double bytes =
      static_cast<double>(m) * (2 * (sizeof(std::int32_t) + sizeof(T)) + sizeof(std::int32_t) + sizeof(T)) +
      static_cast<double>(list.rows + list.cols) * 2 * sizeof(index_t);
  return detail::with_memory("a sparse matrix", bytes, [&] { return detail::sort_entries(list, combine); });
}

namespace detail {
template <class T>
csr<T> turn_entries(const csr_view<T>& a) {
  csr<T> t;
  t.rows = a.cols;
  t.cols = a.rows;
  t.offsets.assign(a.cols + 1, 0);
  t.columns.resize(a.entries());
  t.values.resize(a.entries());
  for (std::int32_t c : a.columns) {
    if (c < 0 || c >= a.cols)
      throw value_error("column " + std::to_string(c) + " in a csr matrix of " + std::to_string(a.cols) + " columns");
    ++t.offsets[c + 1];
  }
  std::partial_sum(t.offsets.begin(), t.offsets.end(), t.offsets.begin());
  std::vector<index_t> next(t.offsets.begin(), t.offsets.end() - 1);
  for (index_t i = 0; i < a.rows; ++i)
    for (index_t e = a.offsets[i]; e < a.offsets[i + 1]; ++e) {
      const index_t at = next[a.columns[e]]++;
      t.columns[at] = static_cast<std::int32_t>(i);
      t.values[at] = a.values[e];
    }
  return t;
}
}  // namespace detail

// The transpose: arcs reversed. Columns outside the matrix are refused. O(entries + rows + cols).
template <class T>
csr<T> transpose(const csr_view<T>& a) {
  require_rows(a);
  const double bytes = static_cast<double>(a.entries()) * (sizeof(std::int32_t) + sizeof(T)) +
                       2 * static_cast<double>(a.cols) * sizeof(index_t);
  return detail::with_memory("the transpose of a sparse matrix", bytes, [&] { return detail::turn_entries(a); });
}

}  // namespace kleene
