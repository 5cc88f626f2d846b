// The file formats in one table: readers find a file's format by it, and messages and help take their words from it.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace kleene::io {

enum class file_format {
  unknown,
  npy,
  npz,
  matrix_market,
  dimacs_graph,
  dimacs_coordinates,
  dimacs_edges,
  pace,
  metis,
  gset,
  graphml,
  edge_list,
  parquet
};

// What a file can be read as, as bits.
enum file_content : unsigned { holds_dense = 1, holds_graph = 2, holds_places = 4, holds_all = 7 };

// What the name of a compressed file has behind the suffix of its format (io/input.hpp).
inline constexpr std::array<std::string_view, 4> compression_suffixes = {".gz", ".xz", ".zst", ".bz2"};

struct format_row {
  file_format format;
  std::string_view suffix;  // each also with one of compression_suffixes behind it, where it is read
  std::string_view name;
  std::string_view sign;   // gives the format away; empty: nothing does but the name
  std::string_view shown;  // the sign as messages print it
  bool starts;             // the file starts with the sign; else they are the first words that are no comment, or,
                           // of XML, an element in its start
  unsigned content;
  bool written;  // results can be written in it, under this suffix
};

inline constexpr auto format_table = [] {
  using enum file_format;
  return std::array{
      format_row{npy, ".npy", "npy", "\x93NUMPY", "\\x93NUMPY", true, holds_dense, true},
      format_row{npz, ".npz", "npz", std::string_view("PK\3\4", 4), "PK\\x03\\x04", true, holds_dense | holds_graph,
                 false},
      format_row{matrix_market, ".mtx", "Matrix Market", "%%MatrixMarket", "%%MatrixMarket", true, holds_all, true},
      format_row{dimacs_graph, ".gr", "DIMACS", "p sp", "p sp", false, holds_graph, false},
      format_row{dimacs_coordinates, ".co", "DIMACS", "p aux", "p aux", false, holds_places, false},
      format_row{dimacs_edges, ".col", "DIMACS edges", "p edge", "p edge", false, holds_graph, false},
      format_row{dimacs_edges, ".clq", "DIMACS edges", "p col", "p col", false, holds_graph, false},
      format_row{pace, ".gr", "PACE", "p tw", "p tw", false, holds_graph, false},
      format_row{pace, ".gr", "PACE", "p td", "p td", false, holds_graph, false},
      format_row{pace, ".gr", "PACE", "p cep", "p cep", false, holds_graph, false},
      format_row{pace, ".gr", "PACE", "p ds", "p ds", false, holds_graph, false},
      format_row{pace, ".gr", "PACE", "p tww", "p tww", false, holds_graph, false},
      format_row{metis, ".graph", "METIS", "", "", false, holds_graph, false},
      format_row{metis, ".metis", "METIS", "", "", false, holds_graph, false},
      format_row{gset, ".gset", "G-set", "", "", false, holds_graph, false},
      format_row{gset, ".rud", "G-set", "", "", false, holds_graph, false},
      format_row{graphml, ".graphml", "GraphML", "<graphml", "<graphml", false, holds_graph, false},
      format_row{edge_list, ".csv", "edge list", "", "", false, holds_graph, true},
      format_row{edge_list, ".tsv", "edge list", "", "", false, holds_graph, true},
      format_row{edge_list, ".txt", "edge list", "", "", false, holds_graph, false},
      format_row{edge_list, ".edges", "edge list", "", "", false, holds_graph, false},
      // Behind the magic stands the first field of a page or of the footer: "PAR1" alone may start a text.
      format_row{parquet, ".parquet", "Parquet", "PAR1\x15", "PAR1\\x15", true, holds_graph, true},
  };
}();

// Of a format that is not unknown.
constexpr const format_row& row_of(file_format format) {
  for (const format_row& row : format_table)
    if (row.format == format) return row;
  return format_table[0];
}

// The format whose sign is the start of these bytes; letters may be in either case.
constexpr file_format format_at_start(std::string_view bytes) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (const format_row& row : format_table) {
    std::size_t same = 0;
    while (same < std::min(row.sign.size(), bytes.size()) && small(bytes[same]) == small(row.sign[same])) ++same;
    if (row.starts && same == row.sign.size()) return row.format;
  }
  return file_format::unknown;
}
// The format that the text says it has, else the one that is `meant`, else the one that the name says, else a G-set or
// an edge list if it looks like one. Of formats that share a suffix, a name means the first.
file_format format_of(std::string_view text, std::string_view path, file_format meant = file_format::unknown);

// The row whose suffix the name has, with one of compression_suffixes or without; null: none.
const format_row* row_of_name(std::string_view path);
// Whether this build reads it: GraphML and Parquet take libraries that may be missing.
bool is_built_in(file_format format);

// The suffixes that results can be written under: ".npy, .mtx, .csv, .tsv, .parquet"; of formats that are built in.
std::string written_suffixes();

// The suffixes of formats that can be read as one of `content`: ".mtx or .gr" with " or " between them; of formats that
// are built in.
std::string suffixes_of(unsigned content, std::string_view between);
// "neither npy nor Matrix Market (%%MatrixMarket)": the formats that can be read as `content`, for a refusal; of two
// rows of a format the first.
std::string neither_of(file_content content);

}  // namespace kleene::io
