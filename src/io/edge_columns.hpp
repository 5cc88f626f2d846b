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

  // "'km'", or "column 3".
  std::string title(int column) const;
  // "from 'von' to 'nach', weight 'km' (1 of 4 columns not used), directed".
  std::string words() const;
};

// The columns that two titles call the ends of an arc; -1, -1: none do.
std::array<int, 2> named_ends(const std::vector<std::string>& titles);

// Whether a column of this title is one of weights, whatever it holds.
bool is_weight_title(std::string_view title);

// By the titles, and by which of the columns hold numbers. error(bad_input) "place: what" where several could be meant.
void find_columns(edge_columns& columns, const std::vector<bool>& numbers, const std::string& place);
// As --columns has them. error(bad_input) "place: what" for one that is not there, error(usage) for a wrong count.
void take_columns(edge_columns& columns, const std::vector<std::string>& words, const std::string& place);

}  // namespace kleene::io::detail
