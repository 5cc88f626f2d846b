#include "io/edge_list_comments.hpp"

namespace kleene::io::detail {

void edge_list_comments::read(std::string_view line) {
  line.remove_prefix(line.find_first_not_of(" \t"));
  if (line.starts_with("# Undirected graph") || line.starts_with("% sym")) directed = false;
  if (line.starts_with("% bip")) bipartite = true;
}

}  // namespace kleene::io::detail
