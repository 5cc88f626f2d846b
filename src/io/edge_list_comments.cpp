#include "io/edge_list_comments.hpp"

#include "data/counted.hpp"
#include "io/words.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kleene::io::detail {

namespace {

// A count, with commas between thousands or without; false: none.
bool read_count(std::string_view word, index_t& count) {
  std::string digits(word);
  std::erase(digits, ',');
  return scanner::parse(digits, count) == std::errc{};
}

// "# Nodes: 4039 Edges: 88,234"; -1: another comment.
index_t edges_of_snap(std::string_view line) {
  scanner in(line, "");
  index_t nodes = 0, edges = 0;
  in.next_line();
  const bool counts = in.word() == "#" && in.word() == "Nodes:" && read_count(in.word(), nodes) &&
                      in.word() == "Edges:" && read_count(in.word(), edges);
  return counts ? edges : -1;
}

// "% 88234 4039 4039", the second line; -1: another comment.
index_t edges_of_konect(std::string_view line) {
  if (!line.starts_with('%')) return -1;
  line.remove_prefix(1);
  scanner in(line, "");
  index_t edges = -1, other = 0;
  in.next_line();
  if (scanner::parse(in.word(), edges) != std::errc{}) return -1;
  while (!in.at_end_of_line())
    if (scanner::parse(in.word(), other) != std::errc{}) return -1;
  return edges;
}

// Whether a first line of KONECT, "% sym unweighted", is of a network in which a pair of vertices has one edge, and so
// one line. In others a line may count for several.
bool has_single_edges(std::string_view line) {
  constexpr std::array<std::string_view, 4> kinds = {"unweighted", "posweighted", "signed", "weighted"};
  line.remove_prefix(line.starts_with('%'));
  scanner in(line, "");
  in.next_line();
  const std::string_view form = in.word();
  return (form == "sym" || form == "asym") && std::ranges::find(kinds, in.word()) != kinds.end();
}

}  // namespace

void edge_list_comments::read(std::string_view line, index_t number) {
  line.remove_prefix(line.find_first_not_of(" \t"));
  const std::string words = lower_case(line.substr(std::min(line.find_first_not_of("#% \t"), line.size()), 16));
  const std::string kind = line.starts_with('%') ? words.substr(0, words.find_first_of(" \t")) : std::string();
  if (kind == "sym" || words.substr(0, 10) == "undirected" || words == "directed: false") directed = false;
  if (kind == "bip") bipartite = true;
  dynamic |= words.starts_with("sym dynamic") || words.starts_with("asym dynamic");
  is_konect |= kind == "sym" || kind == "asym";
  if (const std::string all = lower_case(line); all.find("undirected") != all.npos || words == "directed: no")
    undirected_line = undirected_line == 0 ? number : undirected_line;
  const index_t said = promises_lines_ ? edges_of_konect(line) : edges_of_snap(line);
  promises_lines_ = has_single_edges(line);
  if (said < 0 || edges >= 0) return;
  edges = said;
  edges_line = number;
}

std::string edge_list_comments::doubt(std::string_view file, index_t lines) const {
  const auto is_twice = [](index_t more, index_t count) { return more % 2 == 0 && more / 2 == count; };
  if (edges < 0 || lines == edges || is_twice(lines, edges) || is_twice(edges, lines)) return {};
  return fmt::format("{}:{}: the comment says {}, and there {} {}{}", file, edges_line,
                     kleene::detail::counted(edges, "edge", "edges"), lines == 1 ? "is" : "are", lines,
                     lines < edges ? ": is the file cut off?" : "");
}

std::string edge_list_comments::doubt_of_direction(std::string_view file) const {
  if (!directed || undirected_line == 0) return {};
  return fmt::format(
      "{}:{}: the comment speaks of undirected: if each line is an edge both ways, say --undirected "
      "(--directed if not)",
      file, undirected_line);
}

}  // namespace kleene::io::detail
