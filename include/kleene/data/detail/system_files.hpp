// Small files in which the system says what there is, read by C's functions. A kernel that stands alone
// (apps/python/kleene/_ring_build.py) has its own copy of the C++ library, whose streams share locales with the
// process's: `>>` of a number ended in a crash there.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace kleene::detail {

// All that a file holds; nothing where it cannot be read.
inline std::string text_of(const std::string& path) {
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, closer> file(std::fopen(path.c_str(), "r"));
  std::string text;
  char piece[4096];
  for (std::size_t count; file && (count = std::fread(piece, 1, sizeof(piece), file.get())) > 0;)
    text.append(piece, count);
  return text;
}

// Takes the next line off a text, or the next word: empty at its end.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}
inline std::string_view take_word(std::string_view& text) {
  constexpr std::string_view blanks = " \t\n\r\v\f";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

// Calls visit(controllers, path) for each control group of the process: lines "4:cpu,cpuacct:/docker/0f3a" of
// /proc/self/cgroup, or "0::/user.slice" of version 2, which names no controllers.
template <class Visit>
void each_control_group(const std::string& root, const Visit& visit) {
  const std::string groups = text_of(root + "/proc/self/cgroup");
  for (std::string_view lines = groups; !lines.empty();) {
    const std::string_view line = take_line(lines);
    const std::size_t first = line.find(':'), second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos || line.substr(second + 1, 1) != "/") continue;
    visit(std::string(line.substr(first + 1, second - first - 1)), std::string(line.substr(second + 1)));
  }
}
inline bool lists(const std::string& controllers, const std::string& one) {
  return ("," + controllers + ",").find("," + one + ",") != std::string::npos;
}

// Whether a word is an integer of that type, and which.
template <class Integer>
bool read_integer(std::string_view word, Integer& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

}  // namespace kleene::detail
