#include "kleene/io/dimacs.hpp"

#include "io/files.hpp"

#include <vector>

namespace dimacs_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

using ints = coo<std::int64_t>;
using reals = coo<double>;

std::string refused(const std::string& text) {
  return refusal([&] { parse_dimacs_graph(text, "f"); });
}
std::string refused_coordinates(const std::string& text) {
  return refusal([&] { parse_dimacs_coordinates(text, "f"); });
}

}  // namespace

TEST(dimacs, a_graph) {
  const auto graph =
      parse_dimacs_graph("c a comment\nc\n\np sp 3 4\na 1 2 803\na 2 3 -4\r\nc another\na 3 3 0\na 1 2 +5", "f");
  const auto& arcs = std::get<ints>(graph);
  EXPECT_EQ(arcs.rows, 3);
  EXPECT_EQ(arcs.cols, 3);
  EXPECT_EQ(arcs.row, (std::vector<std::int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(arcs.col, (std::vector<std::int32_t>{1, 2, 2, 1}));
  EXPECT_EQ(arcs.value, (std::vector<std::int64_t>{803, -4, 0, 5}));
}

TEST(dimacs, one_real_weight_makes_a_real_graph) {
  const auto graph = parse_dimacs_graph("p sp 2 3\na 1 2 3\na 2 1 1e-9\na 1 1 -0.25\n", "f");
  EXPECT_EQ(std::get<reals>(graph).value, (std::vector<double>{3, 1e-9, -0.25}));
}

TEST(dimacs, empty_graphs) {
  EXPECT_EQ(std::get<ints>(parse_dimacs_graph("p sp 0 0\n", "f")).rows, 0);
  EXPECT_EQ(std::get<ints>(parse_dimacs_graph("p sp 2147483647 0", "f")).rows, 2147483647);
}

TEST(dimacs, gzip) {
  const test::scratch folder;
  const auto graph = read_dimacs_graph(folder.write("f.gr.gz", test::gzipped("p sp 1 1\na 1 1 9\n")));
  EXPECT_EQ(std::get<ints>(graph).value[0], 9);
  EXPECT_EQ(refusal([&] { read_dimacs_graph(folder.write("g.gr", "p sp 1 1\na 1 1 x\n")); }),
            folder.path("g.gr") + ":2: the weight 'x' is not a number");
}

TEST(dimacs, graphs_that_are_refused) {
  EXPECT_EQ(refused(""), "f:1: there is no p line");
  EXPECT_EQ(refused("c only\nc comments\n"), "f:2: there is no p line");
  EXPECT_EQ(refused("a 1 2 3\np sp 2 1\n"), "f:1: a line 'a' before the p line");
  EXPECT_EQ(refused("p sp 2 0\np sp 2 0\n"), "f:2: a second p line");
  EXPECT_EQ(refused("p max 2 0\n"), "f:1: the p line has 'max' where 'sp' belongs, or PACE's 'tw'");
  EXPECT_EQ(refused("p sp 2\n"), "f:1: the number of arcs is missing");
  EXPECT_EQ(refused("p sp 2 0 7\n"), "f:1: unexpected '7' at the end of the line");
  EXPECT_EQ(refused("p sp -2 0\n"), "f:1: -2 vertices are outside 0 .. 2147483647");
  EXPECT_EQ(refused("p sp 2147483648 0\n"), "f:1: 2147483648 vertices are outside 0 .. 2147483647");
  EXPECT_EQ(refused("p sp 2 -1\n"), "f:1: -1 arcs are promised");
  EXPECT_EQ(refused("p sp 2 1000000000000000000\na 1 2 3\n"),
            "f:1: 1000000000000000000 arcs are promised, but the 8 bytes that follow cannot hold them");
  EXPECT_EQ(refused("p sp 2 2\na 1 2 3        \n"), "f:2: the file ends after 1 of 2 arcs");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 3\na 2 1 3\n"), "f:3: an arc beyond the 1 that the p line promises");
  EXPECT_EQ(refused("p sp 2 1\ne 1 2 3\n"), "f:2: a line starts with c, p or a, not with 'e'");
  EXPECT_EQ(refused("p sp 2 1\na 0 2 3\n"), "f:2: vertex 0 is outside 1 .. 2");
  EXPECT_EQ(refused("p sp 2 1\na 1 3 3\n"), "f:2: vertex 3 is outside 1 .. 2");
  EXPECT_EQ(refused("p sp 2 1\na 1 2  \n"), "f:2: the weight is missing");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 3 4\n"), "f:2: unexpected '4' at the end of the line");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 3x\n"), "f:2: the weight '3x' is not a number");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 nan\n"), "f:2: the weight 'nan' is not a number");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 inf\n"), "f:2: the weight 'inf' is not finite");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 1e999\n"), "f:2: the weight '1e999' is outside the range of double precision");
  EXPECT_EQ(refused("p sp 2 1\na 1 2 9223372036854775808\n"),
            "f:2: the weight '9223372036854775808' is outside the range of 64-bit integers: write a point behind it, "
            "and it is real");
  EXPECT_EQ(refused("p sp 2 2\na 1 2 0.5\na 1 2 inf\n"), "f:3: the weight 'inf' is not finite");
}

TEST(dimacs, coordinates) {
  const auto places = parse_dimacs_coordinates("c x\np aux sp co 2\nv 2 -73530767 41085396\nv 1 1.5 -2\n", "f");
  EXPECT_EQ(places.rows(), 2);
  EXPECT_EQ(places.cols(), 2);
  EXPECT_EQ(places(0, 0), 1.5);
  EXPECT_EQ(places(0, 1), -2);
  EXPECT_EQ(places(1, 0), -73530767);
  EXPECT_EQ(places(1, 1), 41085396);
  EXPECT_EQ(parse_dimacs_coordinates("p aux sp co 0\n", "f").rows(), 0);
  const test::scratch folder;
  EXPECT_EQ(read_dimacs_coordinates(folder.write("f", test::gzipped("p aux sp co 1\nv 1 2 3\n")))(0, 1), 3);
}

TEST(dimacs, coordinates_that_are_refused) {
  EXPECT_EQ(refused_coordinates("p sp 1 0\n"), "f:1: the p line has 'sp' where 'aux' belongs");
  EXPECT_EQ(refused_coordinates("p aux sp co\n"), "f:1: the number of vertices is missing");
  EXPECT_EQ(refused_coordinates("v 1 0 0\n"), "f:1: a line 'v' before the p line");
  EXPECT_EQ(refused_coordinates("p aux sp co 1000000000\nv 1 0 0\n"),
            "f:1: 1000000000 vertices are promised, but the 8 bytes that follow cannot hold them");
  EXPECT_EQ(refused_coordinates("p aux sp co 2\nv 1 0 0\nv 1 0 0\n"), "f:3: vertex 1 has coordinates already");
  EXPECT_EQ(refused_coordinates("p aux sp co 2\nv 1 0 0        \n"),
            "f:2: the file ends with 1 of 2 vertices; vertex 2 has no coordinates");
  EXPECT_EQ(refused_coordinates("p aux sp co 1\nv 2 0 0\n"), "f:2: vertex 2 is outside 1 .. 1");
  EXPECT_EQ(refused_coordinates("p aux sp co 1\nv 1 0  \n"), "f:2: the coordinate is missing");
  EXPECT_EQ(refused_coordinates("p aux sp co 1\nv 1 0 inf\n"), "f:2: a coordinate of vertex 1 is not finite");
  EXPECT_EQ(refused_coordinates("p aux sp co 1\nv 1 0 0 0\n"), "f:2: unexpected '0' at the end of the line");
}

TEST(dimacs, every_mutation_reads_or_is_refused) {
  EXPECT_GT(test::read_mutations("c c\np sp 2 3\na 1 2 803\na 2 1 -0.5\r\na 2 2 0\n",
                                 [](const std::string& text) { parse_dimacs_graph(text, "f"); }),
            1);
  EXPECT_GT(test::read_mutations("p aux sp co 2\nv 1 10 -2.5\nv 2 0 7\n",
                                 [](const std::string& text) { parse_dimacs_coordinates(text, "f"); }),
            1);
}

}  // namespace dimacs_test
