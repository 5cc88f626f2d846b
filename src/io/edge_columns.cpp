#include "io/edge_columns.hpp"

#include "io/words.hpp"
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

// A title without case, blanks and marks, and without what people put behind it: "FromNodeId" is "from".
std::string plain(std::string_view title) {
  std::string word;
  for (const char c : title) {
    if (c >= 'A' && c <= 'Z') word += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) word += c;
  }
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view ending : {"id", "node", "name", "vertex"})
      if (word.size() > ending.size() && word.ends_with(ending)) word.resize(word.size() - ending.size()), again = true;
  }
  return word;
}

constexpr std::array<std::array<std::string_view, 2>, 10> ends = {{{"from", "to"},
                                                                   {"source", "target"},
                                                                   {"src", "dst"},
                                                                   {"src", "dest"},
                                                                   {"source", "destination"},
                                                                   {"origin", "destination"},
                                                                   {"start", "end"},
                                                                   {"tail", "head"},
                                                                   {"node1", "node2"},
                                                                   {"u", "v"}}};
constexpr std::array<std::string_view, 7> weights = {"weight", "w", "cost", "distance", "dist", "length", "len"};

// What numbers the rows of a table is no weight of theirs.
bool numbers_rows(std::string_view title) {
  constexpr std::array<std::string_view, 16> words = {"id",     "fid",    "gid",    "objectid", "ogcfid", "osmid",
                                                      "edgeid", "linkid", "arcid",  "rowid",    "roadid", "wayid",
                                                      "index",  "row",    "rownum", "line"};
  std::string word = lower_case(title);
  std::erase_if(word, [](char c) { return c == '_' || c == ' ' || c == '-'; });
  return std::ranges::find(words, word) != words.end();
}

int position_of(const std::vector<std::string>& titles, std::string_view word) {
  for (std::size_t c = 0; c < titles.size(); ++c)
    if (plain(titles[c]) == word) return static_cast<int>(c);
  return -1;
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

std::array<int, 2> named_ends(const std::vector<std::string>& titles) {
  for (const auto& [from, to] : ends) {
    const std::array<int, 2> found = {position_of(titles, from), position_of(titles, to)};
    if (found[0] >= 0 && found[1] >= 0 && found[0] != found[1]) return found;
  }
  return {-1, -1};
}

bool is_weight_title(std::string_view title) { return std::ranges::find(weights, plain(title)) != weights.end(); }

void find_columns(edge_columns& columns, const std::vector<bool>& numbers, const std::string& place) {
  if (const auto named = named_ends(columns.titles); named[0] >= 0) {
    columns.from = named[0], columns.to = named[1];
    for (const int end : named) require_single(columns, end, place);
  }
  std::vector<int> candidates;
  for (int c = 0; c < columns.fields; ++c)
    if (c != columns.from && c != columns.to && numbers[c] &&
        (columns.titles.empty() || !numbers_rows(columns.titles[c])))
      candidates.push_back(c);
  if (columns.titles.empty() && std::ranges::find(candidates, 2) != candidates.end()) candidates = {2};
  if (!columns.titles.empty() && candidates.size() > 1) {
    std::vector<int> called;  // weight, or one of its like
    for (const int c : candidates)
      if (is_weight_title(columns.titles[c])) called.push_back(c);
    if (!called.empty()) require_single(columns, called[0], place), candidates = called;
  }
  if (candidates.size() > 1)
    refuse(place,
           fmt::format("{} and {} hold numbers: say which are from, to and weight (--columns {},{},{})",
                       columns.title(candidates[0]), columns.title(candidates[1]), word_for(columns, columns.from),
                       word_for(columns, columns.to), word_for(columns, candidates[0])));
  if (!candidates.empty()) columns.weight = candidates[0];
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
