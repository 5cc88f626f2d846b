#include "io/edge_columns.hpp"

#include "io/column_titles.hpp"
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

// What --columns takes for it: its title, or its number where that is shorter.
std::string word_for(const edge_columns& columns, int column) {
  const bool numbered = !columns.has_title(column) || columns.titles[column].size() > 40;
  return numbered ? std::to_string(column + 1) : shown(columns.titles[column]);
}

// The titles, as many as a message holds.
std::string all_titles(const edge_columns& columns) {
  std::string all;
  for (const std::string& title : columns.titles) {
    if (all.size() > 200) return all + ", ...";
    all += (all.empty() ? "" : ", ") + shown(title);
  }
  return all;
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
  const std::string there = all_titles(columns);
  refuse(place, fmt::format("there is no column {}: {}", shown(word),
                            there.empty() ? fmt::format("no header names them, and they are 1 to {}", columns.fields)
                                          : "they are " + there));
}

}  // namespace

std::string edge_columns::title(int column) const {
  return has_title(column) ? shown(titles[column]) : fmt::format("column {}", column + 1);
}

std::string edge_columns::direction_refusal(int column, std::string_view field) const {
  return fmt::format(
      "the column {} says {}, and direction is not read row by row: say --undirected or --directed for "
      "the whole file",
      title(column), field.empty() ? "nothing" : shown(field));
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

[[noreturn]] void ask_for_ends(const std::string& place, const std::string& what) {
  refuse(place, fmt::format("{}: say which columns are from, to and weight (--columns FROM,TO,WEIGHT, by titles or "
                            "numbers from 1; --columns FROM,TO for no weights)",
                            what));
}

// Of columns without titles.
void find_ends_by_names(edge_columns& columns, const std::vector<column_facts>& facts, const std::vector<int>& words,
                        const std::array<int, 2>& sharing, const std::string& place) {
  if (words.size() > 2 && sharing[0] >= 0) {
    columns.from = sharing[0], columns.to = sharing[1];
    return;
  }
  if (words.size() > 2)
    ask_for_ends(place, fmt::format("columns {}, {} and {} hold names", words[0] + 1, words[1] + 1, words[2] + 1));
  if (facts[0].words && facts[1].numbers) ask_for_ends(place, "column 1 holds names, and column 2 numbers");
  if (facts[0].numbers && facts[1].words) ask_for_ends(place, "column 1 holds numbers, and column 2 names");
}

// Titles that call two columns the ends, and say as much of two others.
void ask_where_titles_differ(const edge_columns& columns, const std::vector<column_facts>& facts,
                             const std::array<int, 2>& numbered, const std::string& place) {
  const auto both = [&](const std::array<int, 2>& pair) { return facts[pair[0]].words && facts[pair[1]].words; };
  const auto is_end = [&](int c) { return c == columns.from || c == columns.to; };
  if (numbered[0] >= 0 && !is_end(numbered[0]) && !is_end(numbered[1]) && both(numbered))
    ask_for_ends(place, fmt::format("{} and {} may be the ends, or {} and {}", columns.title(columns.from),
                                    columns.title(columns.to), columns.title(numbered[0]), columns.title(numbered[1])));
  if (columns.from > columns.to && lower_case(columns.titles[columns.to]) == "head")
    ask_for_ends(place, "arcs go from tail to head in graphs, and from head to tail in triples");
}

}  // namespace

std::vector<int> columns_of_names(const edge_columns& columns, const std::vector<column_facts>& facts) {
  std::vector<int> names;
  for (int c = 0; c < columns.fields; ++c)
    if (facts[c].words && (columns.titles.empty() || !is_weight_title(columns.titles[c]))) names.push_back(c);
  return names;
}

void find_ends(edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place,
               const std::array<int, 2>& sharing) {
  columns.from = 0, columns.to = 1;
  const auto& titles = columns.titles;
  const std::array<int, 2> called = named_ends(titles), numbered = numbered_ends(titles);
  for (const auto& named : {called, numbered})
    if (named[0] >= 0) {
      columns.from = named[0], columns.to = named[1];
      for (const int end : named) require_single(columns, end, place);
      if (called[0] >= 0) ask_where_titles_differ(columns, facts, numbered, place);
      return;
    }
  const std::vector<int> words = columns_of_names(columns, facts);
  if (titles.empty()) return find_ends_by_names(columns, facts, words, sharing, place);
  for (const std::string& title : titles)
    if (lists_vertices(title))
      refuse(place, fmt::format("{} seems to hold lists: an edge list has a line for each arc, from,to,weight (say "
                                "--columns FROM,TO if there is one in each line)",
                                shown(title)));
  const auto is_end = [&](int c) {
    return facts[c].numbers && !numbers_rows(titles[c]) && !is_measure_title(titles[c]);
  };
  if (columns.fields > 2 && words.size() == 2) {
    columns.from = words[0], columns.to = words[1];
  } else if (columns.fields == 2 && words.size() == 1 && facts[1 - words[0]].numbers) {
    ask_for_ends(place, fmt::format("{} holds names, and {} numbers, and they are not called from and to",
                                    columns.title(words[0]), columns.title(1 - words[0])));
  } else if (columns.fields > 2 && (!words.empty() || columns.fields > 3 || !is_end(0) || !is_end(1))) {
    ask_for_ends(place, fmt::format("the titles ({}) do not say which two columns are the ends", all_titles(columns)));
  }
  if (calls_end(titles[columns.from]) || calls_start(titles[columns.to]))
    ask_for_ends(place, fmt::format("{} stands before {}, and it is not clear which of them is from",
                                    columns.title(columns.from), columns.title(columns.to)));
}

namespace {

bool is_no_weight_title(std::string_view title) {
  return numbers_rows(title) || directions_under(title) || is_return_title(title);
}

// How likely a column of numbers is to be the weight.
int likelihood(const std::string& title, const column_facts& facts) {
  if (is_weight_title(title)) return 3;
  if (is_measure_title(title)) return 2;
  return facts.counts_rows || facts.seconds || is_time_title(title) ? 0 : 1;
}

// A row that has a cost for the way back is two arcs.
void refuse_return(const edge_columns& columns, const std::string& place) {
  for (int c = 0; c < static_cast<int>(columns.titles.size()); ++c)
    if (c != columns.from && c != columns.to && is_return_title(columns.titles[c]))
      refuse(place,
             fmt::format("{} says what the way back costs, it seems: write each way as a line of its own, or say "
                         "which columns are read (--columns {},{}{})",
                         columns.title(c), word_for(columns, columns.from), word_for(columns, columns.to),
                         columns.weight < 0 ? "" : "," + word_for(columns, columns.weight)));
}

}  // namespace

void find_weight(edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place) {
  const auto& titles = columns.titles;
  std::vector<int> candidates;
  for (int c = 0; c < columns.fields; ++c)
    if (c != columns.from && c != columns.to && facts[c].weights && (titles.empty() || !is_no_weight_title(titles[c])))
      candidates.push_back(c);
  if (titles.empty() && std::ranges::find(candidates, 2) != candidates.end()) candidates = {2};
  if (!titles.empty() && candidates.size() > 1) {
    std::vector<int> called;  // weight, or one of its like
    for (const int c : candidates)
      if (is_weight_title(titles[c])) called.push_back(c);
    if (!called.empty()) require_single(columns, called[0], place), candidates = called;
  }
  if (candidates.size() > 1) {
    const int likely = *std::ranges::max_element(
        candidates, {}, [&](int c) { return likelihood(titles.empty() ? "" : titles[c], facts[c]); });
    std::vector<std::string> all;
    for (const int c : candidates) all.push_back(columns.title(c));
    const std::string last = all.back();
    all.pop_back();
    refuse(place,
           fmt::format("{} or {} may be the weight: say which (--columns {},{},{}), or that there is none "
                       "(--columns {},{})",
                       fmt::join(all, ", "), last, word_for(columns, columns.from), word_for(columns, columns.to),
                       word_for(columns, likely), word_for(columns, columns.from), word_for(columns, columns.to)));
  }
  if (candidates.empty()) return refuse_return(columns, place);
  const int weight = candidates[0];
  // Years, lines of buses and indices stand in front, a column that counts its rows is no weight either, nor are times.
  const char* doubt = nullptr;
  if (facts[weight].seconds && (titles.empty() || !is_weight_title(titles[weight])))
    doubt = "holds seconds since 1970, it seems";
  else if (!titles.empty() && is_time_title(titles[weight])) doubt = "says when";
  else if (!titles.empty() && !is_measure_title(titles[weight])) {
    if (facts[weight].counts_rows) doubt = "numbers the rows, it seems";
    else if (weight < std::min(columns.from, columns.to)) doubt = "holds numbers, and stands in front";
  }
  if (doubt)
    refuse(place,
           fmt::format("{} {}: is it the weight (--columns {},{},{}), or is there none (--columns {},{})?",
                       columns.title(weight), doubt, word_for(columns, columns.from), word_for(columns, columns.to),
                       word_for(columns, weight), word_for(columns, columns.from), word_for(columns, columns.to)));
  columns.weight = weight;
  refuse_return(columns, place);
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
