#include "kleene/io/npy.hpp"

#include "io/memory.hpp"
#include "io/npy_header.hpp"
#include "io/output_checks.hpp"
#include "kleene/algebra/half.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace kleene::io {

namespace {

using detail::fail_at;
using detail::kind_name;
using detail::npy_header;
using detail::read_elements;
using detail::type_name;

constexpr std::string_view magic = row_of(file_format::npy).sign;
constexpr std::size_t alignment = 64;  // of the first element in the file, as NumPy pads since 1.14
constexpr std::size_t piece_bytes = std::size_t{4} << 20;

// The header of a matrix.
npy_header read_header(input& in) {
  npy_header header = detail::read_npy_header(in);
  if (header.shape.size() != 2)
    fail_at(in, header.at, fmt::format("an array of {} is no matrix", detail::dimensions_text(header.shape.size())));
  return header;
}

// Columns in the file become rows in memory, as many columns at a time as a piece holds.
template <class T>
void read_columns(input& in, matrix<T>& values, bool swapped) {
  const index_t rows = values.rows(), cols = values.cols();
  const index_t most =
      std::clamp<index_t>(static_cast<index_t>(piece_bytes / sizeof(T)) / std::max<index_t>(rows, 1), 1, cols);
  matrix<T> piece(most, rows, uninitialised{});
  for (index_t first = 0; first < cols; first += most) {
    const index_t taken = std::min(most, cols - first);
    read_elements(in, piece.data(), taken * rows, swapped);
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < taken; ++j) values(i, first + j) = piece(j, i);
  }
}

template <class T>
matrix<T> read_matrix(input& in, const npy_header& header) {
  const index_t rows = header.shape[0], cols = header.shape[1];
  index_t count = 0, bytes = 0;
  const bool huge = __builtin_mul_overflow(rows, cols, &count) ||
                    __builtin_mul_overflow(count, static_cast<index_t>(sizeof(T)), &bytes);
  const std::uint64_t most = in.most_content();
  if (huge || most < in.offset() || most - in.offset() < static_cast<std::uint64_t>(bytes))
    fail_at(
        in, in.offset(),
        fmt::format("{} x {} elements of {} bytes are promised, which the file cannot hold", rows, cols, sizeof(T)));
  if (kleene::detail::elements_of<2>({rows, cols}) > kleene::detail::most_counted)
    fail_at(in, in.offset(), fmt::format("a matrix of {} x {} elements is too large to be counted", rows, cols));
  require_memory(in.path(), static_cast<double>(bytes));
  matrix<T> values(rows, cols, uninitialised{});
  detail::fill_huge_pages(values.data(), static_cast<std::size_t>(values.size()) * sizeof(T));
  if (header.fortran_order && count > 0) read_columns(in, values, header.swapped);
  else read_elements(in, values.data(), count, header.swapped);
  char beyond;
  if (in.read(&beyond, 1) != 0) fail_at(in, in.offset() - 1, "there is more after the last element");
  return values;
}

// Elements of a narrow type in one that holds the same numbers.
template <class Wide, class Narrow>
matrix<Wide> widened(const matrix<Narrow>& from) {
  matrix<Wide> to(from.rows(), from.cols(), uninitialised{});
  std::transform(from.data(), from.data() + from.size(), to.data(),
                 [](Narrow value) { return static_cast<Wide>(value); });
  return to;
}

// Integers of a type that few programs compute in.
template <class Wide, class Narrow>
matrix<Wide> read_narrow(input& in, const npy_header& header, dense_facts& facts) {
  facts.largest = std::numeric_limits<Narrow>::max();
  return widened<Wide>(read_matrix<Narrow>(in, header));
}

// --- what is written ------------------------------------------------------------------------------------------------

// All that stands before the elements: a multiple of `alignment` bytes.
template <class T>
std::string file_start(index_t rows, index_t cols, bool fortran_order) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", type_name<T>,
                                   fortran_order ? "True" : "False", rows, cols);
  const std::size_t prefix = magic.size() + 4;
  header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  const char numbers[] = {1, 0, static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return std::string(magic).append(numbers, sizeof numbers) + header;
}

}  // namespace

npy_matrix read_npy_any(input& in, dense_facts& facts) {
  return detail::with_memory_of(in.path(), [&]() -> npy_matrix {
    const npy_header header = read_header(in);
    facts = {.place = in.path()};
    if (header.kind == kind_name<float>) return read_matrix<float>(in, header);
    if (header.kind == kind_name<double>) return read_matrix<double>(in, header);
    if (header.kind == kind_name<std::int32_t>) return read_matrix<std::int32_t>(in, header);
    if (header.kind == kind_name<std::int64_t>) return read_matrix<std::int64_t>(in, header);
    if (header.kind == kind_name<bool>) return facts.largest = 1, facts.truths = true, read_matrix<bool>(in, header);
    if (header.kind == kind_name<f16>) return facts.largest = 65504, widened<float>(read_matrix<f16>(in, header));
    if (header.kind == kind_name<std::int8_t>) return read_narrow<std::int32_t, std::int8_t>(in, header, facts);
    if (header.kind == kind_name<std::uint8_t>) return read_narrow<std::int32_t, std::uint8_t>(in, header, facts);
    if (header.kind == kind_name<std::int16_t>) return read_narrow<std::int32_t, std::int16_t>(in, header, facts);
    if (header.kind == kind_name<std::uint16_t>) return read_narrow<std::int32_t, std::uint16_t>(in, header, facts);
    if (header.kind == kind_name<std::uint32_t>) return read_narrow<std::int64_t, std::uint32_t>(in, header, facts);
    fail_at(in, 8,
            fmt::format("elements of type {}; those read are {}, in either order of bytes", shown(header.type),
                        fmt::join(detail::npy_kinds, ", ")));
  });
}

npy_matrix read_npy_any(input& in) {
  dense_facts facts;
  return read_npy_any(in, facts);
}

npy_matrix read_npy_any(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input in(path);
    return read_npy_any(in);
  });
}

template <npy_element T>
matrix<T> read_npy(const std::string& path) {
  return detail::with_memory_of(path, [&]() -> matrix<T> {
    input in(path);
    const npy_header header = read_header(in);
    if (header.kind == kind_name<T>) return read_matrix<T>(in, header);
    if constexpr (!std::is_same_v<T, bool>)
      if (header.kind == kind_name<bool>) return widened<T>(read_matrix<bool>(in, header));
    fail_at(in, 8, fmt::format("elements of type {} where {} is needed", shown(header.type), type_name<T>));
  });
}

namespace detail {

template <npy_element T>
void write_npy(const std::string& path, const matrix_view<const T>& values) {
  kleene::detail::with_memory(path.c_str(), static_cast<double>(values.size()) * sizeof(T), [&] {
    require_data(path, values);
    const index_t rows = values.rows(), cols = values.cols();
    const bool by_row = (values.stride(1) == 1 || cols <= 1) && (values.stride(0) == cols || rows <= 1);
    const bool by_column = (values.stride(0) == 1 || rows <= 1) && (values.stride(1) == rows || cols <= 1);
    atomic_file out(path);
    out.write(file_start<T>(rows, cols, by_column && !by_row));
    if (by_row || by_column) {
      out.write(values.data(), static_cast<std::size_t>(values.size()) * sizeof(T));
    } else {
      matrix<T> row(1, cols, uninitialised{});
      for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < cols; ++j) row(0, j) = values(i, j);
        out.write(row.data(), static_cast<std::size_t>(cols) * sizeof(T));
      }
    }
    out.commit();
  });
}

template void write_npy(const std::string&, const matrix_view<const float>&);
template void write_npy(const std::string&, const matrix_view<const double>&);
template void write_npy(const std::string&, const matrix_view<const std::int32_t>&);
template void write_npy(const std::string&, const matrix_view<const std::int64_t>&);
template void write_npy(const std::string&, const matrix_view<const bool>&);

}  // namespace detail

template <npy_element T>
npy_output<T>::npy_output(const std::string& path, index_t rows, index_t cols) {
  kleene::detail::with_memory(path.c_str(), static_cast<double>(rows) * static_cast<double>(cols) * sizeof(T), [&] {
    path_ = path;
    const std::size_t bytes = kleene::detail::bytes_of<2>({rows, cols}, sizeof(T));  // refuses what no memory can have
    const matrix_view<T> shape(nullptr, {rows, cols});
    const std::string start = file_start<T>(rows, cols, false);
    if (!atomic_file::writes_directly(path)) {
      file_.emplace(path);
      if (char* memory = static_cast<char*>(file_->map(start.size() + bytes))) {
        std::copy(start.begin(), start.end(), memory);
        view_ = {reinterpret_cast<T*>(memory + start.size()), shape.extents()};
        return;
      }
    }
    memory_ = matrix<T>(rows, cols, uninitialised{});
    view_ = memory_.view();
  });
}

template <npy_element T>
void npy_output<T>::commit() {
  if (memory_.data()) {
    if (!file_) file_.emplace(path_);
    file_->write(file_start<T>(memory_.rows(), memory_.cols(), false));
    file_->write(memory_.data(), static_cast<std::size_t>(memory_.size()) * sizeof(T));
  }
  file_->commit();
}

template class npy_output<float>;
template class npy_output<double>;
template class npy_output<std::int32_t>;
template class npy_output<std::int64_t>;
template class npy_output<bool>;

template matrix<float> read_npy(const std::string&);
template matrix<double> read_npy(const std::string&);
template matrix<std::int32_t> read_npy(const std::string&);
template matrix<std::int64_t> read_npy(const std::string&);
template matrix<bool> read_npy(const std::string&);

}  // namespace kleene::io
