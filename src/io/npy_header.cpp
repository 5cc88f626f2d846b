#include "io/npy_header.hpp"

#include "kleene/data/error.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace kleene::io::detail {

void fail_at(const input& in, std::uint64_t byte, const std::string& what) {
  throw error(fault_code::bad_input, fmt::format("{}: at byte {}: {}", in.path(), byte, what));
}

namespace {

constexpr std::string_view magic = row_of(file_format::npy).sign;
constexpr std::size_t most_header = 1 << 16;  // what NumPy writes for a matrix is 118 bytes

// NumPy spells one type in several ways: '<', '=', '|' or nothing before it is the order of bytes of this machine, and
// '?' is b1. Empty: none of `npy_kinds`.
std::string_view kind_of(std::string_view type) {
  if (!type.empty() && std::string_view("<>=|").find(type.front()) != std::string_view::npos) type.remove_prefix(1);
  if (type == "?") type = kind_name<bool>;
  const auto* found = std::find(std::begin(npy_kinds), std::end(npy_kinds), type);
  return found == std::end(npy_kinds) ? std::string_view() : *found;
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
    return {*type, kind_of(*type), type->starts_with('>'), *fortran_order, *shape, 0};
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

}  // namespace

npy_header read_npy_header(input& in) {
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
  if (bytes > most_header)
    fail_at(in, 8, fmt::format("a header of {} bytes, which is more than the {} that are read", bytes, most_header));
  std::string text(bytes, '\0');
  const std::uint64_t header_at = in.offset();
  if (in.read(text.data(), bytes) < bytes)
    fail_at(in, in.offset(), fmt::format("the file ends within its header of {} bytes", bytes));
  npy_header header = header_parser(in, text, header_at).parse();
  header.at = header_at;
  return header;
}

}  // namespace kleene::io::detail
