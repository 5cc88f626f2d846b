#include "kleene/io/dimacs.hpp"

#include "kleene/io/input.hpp"
#include "kleene/io/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace kleene::io {

namespace {

constexpr index most_vertices = std::numeric_limits<std::int32_t>::max();

// The words after 'p', then a count of vertices.
index problem_line(scanner& in, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (const std::string_view found = in.word(); found != word)
      in.fail(fmt::format("the p line has {} where '{}' belongs", shown(found), word));
  const index n = in.number<index>("number of vertices");
  if (n < 0 || n > most_vertices) in.fail(fmt::format("{} vertices are outside 0 .. {}", n, most_vertices));
  return n;
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

// nullopt: a weight is a number, but no integer.
template <class T>
std::optional<coo<T>> parse_arcs(std::string_view text, std::string_view file, real_type reals) {
  scanner in(text, file, reals);
  coo<T> arcs;
  index promised = 0;
  bool integers = true;
  const auto problem = [&] {
    arcs.rows = arcs.cols = problem_line(in, {"sp"});
    promised = in.number<index>("number of arcs");
    if (promised < 0) in.fail(fmt::format("{} arcs are promised", promised));
    in.require_lines(promised, 8);  // "a 1 1 1\n"
    arcs.row.reserve(promised);
    arcs.col.reserve(promised);
    arcs.value.reserve(promised);
  };
  const auto arc = [&] {
    if (arcs.entries() == promised) in.fail(fmt::format("an arc beyond the {} that the p line promises", promised));
    const std::int32_t from = in.position("vertex", arcs.rows), to = in.position("vertex", arcs.rows);
    const std::string_view field = in.word();
    T weight{};
    double real = 0;
    const std::errc refused = scanner::parse(field, weight);
    if (refused == std::errc::result_out_of_range || std::is_floating_point_v<T>) {
      weight = in.to_number<T>(field, "weight");
      real = static_cast<double>(weight);
    } else if (refused != std::errc{}) {
      real = in.to_number<double>(field, "weight");
      integers = false;
    }
    if (!std::isfinite(real)) in.fail(fmt::format("the weight {} is not finite", shown(field)));
    arcs.add(from, to, weight);
  };
  for_each_line(in, "a", problem, arc);
  if (arcs.entries() != promised) in.fail(fmt::format("the file ends after {} of {} arcs", arcs.entries(), promised));
  if (!integers) return std::nullopt;
  return arcs;
}

}  // namespace

std::variant<coo<std::int64_t>, coo<double>> parse_dimacs_graph(std::string_view text, std::string_view file,
                                                                   real_type reals) {
  if (auto arcs = parse_arcs<std::int64_t>(text, file, reals)) return std::move(*arcs);
  return std::move(*parse_arcs<double>(text, file, reals));
}
std::variant<coo<std::int64_t>, coo<double>> read_dimacs_graph(const std::string& path, real_type reals) {
  return parse_dimacs_graph(read_whole(path), path, reals);
}

matrix<double> parse_dimacs_coordinates(std::string_view text, std::string_view file) {
  scanner in(text, file);
  matrix<double> places;
  std::vector<bool> seen;
  index found = 0;
  const auto problem = [&] {
    const index n = problem_line(in, {"aux", "sp", "co"});
    in.require_lines(n, 8);  // "v 1 0 0\n"
    places = matrix<double>(n, 2);
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
  for (index v = 0; found < places.rows(); ++v)
    if (!seen[v])
      in.fail(fmt::format("the file ends with {} of {} vertices; vertex {} has no coordinates", found, places.rows(),
                          v + 1));
  return places;
}
matrix<double> read_dimacs_coordinates(const std::string& path) {
  return parse_dimacs_coordinates(read_whole(path), path);
}

}  // namespace kleene::io
