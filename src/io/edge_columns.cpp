#include "io/edge_columns.hpp"

#include "io/column_titles.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace kleene::io::detail {

namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& what) {
  throw error(fault_code::bad_input, fmt::format("{}: {}", place, what));
}

std::string word_for(const edge_columns& columns, int column) {
  return columns.titles.empty() ? std::to_string(column + 1) : shown(columns.titles[column]);
}

// Refuses a column that was found by a title which another one has, too.
void require_single(const edge_columns& columns, int column, const std::string& place) {
  if (std::ranges::count(columns.titles, columns.titles[column]) > 1)
    refuse(place, fmt::format("two columns are called {}: say which are from, to and weight by their numbers "
                              "(--columns 1,2,3)",
                              shown(columns.titles[column])));
}

// The column that a word of --columns means.
int find_column(const edge_columns& columns, const std::string& word, const std::string& place) {
  const auto at = std::ranges::find(columns.titles, word);
  if (at != columns.titles.end()) {
    const int column = static_cast<int>(at - columns.titles.begin());
    require_single(columns, column, place);
    return column;
  }
  int number = 0;
  if (scanner::parse(word, number) == std::errc{} && number >= 1 && number <= columns.fields) return number - 1;
  std::string there;
  for (const std::string& title : columns.titles) there += (there.empty() ? "" : ", ") + shown(title);
  refuse(place, fmt::format("there is no column {}: {}", shown(word),
                            there.empty() ? fmt::format("no header names them, and they are 1 to {}", columns.fields)
                                          : "they are " + there.substr(0, 300)));
}

}  // namespace

std::string edge_columns::title(int column) const {
  return titles.empty() ? fmt::format("column {}", column + 1) : shown(titles[column]);
}

std::string edge_columns::words() const {
  std::string text =
      fmt::format("from {} to {}, {}", title(from), title(to), weight < 0 ? "no weights" : "weight " + title(weight));
  std::vector<std::string> unused;
  for (int c = 0; c < fields; ++c)
    if (c != from && c != to && c != weight) unused.push_back(title(c));
  if (unused.size() > 3) text += fmt::format(" ({} of {} columns not used)", unused.size(), fields);
  else if (!unused.empty()) text += fmt::format(" ({} not used)", fmt::join(unused, ", "));
  return text + (directed ? ", directed" : ", undirected");
}

namespace {

[[noreturn]] void ask_for_ends(const edge_columns& columns, const std::string& place, const std::string& what) {
  const std::string by = columns.titles.empty() ? "" : ", by their titles or numbers";
  refuse(place, fmt::format("{}: say which columns are from, to and weight{} (--columns 1,2,3), or from and to alone "
                            "(--columns 1,2)",
                            what, by));
}

}  // namespace

void find_ends(edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place) {
  columns.from = 0, columns.to = 1;
  const auto& titles = columns.titles;
  for (const auto& named : {named_ends(titles), numbered_ends(titles)})
    if (named[0] >= 0) {
      columns.from = named[0], columns.to = named[1];
      for (const int end : named) require_single(columns, end, place);
      return;
    }
  std::vector<int> words;
  for (int c = 0; c < columns.fields; ++c)
    if (facts[c].words && (titles.empty() || !is_weight_title(titles[c]))) words.push_back(c);
  if (titles.empty()) {
    if (columns.fields > 2 && facts[0].numbers && words.size() > 1 && words[0] == 1)
      ask_for_ends(columns, place,
                   fmt::format("column 1 holds numbers, and columns 2 and {} hold names", words[1] + 1));
    return;
  }
  for (const std::string& title : titles)
    if (lists_vertices(title))
      refuse(place, fmt::format("{} seems to hold lists: an edge list has a line for each arc, from,to,weight (say "
                                "--columns FROM,TO if there is one in each line)",
                                shown(title)));
  if (columns.fields == 2) return;
  if (words.size() == 2) {
    columns.from = words[0], columns.to = words[1];
    return;
  }
  const auto is_end = [&](int c) {
    return facts[c].numbers && !numbers_rows(titles[c]) && !is_measure_title(titles[c]);
  };
  if (!words.empty() || columns.fields > 3 || !is_end(0) || !is_end(1))
    ask_for_ends(columns, place, "no two columns are called from and to, source and target, or alike");
}

void find_weight(edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place) {
  const auto& titles = columns.titles;
  std::vector<int> candidates;
  for (int c = 0; c < columns.fields; ++c)
    if (c != columns.from && c != columns.to && facts[c].weights && (titles.empty() || !numbers_rows(titles[c])))
      candidates.push_back(c);
  if (titles.empty() && std::ranges::find(candidates, 2) != candidates.end()) candidates = {2};
  if (!titles.empty() && candidates.size() > 1) {
    std::vector<int> called;  // weight, or one of its like
    for (const int c : candidates)
      if (is_weight_title(titles[c])) called.push_back(c);
    if (!called.empty()) require_single(columns, called[0], place), candidates = called;
  }
  if (candidates.size() > 1)
    refuse(place,
           fmt::format("{} and {} hold numbers: say which are from, to and weight (--columns {},{},{})",
                       columns.title(candidates[0]), columns.title(candidates[1]), word_for(columns, columns.from),
                       word_for(columns, columns.to), word_for(columns, candidates[0])));
  if (candidates.empty()) return;
  const int weight = candidates[0];
  // Years, lines of buses and indices stand in front, and a column that counts its rows is no weight either.
  if (!titles.empty() && !is_measure_title(titles[weight]) &&
      (weight < std::min(columns.from, columns.to) || facts[weight].counts_rows))
    refuse(place,
           fmt::format("{} {}: is it the weight (--columns {},{},{}), or is there none (--columns {},{})?",
                       columns.title(weight),
                       facts[weight].counts_rows ? "numbers the rows, it seems" : "holds numbers, and stands in front",
                       word_for(columns, columns.from), word_for(columns, columns.to), word_for(columns, weight),
                       word_for(columns, columns.from), word_for(columns, columns.to)));
  columns.weight = weight;
}

void take_columns(edge_columns& columns, const std::vector<std::string>& words, const std::string& place) {
  if (words.size() < 2 || words.size() > 3)
    throw error(fault_code::usage,
                fmt::format("--columns takes two or three, FROM,TO or FROM,TO,WEIGHT, not {}", words.size()));
  columns.from = find_column(columns, words[0], place);
  columns.to = find_column(columns, words[1], place);
  if (words.size() == 3) columns.weight = find_column(columns, words[2], place);
  if (columns.from == columns.to || columns.weight == columns.from || columns.weight == columns.to)
    throw error(fault_code::usage, "--columns: one column cannot be two of from, to and weight");
}

}  // namespace kleene::io::detail
