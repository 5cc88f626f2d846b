// Parquet (Apache Parquet format 2, https://github.com/apache/parquet-format) by Apache Arrow's C++ library, where the
// build has it: a table with a row for each arc, as databases and data frames write it. What the columns mean is asked
// and found out as for an edge list (io/edge_list.hpp):
//
//   columns     from and to by their names, else the first two; of the others with numbers the one called weight (cost,
//               distance, length), else the only one; or what `columns` says. Others are not decoded, whatever they
//               hold.
//   vertices    integers of any width, or strings, dictionaries of them included. Whole numbers below 2^31 - 1 are
//               numbers, also as strings, if all are; else they are names.
//   weights     integers, as 64 bits, or float and double. Without such a column every arc weighs 1.
//   direction   as the options say, else undirected where the key kleene.undirected in the footer is "true". Columns
//               that say it of a row ("oneway": bool, strings, numbers) must say one way.
//
// A separator and a header are not for it. Duplicates stay, in file order. All threads read, a group of rows each. The
// whole file is held while it is read, so that it may be compressed once more, or come through a pipe.
//
// Strict: error(bad_input) "file: row N: what" (rows from 1) for a null, a weight that is not finite or outside 64-bit
// integers, a string that no vertex can be called; "file: what" for columns of other types, tables without rows, and,
// in Arrow's words, what is no Parquet, truncated, corrupt (checksums of pages are looked at), encrypted, or compressed
// in a way that Arrow was built without. Of several it is the same one whatever the number of threads.
#pragma once

#include "kleene/io/edge_list.hpp"
#include "kleene/io/input.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::io {

// Whether this build has Arrow; else reading and writing Parquet is refused, error(bad_input) with a word about it.
bool has_parquet();

edge_list_file read_parquet(const std::string& path, const edge_list_options& options = {},
                            real_type reals = real_type::f64);
// From a file of which nothing was read, or from bytes in memory (`file` names them in messages).
edge_list_file read_parquet(input& in, const edge_list_options& options = {}, real_type reals = real_type::f64);
edge_list_file parse_parquet(std::string_view bytes, std::string_view file, const edge_list_options& options = {},
                             real_type reals = real_type::f64);

// What the columns of a table are called; error(bad_input) as above.
std::vector<std::string> parquet_columns(std::string_view bytes, std::string_view file);

namespace detail {
class parquet_rows;
}

enum class parquet_values : int { none, i64, f64, f32 };  // none: there are but two columns

struct parquet_titles {
  std::string value = "weight";  // of the third column; the others are from and to
  parquet_values values = parquet_values::i64;
  bool undirected = false;  // said in the footer, for readers of Kleene's
};

// A table of from, to and a value, which appears as a file whole or not at all (io/atomic_file.hpp). Vertices are
// strings, or 64-bit integers where they have no names or all names are whole numbers without leading zeros. A group of
// rows has a million at most; pages have checksums, and are compressed by Snappy where Arrow has it.
class parquet_output {
 public:
  // `names` of the vertices must outlive it; empty: they are numbered from first_vertex.
  parquet_output(const std::string& path, const std::vector<std::string>& names, int first_vertex,
                 const parquet_titles& titles);
  ~parquet_output();
  parquet_output(const parquet_output&) = delete;
  parquet_output& operator=(const parquet_output&) = delete;

  // A row. T as the titles say: an integer for i64, else a real.
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  void add(std::int32_t from, std::int32_t to, T value) {
    if constexpr (std::integral<T>) add_integer(from, to, static_cast<std::int64_t>(value));
    else add_real(from, to, static_cast<double>(value));
  }
  // A row without a value: null, where there is a third column.
  void add(std::int32_t from, std::int32_t to);
  // Call it once, last.
  void commit();

 private:
  void add_integer(std::int32_t from, std::int32_t to, std::int64_t value);
  void add_real(std::int32_t from, std::int32_t to, double value);

  std::unique_ptr<detail::parquet_rows> rows_;
};

}  // namespace kleene::io
