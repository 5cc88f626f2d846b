#include "kleene/data/print.hpp"

#include <algorithm>

namespace kleene::detail {

std::vector<index_t> printed_lines(index_t extent) {
  std::vector<index_t> lines;
  const bool all = extent <= most_printed;
  for (index_t i = 0; i < (all ? extent : edge_printed); ++i) lines.push_back(i);
  if (all) return lines;
  lines.push_back(-1);
  for (index_t i = extent - edge_printed; i < extent; ++i) lines.push_back(i);
  return lines;
}

std::string aligned_rows(const std::vector<std::vector<std::string>>& rows, index_t all_rows, index_t all_cols) {
  const std::string extents = std::to_string(all_rows) + " x " + std::to_string(all_cols);
  if (all_rows == 0 || all_cols == 0) return "(" + extents + ")";
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& cells : rows)
    for (std::size_t j = 0; j < cells.size(); ++j) widths[j] = std::max(widths[j], cells[j].size());
  std::string text;
  for (const auto& cells : rows) {
    if (!text.empty()) text += '\n';
    for (std::size_t j = 0; j < cells.size(); ++j)
      text += std::string(widths[j] - cells[j].size() + (j > 0 ? 2 : 0), ' ') + cells[j];
  }
  if (all_rows > most_printed || all_cols > most_printed) text += "\n(" + extents + ")";
  return text;
}

}  // namespace kleene::detail
