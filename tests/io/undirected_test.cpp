#include "kleene/io/undirected.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <vector>

namespace undirected_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

std::string refused_edges(const std::string& text) {
  return refusal([&] { parse_dimacs_edges(text, "f"); });
}
std::string refused_pace(const std::string& text) {
  return refusal([&] { parse_pace(text, "f"); });
}

}  // namespace

TEST(undirected, dimacs_edges) {
  const auto edges = parse_dimacs_edges("c colours\n\np edge 4 4\nn 1 -7\ne 1 2\ne 2 1\r\nc more\ne 3 3\ne 4 1", "f");
  EXPECT_EQ(edges.rows, 4);
  EXPECT_EQ(edges.cols, 4);
  EXPECT_EQ(edges.row, (std::vector<std::int32_t>{0, 1, 1, 0, 2, 3, 0}));
  EXPECT_EQ(edges.col, (std::vector<std::int32_t>{1, 0, 0, 1, 2, 0, 3}));
  EXPECT_EQ(edges.value, (std::vector<std::int64_t>(7, 1)));
  EXPECT_EQ(parse_dimacs_edges("p col 2 1\ne 2 1\n", "f").row, (std::vector<std::int32_t>{1, 0}));
  EXPECT_EQ(parse_dimacs_edges("p edge 0 0\n", "f").rows, 0);
}

TEST(undirected, pace) {
  const auto edges = parse_pace("c treewidth\np tw 3 3\n1 2\r\nc more\n\n2 3\n3 3", "f");
  EXPECT_EQ(edges.rows, 3);
  EXPECT_EQ(edges.row, (std::vector<std::int32_t>{0, 1, 1, 2, 2}));
  EXPECT_EQ(edges.col, (std::vector<std::int32_t>{1, 0, 2, 1, 2}));
  EXPECT_EQ(edges.value, (std::vector<std::int64_t>(5, 1)));
}

TEST(undirected, as_graphs_by_content_whatever_the_name) {
  const test::scratch folder;
  const graph_file col = read_graph(folder.write("a.gr", "c x\np col 3 1\ne 3 1\n"));
  EXPECT_EQ(col.format, "DIMACS edges");
  EXPECT_TRUE(col.symmetric && col.pattern);
  EXPECT_EQ(col.arcs, 2);
  EXPECT_EQ(col.first_vertex, 1);
  const graph_file pace = read_graph(folder.write("b.gr.gz", test::gzipped("p tw 3 1\n3 1\n")));
  EXPECT_EQ(pace.format, "PACE");
  EXPECT_TRUE(pace.symmetric && pace.pattern);
  EXPECT_EQ(pace.vertices, 3);
  EXPECT_EQ(read_graph(folder.write("c.gr", "p sp 3 1\na 3 1 9\n")).format, "DIMACS");
  EXPECT_EQ(read_dimacs_edges(folder.path("a.gr")).entries(), 2);
  EXPECT_EQ(read_pace(folder.path("b.gr.gz")).entries(), 2);
}

TEST(undirected, binary_cliques_are_refused_in_a_sentence) {
  const std::string says =
      ":1: this is the binary form of a DIMACS graph: only the text is read, which bin2asc makes of it";
  const test::scratch folder;
  for (const char* name : {"a.clq", "a.clq.b", "a.col.b", "a"}) {
    const std::string path = folder.write(name, std::string("28\nc FILE: x\np col 3 2\n\x80\0\xc0", 26));
    EXPECT_EQ(refusal([&] { read_graph(path); }), path + says);
  }
  EXPECT_EQ(refused_edges("12\np col 3 2\n"), "f" + says);
}

TEST(undirected, dimacs_edges_that_are_refused) {
  EXPECT_EQ(refused_edges(""), "f:1: there is no p line");
  EXPECT_EQ(refused_edges("e 1 2\np edge 2 1\n"), "f:1: an edge before the p line");
  EXPECT_EQ(refused_edges("n 1 2\np edge 2 1\n"), "f:1: a line 'n' before the p line");
  EXPECT_EQ(refused_edges("p sp 2 1\n"), "f:1: the p line has 'sp' where 'edge' or 'col' belongs");
  EXPECT_EQ(refused_edges("p edge 2 0\np edge 2 0\n"), "f:2: a second p line");
  EXPECT_EQ(refused_edges("p edge 2\n"), "f:1: the number of edges is missing");
  EXPECT_EQ(refused_edges("p edge -2 0\n"), "f:1: -2 vertices are outside 0 .. 2147483647");
  EXPECT_EQ(refused_edges("p edge 2 -1\n"), "f:1: -1 edges are promised");
  EXPECT_EQ(refused_edges("p edge 2 0 7\n"), "f:1: unexpected '7' at the end of the line");
  EXPECT_EQ(refused_edges("p edge 2 1000000000000000000\ne 1 2\n"),
            "f:1: 1000000000000000000 edges are promised, but the 6 bytes that follow cannot hold them");
  EXPECT_EQ(refused_edges("p edge 2 2\ne 1 2      \n"), "f:2: the file ends after 1 of 2 edges");
  EXPECT_EQ(refused_edges("p edge 2 1\ne 1 2\ne 1 2\n"), "f:3: an edge beyond the 1 that the p line promises");
  EXPECT_EQ(refused_edges("p edge 2 1\ne 1 3\n"), "f:2: vertex 3 is outside 1 .. 2");
  EXPECT_EQ(refused_edges("p edge 2 1\ne 0 1\n"), "f:2: vertex 0 is outside 1 .. 2");
  EXPECT_EQ(refused_edges("p edge 2 1\ne 1  \n"), "f:2: the vertex is missing");
  EXPECT_EQ(refused_edges("p edge 2 1\ne 1 2 3\n"), "f:2: unexpected '3' at the end of the line");
  EXPECT_EQ(refused_edges("p edge 2 1\nn 1  \n"), "f:2: the value of a vertex is missing");
  EXPECT_EQ(refused_edges("p edge 2 1\na 1 2\n"), "f:2: a line starts with c, p, n or e, not with 'a'");
  EXPECT_EQ(refused_edges("p edge 2 1\n1 2  \n"), "f:2: a line starts with c, p, n or e, not with '1'");
}

// All tracks of PACE whose graphs are written so.
TEST(undirected, pace_graphs_of_other_tracks) {
  for (const char* kind : {"tw", "td", "cep", "ds", "tww"})
    EXPECT_EQ(parse_pace("p " + std::string(kind) + " 3 2\n1 2\n2 3\n", "f").row.size(), 4u) << kind;
}

TEST(undirected, pace_graphs_that_are_refused) {
  EXPECT_EQ(refused_pace("c only\n"), "f:1: there is no p line");
  EXPECT_EQ(refused_pace("1 2\np tw 2 1\n"), "f:1: an edge before the p line");
  EXPECT_EQ(refused_pace("p sp 2 1\n"), "f:1: the p line has 'sp' where 'tw' belongs");
  EXPECT_EQ(refused_pace("p tw 2 5\n1 2\n"), "f:2: the file ends after 1 of 5 edges");
  EXPECT_EQ(refused_pace("p tw 2 2\n1 2     \n"), "f:2: the file ends after 1 of 2 edges");
  EXPECT_EQ(refused_pace("p tw 2 1\n1 3\n"), "f:2: vertex 3 is outside 1 .. 2");
  EXPECT_EQ(refused_pace("p tw 2 1\n99999999999999999999 1\n"),
            "f:2: the vertex '99999999999999999999' is outside the range of 64-bit integers");
  EXPECT_EQ(refused_pace("p tw 2 1\n1 2 5\n"), "f:2: unexpected '5' at the end of the line");
  EXPECT_EQ(refused_pace("p tw 2 1\ne 1 2\n"), "f:2: a line starts with c, p or a vertex, not with 'e'");
  EXPECT_EQ(refused_pace("p tw 2 1\n-1 2\n"), "f:2: a line starts with c, p or a vertex, not with '-1'");
}

TEST(undirected, every_mutation_reads_or_is_refused) {
  EXPECT_GT(test::read_mutations("c c\np edge 3 2\nn 2 9\ne 1 2\r\ne 3 3\n",
                                 [](const std::string& text) { parse_dimacs_edges(text, "f"); }),
            1);
  EXPECT_GT(test::read_mutations("c c\np tw 3 2\n1 2\r\n3 3\n", [](const std::string& text) { parse_pace(text, "f"); }),
            1);
}

}  // namespace undirected_test
