// Headers with fewer titles than their rows have fields: R's row names, and rows that end in separators.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace short_header_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using words = std::vector<std::string>;

std::vector<std::int64_t> integers(const edge_list_file& list) { return std::get<coo<std::int64_t>>(list.edges).value; }

}  // namespace

// As write.table of R 4.2 writes a data frame, whole, filtered and without quotation marks; and write.csv of numbers.
TEST(short_header, row_names_of_r) {
  for (const char* text : {"\"from\" \"to\" \"weight\"\n\"1\" \"A\" \"B\" 3\n\"2\" \"B\" \"C\" 4\n",
                           "from\tto\tweight\n3\tA\tB\t3\n17\tB\tC\t4\n",
                           "\"V1\" \"V2\" \"w\"\n\"1\" \"A\" \"B\" 3\n\"2\" \"B\" \"C\" 4\n"}) {
    const auto list = read(text);
    EXPECT_EQ(list.names, (words{"A", "B", "C"})) << text;
    EXPECT_EQ(integers(list), (std::vector<std::int64_t>{3, 4})) << text;
  }
  EXPECT_EQ(read("from,to\n1,A,B\n2,B,C\n").description,
            "comma-separated with a header and R's row names in column 1, from 'from' to 'to', no weights (column 1 "
            "not used), directed, 3 vertices by name");
  const auto numbers = read("\"from\" \"to\" \"weight\"\n\"1\" 1 2 5\n\"2\" 2 3 7\n");
  EXPECT_EQ(numbers.first_vertex, 1);
  EXPECT_EQ(integers(numbers), (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(refused("from,to\n1,A,B\n2,B\n"), "f:2: 3 fields, where the header has 2 (comma-separated)");
}

// The row that was cut is named, wherever it stands, and not the first one, which the header alone would be held to.
TEST(short_header, a_row_of_r_that_was_cut) {
  const std::string header = "\"from\" \"to\" \"weight\"\n", first = "\"1\" \"A\" \"B\" 3\n",
                    second = "\"2\" \"B\" \"C\" 4\n", third = "\"3\" \"C\" \"D\" 5\n";
  const std::string rest = " fields, where most rows have 4 (blank-separated)";
  EXPECT_EQ(refused(header + first + second + "\"3\" \"C\"\n"), "f:4: 2" + rest);
  EXPECT_EQ(refused(header + "\"1\" \"A\" \"B\"\n" + second + third), "f:2: 3" + rest);
  EXPECT_EQ(refused(header + first + "\"2\"\n" + third), "f:3: 1 field, where most rows have 4 (blank-separated)");
  EXPECT_EQ(refused(header + first + second + "\"3\" \"C\" \"D\" 5 6\n"), "f:4: 5" + rest);
  EXPECT_EQ(refused(header + first + second + "\"3\" \"C\" \"D"), "f:4: a quoted field does not end on its line");
  EXPECT_EQ(refused("from,to\nr1,A,B\nr2,B\nr3,B,C\n", {.columns = {"2", "3"}}),
            "f:3: 2 fields, where most rows have 3 (comma-separated)");
  // Without row names it is the longer rows that are wrong, however many: 4,5 may be one number.
  EXPECT_EQ(refused("from,to,km\nA,B,3\nB,C,4,5\nC,D,5,5\n"),
            "f:3: 4 fields, where the header has 3 (comma-separated)");
  std::string later = header;
  for (int row = 1; row <= 200; ++row) later += std::to_string(row) + " A B 3\n";
  EXPECT_EQ(refused(later + "201 A\n"), "f:202: 2 fields, where the first row has 4 (blank-separated)");
}

// The first column may be what its title says, and the last one lack a title.
TEST(short_header, what_may_be_row_names_is_asked_about) {
  const std::string question =
      " below a header of 2: if column 1 has the names of the rows, as R writes them, say by numbers which columns are "
      "from, to and weight (--columns 2,3)";
  EXPECT_EQ(refused("from,to\n1,2,5\n2,3,7\n"), "f:2: 3 fields" + question);
  EXPECT_EQ(refused("from,to\nA,B,3\nB,C,4\n"), "f:2: 3 fields" + question);
  const auto chosen = read("from,to\nr1,A,B\nr2,B,C\n", {.columns = {"2", "3"}});
  EXPECT_EQ(chosen.names, (words{"A", "B", "C"}));
  EXPECT_EQ(refused("from,to\nA,B,3\nA,C,4\n"), "f:2: 3 fields, where the header has 2 (comma-separated)");
  EXPECT_EQ(refused("from,to\nA,B,3,x\nB,C,4,y\n"), "f:2: 4 fields, where the header has 2 (comma-separated)");
  EXPECT_TRUE(refused("A;B\nA;0;3\nB;4;0\n").starts_with("f:2: the first column has the names of the others"));
}

TEST(short_header, rows_that_end_in_separators) {
  const auto list = read("from,to,km\nA,B,3,,\nB,C,4,,\n");
  EXPECT_EQ(list.description,
            "comma-separated with a header, from 'from' to 'to', weight 'km' (column 4, column 5 not used), directed, "
            "3 vertices by name");
  EXPECT_EQ(integers(list), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(refused("from,to,km\nA,B,3,\nB,C,4\n"), "f:2: 4 fields, where the header has 3 (comma-separated)");
  std::string later = "from,to,km\n";
  for (int row = 0; row < 200; ++row) later += "A,B,3,\n";
  EXPECT_EQ(refused(later + "B,C,4\n"), "f:202: 3 fields, where the first row has 4 (comma-separated)");
}

}  // namespace short_header_test
