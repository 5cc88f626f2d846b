// NumPy's .npy (NEP 1; numpy.lib.format): magic, version, a header that is a Python dictionary, raw elements.
//
// Writes version 1.0, from a matrix or by letting the file be the matrix (npy_output); reads 1.0, 2.0 and 3.0, plain or
// gzip. Two-dimensional arrays of f32, f64, i32, i64, bool, C or Fortran order, little- or big-endian ('<', '=', '|' or
// nothing before the type is the order of this machine, as for NumPy, and '?' is bool); read_npy_any also takes f16 as
// f32, integers of 8 and 16 bits as i32, u32 as i64, which hold the same numbers. Everything else is refused:
// error(bad_input) with the file and the byte where it went wrong. NumPy itself refuses an extent with a leading zero,
// and so do we; more after the last element, which NumPy leaves unread, is refused too.
#pragma once

#include "kleene/data/matrix.hpp"
#include "kleene/io/atomic_file.hpp"
#include "kleene/io/input.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

namespace kleene::io {

template <class T>
concept npy_element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
                      std::same_as<T, std::int64_t> || std::same_as<T, bool>;

// Element type and order as found (or the one that holds it, see above). Fortran order is turned into rows while
// reading.
using npy_matrix =
    std::variant<matrix<float>, matrix<double>, matrix<std::int32_t>, matrix<std::int64_t>, matrix<bool>>;
npy_matrix read_npy_any(const std::string& path);
npy_matrix read_npy_any(input& in);

// What a file of a dense matrix says beside its elements.
struct dense_facts {
  std::string place{};  // where its extents stand: "a.npy: at byte 10", "a.mtx:3"
  std::int64_t largest =
      0;                // the largest number of the type in the file, where the elements became a wider one; else 0
  bool truths = false;  // the elements are True and False in the file
};
npy_matrix read_npy_any(input& in, dense_facts& facts);

// The same where the element type is known; another one in the file is refused. Where it is a number, a file of bool is
// read as 0 and 1.
template <npy_element T>
matrix<T> read_npy(const std::string& path);

namespace detail {
template <npy_element T>
void write_npy(const std::string& path, const matrix_view<const T>& values);
}

// Whatever can be read as a matrix (as_view), any strides. Contiguous rows or columns go out without a copy. The file
// appears whole or not at all (atomic_file).
template <class M>
void write_npy(const std::string& path, const M& values) {
  const auto v = as_view(values);
  using V = std::remove_const_t<decltype(v)>;
  static_assert(V::rank == 2 && npy_element<typename V::value_type>, "a matrix of f32, f64, i32, i64 or bool");
  using T = typename V::value_type;
  detail::write_npy<T>(path, matrix_view<const T>(v));
}

// An output of rows x cols elements to be computed in place: view() is the file itself as memory, in rows, 64-byte
// aligned.
//
//   npy_output<float> out("d.npy", n, n);      // error(bad_input): no such folder, no permission, not enough disk
//   fill(out.view());
//   out.commit();                              // now there is a d.npy; without it nothing is left
//
// Every element is to be written: none has a value before. The view is valid until destruction. Where a file cannot be
// memory (atomic_file::map says when) the view is of memory that commit() writes.
template <npy_element T>
class npy_output {
 public:
  npy_output(const std::string& path, index_t rows, index_t cols);

  matrix_view<T> view() const { return view_; }
  // Call it once, when all is written; what changes later may be in the file or not.
  void commit();

 private:
  std::string path_;
  std::optional<atomic_file> file_;  // opened here, or by commit() where that cannot be undone
  matrix<T> memory_;                 // where the file is none
  matrix_view<T> view_;
};

}  // namespace kleene::io
