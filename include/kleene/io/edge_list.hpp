// Edge lists: text with a line for each arc, plain or gzip, as spreadsheets and databases write it (CSV, RFC 4180, with
// commas, semicolons, tabs or bars) and as the collections of graphs do (SNAP, https://snap.stanford.edu/data; KONECT,
// http://konect.cc: blanks or tabs).
//
//   from,to,km             # Directed graph          arcs, any column between and behind them; a header or none;
//   Fulda,Essen,292.5      # FromNodeId  ToNodeId    comments are lines that start with # or %
//   "Halle (Saale)",Fulda,250      0     11
//
// What the options do not say is found out from the first lines, and said in `description`:
//   separator   the first of tab, semicolon, comma and bar that cuts the first lines into equally many fields, at least
//               two; else runs of blanks and tabs. Blanks around fields do not count.
//   header      the first line, if it names two columns from and to (source and target, ...), or if a column holds
//               numbers below it and none in it; or the last comment in front, if it names as many columns (prose does
//               not). Any other comment answers no question about the line below it.
//   columns     from and to by those titles, or by such as city1 and city2; else the two columns that hold names; else
//               the first two. Of the others the one called weight (w, cost, distance, dist, length, len), else the
//               only one with numbers that does not number the rows; without titles the third, if it holds numbers.
//               None: every arc weighs 1. Where several could be meant, for one of these titles above two columns, for
//               words above three columns of names that may be titles, and where the weight is empty,
//               error(bad_input) says it (docs/formats.md).
//   row names   those of R, rising numbers in front of every row under a header that is one title short, are skipped.
//   direction   what a comment of SNAP or KONECT says ("# Undirected graph", "% sym"), else directed. An undirected arc
//               is returned in both directions, a loop once. Columns that say it of a row ("oneway") must say one way.
//   edges       how many a comment of SNAP or KONECT in front says there are ("# Nodes: 3 Edges: 2") is compared with
//               the lines: `doubt`, where they are neither as many, nor twice or half as many, for files differ in how
//               they count undirected edges. It is no refusal: comments stay when lines are taken out.
//   vertices    numbers if all of them are whole numbers below 2^31 - 1 that are written without leading zeros, else
//               names ("01067" is a name); `doubt` says where the first name stands below numbers. The vertices of the
//               graph are those that occur, numbers ascending, names in the order of the file.
//
// Weights are exact 64-bit integers, or all of them real as soon as one is (io/text.hpp; finite). Duplicates stay, in
// file order. Lines end in LF or CR LF; blank ones are skipped, and so are rows of nothing but separators, which
// `doubt` counts. A byte order mark of UTF-8 is skipped.
//
// Refused, too, is what would be read as another graph (src/io/no_edge_list.hpp): matrices as text, ends that are
// numbers and not whole, DOT, JSON, HTML, old Macs' line ends, and money, times, units or decimal commas ("$5", "0:45",
// "5 km", "3,5") where no column is called weight; "1.234" beside "999", which may have a point between thousands; and
// titles above the table; brackets around fields, lists of vertices in one (src/io/odd_rows.hpp), and a measure ("km")
// that holds no number.
//
// Strict: error(bad_input) "file:line: what" for another number of fields than the first line has, a vertex without a
// name or with control characters in it, a weight that is missing or no number, quotation marks that RFC 4180 does not
// have, a quoted field that does not end on its line, a line of more than scanner::longest_line bytes. The error is
// that of the first such line, whatever the number of threads.
#pragma once

#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kleene::io {

enum class vertex_labels : int {
  automatic,
  names,       // whatever they look like
  zero_based,  // numbers, and all from 0 to the largest are vertices
  one_based,   // the same from 1
};

struct edge_list_options {
  char separator = 0;            // ',', ';', '\t', '|', or ' ' for runs of blanks and tabs; 0: found out
  std::optional<bool> header{};  // whether the first line names the columns
  std::vector<std::string>
      columns{};  // from, to and weight, by name or number from 1; two: no weights; none: found out
  std::optional<bool> directed{};
  vertex_labels vertices = vertex_labels::automatic;
  int threads = 0;  // 0: default_threads()

  // Whether something is asked for that other formats do not have.
  bool any() const {
    return separator || header || !columns.empty() || directed || vertices != vertex_labels::automatic;
  }
};

struct edge_list_file {
  std::variant<coo<std::int64_t>, coo<double>> edges;
  std::vector<std::string> names;  // of each vertex; empty: they are numbered from first_vertex
  int first_vertex = 0;
  bool weighted = false, directed = true;
  std::string description;  // "comma-separated with a header, from 'von' to 'nach', weight 'km', directed, ..."
  std::string doubt;  // "file:line: what" of another number of edges, of lines left out or odd names; empty: nothing
};

edge_list_file read_edge_list(const std::string& path, const edge_list_options& options = {},
                              real_type reals = real_type::f64);
// From a text in memory (`file` names it in messages), or from a scanner that no line was asked of.
edge_list_file parse_edge_list(std::string_view text, std::string_view file, const edge_list_options& options = {},
                               real_type reals = real_type::f64);
edge_list_file parse_edge_list(scanner& in, const edge_list_options& options = {});

// Whether a text whose format nothing else gives away can be an edge list: no control characters, and at least two
// fields in its first line that is no comment, or nothing but comments at hand.
bool looks_like_edge_list(std::string_view text);

}  // namespace kleene::io
