// Edge lists: the first byte of the input chooses what the options say.
#include "kleene/io/edge_list.hpp"
#include "kleene/io/names.hpp"

#include "fuzz/file.hpp"
#include "fuzz/lists.hpp"

using namespace kleene;
using namespace kleene::fuzz;

namespace {

io::edge_list_options options_of(unsigned char byte) {
  static constexpr char separators[] = {0, ',', '\t', ' '};
  io::edge_list_options options{.separator = separators[byte & 3]};
  options.vertices = static_cast<io::vertex_labels>(byte >> 2 & 3);
  if (byte & 16) options.header = (byte & 32) != 0;
  if (byte & 64) options.directed = (byte & 32) != 0;
  if (byte & 128) options.columns = {"2", "1"};
  options.threads = 2;
  return options;
}

void check(const io::edge_list_file& list) {
  std::visit(
      [&](const auto& edges) {
        check_entries(edges, true);
        require(edges.rows == edges.cols, "a graph that is not square");
        require(list.names.empty() || static_cast<kleene::index_t>(list.names.size()) == edges.rows,
                "names for other vertices");
      },
      list.edges);
  std::vector<std::string> sorted = list.names;
  std::ranges::sort(sorted);
  require(std::ranges::adjacent_find(sorted) == sorted.end(), "a name of two vertices");
  require(!list.description.empty(), "an edge list that is not described");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = text_of(data + 1, size - 1);
  const io::edge_list_options options = options_of(data[0]);
  const bool wide = reads([&] { check(io::parse_edge_list(text, "f", options)); }, true);
  const bool narrow = reads([&] { check(io::parse_edge_list(text, "f", options, io::real_type::f32)); }, true);
  require(wide || !narrow, "f32 reads what f64 refuses");
  reads([&] { (void)io::parse_names(text, "f"); });
  (void)io::looks_like_edge_list(text);
  return 0;
}
