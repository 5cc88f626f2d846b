// The line scanner of the text formats. It walks a text in memory line by line and a line field by field (fields are
// separated by blanks and tabs, lines end in LF or CR LF), and every refusal names the place: "file:line: what".
//
// Numbers are read by std::from_chars: exact integers, correctly rounded reals, no locale. A leading '+' is accepted,
// since C's strtod and Fortran write and read it; NaN, overflow, underflow to zero and trailing characters are refused.
// Overflow and underflow are those of double precision (1e309, 1e-324), or of single precision (1e39, 1e-46) where the
// caller says that reals will be held in it: no arc disappears, and no weight becomes 0, by being rounded.
//
// A file is read as its lines are asked for, a piece at a time: whatever a gzip file of a megabyte inflates to, its
// first wrong line is refused before more than the piece around it has been inflated.
#pragma once

#include "kleene/data/error.hpp"
#include "kleene/data/view.hpp"
#include "kleene/io/input.hpp"

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace kleene::io {

// How many bytes the character of UTF-8 takes that the text starts with; 0: it starts with none (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF; nor U+FFFE and U+FFFF, which XML excludes).
std::size_t utf8_character(std::string_view text);

// A field as it may stand in a message: in quotes, at most 40 bytes, those that are not of a printable character of
// UTF-8 as \xNN.
std::string shown(std::string_view field);

// What the real numbers of a file will be held in. They are read as double either way.
enum class real_type : int { f64, f32 };

class scanner {
 public:
  // A longer line of a file is refused.
  static constexpr std::size_t longest_line = std::size_t{1} << 20;

  // Copies neither: both must outlive the scanner. lines_before: of the file that the text is a part of.
  scanner(std::string_view text, std::string_view file, real_type reals = real_type::f64, index_t lines_before = 0)
      : file_(file), next_(text.data()), end_(text.data() + text.size()), line_number_(lines_before), reals_(reals) {}
  // What follows in a file; it must outlive the scanner.
  explicit scanner(input& in, real_type reals = real_type::f64);
  scanner(const scanner&) = delete;
  scanner& operator=(const scanner&) = delete;

  // What is at hand from the next line on: of a file its first `longest_line` bytes before the first next_line().
  std::string_view ahead() const { return {next_, static_cast<std::size_t>(end_ - next_)}; }
  std::string_view file() const { return file_; }
  real_type reals() const { return reals_; }
  // Of the line that next_line() moved to, from 1.
  index_t line_number() const { return line_number_; }
  // Instead of lines: copies the next bytes of content, and returns how many there were, fewer only at the end.
  std::size_t take(char* to, std::size_t bytes);

  // Moves to the next line; false when there is none. Fields of the line before are no longer valid.
  bool next_line() {
    const char* stop = line_stop();
    if (!stop && source_) stop = read_on();
    if (next_ == end_) return false;
    line_ = at_ = next_;
    line_end_ = stop ? stop : end_;
    next_ = stop ? stop + 1 : end_;
    if (line_end_ != line_ && line_end_[-1] == '\r') --line_end_;
    ++line_number_;
    return true;
  }
  // The same, skipping lines without a field.
  bool next_filled_line() {
    while (next_line()) {
      skip_blanks();
      if (at_ != line_end_) return true;
    }
    return false;
  }

  std::string_view line() const { return {line_, static_cast<std::size_t>(line_end_ - line_)}; }

  // The next field of the line; empty when there is none left.
  std::string_view word() {
    skip_blanks();
    const char* first = at_;
    while (at_ != line_end_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  // The next field as a number; `what` names it in the message when it is none.
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  T number(const char* what) {
    if constexpr (std::signed_integral<T>)
      if (std::int64_t value; read_digits(value) && std::in_range<T>(value)) return static_cast<T>(value);
    return to_number<T>(word(), what);
  }
  // A field of the line as a number.
  template <class T>
  T to_number(std::string_view field, const char* what) const {
    T value{};
    if (const std::errc problem = parse(field, value); problem != std::errc{}) refuse_number<T>(what, field, problem);
    if constexpr (std::floating_point<T>)
      if (reals_ == real_type::f32 && !fits_f32(value)) fail(words_of_f32(what, field));
    return value;
  }
  // A number from 1 to `last`, as files count, returned counted from 0.
  std::int32_t position(const char* what, index_t last) {
    if (std::int64_t at; read_digits(at)) return checked_position(what, at, last);
    return to_position(word(), what, last);
  }
  std::int32_t to_position(std::string_view field, const char* what, index_t last) const {
    return checked_position(what, to_number<index_t>(field, what), last);
  }
  // Whether the next field is nothing but digits, few enough to fit; then it is read. What most numbers of most files
  // are takes one pass so; any other field is left where it is.
  bool read_digits(std::int64_t& value) {
    skip_blanks();
    const char* at = at_;
    std::uint64_t sum = 0;
    for (; at != line_end_ && static_cast<unsigned char>(*at - '0') < 10; ++at)
      sum = 10 * sum + static_cast<unsigned char>(*at - '0');
    if (at == at_ || at - at_ > 18 || (at != line_end_ && *at != ' ' && *at != '\t')) return false;
    at_ = at;
    value = static_cast<std::int64_t>(sum);
    return true;
  }

  // Whether no field is left on the line.
  bool at_end_of_line() {
    skip_blanks();
    return at_ == line_end_;
  }
  // Refuses fields that are left on the line.
  void end_of_line() {
    if (!at_end_of_line()) refuse_rest();
  }
  // Refuses a promise of `count` more lines, or of what `many` says, of at least `shortest` bytes each (line end
  // included) that the text cannot hold, so that nobody allocates for it. Of gzip files and pipes the size is not
  // known, only that the first have a limit. Up to 65536 pass: once all is read, it can be said how many there are.
  void require_lines(index_t count, index_t shortest, const char* many = "entries") const;
  // For how many of so many promised entries to make room before they are seen: all, or few where the size of the text
  // is not known.
  index_t believable(index_t count) const;

  [[noreturn]] void fail(const std::string& what) const;

  // All of `field` as a number: errc{} and the value, or why not (invalid_argument, result_out_of_range).
  template <class T>
  static std::errc parse(std::string_view field, T& value) {
    if (field.size() > 1 && field.front() == '+' && field[1] != '-') field.remove_prefix(1);
    const auto [stop, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (stop != field.data() + field.size()) return std::errc::invalid_argument;
    if (problem == std::errc{} && value != value) return std::errc::invalid_argument;
    return problem;
  }

  // Whether single precision neither makes it infinite nor makes it zero.
  static bool fits_f32(double value) {
    const auto narrow = static_cast<float>(value);
    return narrow == value || (narrow != 0 && narrow - narrow == 0);
  }
  // What is said of one where it does not: "the weight '1e99' is outside the range of f32 ...".
  static std::string words_of_f32(const char* what, std::string_view field);

 private:
  std::int32_t checked_position(const char* what, index_t at, index_t last) const {
    if (at < 1 || at > last) refuse_position(what, at, last);
    return static_cast<std::int32_t>(at - 1);
  }
  const char* line_stop() const {
    return next_ == end_ ? nullptr
                         : static_cast<const char*>(std::memchr(next_, '\n', static_cast<std::size_t>(end_ - next_)));
  }
  // Moves the unread rest of the piece to its start and reads what has room behind it.
  void fill();
  // The same for a line that does not end in the piece; returns its end.
  const char* read_on();
  bool size_is_known() const;
  void skip_blanks() {
    while (at_ != line_end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  template <class T>
  [[noreturn]] void refuse_number(const char* what, std::string_view field, std::errc problem) const {
    refuse_number(what, field, problem, std::integral<T>);
  }
  [[noreturn]] void refuse_number(const char* what, std::string_view field, std::errc problem, bool integer) const;
  [[noreturn]] void refuse_position(const char* what, index_t at, index_t last) const;
  [[noreturn]] void refuse_rest() const;

  std::string_view file_;
  const char *next_, *end_;
  const char *line_ = nullptr, *at_ = nullptr, *line_end_ = nullptr;
  index_t line_number_ = 0;
  input* source_ = nullptr;  // null: all that there is lies between next_ and end_
  std::unique_ptr<char[]> piece_;
  real_type reals_;
};

}  // namespace kleene::io
