// Rows whose fields are no vertices are refused, and names that look alike are read.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace odd_rows_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

TEST(odd_rows, brackets_around_fields) {
  const std::string rest = ": an edge list has from and to alone, and a weight";
  EXPECT_EQ(refused("(1, 2)\n(2, 3)\n"), "f:1: brackets around fields, '(1' and '2)'" + rest);
  EXPECT_EQ(refused("[0,1]\n[1,2]\n"), "f:1: brackets around fields, '[0' and '1]'" + rest);
  EXPECT_EQ(refused("{0,1},\n{1,2},\n"), "f:1: brackets around fields, '{0' and '1}'" + rest);
  EXPECT_EQ(refused("edge(a,b).\nedge(b,c).\n"), "f:1: brackets around fields, 'edge(a' and 'b).'" + rest);
  EXPECT_EQ(refused("(1, 2, 5)\n(2, 3, 7)\n"), "f:1: brackets around fields, '(1' and '2'" + rest);
  EXPECT_EQ(read("\"(1, 2)\",\"(2, 3)\"\n\"(2, 3)\",\"(3, 4)\"\n").names.size(), 3u);
  EXPECT_EQ(read("Halle (Saale),Ulm\nUlm,a)\n").names.size(), 3u);
  EXPECT_EQ(read("(1,2)\n(2,3)\nx,y\n").names.size(), 6u);
}

TEST(odd_rows, several_vertices_in_a_field) {
  const std::string rest =
      ", several vertices, it seems: write a line for each arc, or say that it is a name (--vertices names)";
  EXPECT_EQ(refused("A,\"B,C\"\nB,\"C,D\"\n"), "f:1: column 2 holds 'B,C'" + rest);
  EXPECT_EQ(refused("A\tB,C\nB\tD\n"), "f:1: column 2 holds 'B,C'" + rest);
  EXPECT_EQ(refused("node,neighbors\nA,\"['B', 'C']\"\nB,\"['C']\"\n"), "f:2: column 2 holds '['B', 'C']'" + rest);
  EXPECT_EQ(refused("package,depends_on\nweb,\"http, log\"\nhttp,tls\n"), "f:2: column 2 holds 'http, log'" + rest);
  const edge_list_options as_names = {.vertices = vertex_labels::names};
  EXPECT_EQ(read("A,\"B,C\"\nB,\"C,D\"\n", as_names).names.size(), 4u);
  for (const char* text : {"\"Smith, John\",\"Doe, Jane\"\n\"Doe, Jane\",\"Roe, Ann\"\n",
                           "France,\"Paris, France\"\nItaly,\"Rome, Italy\"\n", "Ann,\"Doe, Jane\"\nBob,Ann\n",
                           "Dallas\tParis, Texas\nDallas\tTexas\n"})
    EXPECT_EQ(std::get<coo<std::int64_t>>(read(text).edges).row.size(), 2u) << text;
}

TEST(odd_rows, titles_of_a_second_table) {
  EXPECT_EQ(
      refused("id,label\nn1,Ann\nn2,Bob\n\nsource,target\nn1,n2\n"),
      "f:5: 'source' and 'target' behind an empty line are titles of a second table, it seems: put it into a file "
      "of its own");
  EXPECT_TRUE(refused("from,to\nA,B\n\nfrom,to\nC,D\n").starts_with("f:4: 'from' and 'to' behind an empty line"));
  EXPECT_EQ(read("a b\nb u\n\nu v\nv a\n").names.size(), 4u);
  EXPECT_EQ(read("source a\na target\n\nsource target\n").names.size(), 3u);
  EXPECT_EQ(read("source b\nb target\nsource target\n").names.size(), 3u);
}

TEST(odd_rows, what_is_drawn_around_a_table) {
  const std::string rule =
      ": a rule of a table that psql or mysql has printed: let it write CSV (psql --csv, mysql --batch)";
  EXPECT_EQ(refused(" from | to | km \n------+----+----\n A    | B  |  3\n(1 row)\n"), "f:2" + rule);
  EXPECT_EQ(refused("+------+----+\n| from | to |\n+------+----+\n| A    | B  |\n+------+----+\n"), "f:1" + rule);
}

TEST(odd_rows, a_dictionary_behind_commas) {
  EXPECT_TRUE(refused("a,b,{'weight': 3, 'x': 1}\nb,c,{'weight': 4, 'x': 2}\n")
                  .starts_with("f:1: a dictionary behind the ends, as NetworkX writes it"));
}

}  // namespace odd_rows_test
