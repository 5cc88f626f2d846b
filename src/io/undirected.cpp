#include "kleene/io/undirected.hpp"

#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/io/input.hpp"

namespace kleene::io {

namespace {

bool is_digits(std::string_view word) { return !word.empty() && word.find_first_not_of("0123456789") == word.npos; }

// The two formats line by line: what the p line says, and where an edge starts.
class edge_lines {
 public:
  edge_lines(scanner& in, bool pace) : in_(in), pace_(pace) {}

  coo<std::int64_t> parse() {
    while (in_.next_filled_line()) {
      const std::string_view word = in_.word();
      if (word == "p") problem();
      else if (pace_ ? is_digits(word) : word == "e") edge(pace_ ? word : in_.word());
      else if (!pace_ && word == "n") value();
      else if (word.starts_with('c')) continue;
      else refuse(word);
      in_.end_of_line();
    }
    if (!started_) in_.fail("there is no p line");
    if (found_ != promised_) in_.fail(fmt::format("the file ends after {} of {} edges", found_, promised_));
    return std::move(edges_);
  }

 private:
  void problem() {
    if (started_) in_.fail("a second p line");
    started_ = true;
    const std::string_view word = in_.word();
    if (pace_ ? word != "tw" : word != "edge" && word != "col")
      in_.fail(fmt::format("the p line has {} where {} belongs", shown(word), pace_ ? "'tw'" : "'edge' or 'col'"));
    const index_t n = detail::vertex_count(in_);
    promised_ = detail::line_count(in_, "edges", pace_ ? 4 : 6);  // "1 2\n", "e 1 2\n"
    detail::make_room(edges_, n, 2 * in_.believable(promised_));
  }
  void edge(std::string_view first) {
    if (!started_) in_.fail("an edge before the p line");
    if (found_++ == promised_) in_.fail(fmt::format("an edge beyond the {} that the p line promises", promised_));
    const std::int32_t u = in_.to_position(first, "vertex", edges_.rows), v = in_.position("vertex", edges_.rows);
    detail::add_edge<std::int64_t>(edges_, u, v, 1);
  }
  void value() {
    if (!started_) in_.fail("a line 'n' before the p line");
    in_.position("vertex", edges_.rows);
    (void)in_.number<std::int64_t>("value of a vertex");
  }
  [[noreturn]] void refuse(std::string_view word) const {
    if (!pace_ && !started_ && is_digits(word))
      in_.fail("this is the binary form of a DIMACS graph: only the text is read, which bin2asc makes of it");
    in_.fail(
        fmt::format("a line starts with {}, not with {}", pace_ ? "c, p or a vertex" : "c, p, n or e", shown(word)));
  }

  scanner& in_;
  bool pace_, started_ = false;
  index_t promised_ = 0, found_ = 0;
  coo<std::int64_t> edges_;
};

coo<std::int64_t> parse(scanner& in, bool pace) {
  return detail::with_memory_of(in.file(), [&] { return edge_lines(in, pace).parse(); });
}
coo<std::int64_t> read(const std::string& path, bool pace) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse(in, pace);
  });
}

}  // namespace

coo<std::int64_t> parse_dimacs_edges(scanner& in) { return parse(in, false); }
coo<std::int64_t> parse_dimacs_edges(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse(in, false);
}
coo<std::int64_t> read_dimacs_edges(const std::string& path) { return read(path, false); }

coo<std::int64_t> parse_pace(scanner& in) { return parse(in, true); }
coo<std::int64_t> parse_pace(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse(in, true);
}
coo<std::int64_t> read_pace(const std::string& path) { return read(path, true); }

}  // namespace kleene::io
