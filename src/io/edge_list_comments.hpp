// What the comments of an edge list say of its arcs, as SNAP and KONECT write them.
#pragma once

#include <string_view>

namespace kleene::io::detail {

// Lines that start with # or %.
inline bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != line.npos && (line[first] == '#' || line[first] == '%');
}

struct edge_list_comments {
  bool directed = true, bipartite = false;

  // Takes what a comment says.
  void read(std::string_view line);
};

}  // namespace kleene::io::detail
