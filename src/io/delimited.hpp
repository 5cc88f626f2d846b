// Fields of a line of delimited text (RFC 4180; blanks around fields do not count).
#pragma once

#include "io/words.hpp"

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace kleene::io::detail {

class delimited_line {
 public:
  // separator ' ': runs of blanks and tabs.
  delimited_line(std::string_view line, char separator)
      : at_(line.data() + byte_order_mark(line)), end_(line.data() + line.size()), separator_(separator) {}

  // The next field; false after the last one, and where there is a problem(). `room` holds a field that is not in the
  // line as it is (a quoted one with quotation marks in it).
  bool next(std::string_view& field, std::string& room) {
    if (done_) return false;
    skip_blanks();
    if (separator_ == ' ' && at_ == end_) return !(done_ = true);
    if (at_ != end_ && *at_ == '"') return next_quoted(field, room);
    const char* const first = at_;
    skip_words();
    while (at_ != end_ && !separates(*at_)) {
      if (*at_ == '"') return refuse("a quotation mark inside a field (quote the whole field and double the mark)");
      ++at_;
    }
    const char* last = at_;
    while (last != first && is_blank(last[-1])) --last;
    field = without_unseen({first, static_cast<std::size_t>(last - first)});
    step();
    return true;
  }
  // What is wrong with the quotation marks of the line, or null.
  const char* problem() const { return problem_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  bool separates(char c) const { return separator_ == ' ' ? is_blank(c) : c == separator_; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_) && *at_ != separator_) ++at_;
    while (separator_ == ' ' && at_ != end_ && is_blank(*at_)) ++at_;
  }
  // To a separator or a quotation mark, or to less than a word before the end of the line.
  void skip_words() {
    const char other = separator_ == ' ' ? '\t' : separator_;
    while (end_ - at_ >= 8) {
      const auto word = load<std::uint64_t>(at_);
      const std::uint64_t found =
          bytes_that_are(word, '"') | bytes_that_are(word, separator_) | bytes_that_are(word, other);
      if (found != 0) {
        at_ += std::countr_zero(found) / 8;
        return;
      }
      at_ += 8;
    }
  }
  // Over the separator, if the line does not end here.
  void step() {
    if (at_ == end_) done_ = true;
    else ++at_;
  }
  bool refuse(const char* what) {
    problem_ = what;
    return !(done_ = true);
  }

  bool next_quoted(std::string_view& field, std::string& room) {
    const char* first = ++at_;
    room.clear();
    for (;;) {
      const auto* mark = static_cast<const char*>(std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_)));
      if (!mark) return refuse("a quoted field does not end on its line");
      at_ = mark + 1;
      if (at_ == end_ || *at_ != '"') break;
      room.append(first, at_);  // with one of the two marks
      first = ++at_;
    }
    field = {first, static_cast<std::size_t>(at_ - 1 - first)};
    if (room.empty()) field = without_unseen(field);
    else field = room.append(field);
    if (at_ != end_ && !separates(*at_) && !is_blank(*at_)) return refuse("text behind a quoted field");
    if (separator_ != ' ') skip_blanks();
    if (at_ != end_ && !separates(*at_)) return refuse("text behind a quoted field");
    step();
    return true;
  }

  const char *at_, *end_;
  char separator_;
  bool done_ = false;
  const char* problem_ = nullptr;
};

}  // namespace kleene::io::detail
