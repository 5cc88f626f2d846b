// Matrix Market exchange format (Boisvert, Pozo, Remington: "The Matrix Market Exchange Formats: Initial Design",
// NISTIR 5935, 1996; https://math.nist.gov/MatrixMarket/formats.html).
//
// Read: "matrix", "coordinate" or "array", fields "real", "double", "integer", "unsigned-integer" (which SciPy writes),
// "pattern", "general", "symmetric" or "skew-symmetric", plain or compressed. Refused with a sentence: "complex" and
// "hermitian", a pattern as an array, signs where the field has none.
//   symmetric      entries above the diagonal are refused, as the standard has it; both halves are returned.
//                  Skew-symmetric files hold no diagonal at all. The matrix must be square.
//   integer        exact 64-bit, signed; overflow is refused. "real" takes infinities ("inf"), never NaN.
//                  Weights of a graph are finite: who reads one says so (`finite`), and is told the line.
//   duplicates     stay, in file order, next to their mirror image if symmetric.
//   comments       '%' in column 1, between banner and size line. "%%GraphBLAS type X" there must name a GraphBLAS
//                  type, or the file is refused; X is otherwise unused. Blank lines are allowed anywhere after the
//                  banner.
// Every refusal is error(bad_input) "file:line: what". A size line that promises more entries than the file can hold is
// refused before anything is allocated.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/io/text.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace kleene::io {

enum class mm_layout : int { coordinate, array };
enum class mm_field : int { real, integer, pattern, unsigned_integer };
enum class mm_symmetry : int { general, symmetric, skew_symmetric };

struct matrix_market_file {
  mm_layout layout = mm_layout::coordinate;
  mm_field field = mm_field::real;
  mm_symmetry symmetry = mm_symmetry::general;
  index_t rows = 0, cols = 0, size_line = 0;  // the line that says the sizes, from 1
  // coordinate: coo, array: matrix. real: double, integers: int64, pattern: int64 ones.
  std::variant<coo<std::int64_t>, coo<double>, matrix<std::int64_t>, matrix<double>> values;
};

// A real number that the type of `reals` would make infinite or zero is refused (io/text.hpp).
matrix_market_file read_matrix_market(const std::string& path, real_type reals = real_type::f64);
// The same from a text in memory; `file` names it in messages.
matrix_market_file parse_matrix_market(std::string_view text, std::string_view file, real_type reals = real_type::f64);
// The same from a scanner that no line was asked of. finite: infinite entries of a coordinate file are refused.
matrix_market_file parse_matrix_market(scanner& in, int threads = 0, bool finite = false);

// Writes "coordinate general" with the entries in the order of the list, or "array general"; "integer" for integers,
// else "real" with as many digits as make the number come back the same. T: float, double, int32, int64; a matrix also
// of bool, as 0 and 1. The file appears whole or not at all (atomic_file). shape_error, before any file is touched, for
// a list whose three vectors differ in length; value_error for NaN, which the format has no word for, and for an entry
// outside the extents.
template <class T>
void write_matrix_market(const std::string& path, const coo<T>& list);
template <class T>
void write_matrix_market(const std::string& path, const matrix_view<const T>& values);
template <class T>
void write_matrix_market(const std::string& path, const matrix<T>& values) {
  write_matrix_market(path, values.view());
}

}  // namespace kleene::io
