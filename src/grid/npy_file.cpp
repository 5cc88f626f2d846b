#include "kleene/grid/detail/npy_file.hpp"

#include "io/npy_header.hpp"
#include "kleene/io/formats.hpp"

#include <string_view>

namespace kleene::detail {

namespace npy = io::detail;

template <io::npy_element T>
npy_elements find_elements(const std::string& path) {
  io::input in(path);
  if (!in.compression().empty())
    throw error(fault_code::bad_input, path + " is compressed (" + std::string(in.compression()) +
                                           "): several workers cannot read parts of it");
  const npy::npy_header header = npy::read_npy_header(in);
  if (header.shape.size() != 2)
    npy::fail_at(in, header.at, "an array of " + npy::dimensions_text(header.shape.size()) + " is no matrix");
  if (header.kind != npy::kind_name<T>)
    npy::fail_at(in, header.at,
                 "elements of type " + header.type + " where " + std::string(npy::type_name<T>) + " is needed");
  if (header.fortran_order || (header.swapped && sizeof(T) > 1))
    npy::fail_at(in, header.at, "in columns, or big-endian: a grid reads rows of little-endian elements");
  const npy_elements found{header.shape[0], header.shape[1], in.offset()};
  const double bytes = double(found.rows) * double(found.cols) * sizeof(T);
  if (double(in.most_content()) - double(found.at) < bytes)
    npy::fail_at(in, found.at, "the file ends within its elements");
  return found;
}

// Padded as NumPy pads.
template <io::npy_element T>
std::string npy_start(index_t rows, index_t cols) {
  std::string header = "{'descr': '" + std::string(npy::type_name<T>) + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(cols) + "), }";
  const std::string_view magic = io::row_of(io::file_format::npy).sign;
  const std::size_t prefix = magic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  const char numbers[] = {1, 0, static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return std::string(magic).append(numbers, sizeof numbers) + header;
}

#define KLEENE_NPY(T)                                         \
  template npy_elements find_elements<T>(const std::string&); \
  template std::string npy_start<T>(index_t, index_t);
KLEENE_NPY(float)
KLEENE_NPY(double)
KLEENE_NPY(std::int32_t)
KLEENE_NPY(std::int64_t)
KLEENE_NPY(bool)
#undef KLEENE_NPY

}  // namespace kleene::detail
