// Numbers of vertices: the files of --weights and --fields.
#include "io/edge_list_sample.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/text.hpp"
#include "solve_input.hpp"
#include "text.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace kleene::cli {

namespace {

class vertex_numbers {
 public:
  vertex_numbers(io::scanner& in, const labels& names, index_t count) : in_(in), names_(names), count_(count) {
    for (index_t v = 0; v < count; ++v) places_.emplace(names.plain(v), v);
    whole_.resize(static_cast<std::size_t>(count));
    real_.resize(static_cast<std::size_t>(count));
    lines_.resize(static_cast<std::size_t>(count));
  }

  number_list read() {
    while (in_.next_filled_line())
      if (!in_.line().starts_with('#')) read_line(fields());
    if (const auto missing = std::ranges::find(lines_, 0); missing != lines_.end())
      in_.fail(fmt::format("the file ends, and {} has no number", names_.text(missing - lines_.begin())));
    if (is_real_) return std::move(real_);
    return std::move(whole_);
  }

 private:
  std::vector<std::string> fields() const {
    const std::string_view line = in_.line();
    char separator = ' ';
    for (const char c : {',', ';', '\t'})
      if (line.find(c) != line.npos) separator = c;
    const std::vector<std::string> found = io::detail::fields_of(line, separator);
    if (found.empty()) in_.fail("the quotation marks of this line do not match");
    return found;
  }

  void read_line(const std::vector<std::string>& fields) {
    if (fields.size() > 2) in_.fail(fmt::format("{} fields where a name and a number belong", fields.size()));
    const bool is_first = fields_ == 0;
    if (is_first) fields_ = fields.size();
    if (is_first && fields_ == 2 && fields[1] == "weight") return;
    if (fields.size() != fields_)
      in_.fail(fields_ == 1 ? "a name, where other lines have none" : "one field, where other lines have two");
    index_t v = next_;
    if (fields_ == 2) {
      const auto found = places_.find(fields[0]);
      if (found == places_.end()) in_.fail(fmt::format("nothing is called {}", io::shown(fields[0])));
      v = found->second;
    } else if (next_++ == count_) {
      in_.fail(fmt::format("a number beyond the {} that there are vertices for", count_));
    }
    put(static_cast<std::size_t>(v), fields.back());
  }

  void put(std::size_t v, const std::string& field) {
    if (lines_[v] > 0)
      in_.fail(fmt::format("{} has a number in line {}", names_.text(static_cast<index_t>(v)), lines_[v]));
    lines_[v] = in_.line_number();
    const std::errc problem = io::scanner::parse(field, whole_[v]);
    if (problem == std::errc{}) {
      real_[v] = static_cast<double>(whole_[v]);
      return;
    }
    if (problem == std::errc::result_out_of_range)
      in_.fail(fmt::format("{} is outside the range of 64-bit integers", io::shown(field)));
    real_[v] = in_.to_number<double>(field, "number");
    if (!std::isfinite(real_[v])) in_.fail(fmt::format("the number {} is not finite", io::shown(field)));
    is_real_ = true;
  }

  io::scanner& in_;
  const labels& names_;
  index_t count_;
  std::unordered_map<std::string, index_t> places_;
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
  std::vector<index_t> lines_;  // where the number of each vertex stands; 0: not yet
  std::size_t fields_ = 0;      // of a line; 0: none is read yet
  index_t next_ = 0;            // the vertex of the next line, where lines have no names
  bool is_real_ = false;
};

}  // namespace

number_list read_vertex_numbers(const std::string& path, const labels& names, index_t count) {
  io::input file(path);
  io::scanner in(file);
  return vertex_numbers(in, names, count).read();
}

}  // namespace kleene::cli
