#include "io/no_edge_list.hpp"

#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kleene::io::detail {

void refuse_other_texts(std::string_view file, index_t first, const std::vector<head_line>& lines) {
  if (lines.empty()) refuse_line(file, first, "nothing but carriage returns");  // of which a line loses its last
  for (const auto& [number, line] : lines)
    if (line.find('\r') != line.npos)
      refuse_line(file, number, "a carriage return inside a line: save the file with line feeds as line ends");
  for (const std::string& word : fields_of(lines[0].second, ' '))
    if (word == "->" || word == "--")
      refuse_line(
          file, lines[0].first,
          fmt::format("'{}' between names is of DOT and its like: an edge list has from and to alone, and a weight",
                      word));
}

void refuse_numbers_apart(std::string_view file, const std::vector<sample_line>& sample, char separator) {
  if (separator == ' ') return;
  for (const auto& [number, fields] : sample)
    for (std::size_t c = 0; c < std::min<std::size_t>(fields.size(), 2); ++c) {
      const std::vector<std::string> pieces = fields_of(fields[c], ' ');
      if (pieces.size() > 1 && std::ranges::all_of(pieces, is_number))
        refuse_line(
            file, number,
            fmt::format("{} are numbers with blanks between, and other marks follow: say what stands between the "
                        "fields (--separator)",
                        shown(fields[c])));
    }
}

void refuse_matrix(std::string_view file, const std::vector<sample_line>& sample) {
  const std::size_t size = sample.size();
  const auto all_numbers = [&](const sample_line& line) {
    return line.fields.size() == size && std::ranges::all_of(line.fields, is_number);
  };
  if (size >= 4 && std::ranges::all_of(sample, all_numbers))
    refuse_line(
        file, sample[0].number,
        fmt::format("{} lines of {} numbers are a matrix, it seems: save it as .npy (--columns 1,2,3 if they are arcs)",
                    size, size));
}

void refuse_decimal_ends(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  if (!columns.titles.empty()) return;
  const auto all_numbers = [](const sample_line& line) { return std::ranges::all_of(line.fields, is_number); };
  if (!std::ranges::all_of(sample, all_numbers)) return;
  for (const auto& [number, fields] : sample)
    for (const int end : {columns.from, columns.to})
      if (end < static_cast<int>(fields.size()) && fields[end].find_first_of(".eE") != std::string::npos)
        refuse_line(file, number,
                    fmt::format("{} is no number of a vertex: is it a matrix (save it as .npy), or are they names "
                                "(--vertices names)?",
                                shown(fields[end])));
}

void refuse_marked_numbers(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  if (columns.weight >= 0) return;
  const auto& [number, fields] = sample[0];
  for (int c = 0; c < std::min(static_cast<int>(fields.size()), columns.fields); ++c)  // longer lines are refused later
    if (c != columns.from && c != columns.to && is_marked_number(fields[c]))
      refuse_line(
          file, number,
          fmt::format("{} holds {}, which is no number that is read: write numbers alone, or say which columns are "
                      "from and to if it is no weight (--columns {},{})",
                      columns.title(c), shown(fields[c]), columns.from + 1, columns.to + 1));
}

void refuse_types(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  for (std::size_t c = 0; c < columns.titles.size(); ++c)
    if (columns.titles[c] == "Type" || columns.titles[c] == "type")
      for (const auto& [number, fields] : sample)
        if (c < fields.size() && (fields[c] == "Undirected" || fields[c] == "undirected"))
          refuse_line(
              file, number,
              fmt::format("the column {} says {}, and rows are not asked one by one: say it of all (--undirected, "
                          "--directed)",
                          shown(columns.titles[c]), fields[c]));
}

}  // namespace kleene::io::detail
