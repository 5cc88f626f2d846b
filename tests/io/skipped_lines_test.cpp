// Lines that are left out of an edge list, and said to be.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace skipped_lines_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using words = std::vector<std::string>;

}  // namespace

// As spreadsheets write what was once filled.
TEST(skipped_lines, rows_of_nothing_but_separators) {
  const auto list = read("from,to,km\nA,B,3\n,,\nB,C,4\n, ,\n\"\",\"\",\"\"\n");
  EXPECT_EQ(list.names, (words{"A", "B", "C"}));
  EXPECT_EQ(list.doubt, "f:3: 3 rows of nothing but separators are left out");
  EXPECT_EQ(read(";;\nA;B;3\n").doubt, "f:1: a row of nothing but separators is left out");
  EXPECT_EQ(read("from,to,km\nA,B,3\n").doubt, "");
  EXPECT_EQ(refused("from,to,km\nA,B,3\n,,4\n"), "f:3: a vertex has no name: 'from' is empty");
  EXPECT_EQ(refused("from,to,km\nA,B,3\n,C,\n"), "f:3: a vertex has no name: 'from' is empty");
  EXPECT_EQ(refused("# c\n,,\n,,\n"), "f:2: nothing follows but 2 rows of separators");
  EXPECT_EQ(refused("from,to,km\n,,\n"),
            "f:1: nothing follows the header (f:2: a row of nothing but separators is left out)");
  EXPECT_EQ(read("; ;\n; |\n", {.separator = ' '}).names, (words{";", "|"}));
  std::string far = "from,to,km\n";
  for (int row = 0; row < 300000; ++row) far += "1,2,3\n";
  EXPECT_EQ(read(far + ",,\n,,\n", {.threads = 4}).doubt, "f:300002: 2 rows of nothing but separators are left out");
}

TEST(skipped_lines, names_that_start_as_comments_do) {
  const std::string with = " with as many fields as an arc ",
                    rest = "left out: if the first one is a name, put it in quotation marks";
  EXPECT_EQ(read("from,to,km\nA,B,3\n#x,B,4\nB,C,5\n#y,B,4\n").doubt, "f:3: 2 comments" + with + "are " + rest);
  EXPECT_EQ(refused("from,to\n#x,B\n"), "f:1: nothing follows the header (f:2: a comment" + with + "is " + rest + ")");
  EXPECT_EQ(read("#x,B,4\nB,C,5\n").doubt, "f:1: a comment" + with + "is " + rest);
  EXPECT_EQ(read("#x\tB\nB\tC\n#y\tC\n").doubt, "f:3: a comment" + with + "is " + rest);
  EXPECT_EQ(read("from,to,km\n\"#x\",B,3\n").names, (words{"#x", "B"}));
  for (const char* text : {"# by hand\nA,B,3\n# x,B,4\n", "#from,to,km\nA,B,3\n", "A,B,3\n#x,B,far\nB,C,4\n",
                           "%sym unweighted\n1 2\n", "#a b\n1 2\n", "A,B,3\n##,B,4\n"})
    EXPECT_EQ(read(text).doubt, "") << text;
}

TEST(skipped_lines, beside_what_a_comment_says) {
  EXPECT_EQ(read("# Nodes: 3 Edges: 5\n1,2\n,\n").doubt,
            "f:1: the comment says 5 edges, and there is 1: is the file cut off?; f:3: a row of nothing but separators "
            "is left out");
}

}  // namespace skipped_lines_test
