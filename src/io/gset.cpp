#include "kleene/io/gset.hpp"

#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/io/input.hpp"

namespace kleene::io {

namespace {

std::variant<coo<std::int64_t>, coo<double>> parse(scanner& in, int threads) {
  if (!in.next_filled_line()) in.fail("the file is empty");
  const index_t n = detail::vertex_count(in), promised = detail::line_count(in, "edges", 6);  // "1 2 1\n"
  in.end_of_line();
  const detail::entry_promise promise{promised, "an edge", "edges", "the first line"};
  auto blocks = detail::read_entries<detail::arc_list>(in, promise, threads, [&](scanner& line, auto& block) {
    block.places.add(line.line_number());
    const std::int32_t u = line.position("vertex", n), v = line.position("vertex", n);
    block.list.add(line, u, v, true);
    line.end_of_line();
  });
  return detail::join(blocks, n, threads);
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

std::variant<coo<std::int64_t>, coo<double>> parse_gset(scanner& in, int threads) {
  return detail::with_memory_of(in.file(), [&] { return parse(in, threads); });
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
