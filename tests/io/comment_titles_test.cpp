// Titles of columns in a comment are seen as those in a first line are, and prose is no row of titles.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

namespace comment_titles_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

// "from 'i' to 'j', weight 'w'", whatever stands in front of it and behind.
std::string columns(const std::string& text) {
  const std::string all = read(text).description, end = ", directed";
  const std::size_t first = all.find("from ");
  return all.substr(first, all.find(end) - first);
}

}  // namespace

TEST(comment_titles, weights_in_front) {
  EXPECT_EQ(columns("# weight node1 node2\n3 1 2\n4 2 13\n"), "from 'node1' to 'node2', weight 'weight'");
  EXPECT_EQ(columns("# w i j\n3 1 2\n4 2 13\n"), "from 'i' to 'j', weight 'w'");
  for (const char* titles : {"a b", "v1 v2", "city1 city2", "id1 id2"}) {
    const std::string text = std::string("weight ") + titles + "\n3 1 2\n4 2 13\n";
    EXPECT_EQ(columns("# " + text), columns(text)) << titles;
    EXPECT_TRUE(columns("# " + text).ends_with(", weight 'weight'")) << titles;
  }
}

TEST(comment_titles, ends_turned_round) {
  EXPECT_EQ(columns("# node2 node1 weight\n2 1 3\n13 2 4\n"), "from 'node1' to 'node2', weight 'weight'");
  EXPECT_EQ(columns("# j i weight\n2 1 3\n13 2 4\n"), "from 'i' to 'j', weight 'weight'");
  EXPECT_EQ(columns("# j i\n2 1\n13 2\n"), "from 'i' to 'j', no weights");
  EXPECT_EQ(columns("# B A weight\n2 1 3\n13 2 4\n"), "from 'A' to 'B', weight 'weight'");
  EXPECT_EQ(columns("# j i\nUlm Bonn\nBonn Kiel\n"), "from 'i' to 'j', no weights");
}

TEST(comment_titles, by_blanks_above_other_marks) {
  EXPECT_EQ(columns("# to from km\n6;3;16\n5;6;5\n5;6;9\n5;3;8\n"), "from 'from' to 'to', weight 'km'");
  EXPECT_EQ(columns("# from Ulm to Bonn\n1;2;5\n2;4;7\n"), "from column 1 to column 2, weight column 3");
}

TEST(comment_titles, behind_a_mark_in_a_field_of_its_own) {
  EXPECT_EQ(columns("#,km,from,to\n5,1,2\n7,2,3\n"), "from 'from' to 'to', weight 'km'");
  EXPECT_EQ(columns("#,to,from,km\n1,2,3\n"), "from 'from' to 'to', weight 'km'");
  EXPECT_EQ(columns("#;from;to\n1;2\n"), "from 'from' to 'to', no weights");
  EXPECT_EQ(columns("#,from,to,km\n0,4,5,7\n1,5,6,8\n"), "from 'from' to 'to', weight 'km' (column 1 not used)");
}

// What asks as a first line asks as a comment.
TEST(comment_titles, that_call_no_ends) {
  EXPECT_TRUE(refused("# vertex weight neighbor\n1 5 2\n2 6 3\n")
                  .starts_with("f:1: the titles ('vertex', 'weight', 'neighbor') do not say which two columns are"));
  EXPECT_TRUE(read("# vertex weight neighbor\n1 5 2\n2 6 3\n", {.header = false}).weighted);
}

// An arc that was turned into a comment, and words.
TEST(comment_titles, that_are_none) {
  EXPECT_EQ(columns("# B A\nA B\nB C\n"), "from column 1 to column 2, no weights");
  EXPECT_EQ(columns("# weight in km\n1 2 3\n2 3 4\n"), "from column 1 to column 2, weight column 3");
  EXPECT_EQ(columns("# cost table two\n1 2 3\n2 3 4\n"), "from column 1 to column 2, weight column 3");
  EXPECT_EQ(columns("# j i graph\n2 1 3\n13 2 4\n"), "from column 1 to column 2, weight column 3");
  EXPECT_EQ(columns("# some graph weight\n1 2 3\n2 3 4\n"), "from column 1 to column 2, weight column 3");
}

}  // namespace comment_titles_test
