#include "kleene/io/metis.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace metis_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

std::string refused(const std::string& text) {
  return refusal([&] { parse_metis(text, "f"); });
}
void expect_edges(const metis_file& file, std::vector<std::int32_t> row, std::vector<std::int32_t> col,
                  std::vector<std::int64_t> value) {
  EXPECT_EQ(file.edges.row, row);
  EXPECT_EQ(file.edges.col, col);
  EXPECT_EQ(file.edges.value, value);
}

// Several blocks, which threads share: vertex v of 60,000 has those up to 5 before and behind it as its neighbours, and
// the first one 2,000 more. A comment stands before each line of 7,000 vertices.
constexpr std::int32_t vertices = 60000, reach = 5, far = 2000;

std::int64_t weight_of(std::int32_t u, std::int32_t v) { return 1 + (std::int64_t{u} + v) % 1000; }

std::vector<std::int32_t> neighbours_of(std::int32_t v) {
  std::vector<std::int32_t> all;
  for (std::int32_t u = std::min(v + reach, vertices - 1); u >= std::max(v - reach, 0); --u)
    if (u != v) all.push_back(u);
  for (std::int32_t u = 2 * far; v == 0 && u > far; --u) all.push_back(u);
  if (v > far && v <= 2 * far) all.push_back(0);
  return all;
}
std::string line_of(std::int32_t v) {
  std::string line;
  for (const std::int32_t u : neighbours_of(v))
    line += ' ' + std::to_string(u + 1) + ' ' + std::to_string(weight_of(u, v));
  return line + '\n';
}
// The line of a vertex in the file.
index_t number_of(std::int32_t v) { return v + 2 + v / 7000 + 1; }

std::string blocks(std::int32_t count = vertices) {
  std::string text =
      std::to_string(vertices) + ' ' + std::to_string(reach * vertices - reach * (reach + 1) / 2 + far) + " 1\n";
  for (std::int32_t v = 0; v < count; ++v) text += (v % 7000 == 0 ? "% between\n" : "") + line_of(v);
  return text;
}
std::string in_line(std::int32_t v) { return "f:" + std::to_string(number_of(v)) + ": "; }
std::string bare(std::int32_t v) { return line_of(v).substr(0, line_of(v).size() - 1); }
// With another line for each of some vertices.
std::string changed(const std::string& text, const std::vector<std::pair<std::int32_t, std::string>>& lines) {
  std::string all = text;
  for (const auto& [v, line] : lines) all.replace(all.find('\n' + line_of(v)) + 1, line_of(v).size(), line + '\n');
  return all;
}
std::string refused(const std::string& text, int threads) {
  return refusal([&] {
    scanner in(text, "f");
    parse_metis(in, threads);
  });
}

}  // namespace

TEST(metis, a_graph_without_weights) {
  const metis_file file = parse_metis("% a comment\n4 2\n2 3\n1\r\n% another\n 1 \n\n% the last\n\n", "f");
  EXPECT_EQ(file.edges.rows, 4);
  EXPECT_EQ(file.edges.cols, 4);
  EXPECT_FALSE(file.weighted || file.vertex_weights || file.vertex_sizes);
  expect_edges(file, {0, 0, 1, 2}, {1, 2, 0, 0}, {1, 1, 1, 1});
}

// The path 1 - 2 - 3 with weights 5 and 2.
TEST(metis, every_fmt) {
  for (const std::string form : {"1", "01", "001"}) {
    const metis_file file = parse_metis("3 2 " + form + "\n2 5\n1 5 3 2\n2 2\n", "f");
    EXPECT_TRUE(file.weighted && !file.vertex_weights && !file.vertex_sizes);
    expect_edges(file, {0, 1, 1, 2}, {1, 0, 2, 1}, {5, 5, 2, 2});
  }
  const std::vector<std::int32_t> row{0, 1, 1, 2}, col{1, 0, 2, 1};
  expect_edges(parse_metis("3 2 0\n2\n1 3\n2\n", "f"), row, col, {1, 1, 1, 1});
  expect_edges(parse_metis("3 2 000 0\n2\n1 3\n2\n", "f"), row, col, {1, 1, 1, 1});
  const metis_file weighted = parse_metis("3 2 10\n9 2\n8 1 3\n7 2\n", "f");
  EXPECT_TRUE(!weighted.weighted && weighted.vertex_weights && !weighted.vertex_sizes);
  expect_edges(weighted, row, col, {1, 1, 1, 1});
  expect_edges(parse_metis("3 2 11\n9 2 5\n8 1 5 3 2\n7 2 2\n", "f"), row, col, {5, 5, 2, 2});
  expect_edges(parse_metis("3 2 011 3\n9 9 0 2 5\n8 8 0 1 5 3 2\n7 7 0 2 2\n", "f"), row, col, {5, 5, 2, 2});
  const metis_file sized = parse_metis("3 2 100\n4 2\n4 1 3\n4 2\n", "f");
  EXPECT_TRUE(!sized.weighted && !sized.vertex_weights && sized.vertex_sizes);
  expect_edges(sized, row, col, {1, 1, 1, 1});
  expect_edges(parse_metis("3 2 101\n4 2 5\n4 1 5 3 2\n4 2 2\n", "f"), row, col, {5, 5, 2, 2});
  expect_edges(parse_metis("3 2 110 2\n4 1 1 2\n4 1 1 1 3\n4 1 1 2\n", "f"), row, col, {1, 1, 1, 1});
  expect_edges(parse_metis("3 2 111 1\n4 9 2 5\n4 8 1 5 3 2\n4 7 2 2\n", "f"), row, col, {5, 5, 2, 2});
}

TEST(metis, empty_graphs) {
  EXPECT_EQ(parse_metis("0 0\n", "f").edges.rows, 0);
  EXPECT_EQ(parse_metis("2 0\n\n\n", "f").edges.rows, 2);
}

TEST(metis, as_a_graph) {
  const test::scratch folder;
  const graph_file plain = read_graph(folder.write("a.graph", "2 1\n2\n1\n"));
  EXPECT_EQ(plain.format, "METIS");
  EXPECT_TRUE(plain.symmetric && plain.pattern);
  EXPECT_EQ(plain.description, "");
  EXPECT_EQ(plain.first_vertex, 1);
  EXPECT_EQ(plain.arcs, 2);
  const graph_file weights = read_graph(folder.write("b.metis.gz", test::gzipped("2 1 011\n7 2 3\n7 1 3\n")));
  EXPECT_FALSE(weights.pattern);
  EXPECT_EQ(weights.description, "weighted edges, weights of vertices not used");
  EXPECT_EQ(read_graph(folder.write("c.graph", "2 1 110\n1 7 2\n1 7 1\n")).description,
            "edges of weight 1, sizes and weights of vertices not used");
  EXPECT_EQ(read_metis(folder.path("b.metis.gz")).edges.value, (std::vector<std::int64_t>{3, 3}));
}

TEST(metis, headers_that_are_refused) {
  EXPECT_EQ(refused(""), "f:1: the file ends before the line of its sizes");
  EXPECT_EQ(refused("% only\n\n"), "f:2: the file ends before the line of its sizes");
  EXPECT_EQ(refused("x 1\n"), "f:1: the number of vertices 'x' is not an integer");
  EXPECT_EQ(refused("-1 0\n"), "f:1: -1 vertices are outside 0 .. 2147483647");
  EXPECT_EQ(refused("2147483648 0\n"), "f:1: 2147483648 vertices are outside 0 .. 2147483647");
  EXPECT_EQ(refused("2\n"), "f:1: the number of edges is missing");
  EXPECT_EQ(refused("2 -1\n"), "f:1: -1 edges are promised");
  EXPECT_EQ(refused("2 9000000000000000000\n"), "f:1: 9000000000000000000 edges are promised");
  EXPECT_EQ(refused("2 1 2\n2\n1\n"), "f:1: the fmt '2' is none of 0, 1, 10, 11, 100, 101, 110, 111");
  EXPECT_EQ(refused("2 1 0001\n2\n1\n"), "f:1: the fmt '0001' is none of 0, 1, 10, 11, 100, 101, 110, 111");
  EXPECT_EQ(refused("2 1 1 2\n2\n1\n"), "f:1: 2 weights of a vertex do not go with the fmt '1'");
  EXPECT_EQ(refused("2 1 10 0\n2\n1\n"), "f:1: 0 weights of a vertex do not go with the fmt '10'");
  EXPECT_EQ(refused("2 1 10 1 5\n2\n1\n"), "f:1: unexpected '5' at the end of the line");
  EXPECT_EQ(refused("100 0\n\n"), "f:2: the file ends after 1 of 100 vertices");
  EXPECT_EQ(refused("100000 0\n\n"), "f:1: 100000 vertices are promised, but the 1 byte that follows cannot hold them");
  EXPECT_EQ(refused("2 1000000000\n2\n1\n"),
            "f:1: 1000000000 edges are promised, but the 4 bytes that follow cannot hold them");
}

TEST(metis, vertices_that_are_refused) {
  EXPECT_EQ(refused("3 1\n2\n1\n"), "f:3: the file ends after 2 of 3 vertices");
  EXPECT_EQ(refused("2 1\n2\n1\n\n1\n"), "f:5: '1' after the last of 2 vertices");
  EXPECT_EQ(refused("2 1\n0\n1\n"), "f:2: neighbour 0 is outside 1 .. 2");
  EXPECT_EQ(refused("2 1\n3\n1\n"), "f:2: neighbour 3 is outside 1 .. 2");
  EXPECT_EQ(refused("2 1\nx\n1\n"), "f:2: the neighbour 'x' is not an integer");
  EXPECT_EQ(refused("2 1\n1\n1\n"), "f:2: vertex 1 is its own neighbour, which METIS does not have");
  EXPECT_EQ(refused("3 1\n2\n1 3\n2\n"), "f:3: a neighbour beyond the 2 that the 1 promised edge has");
  EXPECT_EQ(refused("3 2\n2   \n1\n\n"),
            "f:1: 2 edges are promised, and 2 neighbours are listed: each edge stands in the lines of both its ends");
  EXPECT_EQ(refused("3 2\n2 3\n1\n\n"),
            "f:4: 2 edges are promised, which stand at both ends, 4 times in all, and 3 neighbours are listed");
  EXPECT_EQ(refused("3 1\n\n1\n\n"),
            "f:1: 1 edge is promised, and 1 neighbour is listed: each edge stands in the lines of both its ends");
  EXPECT_EQ(refused("2 1 1\n2\n1 5\n "), "f:2: the weight of an edge is missing");
  EXPECT_EQ(refused("2 1 1\n2 0\n1 0\n"), "f:2: the weight 0 of an edge: METIS has integers from 1");
  EXPECT_EQ(refused("2 1 1\n2 0.5\n1 0.5\n"), "f:2: the weight of an edge '0.5' is not an integer");
  EXPECT_EQ(refused("2 1 10\n\n2\n1\n"), "f:2: the weight of the vertex is missing");
  EXPECT_EQ(refused("2 1 10\n-4 2\n1 1\n"), "f:2: the weight of the vertex is -4, which is negative");
  EXPECT_EQ(refused("2 1 100\nx 2\n1 1\n"), "f:2: the size of the vertex 'x' is not an integer");
}

// The lines that are named count comments, too.
TEST(metis, both_ends_list_an_edge) {
  EXPECT_EQ(refused("%\n3 1\n%\n2\n3\n\n"), "f:4: vertex 1 has 2 as its neighbour, but 2 does not have 1");
  EXPECT_EQ(refused("3 1\n\n3\n1\n"), "f:4: vertex 3 has 1 as its neighbour, but 1 does not have 3");
  EXPECT_EQ(refused("3 2\n2 2\n1 1\n\n"), "f:2: vertex 1 has 2 as its neighbour twice");
  EXPECT_EQ(refused("2 1 1\n2 5\n1 4\n"), "f:3: the edge from 2 to 1 has weight 4, and back it has 5");
}

TEST(metis, blocks_come_together) {
  const std::string text = blocks();
  for (const int threads : {1, 2, 5}) {
    scanner in(text, "f");
    const coo<std::int64_t> edges = parse_metis(in, threads).edges;
    index_t e = 0;
    for (std::int32_t v = 0; v < vertices; ++v)
      for (const std::int32_t u : neighbours_of(v)) {
        ASSERT_LT(e, edges.entries());
        ASSERT_TRUE(edges.row[e] == v && edges.col[e] == u && edges.value[e] == weight_of(u, v)) << v << ' ' << u;
        ++e;
      }
    EXPECT_EQ(e, edges.entries());
  }
}

// The first of several counts, and lines are counted through blocks and comments.
TEST(metis, refusals_in_blocks_name_the_line) {
  const std::string text = blocks();
  for (const int threads : {1, 4}) {
    EXPECT_EQ(refused(changed(text, {{20000, "3"}, {40000, "x"}, {59000, "x"}}), threads),
              in_line(20000) + "the weight of an edge is missing");
    EXPECT_EQ(refused(changed(text, {{40000, " 40001 1"}, {59000, "x"}}), threads),
              in_line(40000) + "vertex 40001 is its own neighbour, which METIS does not have");
    EXPECT_EQ(refused(text + "% last\n\n5 1\n", threads),
              "f:" + std::to_string(number_of(vertices - 1) + 3) + ": '5 1' after the last of 60000 vertices");
    EXPECT_EQ(refused(blocks(50000), threads), in_line(49999) + "the file ends after 50000 of 60000 vertices");
    EXPECT_EQ(refused(changed(text, {{30000, bare(30000) + " 6 7"}}), threads),
              in_line(59999) + "a neighbour beyond the 603970 that the 301985 promised edges have");
    EXPECT_EQ(refused(changed(text, {{30000, bare(30000) + " 6 7"}, {59999, "x"}}), threads),
              in_line(59999) + "the neighbour 'x' is not an integer");
    EXPECT_EQ(refused(changed(text, {{30000, ""}}), threads),
              in_line(59999) +
                  "301985 edges are promised, which stand at both ends, 603970 times in all, and 603960 neighbours are "
                  "listed");
  }
}

// Vertex 1 has more neighbours than are looked through one by one.
TEST(metis, both_ends_in_blocks) {
  const std::string text = blocks();
  const auto with = [&](std::int32_t v, const std::string& from, const std::string& to) {
    std::string line = bare(v);
    return std::pair(v, line.replace(line.find(from), from.size(), to));
  };
  for (const int threads : {1, 4}) {
    EXPECT_EQ(refused(changed(text, {with(30000, " 30006 6", " 6 6")}), threads),
              in_line(30000) + "vertex 30001 has 6 as its neighbour, but 6 does not have 30001");
    EXPECT_EQ(refused(changed(text, {with(0, " 3500 500", " 3501 500"), with(30000, " 30006 6", " 6 6")}), threads),
              in_line(0) + "vertex 1 has 3501 as its neighbour twice");
    EXPECT_EQ(refused(changed(text, {with(3499, " 1 500", " 1 499"), with(40000, " 40006 6", " 40006 7")}), threads),
              in_line(3499) + "the edge from 3500 to 1 has weight 499, and back it has 500");
    EXPECT_EQ(refused(changed(text, {with(3499, " 1 500", " 10001 500")}), threads),
              in_line(0) + "vertex 1 has 3500 as its neighbour, but 3500 does not have 1");
  }
}

// A star: the line of its centre, which stands in the middle, is longer than several blocks.
TEST(metis, lines_longer_than_a_block) {
  constexpr std::int32_t n = 500000, centre = 1000;
  std::string text = std::to_string(n) + " " + std::to_string(n - 1) + "\n", hub;
  for (std::int32_t v = 0; v < n; ++v)
    if (v != centre) hub += std::to_string(v + 1) + ' ';
  for (std::int32_t v = 0; v < n; ++v) text += v == centre ? hub + '\n' : std::to_string(centre + 1) + '\n';
  ASSERT_GT(hub.size(), 3 * scanner::longest_line);
  for (const int threads : {1, 4}) {
    scanner in(text, "f");
    const coo<std::int64_t> edges = parse_metis(in, threads).edges;
    ASSERT_EQ(edges.entries(), 2 * (n - 1));
    for (std::int32_t v = 0; v < n - 1; ++v) {
      ASSERT_EQ(edges.row[centre + v], centre);
      ASSERT_EQ(edges.col[centre + v], v + (v >= centre));
    }
    std::string wrong = text;
    EXPECT_EQ(refused(wrong.replace(wrong.find(hub) + hub.size() - 2, 1, "x"), threads),
              "f:1002: the neighbour '50000x' is not an integer");
    EXPECT_EQ(refused(text + "1\n", threads), "f:500002: '1' after the last of 500000 vertices");
  }
  std::string unended = text.substr(0, text.find(hub) + hub.size());
  EXPECT_EQ(refused(unended, 2), "f:1002: the file ends after 1001 of 500000 vertices");
}

// No more than the vertices and edges of the head can make of it.
TEST(metis, lines_that_no_vertex_has) {
  const std::string blanks(std::size_t{4} << 20, ' ');
  EXPECT_EQ(refused("2 1\n2" + blanks + "\n1\n"), "f:2: a line of more than 1048575 bytes");
  EXPECT_EQ(refused("200000 100000\n" + blanks), "f:2: a line of more than 3145727 bytes");
}

TEST(metis, every_mutation_reads_or_is_refused) {
  EXPECT_GT(test::read_mutations("% c\n3 2 011 1\n7 2 5\n1 1 5 3 2\r\n4 2 2\n",
                                 [](const std::string& text) { parse_metis(text, "f"); }),
            1);
}

}  // namespace metis_test
