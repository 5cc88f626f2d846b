#include "kleene/io/metis.hpp"

#include "io/arc_list.hpp"
#include "io/memory.hpp"
#include "kleene/data/error.hpp"
#include "kleene/io/input.hpp"

#include <vector>

namespace kleene::io {

namespace {

class metis_reader {
 public:
  explicit metis_reader(scanner& in) : in_(in) {}

  metis_file parse() {
    read_header();
    std::vector<index_t> lines;  // of the vertices
    for (index_t v = 0; v < n_; ++v) {
      if (!next_line()) in_.fail(fmt::format("the file ends after {} of {} vertices", v, n_));
      read_vertex(static_cast<std::int32_t>(v));
      lines.push_back(in_.line_number());
    }
    while (next_line())
      if (!in_.word().empty()) in_.fail(fmt::format("{} after the last of {} vertices", shown(in_.line()), n_));
    if (file_.edges.entries() != 2 * m_)
      in_.fail(fmt::format("{} neighbours are listed, and {} edges have {}", file_.edges.entries(), m_, 2 * m_));
    check_ends(lines);
    return std::move(file_);
  }

 private:
  // Over comments.
  bool next_line() {
    while (in_.next_line())
      if (!in_.line().starts_with('%')) return true;
    return false;
  }

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
    in_.require_lines(n_, 1);                           // "\n"
    in_.require_lines(2 * m_, file_.weighted ? 4 : 2);  // "1 ", "1 1 "
    detail::make_room(file_.edges, n_, 2 * in_.believable(m_));
  }

  void read_vertex(std::int32_t v) {
    if (file_.vertex_sizes) read_past("size of the vertex");
    for (index_t k = 0; k < weights_; ++k) read_past("weight of the vertex");
    for (std::string_view field; !(field = in_.word()).empty();) {
      const std::int32_t u = in_.to_position(field, "neighbour", n_);
      const std::int64_t weight = file_.weighted ? in_.number<std::int64_t>("weight of an edge") : 1;
      if (weight < 1) in_.fail(fmt::format("the weight {} of an edge: METIS has integers from 1", weight));
      if (u == v) in_.fail(fmt::format("vertex {} is its own neighbour, which METIS does not have", v + 1));
      if (file_.edges.entries() == 2 * m_)
        in_.fail(fmt::format("a neighbour beyond the {} of the {} edges that are promised", 2 * m_, m_));
      file_.edges.add(v, u, weight);
    }
  }
  void read_past(const char* what) {
    const auto value = in_.number<std::int64_t>(what);
    if (value < 0) in_.fail(fmt::format("the {} is {}, which is negative", what, value));
  }

  // Whether every edge is in the lists of both of its ends, once and with one weight. O(vertices + edges).
  void check_ends(const std::vector<index_t>& lines) const {
    const coo<std::int64_t>& edges = file_.edges;
    const auto fail = [&](std::int32_t v, const std::string& what) {
      throw error(fault_code::bad_input, fmt::format("{}:{}: {}", in_.file(), lines[v], what));
    };
    // Arcs by their end: those that end in v are by_end[start[v]] .. by_end[start[v + 1] - 1].
    std::vector<index_t> start(static_cast<std::size_t>(n_) + 2, 0), by_end(edges.value.size()), listed(n_, -1);
    for (const std::int32_t end : edges.col) ++start[end + 2];
    for (index_t v = 0; v < n_; ++v) start[v + 2] += start[v + 1];
    for (index_t e = 0; e < edges.entries(); ++e) by_end[start[edges.col[e] + 1]++] = e;
    index_t first = 0, last = 0;
    for (std::int32_t v = 0; v < n_; ++v, first = last) {
      for (; last < edges.entries() && edges.row[last] == v; ++last) {
        index_t& at = listed[edges.col[last]];
        if (at >= first) fail(v, fmt::format("vertex {} has {} as its neighbour twice", v + 1, edges.col[last] + 1));
        at = last;
      }
      for (index_t k = start[v]; k < start[v + 1]; ++k) {
        const std::int32_t u = edges.row[by_end[k]];
        const std::int64_t weight = edges.value[by_end[k]];
        if (listed[u] < first)
          fail(u, fmt::format("vertex {} has {} as its neighbour, but {} has not {}", u + 1, v + 1, v + 1, u + 1));
        if (edges.value[listed[u]] != weight)
          fail(u, fmt::format("the edge from {} to {} has weight {}, and back it has {}", u + 1, v + 1, weight,
                              edges.value[listed[u]]));
      }
    }
  }

  scanner& in_;
  metis_file file_;
  index_t n_ = 0, m_ = 0, weights_ = 0;
};

}  // namespace

metis_file parse_metis(scanner& in) {
  return detail::with_memory_of(in.file(), [&] { return metis_reader(in).parse(); });
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
