// The heat map in a terminal: two characters a cell, four shades.
#include "heat_map.hpp"
#include "scale.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace kleene::cli {

namespace {

constexpr std::size_t longest_name = 12, tallest_name = 8;
constexpr std::string_view no_path = "--";

std::array<std::string_view, 4> shades(const terminal& to) {
  if (to.utf8) return {"\u2591\u2591", "\u2592\u2592", "\u2593\u2593", "\u2588\u2588"};
  return {"..", "::", "oo", "##"};
}

// A line for each row of letters of the names of the columns, which run downwards.
std::string column_names(const heat_map& map, std::size_t indent, const terminal& to) {
  std::vector<std::string> names;
  std::size_t tall = 0;
  for (index_t j = 0; j < map.cols; ++j) {
    names.push_back(plotted(map.name(j), tallest_name, to));
    tall = std::max(tall, columns(names.back()));
  }
  std::string out;
  for (std::size_t line = 0; line < tall; ++line) {
    std::string row(indent, ' ');
    for (const std::string& name : names) {
      const std::size_t length = columns(name), above = tall - length;  // they stand on the cells
      std::string letter = " ";
      if (line >= above) {
        std::size_t begin = 0, end = 0, seen = 0;
        for (; end < name.size(); ++end)
          if ((static_cast<unsigned char>(name[end]) & 0xc0) != 0x80) {
            if (seen == line - above) begin = end;
            if (seen++ == line - above + 1) break;
          }
        letter = name.substr(begin, end - begin);
      }
      row += letter + " ";
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  return out;
}

std::string legend(const heat_map& map, const heat_range& r, const terminal& to) {
  const std::string unit = map.unit.empty() ? "" : " " + plotted(map.unit, 12, to);
  const auto shade = shades(to);
  std::vector<std::string> all;
  if (r.single) all = {fmt::format("{} {}", shade[3], map.only_reaches ? "a path" : decimal_text(r.low) + unit)};
  else if (!r.empty)
    for (int level = 0; level < 4; ++level) {
      const double from = r.low + (r.high - r.low) * level / 4, until = r.low + (r.high - r.low) * (level + 1) / 4;
      all.push_back(fmt::format("{} {:.4g} ", shade[level], from));
      all.back() += level == 3 && r.clipped ? "and more" : fmt::format("to {:.4g}", until);
      if (level == 3) all.back() += unit;
    }
  if (std::ranges::any_of(map.cells, [](double c) { return std::isinf(c); }))
    all.push_back(std::string(no_path) + " no path");
  return in_lines(all, "  ", to);
}

}  // namespace

index_t plot_size(const terminal& to) { return std::max(4, (to.columns - static_cast<int>(longest_name) - 2) / 2); }

std::string draw_plot(const heat_map& map, const terminal& to) {
  if (std::ranges::all_of(map.cells, [](double c) { return std::isnan(c); })) return "there are no pairs\n";
  const heat_range r = range_of(map.cells);
  const bool by_vertex = map.rows == map.source_rows && map.cols == map.source_cols;
  std::size_t indent = 0;
  if (by_vertex)
    for (const std::int32_t v : map.row_vertices)
      indent = std::max(indent, columns(plotted(map.name(v), longest_name, to)) + 2);
  std::string out = by_vertex ? column_names(map, indent, to) : "";
  const auto shade = shades(to);
  for (index_t i = 0; i < map.rows; ++i) {
    std::string row = by_vertex ? plotted_right(map.name(map.row_vertices[i]), indent - 2, to) + "  " : "";
    for (index_t j = 0; j < map.cols; ++j) {
      const double c = map.cells[i * map.cols + j];
      if (std::isnan(c)) row += "  ";
      else if (std::isinf(c)) row += no_path;
      else row += r.single ? shade[3] : shade[std::clamp(int(r.share(c) * 4), 0, 3)];
    }
    row.erase(row.find_last_not_of(' ') + 1);
    out += row + '\n';
  }
  out += legend(map, r, to);
  if (!by_vertex)
    out += in_lines({"from: top to bottom, to: left to right;",
                     fmt::format("{} x {} vertices,", grouped(map.source_rows), grouped(map.source_cols)),
                     "a cell is the mean of several"},
                    " ", to);
  return out;
}

}  // namespace kleene::cli
