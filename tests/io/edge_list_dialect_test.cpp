// What the first lines of an edge list and the comments in front of them say.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <string>
#include <vector>

namespace edge_list_dialect_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using ints = coo<std::int64_t>;
using words = std::vector<std::string>;

std::vector<std::int64_t> integers(const edge_list_file& list) { return std::get<ints>(list.edges).value; }

}  // namespace

// A download that was cut off is said, whatever else is found.
TEST(edge_list_dialect, edges_that_a_comment_promises) {
  const auto doubt = [](const std::string& comments, int lines) {
    std::string text = comments;
    for (int line = 0; line < lines; ++line) text += std::to_string(line) + "\t" + std::to_string(line + 1) + "\n";
    return read(text).doubt;
  };
  const std::string snap = "# Undirected graph: x\n# Nodes: 9 Edges: 8\n# FromNodeId\tToNodeId\n",
                    konect = "% sym unweighted\n% 8 9 9\n";
  for (const std::string& comments : {snap, konect, std::string("# Nodes: 9\tEdges: 8\r\n")}) {
    for (const int lines : {8, 16, 4}) EXPECT_EQ(doubt(comments, lines), "") << lines;
    EXPECT_NE(doubt(comments, 7), "");
  }
  EXPECT_EQ(doubt(snap, 7), "f:2: the comment says 8 edges, and there are 7: is the file cut off?");
  EXPECT_EQ(doubt(konect, 9), "f:2: the comment says 8 edges, and there are 9");
  for (const char* other : {"# Nodes: 9 Edges: many\n", "# 8 9 9\n", "% 8 9 9\n", "% sym positive\n% 8 9 9\n",
                            "% sym unweighted\n% a net\n% 8 9 9\n", "# Edges: 8\n", "# Nodes: 9 Edges: -8\n"})
    EXPECT_EQ(doubt(other, 5), "") << other;
  EXPECT_EQ(read("# Nodes: 3 Edges: 9223372036854775807\n1 2\n").doubt,
            "f:1: the comment says 9223372036854775807 edges, and there is 1: is the file cut off?");
}

// What the list is, its first lines say, however many comments stand before them.
TEST(edge_list_dialect, comments_longer_than_a_block) {
  std::string comments = "\xef\xbb\xbf# Undirected graph: x\n\n";
  for (int line = 0; line < 40000; ++line) comments += "# " + std::string(50, 'c') + "\n";
  ASSERT_GT(comments.size(), std::size_t{2} << 20);
  const auto list = read(comments + "from;to;km\na;b;7\r\nb;c;8\n");
  EXPECT_EQ(list.names, (words{"a", "b", "c"}));
  EXPECT_EQ(integers(list), (std::vector<std::int64_t>{7, 7, 8, 8}));
  EXPECT_EQ(list.description,
            "semicolon-separated with a header, from 'from' to 'to', weight 'km', undirected, 3 vertices by name");
  EXPECT_EQ(refused(comments + "1 2\n1 2\n1 2 3\n"), "f:40005: 3 fields, where the first line has 2 (blank-separated)");
  EXPECT_EQ(refused(comments), "f:40002: the file has no lines but comments and empty ones");
  EXPECT_EQ(refused("# c\n" + std::string(std::size_t{1} << 20, 'x')), "f:2: a line of more than 1048575 bytes");
  EXPECT_EQ(read("# c\n" + std::string((1 << 20) - 3, 'x') + " y\ny y\n").names.size(), 2u);
  const test::scratch folder;
  for (const std::string& content : {comments + "1 2\n", test::gzipped(comments + "1 2\n")})
    EXPECT_EQ(read_graph(folder.write("list", content)).arcs, 2);
}

TEST(edge_list_dialect, titles_that_two_columns_have) {
  const std::string which = ": say which are from, to and weight by their numbers (--columns 1,2,3)";
  EXPECT_EQ(refused("# c\nfrom,to,to\na,b,c\n"), "f:2: two columns are called 'to'" + which);
  EXPECT_EQ(refused("from,to,weight,weight\na,b,1,2\n"), "f:1: two columns are called 'weight'" + which);
  EXPECT_EQ(refused("x,y,km,km\na,b,1,2\n", {.columns = {"x", "y", "km"}}), "f:1: two columns are called 'km'" + which);
  EXPECT_EQ(integers(read("x,y,km,km\na,b,1,2\n", {.columns = {"x", "y", "4"}})), (std::vector<std::int64_t>{2}));
  EXPECT_EQ(read("from,to,note,note\na,b,c,d\n").names, (words{"a", "b"}));
  EXPECT_TRUE(refused("from_id,from_name,to_id,to_name,w\n1,a,2,b,9\n")
                  .starts_with("f:1: 'from_id' and 'to_id' may be the ends, or 'from_name' and 'to_name': say which "
                               "columns are from, to and weight (--columns 'from_id','to_id','w' if it is these;"));
}

// Words where weights should be are no labels if the column is called weight.
TEST(edge_list_dialect, columns_that_are_called_weight) {
  EXPECT_EQ(refused("from,to,weight\na,b,x\nb,c,y\n"), "f:2: the weight 'x' is not a number");
  EXPECT_EQ(refused("from,to,Distance,id\na,b,far,1\n"), "f:2: the weight 'far' is not a number");
  EXPECT_EQ(refused("from,to,length\na,b,\nb,c,y\n"), "f:2: the weight is missing: 'length' is empty");
  EXPECT_TRUE(refused("from,to,km\na,b,x\n").starts_with("f:2: 'km' holds 'x', which is no number that is read"));
  EXPECT_FALSE(read("from,to,weight\na,b,\n", {.columns = {"from", "to"}}).weighted);
  EXPECT_FALSE(read("from,to,weight\na,b,x\n", {.columns = {"from", "to"}}).weighted);
  EXPECT_EQ(integers(read("from,to,length,w\na,b,short,7\n")), (std::vector<std::int64_t>{7}));
}

}  // namespace edge_list_dialect_test
