// How an edge list is written: what the options say, and what its first lines give away.
#pragma once

#include "io/column_titles.hpp"
#include "io/edge_columns.hpp"
#include "io/edge_list_comments.hpp"
#include "kleene/io/edge_list.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io::detail {

// Which fields of its rows a header has no titles for.
enum class untitled_fields { none, row_names, others };  // row_names: R's, in the first column

struct edge_list_dialect : edge_columns {
  char separator = ' ';
  index_t header_line = 0;       // counted from 1; 0: there is none
  bool may_have_header = false;  // the first line counts as an arc, and might name the columns
  bool comment_names_columns = false;
  untitled_fields untitled = untitled_fields::none;
  // Columns that hold nothing in the first lines, and may not be filled below them: those without a title, and those
  // that would be the weight where there is none.
  std::vector<int> empty_columns;
  std::vector<direction_column> direction_columns;
  // What may be sizes, "3 2" or "4 4 3", in the first row of a list without titles: from, to and weight; -1: no number,
  // or no weight.
  std::array<index_t, 3> first_row = {-1, -1, -1};
  bool may_be_counts = false;  // two of them, which stand alone
  index_t first_line = 0;
  const char* ragged_hint = "";  // said where a row has another number of fields

  // Whether rows are looked at beyond their ends and weights.
  bool watches_columns() const { return !empty_columns.empty() || !direction_columns.empty(); }
  // "comma-separated".
  const char* separated() const;
  // All of it in a line, without the vertices.
  std::string description() const;
};

// The comments and empty lines that a list starts with: `in`, of which no line was asked, moves to the first line with
// data. error(bad_input) where there is none, and for UTF-16.
edge_list_comments read_first_comments(scanner& in);

// `head` is the text from the first line with data on, which has this number in the file, up to the end of a line.
edge_list_dialect find_dialect(std::string_view head, index_t number, std::string_view file,
                               const edge_list_comments& comments, const edge_list_options& options);

}  // namespace kleene::io::detail
