#include "io/first_line.hpp"

#include "io/column_titles.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace kleene::io::detail {

namespace {

std::span<const sample_line> below_first(const std::vector<sample_line>& sample) {
  return std::span(sample).subspan(1);
}

}  // namespace

bool counts_from_zero(const std::vector<std::string>& fields, std::size_t first) {
  for (std::size_t f = first; f < fields.size(); ++f)
    if (fields[f] != std::to_string(f - first)) return false;
  return fields.size() > first + 1;
}

bool starts_with_ends(const std::vector<sample_line>& sample) {
  if (sample.size() < 2 || sample[0].fields.size() < 2) return false;
  const std::vector<std::string> words = {sample[0].fields[0], sample[0].fields[1]};
  const bool are_letters = words[0].size() < 2 || words[1].size() < 2;  // "u v", which are vertices as well
  return !are_letters && named_ends(words)[0] >= 0 &&
         std::ranges::none_of(below_first(sample), [&](const sample_line& line) {
           return std::ranges::find_first_of(line.fields, words) != line.fields.end();
         });
}

void ask_about_numbers_in_front(std::string_view file, const std::vector<sample_line>& sample, bool chosen,
                                char separator) {
  const std::vector<std::string>& first = sample[0].fields;
  if (sample.size() < 2 || first.size() < 3) return;
  const auto below = below_first(sample);
  const auto is_as_long = [&](const sample_line& line) { return line.fields.size() == first.size(); };
  if (!std::ranges::all_of(below, is_as_long)) return;  // refused by its line
  const auto is_number_or_empty = [](const std::string& field) { return field.empty() || is_number(field); };
  const bool numbered = counts_from_zero(first, 1);
  if (separator != ' ' && first[0].empty() && (numbered || !chosen) && std::ranges::all_of(first, is_number_or_empty) &&
      std::ranges::none_of(below, [](const sample_line& line) { return line.fields[0].empty(); }))
    refuse_line(file, sample[0].number,
                fmt::format("numbers behind an empty field: does this line name the columns (--header{}), or is it an "
                            "arc (--no-header)?",
                            !numbered           ? ""
                            : first.size() == 3 ? " --columns 0,1"
                                                : " --columns 0,1,2"));
  const auto are_titled = [](const sample_line& line) {
    return std::ranges::all_of(line.fields, is_number) && is_real(line.fields.back());
  };
  if (counts_from_zero(first) && std::ranges::all_of(below, are_titled))
    refuse_line(file, sample[0].number,
                fmt::format("{} above numbers with a point: does this line name the columns, as pandas numbers them "
                            "(--header), or is it an arc (--no-header)?",
                            fmt::join(std::span(first).first(3), ", ")));
}

void ask_about_numbers_above_names(std::string_view file, const std::vector<sample_line>& sample,
                                   const edge_columns& columns) {
  const auto has_number = [](const sample_line& line, int column) {
    return column < static_cast<int>(line.fields.size()) && is_number(line.fields[column]);
  };
  if (sample.size() > 1 && has_number(sample[0], columns.from) && has_number(sample[0], columns.to) &&
      std::ranges::none_of(below_first(sample), [&](const sample_line& line) {
        return has_number(line, columns.from) || has_number(line, columns.to);
      }))
    refuse_line(file, sample[0].number,
                "numbers where the other lines have names: does this line name the columns (--header), or is it an "
                "arc (--no-header)?");
}

void ask_about_list_titles(std::string_view file, const std::vector<sample_line>& sample) {
  const auto stands_below = [&](const std::string& word) {
    return std::ranges::any_of(below_first(sample), [&](const sample_line& line) {
      return std::ranges::find(line.fields, word) != line.fields.end();
    });
  };
  if (sample.size() < 2) return;
  for (const std::string& word : sample[0].fields)
    if (lists_vertices(word) && !stands_below(word))
      refuse_line(
          file, sample[0].number,
          fmt::format("{} may be the title of a column of lists, and an edge list has a line for each arc: does "
                      "this line name the columns (--header --columns 1,2, if there is one vertex in each "
                      "field), or is it an arc (--no-header)?",
                      shown(word)));
}

void ask_about_row_numbers(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns,
                           const std::vector<column_facts>& facts) {
  const auto is_whole = [](const sample_line& line) {
    return line.fields.size() > 2 && line.fields[2].find_first_not_of("0123456789") == std::string::npos;
  };
  const auto goes_on = [](const sample_line& line) {  // from 1 to 2, from 2 to 3, ...: a path
    index_t from = 0, to = 0;
    return line.fields.size() > 1 && scanner::parse(line.fields[0], from) == std::errc{} &&
           scanner::parse(line.fields[1], to) == std::errc{} && to == from + 1;
  };
  const bool counted = columns.fields > 2 && facts[0].counts_rows && facts[1].numbers && facts[2].filled;
  if (!counted || std::ranges::all_of(sample, goes_on) ||
      (columns.fields == 3 && !facts[2].words && !std::ranges::all_of(sample, is_whole)))
    return;
  refuse_line(file, sample[0].number,
              fmt::format("column 1 numbers the rows, it seems: say which columns are from, to and weight "
                          "(--columns {}, or {} if it is one of the ends)",
                          columns.fields > 3 && facts[3].filled ? "2,3,4" : "2,3", facts[2].numbers ? "1,2,3" : "1,2"));
}

}  // namespace kleene::io::detail
