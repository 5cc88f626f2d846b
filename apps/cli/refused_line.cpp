#include "refused_line.hpp"

#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>

namespace kleene::cli {

namespace {

// Whether a character can be of a name or of a number, and does not stand between them.
bool is_of_word(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') || c == '_' || c == '.' || c == '+' || c == '-';
}

// Writes blanks over the first place of the line where a word stands alone; false: it has none.
bool take_word(std::string& line, const std::string& word) {
  for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at > 0 && is_of_word(line[at - 1])) || (end < line.size() && is_of_word(line[end]))) continue;
    line.replace(at, word.size(), word.size(), ' ');
    return true;
  }
  return false;
}

bool has_number(std::string_view line, double value) {
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_of_word(line[end])) ++end;
    double number = 0;
    if (end > at && io::scanner::parse(line.substr(at, end - at), number) == std::errc{} && number == value)
      return true;
    at = end + 1;
  }
  return false;
}

// The number of the first line that `fits` says true of; 0: none. Lines are copied: `fits` may write into its own.
template <class Fits>
index_t first_line(const std::string& path, const Fits& fits) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return 0;  // a pipe is empty by now
  try {
    io::input file(path);
    const io::file_format format = io::format_at_start(file.start());
    if (format != io::file_format::unknown && format != io::file_format::matrix_market) return 0;  // no text
    io::scanner in(file);
    while (in.next_line())
      if (fits(std::string(in.line()))) return in.line_number();
  } catch (const error&) {
    // A line too long for a scanner, or a file that changed: the refusal goes without its line.
  }
  return 0;
}

std::string place(const std::string& path, index_t line) { return line > 0 ? fmt::format("{}:{}", path, line) : path; }

index_t line_of_arc(const entry_source& source, const std::array<std::string, 2>& ends, double value) {
  const bool graphml = source.format == io::row_of(io::file_format::graphml).name;
  return first_line(source.path, [&](std::string line) {
    if (graphml && !(take_word(line, "source") && take_word(line, "target"))) return false;
    return take_word(line, ends[0]) && take_word(line, ends[1]) && (graphml || has_number(line, value));
  });
}

index_t line_of_metis(const entry_source& source, index_t row, const std::string& other, double value) {
  index_t vertex = -1;  // of the line; the first one that is no comment is the header
  bool header = true;
  return first_line(source.path, [&](std::string line) {
    if (line.starts_with('%')) return false;
    if (header) return header = false;
    return ++vertex == row && take_word(line, other) && has_number(line, value);
  });
}

}  // namespace

std::string place_of(const entry_source& source, index_t row, index_t col, double value) {
  if (source.format == io::row_of(io::file_format::npy).name) return source.path;
  const auto number = [&](index_t vertex) { return std::to_string(vertex + source.names.first()); };
  if (source.format == io::row_of(io::file_format::metis).name)
    return place(source.path, line_of_metis(source, row, number(col), value));
  index_t line = line_of_arc(source, {source.names.plain(row), source.names.plain(col)}, value);
  if (line == 0 && source.format == io::row_of(io::file_format::matrix_market).name) {
    line = line_of_arc(source, {number(row), number(col)}, -value);  // the other half of a skew-symmetric matrix
    if (line == 0) return place_of(source.path, value);              // an array, which has nothing but values
  }
  // Names may come from another file.
  if (line == 0 && source.names.named()) line = line_of_arc(source, {number(row), number(col)}, value);
  return place(source.path, line);
}

std::string place_of(const std::string& path, double value) {
  return place(path, first_line(path, [&](const std::string& line) { return has_number(line, value); }));
}

}  // namespace kleene::cli
