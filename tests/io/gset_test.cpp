#include "kleene/io/gset.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <vector>

namespace gset_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

std::string refused(const std::string& text) {
  return refusal([&] { parse_gset(text, "f"); });
}

}  // namespace

TEST(gset, a_graph) {
  const auto graph = parse_gset("3 3\n1 2 -1\n\n2 3 1\r\n3 3 +7", "f");
  const auto& edges = std::get<coo<std::int64_t>>(graph);
  EXPECT_EQ(edges.rows, 3);
  EXPECT_EQ(edges.cols, 3);
  EXPECT_EQ(edges.row, (std::vector<std::int32_t>{0, 1, 1, 2, 2}));
  EXPECT_EQ(edges.col, (std::vector<std::int32_t>{1, 0, 2, 1, 2}));
  EXPECT_EQ(edges.value, (std::vector<std::int64_t>{-1, -1, 1, 1, 7}));
  EXPECT_EQ(std::get<coo<std::int64_t>>(parse_gset("4 0\n", "f")).rows, 4);
}

TEST(gset, one_real_weight_makes_a_real_graph) {
  const auto graph = parse_gset("2 2\n1 2 3\n1 2 0.5\n", "f");
  EXPECT_EQ(std::get<coo<double>>(graph).value, (std::vector<double>{3, 3, 0.5, 0.5}));
  EXPECT_EQ(std::get<coo<double>>(graph).rows, 2);
}

TEST(gset, found_by_its_content_or_its_name) {
  const test::scratch folder;
  for (const char* name : {"G1", "G1.txt", "g.gset", "g.rud.gz"}) {
    const graph_file graph = read_graph(folder.write(name, "3 2\n1 2 4\n2 3 5\n"));
    EXPECT_EQ(graph.format, "G-set");
    EXPECT_TRUE(graph.symmetric);
    EXPECT_FALSE(graph.pattern);
    EXPECT_EQ(graph.arcs, 4);
    EXPECT_EQ(graph.first_vertex, 1);
  }
  EXPECT_EQ(std::get<coo<std::int64_t>>(read_gset(folder.path("G1"))).value[3], 5);
  EXPECT_TRUE(looks_like_gset("\n 3 2\n1 2 0.5\n"));
  for (const char* text :
       {"", "3\n", "3 2\n", "3 2\n1 2\n", "3 2 1\n1 2 3\n", "a 2\n1 2 3\n", "3 2\n1 2 3 4\n", "3,2\n1,2,3\n"})
    EXPECT_FALSE(looks_like_gset(text)) << text;
  EXPECT_EQ(read_graph(folder.write("list", "3 2\n1 2\n")).format, "edge list");
}

TEST(gset, what_is_refused) {
  EXPECT_EQ(refused(""), "f:1: the file is empty");
  EXPECT_EQ(refused("3\n"), "f:1: the number of edges is missing");
  EXPECT_EQ(refused("-3 0\n"), "f:1: -3 vertices are outside 0 .. 2147483647");
  EXPECT_EQ(refused("3 -1\n"), "f:1: -1 edges are promised");
  EXPECT_EQ(refused("3 1 1\n1 2 3\n"), "f:1: unexpected '1' at the end of the line");
  EXPECT_EQ(refused("3 1000000000000000000\n1 2 3\n"),
            "f:1: 1000000000000000000 edges are promised, but the 6 bytes that follow cannot hold them");
  EXPECT_EQ(refused("3 2\n1 2 3      \n"), "f:2: the file ends after 1 of 2 edges");
  EXPECT_EQ(refused("3 1\n1 2 3\n\n2 3 4\n"), "f:4: an edge beyond the 1 that the first line promises");
  EXPECT_EQ(refused("3 1\n0 2 3\n"), "f:2: vertex 0 is outside 1 .. 3");
  EXPECT_EQ(refused("3 1\n1 4 3\n"), "f:2: vertex 4 is outside 1 .. 3");
  EXPECT_EQ(refused("3 1\n1 2  \n"), "f:2: the weight is missing");
  EXPECT_EQ(refused("3 1\n1 2 x\n"), "f:2: the weight 'x' is not a number");
  EXPECT_EQ(refused("3 1\n1 2 inf\n"), "f:2: the weight 'inf' is not finite");
  EXPECT_EQ(refused("3 1\n1 2 3 4\n"), "f:2: unexpected '4' at the end of the line");
  EXPECT_EQ(refusal([] { parse_gset("2 1\n1 2 1e39\n", "f", real_type::f32); }),
            "f:2: the weight '1e39' is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 (--dtype f64)");
}

TEST(gset, every_mutation_reads_or_is_refused) {
  EXPECT_GT(test::read_mutations("3 3\n1 2 -1\n2 3 0.5\r\n3 3 7\n", [](const std::string& t) { parse_gset(t, "f"); }),
            1);
}

}  // namespace gset_test
