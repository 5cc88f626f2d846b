#include "kleene/io/undirected.hpp"

#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/io/formats.hpp"
#include "kleene/io/input.hpp"

namespace kleene::io {

namespace {

bool is_digits(std::string_view word) { return !word.empty() && word.find_first_not_of("0123456789") == word.npos; }

// The two formats: what the p line says, and where an edge starts.
class edge_lines {
 public:
  explicit edge_lines(bool pace) : pace_(pace) {}

  coo<std::int64_t> parse(scanner& in, int threads) {
    find_problem(in);
    vertices_ = detail::vertex_count(in);
    const index_t promised = detail::line_count(in, "edges", pace_ ? 4 : 6);  // "1 2\n", "e 1 2\n"
    in.end_of_line();
    using edges = coo<std::int64_t>;
    auto blocks = detail::read_entries<edges>(in, {promised, "an edge", "edges", "the p line"}, threads,
                                              [this](scanner& line, auto& block) { parse_line(line, block); });
    std::vector<edges*> lists;
    for (auto& block : blocks) lists.push_back(&block.list);
    return detail::join(lists, vertices_, vertices_, threads);
  }

 private:
  bool is_edge(std::string_view word) const { return pace_ ? is_digits(word) : word == "e"; }
  bool is_value(std::string_view word) const { return !pace_ && word == "n"; }

  void find_problem(scanner& in) const {
    while (in.next_filled_line()) {
      const std::string_view word = in.word();
      if (word == "p") {
        const std::string_view kind = in.word();
        const std::string sign = fmt::format("p {}", kind);
        const auto format = pace_ ? file_format::pace : file_format::dimacs_edges;
        if (std::ranges::any_of(format_table,
                                [&](const format_row& r) { return r.format == format && r.sign == sign; }))
          return;
        in.fail(fmt::format("the p line has {} where {} belongs", shown(kind), pace_ ? "'tw'" : "'edge' or 'col'"));
      }
      if (is_edge(word)) in.fail("an edge before the p line");
      if (is_value(word)) in.fail("a line 'n' before the p line");
      if (!pace_ && is_digits(word))
        in.fail("this is the binary form of a DIMACS graph: only the text is read, which bin2asc makes of it");
      if (!word.starts_with('c')) refuse(in, word);
    }
    in.fail("there is no p line");
  }

  void parse_line(scanner& in, detail::entry_block<coo<std::int64_t>>& block) const {
    const std::string_view word = in.word();
    if (is_edge(word)) {
      block.places.add(in.line_number());
      const std::int32_t u = in.to_position(pace_ ? word : in.word(), "vertex", vertices_);
      detail::add_edge<std::int64_t>(block.list, u, in.position("vertex", vertices_), 1);
    } else if (is_value(word)) {
      in.position("vertex", vertices_);
      (void)in.number<std::int64_t>("value of a vertex");
    } else if (word == "p") {
      in.fail("a second p line");
    } else if (word.starts_with('c')) {
      return;
    } else {
      refuse(in, word);
    }
    in.end_of_line();
  }
  [[noreturn]] void refuse(const scanner& in, std::string_view word) const {
    in.fail(
        fmt::format("a line starts with {}, not with {}", pace_ ? "c, p or a vertex" : "c, p, n or e", shown(word)));
  }

  bool pace_;
  index_t vertices_ = 0;
};

coo<std::int64_t> parse(scanner& in, bool pace, int threads) {
  return detail::with_memory_of(in.file(), [&] { return edge_lines(pace).parse(in, threads); });
}
coo<std::int64_t> read(const std::string& path, bool pace) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse(in, pace, 0);
  });
}

}  // namespace

coo<std::int64_t> parse_dimacs_edges(scanner& in, int threads) { return parse(in, false, threads); }
coo<std::int64_t> parse_dimacs_edges(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse(in, false, 0);
}
coo<std::int64_t> read_dimacs_edges(const std::string& path) { return read(path, false); }

coo<std::int64_t> parse_pace(scanner& in, int threads) { return parse(in, true, threads); }
coo<std::int64_t> parse_pace(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse(in, true, 0);
}
coo<std::int64_t> read_pace(const std::string& path) { return read(path, true); }

}  // namespace kleene::io
