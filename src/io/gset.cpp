#include "kleene/io/gset.hpp"

#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/io/input.hpp"

namespace kleene::io {

namespace {

std::variant<coo<std::int64_t>, coo<double>> parse(scanner& in) {
  if (!in.next_filled_line()) in.fail("the file is empty");
  const index_t n = detail::vertex_count(in), promised = detail::line_count(in, "edges", 6);  // "1 2 1\n"
  in.end_of_line();
  detail::arc_list edges;
  edges.make_room(n, 2 * in.believable(promised));
  for (index_t found = 0; found < promised; ++found) {
    if (!in.next_filled_line()) in.fail(fmt::format("the file ends after {} of {} edges", found, promised));
    const std::int32_t u = in.position("vertex", n), v = in.position("vertex", n);
    edges.add(in, u, v, true);
    in.end_of_line();
  }
  if (in.next_filled_line()) in.fail(fmt::format("{} after the last of {} edges", shown(in.line()), promised));
  return edges.take();
}

}  // namespace

bool looks_like_gset(std::string_view text) {
  scanner in(text, "");
  std::int64_t count = 0;
  double number = 0;
  if (!in.next_filled_line()) return false;
  for (int k = 0; k < 2; ++k)
    if (scanner::parse(in.word(), count) != std::errc{}) return false;
  if (!in.word().empty() || !in.next_filled_line()) return false;
  for (int k = 0; k < 3; ++k)
    if (scanner::parse(in.word(), number) != std::errc{}) return false;
  return in.word().empty();
}

std::variant<coo<std::int64_t>, coo<double>> parse_gset(scanner& in) {
  return detail::with_memory_of(in.file(), [&] { return parse(in); });
}
std::variant<coo<std::int64_t>, coo<double>> parse_gset(std::string_view text, std::string_view file, real_type reals) {
  scanner in(text, file, reals);
  return parse_gset(in);
}
std::variant<coo<std::int64_t>, coo<double>> read_gset(const std::string& path, real_type reals) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file, reals);
    return parse_gset(in);
  });
}

}  // namespace kleene::io
