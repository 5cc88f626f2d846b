#include "kleene/io/matrix_market.hpp"

#include "io/entry_lines.hpp"
#include "io/memory.hpp"
#include "io/output_checks.hpp"
#include "io/words.hpp"
#include "kleene/data/parallel.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace kleene::io {

namespace {

constexpr std::string_view banner = row_of(file_format::matrix_market).sign;

// The keywords of the banner may be in either case.
using detail::lower_case;

// --- reading: banner and comments -----------------------------------------------------------------------------------

mm_layout layout_of(scanner& in) {
  const std::string_view word = in.word();
  if (lower_case(word) == "coordinate") return mm_layout::coordinate;
  if (lower_case(word) == "array") return mm_layout::array;
  in.fail(fmt::format("the banner's format {} is neither 'coordinate' nor 'array'", shown(word)));
}

mm_field field_of(scanner& in) {
  const std::string_view word = in.word();
  if (lower_case(word) == "real" || lower_case(word) == "double") return mm_field::real;
  if (lower_case(word) == "integer") return mm_field::integer;
  if (lower_case(word) == "unsigned-integer") return mm_field::unsigned_integer;
  if (lower_case(word) == "pattern") return mm_field::pattern;
  if (lower_case(word) == "complex") in.fail("complex matrices are not supported");
  in.fail(
      fmt::format("the banner's field {} is none of real, double, integer, unsigned-integer, pattern", shown(word)));
}

mm_symmetry symmetry_of(scanner& in) {
  const std::string_view word = in.word();
  if (lower_case(word) == "general") return mm_symmetry::general;
  if (lower_case(word) == "symmetric") return mm_symmetry::symmetric;
  if (lower_case(word) == "skew-symmetric") return mm_symmetry::skew_symmetric;
  if (lower_case(word) == "hermitian") in.fail("hermitian matrices are complex, which is not supported");
  in.fail(fmt::format("the banner's symmetry {} is none of general, symmetric, skew-symmetric", shown(word)));
}

void read_banner(scanner& in, matrix_market_file& file) {
  if (!in.next_line()) in.fail("the file is empty");
  if (lower_case(in.word()) != lower_case(banner)) in.fail(fmt::format("the file does not start with {}", banner));
  if (const std::string_view object = in.word(); lower_case(object) != "matrix")
    in.fail(fmt::format("the banner's object {} is not 'matrix'", shown(object)));
  file.layout = layout_of(in);
  file.field = field_of(in);
  file.symmetry = symmetry_of(in);
  in.end_of_line();
  if (file.field == mm_field::pattern && file.layout == mm_layout::array)
    in.fail("an array cannot be a pattern: it stores every entry");
  if (file.field == mm_field::pattern && file.symmetry == mm_symmetry::skew_symmetric)
    in.fail("a pattern cannot be skew-symmetric: it has no signs");
  if (file.field == mm_field::unsigned_integer && file.symmetry == mm_symmetry::skew_symmetric)
    in.fail("unsigned integers cannot be skew-symmetric: they have no signs");
}

// "%%GraphBLAS type double" tells readers which type to build; a name that nobody knows means a mangled file.
void check_graphblas_type(scanner& in) {
  constexpr std::array known = {
      "bool",     "int8",     "int16",         "int32",          "int64",          "uint8",          "uint16",
      "uint32",   "uint64",   "int8_t",        "int16_t",        "int32_t",        "int64_t",        "uint8_t",
      "uint16_t", "uint32_t", "uint64_t",      "float",          "double",         "fp32",           "fp64",
      "fc32",     "fc64",     "float complex", "double complex", "float _complex", "double _complex"};
  if (lower_case(in.word()) != "%%graphblas" || in.word() != "type") return;
  std::string type(in.word());
  if (const std::string_view more = in.word(); !more.empty()) type = fmt::format("{} {}", type, more);
  if (std::find(known.begin(), known.end(), lower_case(type)) == known.end())
    in.fail(fmt::format("{} is no GraphBLAS type", shown(type)));
  in.end_of_line();
}

// --- reading: sizes and entries -------------------------------------------------------------------------------------

// Rows and columns of a coordinate list, which numbers them in int32.
constexpr index_t most = std::numeric_limits<std::int32_t>::max();

// Returns how many entry lines are to follow.
index_t read_size_line(scanner& in, matrix_market_file& file) {
  const bool coordinate = file.layout == mm_layout::coordinate;
  file.size_line = in.line_number();
  file.rows = in.number<index_t>("number of rows");
  file.cols = in.number<index_t>("number of columns");
  if (file.rows < 0 || file.cols < 0) in.fail(fmt::format("the size {} x {} is negative", file.rows, file.cols));
  if (coordinate && (file.rows > most || file.cols > most))
    in.fail(fmt::format("the size {} x {} exceeds {} rows or columns", file.rows, file.cols, most));
  if (file.symmetry != mm_symmetry::general && file.rows != file.cols)
    in.fail(fmt::format("a symmetric matrix is square, not {} x {}", file.rows, file.cols));

  index_t lines = 0;
  if (coordinate) {
    lines = in.number<index_t>("number of entries");
    if (lines < 0) in.fail(fmt::format("the number of entries {} is negative", lines));
  } else if (__builtin_mul_overflow(file.rows, file.cols, &lines)) {
    lines = std::numeric_limits<index_t>::max();
  } else if (file.symmetry != mm_symmetry::general) {
    lines = (lines - file.rows) / 2 + (file.symmetry == mm_symmetry::symmetric ? file.rows : 0);
  }
  in.end_of_line();
  in.require_lines(lines, !coordinate ? 2 : file.field == mm_field::pattern ? 4 : 6);  // "1\n", "1 1\n", "1 1 1\n"
  constexpr index_t element = sizeof(double);
  // A side of 0 promises nothing, and yet the other one has to be counted.
  if (!coordinate && !kleene::detail::is_countable<3>({file.rows, file.cols, element}))
    in.fail(fmt::format("the size {} x {} is too large to be counted", file.rows, file.cols));
  return lines;
}

detail::entry_promise promise_of(index_t lines) { return {lines, "an entry", "entries", "the size line"}; }

// A line of an entry, its place noted.
template <class List>
void begin_entry(scanner& in, detail::entry_block<List>& block) {
  if (in.line().front() == '%') in.fail("a comment among the entries: comments stand before the size line");
  block.places.add(in.line_number());
}

// The mirror image of a value below the diagonal.
template <class T>
T mirrored(const scanner& in, T value, mm_symmetry symmetry) {
  if (symmetry == mm_symmetry::symmetric) return value;
  if constexpr (std::is_integral_v<T>)
    if (value == std::numeric_limits<T>::min()) in.fail(fmt::format("-({}) does not fit 64-bit integers", value));
  return 0 - value;
}

template <class T>
T read_value(scanner& in, mm_field field) {
  if (field == mm_field::pattern) return T{1};
  const T value = in.number<T>("value");
  if (field == mm_field::unsigned_integer && value < 0)
    in.fail(fmt::format("the value {} is negative in a file of unsigned integers", value));
  return value;
}

template <class T>
coo<T> read_list(scanner& in, const matrix_market_file& file, index_t lines, int threads, bool finite) {
  const bool general = file.symmetry == mm_symmetry::general;
  auto blocks = detail::read_entries<coo<T>>(in, promise_of(lines), threads, [&](scanner& line, auto& block) {
    begin_entry(line, block);
    const std::int32_t i = line.position("row", file.rows), j = line.position("column", file.cols);
    const T value = read_value<T>(line, file.field);
    if constexpr (std::is_floating_point_v<T>)
      if (finite && !std::isfinite(value)) line.fail(fmt::format("the weight '{}' is not finite", value));
    line.end_of_line();
    if (!general && i < j)
      line.fail(fmt::format("({}, {}) is above the diagonal, which a symmetric file leaves out", i + 1, j + 1));
    if (file.symmetry == mm_symmetry::skew_symmetric && i == j)
      line.fail(fmt::format("({}, {}) is on the diagonal, which a skew-symmetric file leaves out", i + 1, j + 1));
    block.list.add(i, j, value);
    if (!general && i != j) block.list.add(j, i, mirrored(line, value, file.symmetry));
  });
  std::vector<coo<T>*> lists;
  for (auto& block : blocks) lists.push_back(&block.list);
  return detail::join(lists, file.rows, file.cols, threads);
}

// The row and column of an element of the list; of a symmetric matrix behind the columns before, each shorter by one.
std::pair<index_t, index_t> place_of(const matrix_market_file& file, index_t element) {
  if (file.rows == 0) return {0, 0};
  if (file.symmetry == mm_symmetry::general) return {element % file.rows, element / file.rows};
  const index_t below = file.symmetry == mm_symmetry::skew_symmetric ? 1 : 0;
  index_t column = 0;
  for (index_t height; element >= (height = file.rows - column - below) && height > 0; ++column) element -= height;
  return {column + below + element, column};
}

// Column by column; of a symmetric matrix the part from the diagonal (skew-symmetric: below it) down.
template <class T>
matrix<T> read_array(scanner& in, const matrix_market_file& file, index_t lines, int threads) {
  const bool general = file.symmetry == mm_symmetry::general;
  const index_t below = file.symmetry == mm_symmetry::skew_symmetric ? 1 : 0;
  require_memory(std::string(in.file()), static_cast<double>(file.rows) * static_cast<double>(file.cols) * sizeof(T));
  auto blocks = detail::read_entries<std::vector<T>>(in, promise_of(lines), threads, [&](scanner& line, auto& block) {
    begin_entry(line, block);
    block.list.push_back(read_value<T>(line, file.field));
    line.end_of_line();
    if (!general) (void)mirrored(line, block.list.back(), file.symmetry);  // refused here, where the line is known
  });
  matrix<T> values(file.rows, file.cols, uninitialised{});
  detail::fill_huge_pages(values.data(), static_cast<std::size_t>(values.size()) * sizeof(T));
  for (index_t i = 0; i < (below ? file.rows : 0); ++i) values(i, i) = 0;
  std::vector<index_t> start(blocks.size() + 1, 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) start[b + 1] = start[b] + std::ssize(blocks[b].list);
  task_queue parts;
  run_tasks(threads > 0 ? threads : default_threads(), [&](const team_member&) {
    for (std::int64_t b; (b = parts.next()) < std::ssize(blocks);) {
      std::vector<T>& list = blocks[static_cast<std::size_t>(b)].list;
      auto [i, j] = place_of(file, start[static_cast<std::size_t>(b)]);
      for (const T value : list) {
        values(i, j) = value;
        if (!general && i != j) values(j, i) = mirrored(in, value, file.symmetry);
        if (++i == file.rows) ++j, i = general ? 0 : j + below;
      }
      list = {};
    }
  });
  return values;
}

// --- writing --------------------------------------------------------------------------------------------------------

// Appends the shortest digits that read back as the same number.
template <class T>
void append_number(std::string& text, T value) {
  [[maybe_unused]] char digits[32];
  if constexpr (std::is_same_v<T, bool>) text += value ? '1' : '0';
  else text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

// What no reader of Matrix Market takes back; rows and columns as the file counts them.
template <class T>
void require_no_nan(const std::string& path, T value, index_t row, index_t col) {
  if (value != value)
    throw value_error(
        fmt::format("{}: element ({}, {}) is NaN, which Matrix Market does not have", path, row + 1, col + 1));
}

template <class T>
void write_banner(atomic_file& out, const char* layout) {
  out.write(fmt::format("{} matrix {} {} general\n", banner, layout, std::is_integral_v<T> ? "integer" : "real"));
}

matrix_market_file parse_scanned(scanner& in, int threads, bool finite) {
  matrix_market_file file;
  read_banner(in, file);
  for (;;) {
    if (!in.next_filled_line()) in.fail("the file ends before the size line");
    if (in.line().front() != '%') break;
    check_graphblas_type(in);
  }
  const index_t lines = read_size_line(in, file);
  const bool coordinate = file.layout == mm_layout::coordinate, real = file.field == mm_field::real;
  if (coordinate && real) file.values = read_list<double>(in, file, lines, threads, finite);
  else if (coordinate) file.values = read_list<std::int64_t>(in, file, lines, threads, finite);
  else if (real) file.values = read_array<double>(in, file, lines, threads);
  else file.values = read_array<std::int64_t>(in, file, lines, threads);
  return file;
}

}  // namespace

matrix_market_file parse_matrix_market(scanner& in, int threads, bool finite) {
  return detail::with_memory_of(in.file(), [&] { return parse_scanned(in, threads, finite); });
}
matrix_market_file parse_matrix_market(std::string_view text, std::string_view name, real_type reals) {
  scanner in(text, name, reals);
  return parse_matrix_market(in);
}

matrix_market_file read_matrix_market(const std::string& path, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file, reals);
    return parse_matrix_market(in);
  });
}

template <class T>
void write_matrix_market(const std::string& path, const coo<T>& list) {
  kleene::detail::with_memory(path.c_str(), static_cast<double>(list.value.size()) * sizeof(T), [&] {
    if (list.row.size() != list.value.size() || list.col.size() != list.value.size())
      throw shape_error(fmt::format("a coordinate list has {} rows, {} columns and {} values", list.row.size(),
                                    list.col.size(), list.value.size()));
    if (list.rows < 0 || list.cols < 0 || list.rows > most || list.cols > most)  // which no reader takes
      throw value_error(fmt::format("{}: a list of {} x {} is not written: rows and columns are 0 to {}", path,
                                    list.rows, list.cols, most));
    atomic_file out(path);
    write_banner<T>(out, "coordinate");
    out.write(fmt::format("{} {} {}\n", list.rows, list.cols, list.entries()));
    std::string text;
    for (index_t e = 0; e < list.entries(); ++e) {
      const std::int32_t i = list.row[e], j = list.col[e];
      if (i < 0 || i >= list.rows || j < 0 || j >= list.cols)
        throw value_error(fmt::format("entry {} is ({}, {}) in a matrix of {} x {}", e, i, j, list.rows, list.cols));
      require_no_nan(path, list.value[e], i, j);
      text.clear();
      append_number(text, index_t{i} + 1);
      text += ' ';
      append_number(text, index_t{j} + 1);
      text += ' ';
      append_number(text, list.value[e]);
      text += '\n';
      out.write(text);
    }
    out.commit();
  });
}

template <class T>
void write_matrix_market(const std::string& path, const matrix_view<const T>& values) {
  kleene::detail::with_memory(path.c_str(), static_cast<double>(values.size()) * sizeof(T), [&] {
    require_data(path, values);
    atomic_file out(path);
    write_banner<T>(out, "array");
    out.write(fmt::format("{} {}\n", values.rows(), values.cols()));
    std::string text;
    for (index_t j = 0; j < (values.empty() ? 0 : values.cols()); ++j)
      for (index_t i = 0; i < values.rows(); ++i) {
        require_no_nan(path, values(i, j), i, j);
        text.clear();
        append_number(text, values(i, j));
        text += '\n';
        out.write(text);
      }
    out.commit();
  });
}

template void write_matrix_market(const std::string&, const coo<float>&);
template void write_matrix_market(const std::string&, const coo<double>&);
template void write_matrix_market(const std::string&, const coo<std::int32_t>&);
template void write_matrix_market(const std::string&, const coo<std::int64_t>&);
template void write_matrix_market(const std::string&, const matrix_view<const bool>&);
template void write_matrix_market(const std::string&, const matrix_view<const float>&);
template void write_matrix_market(const std::string&, const matrix_view<const double>&);
template void write_matrix_market(const std::string&, const matrix_view<const std::int32_t>&);
template void write_matrix_market(const std::string&, const matrix_view<const std::int64_t>&);

}  // namespace kleene::io
