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

// Refuses the first row that is not as long as most, if those have a field more than the header has titles, and row
// names in it: it is that row which is wrong, and not the first one.
void refuse_cut_row(std::string_view file, std::span<const head_line> lines, const std::vector<sample_line>& sample,
                    bool chosen, const edge_list_dialect& dialect) {
  const std::size_t whole = dialect.titles.size() + 1;
  std::vector<head_line> whole_lines;
  std::vector<sample_line> whole_rows;
  std::size_t cut = sample.size();
  for (std::size_t r = 0; r < sample.size(); ++r)
    if (sample[r].fields.size() == whole) whole_lines.push_back(lines[r]), whole_rows.push_back(sample[r]);
    else if (cut == sample.size()) cut = r;
  if (cut == sample.size() || 2 * whole_rows.size() <= sample.size()) return;
  if (!chosen && !has_row_names(whole_lines, whole_rows, dialect)) return;
  if (const char* problem = problem_of(lines[cut].second, dialect.separator))
    refuse_line(file, sample[cut].number, problem);
  const std::size_t fields = sample[cut].fields.size();
  refuse_line(file, sample[cut].number,
              fmt::format("{} field{}, where most rows have {} ({})", fields, fields == 1 ? "" : "s", whole,
                          dialect.separated()));
}

}  // namespace

void fit_titles(std::string_view file, std::span<const head_line> lines, const std::vector<sample_line>& sample,
                bool chosen, edge_list_dialect& dialect) {
  const std::size_t titles = dialect.titles.size(), fields = sample[0].fields.size();
  const auto is_as_long = [fields](const sample_line& row) { return row.fields.size() == fields; };
  if (titles < 2) return;
  if (!std::ranges::all_of(sample, is_as_long)) return refuse_cut_row(file, lines, sample, chosen, dialect);
  if (fields <= titles) return;
  const bool trails = std::ranges::all_of(sample, [&](const sample_line& row) { return is_empty_from(row, titles); });
  if (!trails && fields > titles + 1) return;
  bool matrix = titles == sample.size();
  for (std::size_t r = 0; matrix && r < titles; ++r) matrix = sample[r].fields[0] == dialect.titles[r];
  const bool names_rows = !trails && !matrix && has_row_names(lines, sample, dialect);
  if (!trails && !matrix && !names_rows && !chosen) {
    if (!differs_in_each_row(sample)) return;
    refuse_line(file, sample[0].number,
                fmt::format("{} fields below a header of {}: if column 1 has the names of the rows, as R writes them, "
                            "say by numbers which columns are from, to and weight (--columns {})",
                            fields, titles, fields == 3 ? "2,3" : "2,3,4"));
  }
  dialect.fields = static_cast<int>(fields);
  if (trails) dialect.titles.resize(fields);
  else dialect.titles.insert(dialect.titles.begin(), "");
  dialect.untitled = names_rows ? untitled_fields::row_names : untitled_fields::others;
}

}  // namespace kleene::io::detail
