#include "io/short_header.hpp"

#include "io/column_titles.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

namespace kleene::io::detail {

namespace {

bool is_empty_from(const sample_line& row, std::size_t first) {
  return std::all_of(row.fields.begin() + static_cast<std::ptrdiff_t>(first), row.fields.end(),
                     [](const std::string& field) { return field.empty(); });
}

// Row names that nobody has given: whole numbers that rise, 1, 2, 3, ... or what is left of them.
bool rises(const std::vector<sample_line>& sample) {
  index_t last = 0;
  return std::ranges::all_of(sample, [&](const sample_line& row) {
    const index_t before = last;
    return scanner::parse(row.fields[0], last) == std::errc{} && last > before;
  });
}
bool has_words(const std::vector<sample_line>& sample, int column) {
  return std::ranges::none_of(sample, [column](const sample_line& row) { return is_number(row.fields[column]); });
}
bool differs_in_each_row(const std::vector<sample_line>& sample) {
  std::unordered_set<std::string_view> names;
  return sample.size() > 1 && std::ranges::all_of(sample, [&](const sample_line& row) {
           return !row.fields[0].empty() && names.insert(row.fields[0]).second;
         });
}
// As R does, of a table of numbers.
bool quotes_first_alone(std::string_view line) { return line.starts_with('"') && std::ranges::count(line, '"') == 2; }

// Whether the first column cannot be what its title says: the ends are names, and it holds numbers.
bool has_row_names(std::span<const head_line> lines, const std::vector<sample_line>& sample,
                   const edge_columns& columns) {
  if (!rises(sample)) return false;
  if (std::ranges::all_of(lines, quotes_first_alone, &head_line::second)) return true;
  std::array<int, 2> ends = named_ends(columns.titles);
  if (ends[0] < 0) ends = {0, 1};
  return std::ranges::all_of(ends, [&](int end) { return has_words(sample, end + 1); });
}

}  // namespace

untitled_fields fit_titles(std::string_view file, std::span<const head_line> lines,
                           const std::vector<sample_line>& sample, bool chosen, edge_columns& columns) {
  using enum untitled_fields;
  const std::size_t titles = columns.titles.size(), fields = sample[0].fields.size();
  const auto is_as_long = [fields](const sample_line& row) { return row.fields.size() == fields; };
  if (fields <= titles || titles < 2 || !std::ranges::all_of(sample, is_as_long)) return none;
  const bool trails = std::ranges::all_of(sample, [&](const sample_line& row) { return is_empty_from(row, titles); });
  if (!trails && fields > titles + 1) return none;
  bool matrix = titles == sample.size();
  for (std::size_t r = 0; matrix && r < titles; ++r) matrix = sample[r].fields[0] == columns.titles[r];
  const bool names_rows = !trails && !matrix && has_row_names(lines, sample, columns);
  if (!trails && !matrix && !names_rows && !chosen) {
    if (!differs_in_each_row(sample)) return none;
    refuse_line(file, sample[0].number,
                fmt::format("{} fields below a header of {}: if column 1 has the names of the rows, as R writes them, "
                            "say by numbers which columns are from, to and weight (--columns {})",
                            fields, titles, fields == 3 ? "2,3" : "2,3,4"));
  }
  columns.fields = static_cast<int>(fields);
  if (trails) columns.titles.resize(fields);
  else columns.titles.insert(columns.titles.begin(), "");
  return names_rows ? row_names : others;
}

}  // namespace kleene::io::detail
