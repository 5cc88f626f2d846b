// What the titles of a table's columns say: which are the ends of an arc, its weight, or a row's number.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// The pairs of columns that two titles call the ends of an arc, from and to, those that mean nothing else first; of
// "from_stop" and "to_stop" and their like only where there are none such.
std::vector<std::array<int, 2>> named_pairs(const std::vector<std::string>& titles);
// The first of them; -1, -1: there are none.
std::array<int, 2> named_ends(const std::vector<std::string>& titles);
// The same of titles that differ by a number or a letter, "city1" and "city2", "a" and "b". Vertices are called so,
// too: words of a first line are titles only if something else says so.
std::array<int, 2> numbered_ends(const std::vector<std::string>& titles);

// Whether a title calls one of the ends, with whatever other.
bool calls_start(std::string_view title);
bool calls_end(std::string_view title);

// Whether a column of this title is one of weights, whatever it holds.
bool is_weight_title(std::string_view title);
// Whether it may be one: "km", "price", "capacity".
bool is_measure_title(std::string_view title);
// Whether it numbers the rows, and is no weight of theirs; also without a title: an index that was written along.
bool numbers_rows(std::string_view title);
// Whether it says when: "timestamp", "year".
bool is_time_title(std::string_view title);
// Whether it calls a vertex, or says what one is called, as in a table of vertices: "id", "label".
bool describes_vertex(std::string_view title);
// Whether it holds lists of vertices: "predecessors".
bool lists_vertices(std::string_view title);
// Whether it says what the way back costs: "reverse_cost", "cost_rev", "reverse".
bool is_return_title(std::string_view title);

// What rows say of their direction under a title that asks for it.
struct direction_words;
// Those of a title, "oneway", "is_bidirectional", "direction", "type"; null: it says nothing of it.
const direction_words* directions_under(std::string_view title);
// Whether a row that says this there is an arc from its one end to its other, and nothing else.
bool says_one_way(const direction_words& words, std::string_view field);
// Whether such a column is one of directions whatever it holds; else, as under "type", only if a row names one.
bool tells_direction(const direction_words& words, std::string_view field);
// A column that says of each row whether it is one way, which all must be.
struct direction_column {
  int column;
  const direction_words* words;
};

}  // namespace kleene::io::detail
