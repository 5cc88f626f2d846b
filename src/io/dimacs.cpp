#include "kleene/io/dimacs.hpp"

#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace kleene::io {

namespace {

// The words after 'p', then a count of vertices.
index_t problem_line(scanner& in, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (const std::string_view found = in.word(); found != word)
      in.fail(fmt::format("the p line has {} where '{}' belongs", shown(found), word));
  return detail::vertex_count(in);
}

// Walks the lines: `problem` reads the p line, once, `data` the lines that start with `kind`, after it.
template <class Problem, class Data>
void for_each_line(scanner& in, std::string_view kind, Problem problem, Data data) {
  bool started = false;
  while (in.next_filled_line()) {
    const std::string_view word = in.word();
    if (word == kind) {
      if (!started) in.fail(fmt::format("a line '{}' before the p line", kind));
      data();
    } else if (word == "p") {
      if (started) in.fail("a second p line");
      started = true;
      problem();
    } else if (!word.starts_with('c')) {
      in.fail(fmt::format("a line starts with c, p or {}, not with {}", kind, shown(word)));
    } else {
      continue;  // a comment may say anything
    }
    in.end_of_line();
  }
  if (!started) in.fail("there is no p line");
}

std::variant<coo<std::int64_t>, coo<double>> parse_graph(scanner& in) {
  detail::arc_list arcs;
  index_t vertices = 0, promised = 0, found = 0;
  const auto problem = [&] {
    vertices = problem_line(in, {"sp"});
    promised = detail::line_count(in, "arcs", 8);  // "a 1 1 1\n"
    arcs.make_room(vertices, in.believable(promised));
  };
  const auto arc = [&] {
    if (found++ == promised) in.fail(fmt::format("an arc beyond the {} that the p line promises", promised));
    const std::int32_t from = in.position("vertex", vertices), to = in.position("vertex", vertices);
    arcs.add(in, from, to, false);
  };
  for_each_line(in, "a", problem, arc);
  if (found != promised) in.fail(fmt::format("the file ends after {} of {} arcs", found, promised));
  return arcs.take();
}

matrix<double> parse_coordinates(scanner& in) {
  matrix<double> places;
  std::vector<bool> seen;
  index_t found = 0;
  const auto problem = [&] {
    const index_t n = problem_line(in, {"aux", "sp", "co"});
    in.require_lines(n, 8);                          // "v 1 0 0\n"
    places = matrix<double>(n, 2, uninitialised{});  // a promise that nobody keeps takes no memory
    seen.assign(n, false);
  };
  const auto vertex = [&] {
    const std::int32_t v = in.position("vertex", places.rows());
    if (seen[v]) in.fail(fmt::format("vertex {} has coordinates already", v + 1));
    seen[v] = true;
    ++found;
    for (int axis = 0; axis < 2; ++axis) {
      places(v, axis) = in.number<double>("coordinate");
      if (!std::isfinite(places(v, axis))) in.fail(fmt::format("a coordinate of vertex {} is not finite", v + 1));
    }
  };
  for_each_line(in, "v", problem, vertex);
  for (index_t v = 0; found < places.rows(); ++v)
    if (!seen[v])
      in.fail(fmt::format("the file ends with {} of {} vertices; vertex {} has no coordinates", found, places.rows(),
                          v + 1));
  return places;
}

}  // namespace

std::variant<coo<std::int64_t>, coo<double>> parse_dimacs_graph(scanner& in) {
  return detail::with_memory_of(in.file(), [&] { return parse_graph(in); });
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
