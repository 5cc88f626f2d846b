// Edge lists that are read, and may not be what was meant: the answer says so, or asks.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>

namespace edge_list_doubts_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

std::string rows(int count, const std::string& row) {
  std::string text;
  for (int r = 0; r < count; ++r) text += row;
  return text;
}

}  // namespace

TEST(edge_list_doubts, a_word_below_vertices_that_are_numbers) {
  const std::string rest =
      " is no whole number, and those above it are: all are read as names (--vertices names says that they are, "
      "--vertices "
      "1-based refuses such a line)";
  EXPECT_EQ(read("from,to,km\n" + rows(500, "1,2,3\n") + "total,total,1500\n").doubt,
            "f:502: the vertex 'total'" + rest);
  const std::string no_plain =
      " is no whole number from 0 without a sign or zeros in front" + rest.substr(rest.find(", and those"));
  EXPECT_EQ(read(rows(9, "1,2,3\n") + "1,-5,3\n").doubt, "f:10: the vertex '-5'" + no_plain);
  EXPECT_EQ(read(rows(5000, "1 2\n") + "2 e7\n" + rows(9, "a b\n")).doubt, "f:5001: the vertex 'e7'" + rest);
  EXPECT_EQ(read("1,2\n2,3\n3,\"x\"\n").doubt, "f:3: the vertex 'x'" + rest);
  EXPECT_EQ(read("5000000000 5000000001\n5000000001 -1\n").doubt, "f:2: the vertex '-1'" + no_plain);
  EXPECT_EQ(read("10 7\n7 07\n").doubt, "f:2: the vertex '07'" + no_plain);
  EXPECT_EQ(read(rows(300000, "1 2 3\n") + "x y 3\n", {.threads = 2}).doubt, "f:300001: the vertex 'x'" + rest);
  EXPECT_TRUE(refused(rows(5000, "1 2\n") + "2 total\n", {.vertices = vertex_labels::one_based})
                  .starts_with("f:5001: the vertex 'total'"));
  for (const char* text : {"a b\n1 2\n2 3\n", "1 a\n2 b\n3 7\n", "1 2\n5000000000 2\n"})
    EXPECT_EQ(read(text).doubt, "");
  EXPECT_EQ(read("1 2\n2 x\n", {.vertices = vertex_labels::names}).doubt, "");
}

TEST(edge_list_doubts, points_between_thousands) {
  const auto question = [](int line) {
    return "f:" + std::to_string(line) +
           ": all weights with a point have three digits behind it, and others have none: if it stands between "
           "thousands, leave it out; if it is a decimal point, say which columns are read (--columns 1,2,3)";
  };
  EXPECT_EQ(refused("von;nach;km\nA;B;999\nB;C;1.234\n"), question(3));
  EXPECT_EQ(refused("1 2 12.345\n2 3 7\n"), question(1));
  EXPECT_EQ(refused(rows(5000, "1 2 7\n") + "2 3 1.234\n"), question(5001));
  EXPECT_EQ(refused(rows(5000, "1 2 1.234\n") + "2 3 7\n", {.threads = 2}), question(1));
  for (const char* text : {"A B 1.234\nB C 5.678\n", "A B 1.234\nB C 5.5\nC D 7\n", "A B 0.234\nB C 7\n",
                           "A B 1.234\nB C 1500\n", "A B 1e3\nB C 7\n", "A B 1234.567\nB C 7\n"})
    EXPECT_TRUE(std::holds_alternative<coo<double>>(read(text).edges)) << text;
  EXPECT_TRUE(read("A,B,999\nB,C,1.234\n", {.columns = {"1", "2", "3"}}).weighted);
}

TEST(edge_list_doubts, titles_above_the_table) {
  const std::string rest = ": delete the lines above it, or start them with #";
  EXPECT_EQ(refused("Report 2024\n\nfrom,to,km\nA,B,3\nB,C,4\n"),
            "f:1: 'Report 2024' stands above the table, which starts in line 3" + rest);
  EXPECT_EQ(refused("Report 2024,,\n,,\nfrom,to,km\nA,B,3\nB,C,4\n"),
            "f:1: 'Report 2024' stands above the table, which starts in line 3" + rest);
  EXPECT_EQ(refused("Roads\nas of May\n1;2;3\n2;3;4\n"),
            "f:1: 'Roads' stands above the table, which starts in line 3" + rest);
  EXPECT_EQ(refused("Report 2024\n\nfrom to km\nA B 3\nB C 4\n"),
            "f:1: 'Report 2024' stands above the table, which starts in line 3" + rest);
  EXPECT_EQ(refused("A,,\nA,B,3\nB,C,4\n"), "f:1: a vertex has no name: column 2 is empty");
  EXPECT_EQ(read("# Report 2024\nfrom,to,km\nA,B,3\n").names.size(), 2u);
}

TEST(edge_list_doubts, one_vertex_is_no_plural) {
  EXPECT_TRUE(read("A,A\n").description.ends_with(", 1 vertex by name"));
  EXPECT_TRUE(read("5000000000 5000000000\n").description.ends_with(", 1 vertex by number, 5000000000 to 5000000000"));
}

}  // namespace edge_list_doubts_test
