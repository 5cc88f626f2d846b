#include "kleene/io/names.hpp"

#include "io/delimited.hpp"
#include "io/memory.hpp"
#include "io/words.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace kleene::io {

namespace {

std::vector<std::string> parse(scanner& in) {
  std::vector<std::string> names;
  std::unordered_map<std::string, index_t> lines;
  std::string room;
  while (in.next_line()) {
    // Nothing separates names but the end of their line.
    detail::delimited_line walk(in.line(), '\n');
    std::string_view name;
    walk.next(name, room);
    if (walk.problem()) in.fail(walk.problem());
    if (name.empty()) in.fail("an empty line, where the name of a vertex belongs");
    if (detail::has_control(name)) in.fail(fmt::format("the name {} has control characters in it", shown(name)));
    const auto [known, fresh] = lines.emplace(name, in.line_number());
    if (!fresh) in.fail(fmt::format("the name {} is in line {} already", shown(name), known->second));
    names.emplace_back(name);
  }
  return names;
}

// Of UTF-8; of other bytes as many as they can be.
std::size_t letter_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The optimal string alignment distance (Damerau 1964, without edits inside a swap), or more than `most`.
std::size_t changes(std::string_view a, std::string_view b, std::size_t most) {
  if (a.size() > b.size() + most || b.size() > a.size() + most) return most + 1;
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> parse_names(std::string_view text, std::string_view file) {
  return detail::with_memory_of(file, [&] {
    scanner in(text, file);
    return parse(in);
  });
}
std::vector<std::string> read_names(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse(in);
  });
}

std::vector<std::string> split_list(std::string_view text, std::string_view what) {
  std::vector<std::string> pieces;
  detail::delimited_line walk(text, ',');
  std::string room;
  for (std::string_view piece; walk.next(piece, room);) {
    if (piece.empty())
      throw error(fault_code::usage, fmt::format("{}: an empty piece in the list {}", what, shown(text)));
    pieces.emplace_back(piece);
  }
  if (walk.problem())
    throw error(fault_code::usage, fmt::format("{}: the list {}: {}", what, shown(text), walk.problem()));
  return pieces;
}

long nearest(std::string_view asked, long count, const std::function<std::string_view(long)>& word) {
  if (asked.size() > 100) return -1;
  // A change makes any two letters of any two others.
  const auto is_short = [](std::string_view text) { return letter_count(text) <= 2; };
  std::size_t least = is_short(asked) ? 1 : asked.size() / 3 + 2;
  long found = -1;
  for (long w = 0; w < count && least > 0; ++w)
    if (const std::size_t d = changes(asked, word(w), least - 1); d < least && (d == 0 || !is_short(word(w))))
      least = d, found = w;
  return found;
}

}  // namespace kleene::io
