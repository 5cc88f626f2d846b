// Numbers and answers as text: for people, and as JSON (RFC 8259; integers exact, floats with 17 significant digits,
// null for what JSON cannot say: infinities and NaN; bytes of a file name that are no UTF-8 as \xNN).
#pragma once

#include "kleene/data/view.hpp"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace kleene::cli {

std::string grouped(index_t n);                                     // 1,234,567
std::string counted(index_t n, const char* one, const char* many);  // 1 arc, 1,234 arcs
std::string seconds_text(double seconds);                           // 12.3 ms, 4.56 s, 3 min 12 s
std::string bytes_text(double bytes);                               // 3.1 GiB
std::string rate_text(double operations, double seconds);           // 12.3 Gops
std::string file_stem(std::string_view path);                       // data/road/x.mtx.gz -> x

// For people: integers exact, floats to three decimals (six digits below 1 and from 1e15).
std::string decimal_text(double value);
template <class T>
std::string number_text(T value) {
  if constexpr (std::integral<T>) return fmt::format("{:d}", value);
  else return decimal_text(value);
}
template <class T>
std::string number_json(T value) {
  if constexpr (std::integral<T>) return fmt::format("{:d}", value);
  else return std::isfinite(value) ? fmt::format("{:.17g}", value) : "null";
}
// The same of a number that is written out already.
std::string number_json(const std::string& decimal);

// The text with every byte that is not part of a character of UTF-8 as \xNN: a file name may hold any bytes, JSON and
// SVG may not. Characters that XML excludes (U+FFFE, U+FFFF) count as none.
std::string as_utf8(std::string_view text);

std::string json_string(std::string_view text);

// How many columns of a terminal a text of UTF-8 takes, were all its characters of one width.
std::size_t columns(std::string_view text);
// The text, or its first characters and an ellipsis, in at most so many columns.
std::string shortened(std::string_view text, std::size_t most);

// One JSON object, keys in the order they were added.
class json_object {
 public:
  // `value` is JSON already.
  json_object& raw(std::string_view key, std::string_view value);
  json_object& text(std::string_view key, std::string_view value) { return raw(key, json_string(value)); }
  json_object& boolean(std::string_view key, bool value) { return raw(key, value ? "true" : "false"); }
  json_object& null(std::string_view key) { return raw(key, "null"); }
  template <class T>
  json_object& number(std::string_view key, T value) {
    return raw(key, number_json(value));
  }
  std::string inner() const { return "{" + body_ + "}"; }  // as a part of another
  std::string str() const { return inner() + "\n"; }

 private:
  std::string body_;
};

// Lines "label   what" for people.
class answer {
 public:
  answer& line(std::string_view label, std::string_view what) {
    body_ += fmt::format("{:<12}{}\n", label, what);
    return *this;
  }
  const std::string& str() const { return body_; }

 private:
  std::string body_;
};

// Writes to stdout at once; error(bad_input) when it cannot take it (a full disk).
void write_stdout(std::string_view text);
// The same of what a subcommand has to say: on stderr once stdout is a file of its results (answer_on_stderr).
void write_answer(std::string_view text);
void answer_on_stderr();
bool answers_go_to_stderr();

}  // namespace kleene::cli
