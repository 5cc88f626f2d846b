#include "kleene/io/npy.hpp"

#include "io/memory.hpp"
#include "kleene/algebra/half.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <vector>

namespace kleene::io {

static_assert(std::endian::native == std::endian::little, "npy files are read and written as they lie in memory");

namespace {

constexpr std::string_view magic = row_of(file_format::npy).sign;
constexpr std::size_t alignment = 64;         // of the first element in the file, as NumPy pads since 1.14
constexpr std::size_t most_header = 1 << 16;  // what NumPy writes for a matrix is 118 bytes
constexpr std::size_t piece_bytes = std::size_t{4} << 20;

// A type as the header spells it ("descr"), as Kleene writes it.
// clang-format off
template <class T> constexpr std::string_view type_name = "";
template <> constexpr std::string_view type_name<float>        = "<f4";
template <> constexpr std::string_view type_name<double>       = "<f8";
template <> constexpr std::string_view type_name<std::int32_t> = "<i4";
template <> constexpr std::string_view type_name<std::int64_t> = "<i8";
template <> constexpr std::string_view type_name<bool>         = "|b1";
template <> constexpr std::string_view type_name<f16>          = "<f2";
template <> constexpr std::string_view type_name<std::int8_t>  = "|i1";
template <> constexpr std::string_view type_name<std::uint8_t> = "|u1";
// clang-format on

[[noreturn]] void fail_at(const input& in, std::uint64_t byte, const std::string& what) {
  throw error(fault_code::bad_input, fmt::format("{}: at byte {}: {}", in.path(), byte, what));
}

// --- the header: a Python dictionary of three entries ---------------------------------------------------------------

struct npy_header {
  std::string type;       // as found, for messages
  std::string_view kind;  // the type without its order of bytes: one of `kinds`, or empty
  bool swapped = false;   // the elements are big-endian
  bool fortran_order = false;
  std::vector<index_t> shape;
};

// Kind and bytes of the types that are read: the names that Kleene writes, without the order of bytes.
constexpr std::string_view kinds[] = {"f2", "f4", "f8", "i1", "u1", "i4", "i8", "b1"};
template <class T>
constexpr std::string_view kind_name = type_name<T>.substr(1);

// NumPy spells one type in several ways: '<', '=', '|' or nothing before it is the order of bytes of this machine, and
// '?' is b1. Empty: none of `kinds`.
std::string_view kind_of(std::string_view type) {
  if (!type.empty() && std::string_view("<>=|").find(type.front()) != std::string_view::npos) type.remove_prefix(1);
  if (type == "?") type = kind_name<bool>;
  const auto* found = std::find(std::begin(kinds), std::end(kinds), type);
  return found == std::end(kinds) ? std::string_view() : *found;
}

class header_parser {
 public:
  header_parser(const input& in, std::string_view text, std::uint64_t start) : in_(in), text_(text), start_(start) {}

  npy_header parse() {
    std::optional<std::string> type;
    std::optional<bool> fortran_order;
    std::optional<std::vector<index_t>> shape;
    expect('{');
    while (!accept('}')) {
      const std::size_t at = at_;
      const std::string key = string();
      expect(':');
      if (key == "descr" && !type) type = string();
      else if (key == "fortran_order" && !fortran_order) fortran_order = truth();
      else if (key == "shape" && !shape) shape = tuple();
      else fail(at, fmt::format("an unknown or repeated key {}", shown(key)));
      if (peek() != '}') expect(',');
    }
    peek();
    if (at_ != text_.size()) fail(at_, "text after the header's '}'");
    if (!type || !fortran_order || !shape) fail(at_, "the header lacks one of 'descr', 'fortran_order', 'shape'");
    return {*type, kind_of(*type), type->starts_with('>'), *fortran_order, *shape};
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const { fail_at(in_, start_ + at, what); }
  // The next character that is no white space; NUL at the end.
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(at_, fmt::format("the header needs a '{}' here", c));
  }
  std::string string() {
    const char quote = peek();
    if (quote == '[') fail(at_, "arrays of records are not supported");
    if (quote != '\'' && quote != '"') fail(at_, "the header needs a string here");
    const std::size_t first = at_ + 1, last = text_.find(quote, first);
    if (last == std::string_view::npos) fail(at_, "a string in the header does not end");
    at_ = last + 1;
    return std::string(text_.substr(first, last - first));
  }
  bool truth() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail(at_, "'fortran_order' is neither True nor False");
  }
  std::vector<index_t> tuple() {
    std::vector<index_t> extents;
    expect('(');
    while (!accept(')')) {
      index_t extent = 0;
      const bool leading_zero = peek() == '0';
      const auto [stop, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), extent);
      if (problem != std::errc{} || extent < 0) fail(at_, "an extent in 'shape' is no number from 0 to 2^63 - 1");
      if (leading_zero && extent > 0) fail(at_, "an extent in 'shape' starts with a 0, which is no Python number");
      at_ = static_cast<std::size_t>(stop - text_.data());
      extents.push_back(extent);
      if (peek() != ')') expect(',');
    }
    return extents;
  }

  const input& in_;
  std::string_view text_;
  std::uint64_t start_;
  std::size_t at_ = 0;
};

npy_header read_header(input& in) {
  unsigned char start[8];
  const std::size_t got = in.read(start, 8);
  if (got == 0) fail_at(in, 0, "the file is empty");
  if (std::string_view(reinterpret_cast<char*>(start), std::min<std::size_t>(got, 6)) != magic.substr(0, got))
    fail_at(
        in, 0,
        fmt::format("this is no npy file: it does not start with {} and a version", row_of(file_format::npy).shown));
  if (got < 8) fail_at(in, got, "the file ends within the 8 bytes that an npy file starts with");
  if (start[6] < 1 || start[6] > 3 || start[7] != 0)
    fail_at(in, 6, fmt::format("version {}.{} of the format is unknown", start[6], start[7]));
  unsigned char length[4] = {};
  const std::size_t length_bytes = start[6] == 1 ? 2 : 4;
  if (in.read(length, length_bytes) < length_bytes) fail_at(in, in.offset(), "the file ends before its header");
  const std::size_t bytes = length[0] | length[1] << 8 | length[2] << 16 | std::size_t{length[3]} << 24;
  if (bytes > most_header) fail_at(in, 8, fmt::format("a header of {} bytes is not to be believed", bytes));
  std::string text(bytes, '\0');
  const std::uint64_t header_at = in.offset();
  if (in.read(text.data(), bytes) < bytes)
    fail_at(in, in.offset(), fmt::format("the file ends within its header of {} bytes", bytes));
  npy_header header = header_parser(in, text, header_at).parse();
  if (header.shape.size() != 2)
    fail_at(in, header_at, fmt::format("an array of {} dimensions is no matrix", header.shape.size()));
  return header;
}

// --- the elements ---------------------------------------------------------------------------------------------------

template <class T>
void read_elements(input& in, T* to, index_t count, bool swapped) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(T);
  if (in.read(to, bytes) < bytes) fail_at(in, in.offset(), "the file ends within its elements");
  if (!swapped || sizeof(T) == 1) return;
  auto* const first = reinterpret_cast<unsigned char*>(to);
  for (std::size_t at = 0; at < bytes; at += sizeof(T)) std::reverse(first + at, first + at + sizeof(T));
}

// Any other byte in a bool would be undefined behaviour.
template <>
void read_elements(input& in, bool* to, index_t count, bool) {
  const std::uint64_t first = in.offset();
  auto* bytes = reinterpret_cast<unsigned char*>(to);
  read_elements(in, bytes, count, false);
  const auto* bad = std::find_if(bytes, bytes + count, [](unsigned char b) { return b > 1; });
  if (bad != bytes + count)
    fail_at(in, first + static_cast<std::uint64_t>(bad - bytes), fmt::format("a bool of value {}", *bad));
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

npy_matrix read_npy_any(input& in) {
  return detail::with_memory_of(in.path(), [&]() -> npy_matrix {
    const npy_header header = read_header(in);
    if (header.kind == kind_name<float>) return read_matrix<float>(in, header);
    if (header.kind == kind_name<double>) return read_matrix<double>(in, header);
    if (header.kind == kind_name<std::int32_t>) return read_matrix<std::int32_t>(in, header);
    if (header.kind == kind_name<std::int64_t>) return read_matrix<std::int64_t>(in, header);
    if (header.kind == kind_name<bool>) return read_matrix<bool>(in, header);
    if (header.kind == kind_name<f16>) return widened<float>(read_matrix<f16>(in, header));
    if (header.kind == kind_name<std::int8_t>) return widened<std::int32_t>(read_matrix<std::int8_t>(in, header));
    if (header.kind == kind_name<std::uint8_t>) return widened<std::int32_t>(read_matrix<std::uint8_t>(in, header));
    fail_at(in, 8,
            fmt::format("elements of type {}; those read are {}, in either order of bytes", shown(header.type),
                        fmt::join(kinds, ", ")));
  });
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
