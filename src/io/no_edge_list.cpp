#include "io/no_edge_list.hpp"

#include "io/column_titles.hpp"
#include "io/first_line.hpp"
#include "io/words.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kleene::io::detail {

namespace {

// What a first line gives away.
void refuse_start(std::string_view file, index_t number, std::string_view line) {
  struct start_of {
    std::string_view text;
    const char* what;
  };
  constexpr const char* json = "JSON is no format that is read: write a line from,to,weight for each arc";
  constexpr std::array<start_of, 7> starts = {{
      {"[[", json},
      {"[{", json},
      {"{\"", json},
      {"sep=", "Excel's line of the separator is no arc: delete it"},
      {"--", "a line that starts with -- is a comment of SQL, it seems, and no arc: comments start with # or %"},
      {"//", "a line that starts with // is a comment, it seems, and no arc: comments start with # or %"},
      {"version https://git-lfs", "a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
  }};
  for (const auto& [text, what] : starts)
    if (line.starts_with(text)) refuse_line(file, number, what);
  refuse_not_found(file, number, line);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (line.size() > 2 && line.starts_with("; ") && is_letter(line[2]) && line.find(';', 2) == line.npos)
    refuse_line(file, number,
                "a line that starts with ; is a comment, it seems, and no arc: comments start with # or %");
  if (line == "{" || line == "[") refuse_line(file, number, json);
  if (line.size() > 2 && line[0] == '<' && is_letter(line[1]) && line.find("</") != line.npos &&
      lower_case(line).find("html") == line.npos)
    refuse_line(file, number, "XML, it seems: of its kinds GraphML is read");
  for (const std::string_view tag : {"<!", "<?", "<html", "<head"})
    if (lower_case(line.substr(0, tag.size())) == tag)
      refuse_line(file, number, "HTML or XML, it seems: is it a page that was saved in place of the file?");
}

// "-----+------": what is drawn between the titles of a table and its rows.
bool is_rule(std::string_view line) {
  return line.find("-+-") != line.npos && line.find_first_not_of("-+ \t\r") == line.npos;
}

}  // namespace

void refuse_not_found(std::string_view file, index_t number, std::string_view line) {
  if (line.starts_with("404: Not Found") || line.starts_with("Not Found"))
    refuse_line(file, number, "this is what a server says in place of a file that it does not have");
}

void refuse_other_texts(std::string_view file, index_t first, const std::vector<head_line>& lines) {
  if (lines.empty()) refuse_line(file, first, "nothing but carriage returns");  // of which a line loses its last
  for (const auto& [number, line] : lines)
    if (line.find('\r') != line.npos)
      refuse_line(file, number, "a carriage return inside a line: save the file with line feeds as line ends");
  refuse_start(file, lines[0].first, lines[0].second);
  for (const std::string& word : fields_of(lines[0].second, ' ')) {
    const bool arrow = word.find("->") != word.npos && lines[0].second.find('"') == std::string_view::npos;
    if (arrow || word == "--")
      refuse_line(
          file, lines[0].first,
          fmt::format("'{}' between names is of DOT and its like: an edge list has from and to alone, and a weight",
                      arrow ? "->" : "--"));
  }
  for (std::size_t l = 0; l < std::min<std::size_t>(lines.size(), 2); ++l)
    if (is_rule(lines[l].second))
      refuse_line(file, lines[l].first,
                  "a rule of a table that psql or mysql has printed: let it write CSV (psql --csv, mysql --batch)");
  const auto stands_behind_ends = [](std::string_view line) {  // with commas between them
    const std::size_t brace = line.find(",{'");
    return brace != line.npos && std::ranges::count(line.substr(0, brace), ',') == 1;
  };
  for (const auto& [number, line] : lines)
    if (line.find(" {'") != line.npos || line.find("\t{'") != line.npos || stands_behind_ends(line))
      refuse_line(file, number,
                  "a dictionary behind the ends, as NetworkX writes it: write the weight alone "
                  "(nx.write_weighted_edgelist)");
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

void refuse_title_rows(std::string_view file, const std::vector<head_line>& lines) {
  constexpr std::string_view marks = "\t;,|";
  const auto count = [](const head_line& line, char mark) { return fields_of(line.second, mark).size(); };
  const auto filled = [](const head_line& line, char mark) {
    const std::vector<std::string> fields = fields_of(line.second, mark);  // a spreadsheet adds empty ones
    return fields.size() - static_cast<std::size_t>(std::ranges::count(fields, ""));
  };
  const auto calls_ends = [](const head_line& line, char mark) {
    return named_ends(fields_of(line.second, mark))[0] >= 0;
  };
  // Refuses lines above the first one of those that have the fields of the last.
  const auto refuse_above = [&](char mark, bool must_call_ends) {
    const std::size_t columns = count(lines.back(), mark);
    const auto is_row = [&](const head_line& line) { return count(line, mark) == columns && filled(line, mark) > 1; };
    const auto first = std::ranges::find_if(lines, is_row);
    if (columns < 2 || first == lines.begin() || lines.end() - first < 2 || !std::all_of(first, lines.end(), is_row) ||
        (must_call_ends && !calls_ends(*first, mark)))
      return;
    const std::string_view title = lines[0].second.substr(0, lines[0].second.find_first_of(marks));
    refuse_line(file, lines[0].first,
                fmt::format("{} stands above the table, which starts in line {}: delete the lines above it, or start "
                            "them with #",
                            shown(title), first->first));
  };
  if (std::ranges::any_of(marks, [&](char mark) { return filled(lines[0], mark) > 1; })) return;
  for (const char mark : marks) refuse_above(mark, lines[0].second.find(mark) != std::string_view::npos);
  refuse_above(' ', true);  // else it may be a head of counts
}

void refuse_decimal_commas(std::string_view file, const std::vector<head_line>& lines, char separator) {
  if (separator != ',') return;
  const std::size_t fields = fields_of(lines[0].second, ' ').size();
  const auto ends_with_one = [&](const head_line& line) {
    const std::vector<std::string> by_blanks = fields_of(line.second, ' ');
    return by_blanks.size() == fields && line.second.find(',') == line.second.rfind(',') &&
           by_blanks.back().find(',') != std::string::npos && is_marked_number(by_blanks.back());
  };
  if (fields >= 3 && std::ranges::all_of(lines, ends_with_one))
    refuse_line(file, lines[0].first,
                fmt::format("{} behind blanks is a decimal comma, it seems: write a point, or say what stands between "
                            "the fields (--separator)",
                            shown(fields_of(lines[0].second, ' ').back())));
}

void refuse_matrix(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  constexpr std::size_t wide = 100;  // fields, which no row of arcs has
  // Titles that are numbers are the first row still.
  const bool untitled = columns.titles.empty() && !sample[0].fields.empty() && sample[0].fields[0].empty();
  const std::vector<std::string>& names = untitled ? sample[0].fields : columns.titles;
  const std::size_t above = untitled ? 1 : 0, rows = sample.size() - above;
  const bool is_cut = names.size() > std::max(rows, wide);  // of a matrix that is longer than the sample
  bool labelled = (names.size() == rows + 1 || is_cut) && rows > 1 && !counts_from_zero(names);
  for (std::size_t r = 0; labelled && r < rows; ++r)
    labelled = !sample[above + r].fields.empty() && sample[above + r].fields[0] == names[r + 1];
  if (labelled)
    refuse_line(file, sample[0].number,
                fmt::format("the first column has the names of the others, as in a matrix: save it as .npy, and its "
                            "names for --names{}",
                            counts_from_zero(names, 1) && names.size() == 4
                                ? " (--header --columns 0,1,2 if the first column is an index)"
                                : ""));
  const std::size_t size = sample.size(), width = sample[0].fields.size();
  const auto all_numbers = [&](const sample_line& line) {
    return line.fields.size() == width && std::ranges::all_of(line.fields, is_number);
  };
  const auto has_distances = [&] {  // the diagonal is 0, and what stands on its two sides is the same
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c <= r; ++c)
        if (r == c ? sample[r].fields[c] != "0" : sample[r].fields[c] != sample[c].fields[r]) return false;
    return true;
  };
  if (named_ends(columns.titles)[0] >= 0 || !std::ranges::all_of(sample, all_numbers)) return;
  if (width < wide && (width != size || size < 3 || (size == 3 && !has_distances()))) return;
  refuse_line(file, sample[0].number,
              fmt::format("{} of {} numbers are a matrix, it seems: save it as .npy (--columns 1,2,3 if they are arcs)",
                          width == size ? fmt::format("{} lines", size) : "lines", width));
}

void refuse_odd_ends(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns,
                     bool chosen) {
  for (std::size_t l = 0; l < std::min<std::size_t>(chosen ? 0 : sample.size(), 2);
       ++l)  // the first may hold names of columns
    for (const int end : {columns.from, columns.to})
      if (const std::string field = end < static_cast<int>(sample[l].fields.size()) ? sample[l].fields[end] : "";
          is_time(field) || is_date(field))
        refuse_line(
            file, sample[l].number,
            fmt::format("{} is a time or a date, and seems no name of a vertex: say which columns are from and to "
                        "(--columns 1,2)",
                        shown(sample[l].fields[end])));
  const auto have_numbers = [&](const sample_line& line) {
    const int fields = static_cast<int>(line.fields.size());
    return columns.from >= fields || columns.to >= fields ||
           (is_number(line.fields[columns.from]) && is_number(line.fields[columns.to]));
  };
  if (!std::ranges::all_of(sample, have_numbers)) return;
  for (const auto& [number, fields] : sample)
    for (const int end : {columns.from, columns.to})
      if (end < static_cast<int>(fields.size()) && is_real(fields[end]))
        refuse_line(file, number,
                    fmt::format("{} is no number of a vertex: is it a matrix (save it as .npy), or are they names "
                                "(--vertices names)?",
                                shown(fields[end])));
}

namespace {

// The first field of a column that is not empty, and the number of its line; "": there is none.
std::pair<index_t, std::string> first_filled(const std::vector<sample_line>& sample, std::size_t column) {
  for (const auto& [number, fields] : sample)
    if (column < fields.size() && !fields[column].empty()) return {number, fields[column]};
  return {};
}

}  // namespace

void refuse_unread_weights(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  const bool titled = columns.weight >= 0 && !columns.titles.empty();
  if (titled && is_weight_title(columns.titles[columns.weight])) return;
  const bool measured = titled && is_measure_title(columns.titles[columns.weight]);
  for (int c = 0; c < columns.fields; ++c) {
    const auto& [number, field] = first_filled(sample, c);
    if (c == columns.from || c == columns.to || c == columns.weight || field.empty() || is_number(field)) continue;
    const bool is_measure = !columns.titles.empty() && is_measure_title(columns.titles[c]);
    const bool is_marked = is_marked_number(field) && number == sample[0].number && (!measured || is_measure);
    if (!is_marked && (!is_measure || measured || is_date(field))) continue;
    if (columns.weight >= 0 && is_time(field)) continue;
    refuse_line(file, number,
                fmt::format("{} holds {}, which is no number that is read: write numbers alone, or say which columns "
                            "are from and to if it is no weight (--columns {},{}{})",
                            columns.title(c), shown(field), columns.from + 1, columns.to + 1,
                            columns.weight < 0 ? "" : fmt::format(",{}", columns.weight + 1)));
  }
}

void refuse_empty_weights(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns) {
  if (columns.weight >= 0) return;
  for (std::size_t c = 0; c < columns.titles.size(); ++c)
    if (const int column = static_cast<int>(c);
        column != columns.from && column != columns.to && is_measure_title(columns.titles[c]) &&
        std::ranges::all_of(sample,
                            [c](const sample_line& row) { return c < row.fields.size() && row.fields[c].empty(); }))
      refuse_line(file, sample[0].number,
                  fmt::format("{} is empty: if every arc weighs 1, say which columns are from and to (--columns {},{})",
                              columns.title(column), columns.from + 1, columns.to + 1));
}

const char* hint_for_ragged_rows(const std::vector<sample_line>& sample, bool is_all) {
  const auto& head = sample[0].fields;
  std::vector<index_t> counts(head.size(), -1);
  for (std::size_t f = 0; f < head.size(); ++f)
    if (scanner::parse(head[f], counts[f]) != std::errc{} || counts[f] < 0 || f > 3) return "";
  const index_t below = std::ssize(sample) - 1;
  const auto is_pair = [](const sample_line& line) { return line.fields.size() == 2; };
  if (counts.size() == 3 && counts[0] == counts[1] && below > 0 &&
      std::all_of(sample.begin() + 1, sample.end(), is_pair))
    return ": is the first line one of sizes, as in Matrix Market? Then a line %%MatrixMarket belongs above it";
  // Lines of vertices without an edge are empty, and not among those below.
  const bool as_many = counts[0] >= below && (!is_all || counts[0] <= 2 * below);
  return as_many ? ": if this is METIS, say so (--input-format metis)" : "";
}

}  // namespace kleene::io::detail
