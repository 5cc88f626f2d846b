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
  const auto& titles = columns.titles;
  const bool numbered = !columns.has_title(column) || titles[column].size() > 40 ||
                        titles[column].find_first_of(",\"") != std::string::npos ||
                        std::ranges::count(titles, titles[column]) > 1;
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

// The column that a word of --columns means, a title, or a number from 1.
int find_column(const edge_columns& columns, const std::string& word, bool titled, const std::string& place) {
  const auto at = std::ranges::find(columns.titles, word);
  if (titled && at != columns.titles.end()) {
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

// The same with what is likely: "--columns u,v,km".
[[noreturn]] void ask_for_ends(const std::string& place, const std::string& what, const edge_columns& columns,
                               const std::vector<column_facts>& facts, const std::array<int, 2>& likely) {
  const auto is_other = [&](int c) { return c != likely[0] && c != likely[1] && facts[c].numbers; };
  const auto rank = [&](int c) {
    if (columns.titles.empty()) return !facts[c].times.empty() || facts[c].counts_rows ? 0 : 1;
    const std::string& title = columns.titles[c];
    return is_weight_title(title)                        ? 3
           : is_measure_title(title)                     ? 2
           : numbers_rows(title) || is_time_title(title) ? 0
                                                         : 1;
  };
  int weight = -1, best = 0;
  for (int c = 0; c < columns.fields; ++c)
    if (is_other(c) && rank(c) > best) weight = c, best = rank(c);
  refuse(place,
         fmt::format("{}: say which columns are from, to and weight (--columns {},{}{} if it is these; by titles "
                     "or numbers from 1, and without the weight if every arc weighs 1)",
                     what, word_for(columns, likely[0]), word_for(columns, likely[1]),
                     weight < 0 ? "" : "," + word_for(columns, weight)));
}

// Of columns without titles.
void find_ends_by_names(const edge_columns& columns, const std::vector<column_facts>& facts,
                        const std::vector<int>& words, const std::array<int, 2>& sharing, const std::string& place) {
  if (words.size() > 2)
    ask_for_ends(place, fmt::format("columns {}, {} and {} hold names", words[0] + 1, words[1] + 1, words[2] + 1),
                 columns, facts, sharing[0] >= 0 ? sharing : std::array<int, 2>{words[0], words[1]});
  if (facts[0].words && facts[1].numbers) ask_for_ends(place, "column 1 holds names, and column 2 numbers");
  if (facts[0].numbers && facts[1].words) ask_for_ends(place, "column 1 holds numbers, and column 2 names");
}

// Ends that two titles call: asks where two others are called so, too, and do not hold times.
void require_only_pair(const edge_columns& columns, const std::vector<column_facts>& facts,
                       const std::vector<std::array<int, 2>>& pairs, const std::string& place) {
  const auto holds_ends = [&](const std::array<int, 2>& pair) {
    return std::ranges::all_of(pair, [&](int c) { return facts[c].filled && !facts[c].moments; });
  };
  for (const std::array<int, 2>& pair : pairs)
    for (const int end : pair) require_single(columns, end, place);
  for (const std::array<int, 2>& pair : pairs)
    if ((pair[0] != columns.from || pair[1] != columns.to) && holds_ends(pair))
      ask_for_ends(place,
                   fmt::format("{} and {} may be the ends, or {} and {}", columns.title(columns.from),
                               columns.title(columns.to), columns.title(pair[0]), columns.title(pair[1])),
                   columns, facts, {columns.from, columns.to});
  if (columns.from > columns.to && lower_case(columns.titles[columns.to]) == "head")
    ask_for_ends(place, "arcs go from tail to head in graphs, and from head to tail in triples");
}

// The first two columns that may be ends, for a question.
std::array<int, 2> likely_ends(const edge_columns& columns, const std::vector<column_facts>& facts) {
  std::vector<int> ends;
  for (int c = 0; c < columns.fields; ++c)
    if (facts[c].filled && !facts[c].moments && !facts[c].counts_rows &&
        (columns.titles.empty() || (!numbers_rows(columns.titles[c]) && !is_measure_title(columns.titles[c]))))
      ends.push_back(c);
  return ends.size() < 2 ? std::array<int, 2>{0, 1} : std::array<int, 2>{ends[0], ends[1]};
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
  if (const auto pairs = named_pairs(titles); !pairs.empty()) {
    columns.from = pairs[0][0], columns.to = pairs[0][1];
    columns.ends_called = true;
    return require_only_pair(columns, facts, pairs, place);
  }
  if (const auto numbered = numbered_ends(titles); numbered[0] >= 0) {
    columns.from = numbered[0], columns.to = numbered[1];
    for (const int end : numbered) require_single(columns, end, place);
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
    ask_for_ends(place, fmt::format("the titles ({}) do not say which two columns are the ends", all_titles(columns)),
                 columns, facts, likely_ends(columns, facts));
  }
  if (describes_vertex(titles[columns.from]) && describes_vertex(titles[columns.to]))
    ask_for_ends(place, fmt::format("the titles ({}) are those of a table of vertices, it seems", all_titles(columns)),
                 columns, facts, {columns.from, columns.to});
  if (calls_end(titles[columns.from]) || calls_start(titles[columns.to]))
    ask_for_ends(place, fmt::format("{} stands before {}, and it is not clear which of them is from",
                                    columns.title(columns.from), columns.title(columns.to)));
}

void ask_about_others(const edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place,
                      int spare) {
  int others = 0;
  for (int c = 0; c < columns.fields; ++c)
    others += c != columns.from && c != columns.to && c != columns.weight && facts[c].filled;
  if (columns.ends_called || others <= spare) return;
  const bool numbered = !columns.titles.empty() && numbered_ends(columns.titles)[0] >= 0;
  ask_for_ends(place,
               columns.titles.empty()
                   ? fmt::format("{} columns without titles", columns.fields)
                   : fmt::format("the titles ({}) do not say which two columns are the ends", all_titles(columns)),
               columns, facts, numbered ? std::array<int, 2>{columns.from, columns.to} : likely_ends(columns, facts));
}

namespace {

bool is_no_weight_title(std::string_view title) {
  return numbers_rows(title) || directions_under(title) || is_return_title(title);
}

// How likely a column of numbers is to be the weight.
int likelihood(const std::string& title, const column_facts& facts) {
  if (is_weight_title(title)) return 3;
  if (is_measure_title(title)) return 2;
  return facts.counts_rows || !facts.times.empty() || is_time_title(title) ? 0 : 1;
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
  std::string doubt;
  if (!facts[weight].times.empty() && (titles.empty() || !is_weight_title(titles[weight])))
    doubt = fmt::format("holds {}, it seems", facts[weight].times);
  else if (!titles.empty() && is_time_title(titles[weight])) doubt = "says when";
  else if (!titles.empty() && !is_measure_title(titles[weight])) {
    if (facts[weight].counts_rows) doubt = "numbers the rows, it seems";
    else if (weight < std::min(columns.from, columns.to)) doubt = "holds numbers, and stands in front";
  }
  if (!doubt.empty())
    refuse(place,
           fmt::format("{} {}: is it the weight (--columns {},{},{}), or is there none (--columns {},{})?",
                       columns.title(weight), doubt, word_for(columns, columns.from), word_for(columns, columns.to),
                       word_for(columns, weight), word_for(columns, columns.from), word_for(columns, columns.to)));
  columns.weight = weight;
  refuse_return(columns, place);
}

namespace {

// Numbers are those of columns or, all of them, titles, as pandas counts them; error(bad_input) where they may be both.
bool are_titles(const edge_columns& columns, const std::vector<std::string>& words, const std::string& place) {
  const auto is_title = [&](const std::string& word) {
    return std::ranges::find(columns.titles, word) != columns.titles.end();
  };
  const auto is_position = [&](const std::string& word) {
    int number = 0;
    return scanner::parse(word, number) == std::errc{} && number >= 1 && number <= columns.fields;
  };
  if (!std::ranges::all_of(words, is_position)) return true;
  if (!std::ranges::all_of(words, is_title)) return false;
  const auto is_own = [&](const std::string& word) { return columns.titles[std::stoul(word) - 1] == word; };
  if (!std::ranges::all_of(words, is_own))
    refuse(place, fmt::format("--columns {} are titles and numbers of other columns: give the columns other titles",
                              fmt::join(words, ",")));
  return true;
}

}  // namespace

void take_columns(edge_columns& columns, const std::vector<std::string>& words, const std::string& place) {
  if (words.size() < 2 || words.size() > 3)
    throw error(fault_code::usage,
                fmt::format("--columns takes two or three, FROM,TO or FROM,TO,WEIGHT, not {}", words.size()));
  const bool titled = are_titles(columns, words, place);
  columns.from = find_column(columns, words[0], titled, place);
  columns.to = find_column(columns, words[1], titled, place);
  if (words.size() == 3) columns.weight = find_column(columns, words[2], titled, place);
  if (columns.from == columns.to || columns.weight == columns.from || columns.weight == columns.to)
    throw error(fault_code::usage, "--columns: one column cannot be two of from, to and weight");
}

}  // namespace kleene::io::detail
