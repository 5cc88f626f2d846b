// Matrices of results as files: .npy, .mtx, .csv, .tsv or .parquet by their suffix, one line a pair or one line a row.
#pragma once

#include "commands.hpp"
#include "kleene/data/view.hpp"
#include "labels.hpp"

#include <string>
#include <vector>

namespace kleene::cli {

enum class result_format { npy, mtx, csv, tsv, parquet };
enum class result_layout { by_format, pairs, rows };
enum class absent_choice { by_format, infinity, largest, minus_one };

// What --out and the flags beside it ask for.
struct result_request {
  std::string path;  // empty: nothing
  result_format format = result_format::npy;
  bool rows = false;  // a line (of .mtx: a dense array) for each row, not one for each pair that has a value
  absent_choice absent = absent_choice::by_format;

  // Whether it is the matrix as it is in memory.
  bool is_plain() const { return format == result_format::npy && absent == absent_choice::by_format; }
};
// error(usage) for a suffix that nothing is written under, and for flags that do not go together.
result_request request_of(const output_flags& flags);
// error(usage) where NumPy's format would go to a terminal: its bytes are nothing to look at.
void refuse_npy_on_terminal(const char* flag, const std::string& path);
// error(usage) unless the name of this output is one for .npy: that suffix or none; then also as that.
void require_npy_name(const char* flag, const std::string& path);
// The same of a picture, .svg.
void require_svg_name(const char* flag, const std::string& path);
// The same of a Matrix Market file, .mtx.
void require_matrix_market_name(const char* flag, const std::string& path);
// error(usage) unless the name is one for a table: .csv, .tsv or no suffix.
void require_table_name(const char* flag, const std::string& path);
// The same, or .txt.
void require_list_name(const char* flag, const std::string& path);
// The same of a table of pairs, which may be .parquet, too; then also as require_parquet.
void require_pairs_name(const char* flag, const std::string& path);
bool is_parquet_name(const std::string& path);
// error(usage) where Parquet would go to standard output, error(bad_input) where this build cannot write it.
void require_parquet(const char* flag, const std::string& path);

template <class T>
struct result_matrix {
  matrix_view<const T> values;
  T absent{};                                       // what stands for no value
  const labels* names = nullptr;                    // of the columns
  const std::vector<std::int32_t>* rows = nullptr;  // the vertex of each row; null: 0, 1, ...
  const char* title = "value";                      // of the values
  bool loops = true;                                // whether pairs of a vertex with itself count
  const std::vector<std::int32_t>* cols = nullptr;  // the vertex of each column; null: 0, 1, ...
  T one{};  // of the path of no arcs: where it is the greatest or the least integer, it is an infinity (as_number)
};

// A name as a field: in quotation marks where a reader of CSV, or of edge lists, would take it for something else.
std::string quoted(const std::string& name, char separator);

// What is written where there is no value: "1073741823", "inf", or "" where such pairs are left out.
template <class T>
std::string absent_text(const result_request& request, T absent);

// Writes the file whole or not at all. Without a choice what is absent is left out of pairs, and is infinite (zero, if
// the algebra has that) in rows of text; in .npy it stays the number that the algebra has for it. inf makes an .npy or
// a .parquet of integers one of f64. value_error where the number chosen is that of a pair that has a value, or f64
// cannot hold one. threads: 0 for all. T: f32, f64, i32, i64.
template <class T>
void write_result(const result_request& request, const result_matrix<T>& result, int threads);

}  // namespace kleene::cli
