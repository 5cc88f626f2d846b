// What has lines of fields, too, and is no edge list, or none that can be read without a word more: refused in its
// first lines, since it would be read as another graph. Each is error(bad_input) "file:line: what".
#pragma once

#include "io/edge_columns.hpp"
#include "io/edge_list_sample.hpp"

#include <vector>

namespace kleene::io::detail {

// Carriage returns as line ends, JSON, DOT, SQL, HTML, NetworkX's dictionaries, and what Excel, Git LFS and servers
// write in place of a file or in front of it. `first` is the number of the line that the
// head starts with.
void refuse_other_texts(std::string_view file, index_t first, const std::vector<head_line>& lines);

// What a server writes in place of a file that it does not have, as the first line of one of any format.
void refuse_not_found(std::string_view file, index_t number, std::string_view line);

// "1 2 5,5" is no field and a number behind a comma, nor is "1 2" one end where tabs follow.
void refuse_numbers_apart(std::string_view file, const std::vector<sample_line>& sample, char separator);

// "Report 2024" above the titles of a table, or above its rows: lines that have but one field.
void refuse_title_rows(std::string_view file, const std::vector<head_line>& lines);

// "A B 3,5" is no pair of "A B 3" and "5".
void refuse_decimal_commas(std::string_view file, const std::vector<head_line>& lines, char separator);

// As many lines as columns, four at least, or three of distances, or a hundred columns, and nothing but numbers: the
// text of numpy.savetxt; and a matrix whose first column repeats its header.
void refuse_matrix(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns);

// The smaller ones of them, and others: ends that are all numbers and not whole; and times, if no --columns chose them.
void refuse_odd_ends(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns,
                     bool chosen);

// Weights that are not seen as such, where no column called weight is there: one holds "$5", "3,5" or "0:45", or is
// called a measure, "km", and holds no number at all ("-3" with a minus of typographers, "<5", "NA").
void refuse_unread_weights(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns);

// A column that is called weight or alike, and is empty: every arc would weigh 1.
void refuse_empty_weights(std::string_view file, const std::vector<sample_line>& sample, const edge_columns& columns);

// What to say where rows below the first are not as long as it: two to four numbers above as many lines as the first of
// them are a head of METIS, and three, two of them alike, above lines of two are sizes of Matrix Market. "": nothing.
const char* hint_for_ragged_rows(const std::vector<sample_line>& sample, bool is_all);

}  // namespace kleene::io::detail
