// What the comments of an edge list say of its arcs, as SNAP and KONECT write them.
#pragma once

#include "kleene/data/view.hpp"

#include <string>
#include <string_view>

namespace kleene::io::detail {

// Lines that start with # or %.
inline bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != line.npos && (line[first] == '#' || line[first] == '%');
}

struct edge_list_comments {
  bool directed = true, bipartite = false;
  bool dynamic = false;         // of KONECT: edges come and go
  bool is_konect = false;       // as the first says: "% asym weighted"
  index_t undirected_line = 0;  // where one speaks of undirected, and does not start with it; 0: none does
  std::string last;             // of those in front
  index_t last_line = 0;
  index_t edges = -1, edges_line = 0;  // how many they say there are, and in which line; -1: nothing

  // Takes what a comment says; `number` is that of its line.
  void read(std::string_view line, index_t number);
  // Whether they are those of a collection, whose first line is an arc whatever it looks like.
  bool says_rows_are_arcs() const { return is_konect || edges >= 0; }
  // What is odd where `lines` lines hold an arc; empty: nothing. Some collections count an edge once that their lines
  // have in both directions, and some the other way round.
  std::string doubt(std::string_view file, index_t lines) const;
  // The same where arcs were read one way because nobody said that they go both.
  std::string doubt_of_direction(std::string_view file) const;

 private:
  bool promises_lines_ = false;  // of KONECT: the first comment is of a kind whose second one counts lines
};

}  // namespace kleene::io::detail
