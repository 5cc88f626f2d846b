#include "vertex_numbers.hpp"

#include "io/edge_list_sample.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/text.hpp"
#include "pictures/map.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>

namespace kleene::cli {

namespace {

// Lines with so many numbers each, of vertices in their order, or by a name in front.
class vertex_lines {
 public:
  // is_title(last field): whether the first line is one.
  template <class IsTitle, class Put>
  static void read(const std::string& path, const labels& names, index_t count, std::size_t numbers,
                   const IsTitle& is_title, const Put& put) {
    io::input file(path);
    io::scanner in(file);
    vertex_lines lines(in, names, count, numbers);
    bool is_first = true;
    while (in.next_filled_line()) {
      if (in.line().starts_with('#')) continue;
      const std::vector<std::string> fields = lines.fields();
      if (is_first) lines.width_ = fields.size();
      const bool has_title = is_first && is_title(fields.back());
      is_first = false;
      if (!has_title) put(in, lines.vertex_of(fields), std::span(fields).last(std::min(numbers, fields.size())));
    }
    lines.require_all();
  }

 private:
  vertex_lines(io::scanner& in, const labels& names, index_t count, std::size_t numbers)
      : in_(in), names_(names), count_(count), numbers_(numbers) {
    for (index_t v = 0; v < count; ++v) places_.emplace(names.plain(v), v);
    lines_.resize(static_cast<std::size_t>(count));
  }

  std::vector<std::string> fields() const {
    const std::string_view line = in_.line();
    char separator = ' ';
    for (const char c : {',', ';', '\t'})
      if (line.find(c) != line.npos) separator = c;
    std::vector<std::string> found = io::detail::fields_of(line, separator);
    if (found.empty()) in_.fail("the quotation marks of this line do not match");
    if (found.size() != numbers_ && found.size() != numbers_ + 1)
      in_.fail(fmt::format("{} fields where {} belong{}", found.size(),
                           numbers_ == 1 ? "a name and a number" : "a name and two coordinates",
                           numbers_ == 1 ? "" : ", or the latter alone"));
    return found;
  }

  std::size_t vertex_of(const std::vector<std::string>& fields) {
    if (fields.size() != width_)
      in_.fail(width_ == numbers_ ? "a name, where other lines have none" : "no name, where other lines have one");
    index_t v = next_;
    if (width_ > numbers_) {
      const auto found = places_.find(fields[0]);
      if (found == places_.end()) in_.fail(fmt::format("nothing is called {}", io::shown(fields[0])));
      v = found->second;
    } else if (next_++ == count_) {
      in_.fail(fmt::format("a line beyond the {} that there are vertices for", count_));
    }
    index_t& line = lines_[static_cast<std::size_t>(v)];
    if (line > 0) in_.fail(fmt::format("{} has a number in line {}", names_.text(v), line));
    line = in_.line_number();
    return static_cast<std::size_t>(v);
  }

  void require_all() const {
    if (const auto missing = std::ranges::find(lines_, 0); missing != lines_.end())
      in_.fail(fmt::format("the file ends, and {} has no number", names_.text(missing - lines_.begin())));
  }

  io::scanner& in_;
  const labels& names_;
  index_t count_;
  std::size_t numbers_;
  std::unordered_map<std::string, index_t> places_;
  std::vector<index_t> lines_;  // where each vertex stands; 0: not yet
  std::size_t width_ = 0;       // fields of a line
  index_t next_ = 0;            // the vertex of the next line, where lines have no names
};

double finite_number(const io::scanner& in, const std::string& field, const char* what) {
  const auto number = in.to_number<double>(field, what);
  if (!std::isfinite(number)) in.fail(fmt::format("the {} {} is not finite", what, io::shown(field)));
  return number;
}

}  // namespace

number_list read_vertex_numbers(const std::string& path, const labels& names, index_t count) {
  std::vector<std::int64_t> whole(static_cast<std::size_t>(count));
  std::vector<double> real(static_cast<std::size_t>(count));
  bool is_real = false;
  vertex_lines::read(
      path, names, count, 1, [](const std::string& last) { return last == "weight"; },
      [&](const io::scanner& in, std::size_t v, std::span<const std::string> fields) {
        const std::errc problem = io::scanner::parse(fields[0], whole[v]);
        if (problem == std::errc::result_out_of_range)
          in.fail(fmt::format("{} is outside the range of 64-bit integers", io::shown(fields[0])));
        is_real |= problem != std::errc{};
        real[v] = problem == std::errc{} ? static_cast<double>(whole[v]) : finite_number(in, fields[0], "number");
      });
  if (is_real) return real;
  return whole;
}

matrix<double> read_vertex_coordinates(const std::string& path, const labels& names, index_t count) {
  std::string_view plain = path;
  for (const std::string_view packed : io::compression_suffixes)
    if (plain.ends_with(packed)) plain.remove_suffix(packed.size());
  if (!plain.ends_with(".csv") && !plain.ends_with(".tsv") && !plain.ends_with(".txt"))
    return read_map_coordinates(path, count);
  matrix<double> coordinates(count, 2);
  constexpr std::array<std::string_view, 3> titles = {"y", "lat", "latitude"};
  vertex_lines::read(
      path, names, count, 2, [&](const std::string& last) { return std::ranges::find(titles, last) != titles.end(); },
      [&](const io::scanner& in, std::size_t v, std::span<const std::string> fields) {
        for (std::size_t axis = 0; axis < 2; ++axis)
          coordinates(static_cast<index_t>(v), static_cast<index_t>(axis)) =
              finite_number(in, fields[axis], "coordinate");
      });
  return coordinates;
}

}  // namespace kleene::cli
