#include "kleene/io/dimacs.hpp"

#include "data/counted.hpp"
#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace kleene::io {

namespace {

[[noreturn]] void refuse_line(const scanner& in, std::string_view kind, std::string_view word) {
  in.fail(fmt::format("a line starts with c, p or {}, not with {}", kind, shown(word)));
}

// The words after 'p', then a count of vertices.
index_t problem_line(scanner& in, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (const std::string_view found = in.word(); found != word)
      in.fail(fmt::format("the p line has {} where '{}' belongs{}", shown(found), word,
                          words.size() == 1 ? ", or PACE's 'tw'" : ""));
  return detail::vertex_count(in);
}

// To the p line.
void find_problem(scanner& in, std::string_view kind) {
  while (in.next_filled_line()) {
    const std::string_view word = in.word();
    if (word == "p") return;
    if (word == kind) in.fail(fmt::format("a line '{}' before the p line", kind));
    if (!word.starts_with('c')) refuse_line(in, kind, word);
  }
  in.fail("there is no p line");
}
// Whether the line, one behind the p line, is of this kind; else it is a comment, which may say anything.
bool is_data(scanner& in, std::string_view kind) {
  const std::string_view word = in.word();
  if (word == kind) return true;
  if (word == "p") in.fail("a second p line");
  if (!word.starts_with('c')) refuse_line(in, kind, word);
  return false;
}

std::variant<coo<std::int64_t>, coo<double>> parse_graph(scanner& in, int threads) {
  find_problem(in, "a");
  const index_t vertices = problem_line(in, {"sp"});
  const index_t promised = detail::line_count(in, "arcs", 8);  // "a 1 1 1\n"
  in.end_of_line();
  const detail::entry_promise promise{promised, "an arc", "arcs", "the p line"};
  auto blocks = detail::read_entries<detail::arc_list>(in, promise, threads, [&](scanner& line, auto& block) {
    if (!is_data(line, "a")) return;
    block.places.add(line.line_number());
    const std::int32_t from = line.position("vertex", vertices), to = line.position("vertex", vertices);
    block.list.add(line, from, to, false);
    line.end_of_line();
  });
  return detail::join(blocks, vertices, threads);
}

matrix<double> parse_coordinates(scanner& in) {
  find_problem(in, "v");
  const index_t n = problem_line(in, {"aux", "sp", "co"});
  in.end_of_line();
  in.require_lines(n, 8, "vertices");            // "v 1 0 0\n"
  matrix<double> places(n, 2, uninitialised{});  // a promise that nobody keeps takes no memory
  std::vector<bool> seen(n, false);
  index_t found = 0;
  while (in.next_filled_line()) {
    if (!is_data(in, "v")) continue;
    const std::int32_t v = in.position("vertex", n);
    if (seen[v]) in.fail(fmt::format("vertex {} has coordinates already", v + 1));
    seen[v] = true;
    ++found;
    for (int axis = 0; axis < 2; ++axis) {
      places(v, axis) = in.number<double>("coordinate");
      if (!std::isfinite(places(v, axis))) in.fail(fmt::format("a coordinate of vertex {} is not finite", v + 1));
    }
    in.end_of_line();
  }
  for (index_t v = 0; found < n; ++v)
    if (!seen[v])
      in.fail(fmt::format("the file ends with {} of {}; vertex {} has no coordinates", found,
                          kleene::detail::counted(n, "vertex", "vertices"), v + 1));
  return places;
}

}  // namespace

std::variant<coo<std::int64_t>, coo<double>> parse_dimacs_graph(scanner& in, int threads) {
  return detail::with_memory_of(in.file(), [&] { return parse_graph(in, threads); });
}
std::variant<coo<std::int64_t>, coo<double>> parse_dimacs_graph(std::string_view text, std::string_view file,
                                                                real_type reals) {
  scanner in(text, file, reals);
  return parse_dimacs_graph(in);
}
std::variant<coo<std::int64_t>, coo<double>> read_dimacs_graph(const std::string& path, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file, reals);
    return parse_dimacs_graph(in);
  });
}

matrix<double> parse_dimacs_coordinates(scanner& in) {
  return detail::with_memory_of(in.file(), [&] { return parse_coordinates(in); });
}
matrix<double> parse_dimacs_coordinates(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse_dimacs_coordinates(in);
}
matrix<double> read_dimacs_coordinates(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse_dimacs_coordinates(in);
  });
}

}  // namespace kleene::io
