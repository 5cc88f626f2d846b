#include "kleene/io/metis.hpp"

#include "data/counted.hpp"
#include "io/arc_list.hpp"
#include "io/both_ends.hpp"
#include "io/memory.hpp"
#include "kleene/io/input.hpp"

#include <atomic>
#include <set>
#include <vector>

namespace kleene::io {

namespace {

// The places of a block are those of its vertices.
using vertex_block = detail::entry_block<coo<std::int64_t>>;

class metis_reader {
 public:
  metis_reader(scanner& in, int threads) : in_(in), threads_(threads > 0 ? threads : default_threads()) {}

  metis_file parse() {
    read_header();
    std::vector<vertex_block> blocks = read_blocks();
    std::vector<coo<std::int64_t>*> lists;
    for (vertex_block& block : blocks) lists.push_back(&block.list);
    file_.edges = detail::join(lists, n_, n_, threads_);
    if (const detail::end_fault fault = detail::both_ends(file_.edges, threads_).first_fault(); fault.is_one())
      refuse_ends(fault, blocks);
    return std::move(file_);
  }

 private:
  void read_header() {
    do {
      if (!in_.next_filled_line()) in_.fail("the file ends before the line of its sizes");
    } while (in_.line().starts_with('%'));
    n_ = detail::vertex_count(in_);
    m_ = in_.number<index_t>("number of edges");
    if (m_ < 0 || m_ > (index_t{1} << 61)) in_.fail(fmt::format("{} edges are promised", m_));
    const std::string_view form = in_.word();
    if (form.size() > 3 || form.find_first_not_of("01") != form.npos)
      in_.fail(fmt::format("the fmt {} is none of 0, 1, 10, 11, 100, 101, 110, 111", shown(form)));
    const auto digit = [&](std::size_t from_right) {
      return form.size() > from_right && form[form.size() - 1 - from_right] == '1';
    };
    file_.weighted = digit(0);
    file_.vertex_weights = digit(1);
    file_.vertex_sizes = digit(2);
    const std::string_view weights = in_.word();
    weights_ = file_.vertex_weights ? 1 : 0;
    if (!weights.empty()) {
      const auto asked = in_.to_number<index_t>(weights, "number of weights of a vertex");
      if (asked < 0 || (asked > 0) != file_.vertex_weights)
        in_.fail(fmt::format("{} weights of a vertex do not go with the fmt {}", asked, shown(form)));
      weights_ = asked;
    }
    in_.end_of_line();
    in_.require_lines(n_, 1, "vertices");                    // "\n"
    in_.require_lines(m_, file_.weighted ? 8 : 4, "edges");  // "1 " and "1 1 ", at both ends
  }

  // Of the line of a vertex that has all the neighbours there can be: the longest numbers, and a blank behind each.
  std::size_t longest_line() const {
    constexpr index_t number = 21, most = index_t{1} << 32;
    const index_t numbers = 1 + std::min(weights_, most) + (file_.weighted ? 2 : 1) * std::min(n_, m_);
    return std::max(scanner::longest_line, static_cast<std::size_t>(number * numbers));
  }

  // The lines behind the head, of all n vertices and no more, with as many neighbours as are promised.
  std::vector<vertex_block> read_blocks() const {
    const index_t head = in_.line_number();
    detail::line_blocks source(in_, '%', longest_line());
    std::atomic<index_t> listed = 0;
    detail::first_refusal refusal;
    auto blocks = detail::collect_blocks<coo<std::int64_t>>(
        source, threads_, refusal, [&](const detail::line_blocks::block& text, vertex_block& block) {
          scanner lines(text.text, in_.file(), in_.reals(), text.lines_before);
          read_lines(lines, text.lines_before - text.comments_before - head, block);
          // More than promised is refused below: no memory is taken for what follows.
          if (listed += block.list.entries(); listed > 2 * m_) source.stop();
        });
    index_t vertices = 0, neighbours = 0;
    for (const vertex_block& block : blocks) {
      if (block.sequence > refusal.sequence) break;
      if (const index_t left = 2 * m_ - neighbours; block.list.entries() > left)
        source.fail_at(block.places.line_of(block.list.row[left] - vertices),
                       fmt::format("a neighbour beyond the {} that the {} promised {}", 2 * m_, m_,
                                   m_ == 1 ? "edge has" : "edges have"));
      vertices += block.places.count();
      neighbours += block.list.entries();
    }
    if (refusal.what) std::rethrow_exception(refusal.what);
    if (vertices < n_)
      source.fail_at(source.lines(), fmt::format("the file ends after {} of {}", vertices,
                                                 kleene::detail::counted(n_, "vertex", "vertices")));
    if (neighbours == m_ && m_ > 0)
      source.fail_at(
          head,
          fmt::format("{} {} promised, and {} {} listed: each edge stands in the lines of both its ends", m_,
                      m_ == 1 ? "edge is" : "edges are", neighbours, m_ == 1 ? "neighbour is" : "neighbours are"));
    if (neighbours != 2 * m_)
      source.fail_at(source.lines(), fmt::format("{} {} promised, which stand at both ends, {} times in all, and {} {} "
                                                 "listed",
                                                 m_, m_ == 1 ? "edge is" : "edges are", 2 * m_, neighbours,
                                                 neighbours == 1 ? "neighbour is" : "neighbours are"));
    return blocks;
  }

  // Lines from that of vertex v on.
  void read_lines(scanner& in, index_t v, vertex_block& block) const {
    for (; in.next_line(); ++v) {
      if (in.line().starts_with('%')) --v;
      else if (v < n_) read_vertex(in, static_cast<std::int32_t>(v), block);
      else if (!in.at_end_of_line())
        in.fail(fmt::format("{} after the last of {}", shown(in.line()),
                            kleene::detail::counted(n_, "vertex", "vertices")));
    }
  }
  void read_vertex(scanner& in, std::int32_t v, vertex_block& block) const {
    block.places.add(in.line_number());
    if (file_.vertex_sizes) read_past(in, "size of the vertex");
    for (index_t k = 0; k < weights_; ++k) read_past(in, "weight of the vertex");
    while (!in.at_end_of_line()) {
      const std::int32_t u = in.position("neighbour", n_);
      const std::int64_t weight = file_.weighted ? in.number<std::int64_t>("weight of an edge") : 1;
      if (weight < 1) in.fail(fmt::format("the weight {} of an edge: METIS has integers from 1", weight));
      if (u == v) in.fail(fmt::format("vertex {} is its own neighbour, which METIS does not have", v + 1));
      block.list.add(v, u, weight);
    }
  }
  static void read_past(scanner& in, const char* what) {
    const auto value = in.number<std::int64_t>(what);
    if (value < 0) in.fail(fmt::format("the {} is {}, which is negative", what, value));
  }

  [[noreturn]] void refuse_ends(const detail::end_fault& fault, const std::vector<vertex_block>& blocks) const {
    const coo<std::int64_t>& edges = file_.edges;
    const auto first_of = [&](std::int32_t v) { return std::ranges::lower_bound(edges.row, v) - edges.row.begin(); };
    // The first entry of v's row of which `is` holds; there is one.
    const auto find_entry = [&](std::int32_t v, const auto& is) {
      index_t e = first_of(v);
      while (!is(e)) ++e;
      return e;
    };
    const std::int32_t v = fault.vertex, u = fault.other;
    std::set<std::int32_t> seen;
    for (index_t e = first_of(v); e < first_of(v + 1); ++e)
      if (!seen.insert(edges.col[e]).second)
        refuse_vertex(v, blocks, fmt::format("vertex {} has {} as its neighbour twice", v + 1, edges.col[e] + 1));
    if (!seen.contains(u))
      refuse_vertex(
          u, blocks,
          fmt::format("vertex {} has {} as its neighbour, but {} does not have {}", u + 1, v + 1, v + 1, u + 1));
    const index_t back = find_entry(v, [&](index_t e) { return edges.col[e] == u; });
    const index_t there =
        find_entry(u, [&](index_t e) { return edges.col[e] == v && edges.value[e] != edges.value[back]; });
    refuse_vertex(u, blocks,
                  fmt::format("the edge from {} to {} has weight {}, and back it has {}", u + 1, v + 1,
                              edges.value[there], edges.value[back]));
  }
  // In the line of the vertex.
  [[noreturn]] void refuse_vertex(std::int32_t v, const std::vector<vertex_block>& blocks,
                                  const std::string& what) const {
    auto block = blocks.begin();
    index_t place = v;
    for (; place >= block->places.count(); ++block) place -= block->places.count();
    scanner({}, in_.file(), in_.reals(), block->places.line_of(place)).fail(what);
  }

  scanner& in_;
  int threads_;
  metis_file file_;
  index_t n_ = 0, m_ = 0, weights_ = 0;
};

}  // namespace

metis_file parse_metis(scanner& in, int threads) {
  return detail::with_memory_of(in.file(), [&] { return metis_reader(in, threads).parse(); });
}
metis_file parse_metis(std::string_view text, std::string_view file) {
  scanner in(text, file);
  return parse_metis(in);
}
metis_file read_metis(const std::string& path) {
  return detail::with_memory_of(path, [&] {
    input file(path);
    scanner in(file);
    return parse_metis(in);
  });
}

}  // namespace kleene::io
