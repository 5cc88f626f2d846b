#include "io/odd_rows.hpp"

#include "io/column_titles.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

namespace kleene::io::detail {

namespace {

constexpr std::array<std::string_view, 3> brackets = {"()", "[]", "{}"};

// How many brackets of a kind open and do not close.
std::ptrdiff_t open_brackets(const std::string& field, std::string_view kind) {
  return std::ranges::count(field, kind[0]) - std::ranges::count(field, kind[1]);
}

// Whether an end opens or closes a bracket whose other half is in another field.
bool is_bracketed(const sample_line& line, const edge_columns& columns) {
  if (static_cast<int>(line.fields.size()) <= std::max(columns.from, columns.to)) return false;
  return std::ranges::any_of(brackets, [&](std::string_view kind) {
    std::ptrdiff_t open = 0;
    for (const std::string& field : line.fields) open += open_brackets(field, kind);
    return open == 0 &&
           (open_brackets(line.fields[columns.from], kind) > 0 || open_brackets(line.fields[columns.to], kind) > 0);
  });
}

// "['B', 'C']", "{B, C}"; (1, 2) is a vertex of a grid.
bool is_bracketed_list(const std::string& field) {
  return (field.starts_with('[') && field.ends_with(']')) || (field.starts_with('{') && field.ends_with('}'));
}

// The pieces of a field that commas or the like cut, if all hold something; one: nothing does.
std::vector<std::string> pieces_of(const std::string& field) {
  const std::size_t mark = field.find_first_of(",;|");
  std::vector<std::string> pieces = mark == field.npos ? std::vector<std::string>() : fields_of(field, field[mark]);
  return pieces.empty() || std::ranges::count(pieces, "") > 0 ? std::vector<std::string>{field} : pieces;
}

}  // namespace

void refuse_second_table(std::string_view file, const std::vector<sample_line>& sample) {
  for (std::size_t l = 1; l < sample.size(); ++l) {
    const sample_line& row = sample[l];
    if (row.number == sample[l - 1].number + 1) continue;
    const std::array<int, 2> ends = named_ends(row.fields);
    if (ends[0] < 0) continue;
    const std::string &from = row.fields[ends[0]], &to = row.fields[ends[1]];
    const auto is_vertex = [&](const sample_line& other) {  // as it is in some other row
      return other.fields != row.fields && (std::ranges::find(other.fields, from) != other.fields.end() ||
                                            std::ranges::find(other.fields, to) != other.fields.end());
    };
    if (from.size() > 1 && to.size() > 1 && std::ranges::none_of(sample, is_vertex))
      refuse_line(file, row.number,
                  fmt::format("{} and {} behind an empty line are titles of a second table, it seems: put it into a "
                              "file of its own",
                              shown(from), shown(to)));
  }
}

void refuse_brackets(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  if (std::ranges::all_of(sample, [&](const sample_line& line) { return is_bracketed(line, columns); }))
    refuse_line(file, sample[0].number,
                fmt::format("brackets around fields, {} and {}: an edge list has from and to alone, and a weight",
                            shown(sample[0].fields[columns.from]), shown(sample[0].fields[columns.to])));
}

void ask_about_lists(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  std::unordered_set<std::string_view> starts, alone;  // vertices that have a line, a field
  const auto is_whole = [&](const sample_line& line) {
    return static_cast<int>(line.fields.size()) > std::max(columns.from, columns.to);
  };
  for (const sample_line& line : sample) {
    if (!is_whole(line)) return;
    const std::string &from = line.fields[columns.from], &to = line.fields[columns.to];
    // Names have commas, it seems, or vertices several lines, which in lists of neighbours have one.
    if (pieces_of(from).size() > 1 || !starts.insert(from).second) return;
    alone.insert(from), alone.insert(to);
  }
  for (const auto& [number, fields] : sample) {
    const std::string &from = fields[columns.from], &to = fields[columns.to];
    const std::vector<std::string> pieces = pieces_of(to);
    const auto is_vertex = [&](const std::string& piece) {  // "Paris, France" is none beside its own France
      return piece != from && alone.contains(piece);
    };
    if (pieces.size() > 1 && (is_bracketed_list(to) || std::ranges::any_of(pieces, is_vertex)))
      refuse_line(file, number,
                  fmt::format("{} holds {}, several vertices, it seems: write a line for each arc, or say that it is "
                              "a name (--vertices names)",
                              columns.title(columns.to), shown(to)));
  }
}

}  // namespace kleene::io::detail
