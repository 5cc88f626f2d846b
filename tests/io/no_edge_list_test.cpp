// What would be read as another graph than the one that is meant, and is refused.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <vector>

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

using words = std::vector<std::string>;

std::string refused(const std::string& text, const edge_list_options& options = {}) {
  return refusal([&] { parse_edge_list(text, "f", options); });
}
edge_list_file read(const std::string& text, const edge_list_options& options = {}) {
  return parse_edge_list(text, "f", options);
}

}  // namespace

// Money and times are refused as well, under whatever title, and named, until it is said that they are no weights.
TEST(no_edge_list, weights_in_marks_that_are_not_read) {
  const std::string rest =
      ", which is no number that is read: write numbers alone, or say which columns are from and to "
      "if it is no weight (--columns 1,2)";
  EXPECT_EQ(refused("from,to,price\nA,B,$5\nB,C,$7\n"), "f:2: 'price' holds '$5'" + rest);
  EXPECT_EQ(refused("from,to,price\nA,B,€ 5.10\nB,C,€ 7\n"), "f:2: 'price' holds '€ 5.10'" + rest);
  EXPECT_EQ(refused("A B 0:45\nB C 1:10\n"), "f:1: column 3 holds '0:45'" + rest);
  EXPECT_EQ(refused("from,to,price\nA,B,EUR 5\n"), "f:2: 'price' holds 'EUR 5'" + rest);
  EXPECT_EQ(refused("A B 10:00:45\nB C 1:10\n"), "f:1: column 3 holds '10:00:45'" + rest);
  edge_list_options ends;
  ends.columns = {"1", "2"};
  EXPECT_FALSE(read("from,to,price\nA,B,$5\n", ends).weighted);
  for (const char* no_number : {"$x", "1:2", "12:345", "a:10", "1:10:20:30", ":10"})
    EXPECT_FALSE(read(std::string("from,to,what\nA,B,") + no_number + "\n").weighted) << no_number;
  EXPECT_TRUE(read("from,to,leaves,minutes\nA,B,0:45,12\n").weighted);
}

TEST(no_edge_list, money_beyond_the_header) {
  EXPECT_EQ(refused("from,to\nA,B,$5\n"), "f:2: 3 fields, where the header has 2 (comma-separated)");
  EXPECT_EQ(refused("A,B\nA,C\nB,C,0:45\n"), "f:3: 3 fields, where the first line has 2 (comma-separated)");
}

TEST(no_edge_list, decimals_are_no_vertices) {
  EXPECT_EQ(refused("1 0.5 2\n0 1 3\n1 1 1\n"),
            "f:1: '0.5' is no number of a vertex: is it a matrix (save it as .npy), or are they names (--vertices "
            "names)?");
  EXPECT_TRUE(refused("1e0 2e0\n3e0 4e0\n").starts_with("f:1: '1e0' is no number of a vertex"));
  edge_list_options names;
  names.vertices = vertex_labels::names;
  EXPECT_EQ(read("1.1 1.2\n1.2 2.1\n", names).names, (words{"1.1", "1.2", "2.1"}));
  EXPECT_EQ(read("from,to\n1.1,1.2\n").names, (words{"1.1", "1.2"}));
}

TEST(no_edge_list, numbers_of_rows_are_no_weights) {
  for (const char* title : {"id", "OBJECTID", "edge_id", "Row", "osm_id", "link-id"}) {
    EXPECT_FALSE(read(std::string(title) + ",from,to\n1,A,B\n2,B,C\n").weighted) << title;
    EXPECT_TRUE(read(std::string(title) + ",from,to,km\n1,A,B,7\n2,B,C,8\n").weighted) << title;
  }
  EXPECT_TRUE(read("paid,from,to\n1,A,B\n2,B,C\n").weighted);
}

TEST(no_edge_list, times_are_no_vertices) {
  const std::string rest =
      " is a time, and seems no name of a vertex: say which columns are from and to (--columns "
      "1,2)";
  EXPECT_EQ(refused("stop_name,departure,arrival,next_stop\nA,08:00,08:10,B\nB,08:12,08:20,C\n"),
            "f:2: '08:00'" + rest);
  EXPECT_EQ(refused("trip_id,arrival_time,stop_id,stop_sequence\nt1,08:00:00,S1,1\nt1,08:10:00,S2,2\n"),
            "f:2: '08:00:00'" + rest);
  EXPECT_EQ(refused("08:00,A,B\n08:10,B,C\n"), "f:1: '08:00'" + rest);
  edge_list_options ends;
  ends.columns = {"1", "4"};
  EXPECT_EQ(read("A,08:00,08:10,B\nB,08:12,08:20,C\n", ends).names, (words{"A", "B", "C"}));
}

TEST(no_edge_list, other_texts) {
  EXPECT_EQ(refused("[[1,2,3],[2,3,4]]\n"),
            "f:1: JSON is no format that is read: write a line from,to,weight for each arc");
  EXPECT_TRUE(refused("{\n\"a\": 1,\n\"b\": 2}\n").starts_with("f:1: JSON"));
  EXPECT_EQ(refused("sep=;\nfrom;to;km\nA;B;3\n"), "f:1: Excel's line of the separator is no arc: delete it");
  EXPECT_EQ(refused(";A;B\nA;0;3\nB;4;0\n"),
            "f:2: the first column has the names of the others, as in a matrix: save it as .npy, and its names for "
            "--names");
  EXPECT_EQ(read("[a],[b]\n[b],[c]\n").names, (words{"[a]", "[b]", "[c]"}));
}

TEST(no_edge_list, undirected_however_it_is_written) {
  for (const char* comment : {"# Undirected graph: x", "#Undirected graph (each once)", "  # UNDIRECTED GRAPH"})
    EXPECT_FALSE(read(std::string(comment) + "\n1,2,3\n2,3,4\n").directed) << comment;
  for (const char* comment : {"# Directed graph: Undirected graph", "% Undirected graph", "#", "# un"})
    EXPECT_TRUE(read(std::string(comment) + "\n1,2,3\n2,3,4\n").directed) << comment;
}
