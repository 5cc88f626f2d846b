// What makes three arrays a sparse matrix.
#include "kleene/data/sparse.hpp"

#include <algorithm>
#include <string>

namespace kleene::detail {

void require_rows(index_t rows, index_t cols, std::span<const index_t> offsets, std::span<const std::int32_t> columns,
                  std::size_t values, bool columns_too) {
  const index_t entries = static_cast<index_t>(columns.size()), count = static_cast<index_t>(offsets.size());
  const auto refuse = [](const std::string& text) { throw shape_error("a csr matrix " + text); };
  const auto offset_is = [](index_t i) { return "offset " + std::to_string(i) + " is "; };
  if (rows < 0 || cols < 0 || std::max(rows, cols) > most_vertices)
    refuse("of " + std::to_string(rows) + " x " + std::to_string(cols) +
           " elements: extents are not negative, and at most 2147483648");
  if (values != columns.size())
    refuse("has " + std::to_string(columns.size()) + " columns and " + std::to_string(values) + " values");
  if (count == 0 && rows == 0 && columns.empty()) return;
  if (count - 1 != rows)
    refuse("of " + std::to_string(rows) + " rows has " + std::to_string(count) + " offsets, not " +
           std::to_string(rows) + " + 1");
  if (offsets.front() != 0) refuse("does not start at 0: " + offset_is(0) + std::to_string(offsets.front()));
  if (offsets.back() != entries)
    refuse("has " + std::to_string(entries) + " entries: " + offset_is(rows) + std::to_string(offsets.back()));
  for (index_t i = 0; i < rows; ++i)
    if (offsets[i + 1] < offsets[i])
      refuse("has offsets that fall: " + offset_is(i) + std::to_string(offsets[i]) + ", " + offset_is(i + 1) +
             std::to_string(offsets[i + 1]));
  for (index_t i = 0; columns_too && i < rows; ++i)
    for (index_t e = offsets[i], before = -1; e < offsets[i + 1]; before = columns[e++])
      if (columns[e] <= before || columns[e] >= cols)
        throw value_error("entry " + std::to_string(e) + " of a csr matrix of " + std::to_string(cols) +
                          " columns is in row " + std::to_string(i) + ", column " + std::to_string(columns[e]) +
                          (columns[e] >= 0 && columns[e] < cols
                               ? ", after column " + std::to_string(before) + ": columns of a row ascend"
                               : ""));
}

}  // namespace kleene::detail
