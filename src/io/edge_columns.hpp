// Which columns of a table are the ends and the weight of its arcs: by what they are called, and by which hold numbers.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

struct edge_columns {
  int fields = 2;                   // of every row
  std::vector<std::string> titles;  // of the columns; empty: they have none
  int from = 0, to = 1, weight = -1;
  bool directed = true;
  bool ends_called = false;  // by two titles that mean from and to, and nothing else

  bool has_title(int column) const { return !titles.empty() && !titles[column].empty(); }
  // "'km'", or "column 3".
  std::string title(int column) const;
  // What a row is refused by that is not known to be one way, as this field of a column that asks for it says.
  std::string direction_refusal(int column, std::string_view field) const;
  // "from 'von' to 'nach', weight 'km' (1 of 4 columns not used), directed".
  std::string words() const;
};

// What the rows, or the first of them, say of a column.
struct column_facts {
  bool numbers = false, words = false;  // nothing else, an empty field or two apart
  bool weights = false;                 // whether it may hold the weights: numbers, or what was meant as such
  bool counts_rows = false;             // 0, 1, 2, ... or 1, 2, 3, ...
  std::string_view times{};             // what numbers seem to be, all of them: "seconds since 1970", "dates"
  bool filled = true;                   // not empty in all rows
  bool moments = false;                 // times of a day or dates
};

// Those that hold names, and are not called weight.
std::vector<int> columns_of_names(const edge_columns& columns, const std::vector<column_facts>& facts);

// By the titles, and by which of the columns hold names and numbers. error(bad_input) "place: what" where several could
// be meant: a graph of other columns is worse than a question. `sharing` are the two columns of names that share theirs
// (-1, -1: none), which the question names first.
void find_ends(edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place,
               const std::array<int, 2>& sharing = {-1, -1});
void find_weight(edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place);
// Ends that no titles call are the ends of a table of these two, or of these and a weight: where more than `spare`
// columns besides are filled, error(bad_input) asks.
void ask_about_others(const edge_columns& columns, const std::vector<column_facts>& facts, const std::string& place,
                      int spare = 0);
// As --columns has them. error(bad_input) "place: what" for one that is not there, error(usage) for a wrong count.
void take_columns(edge_columns& columns, const std::vector<std::string>& words, const std::string& place);

}  // namespace kleene::io::detail
