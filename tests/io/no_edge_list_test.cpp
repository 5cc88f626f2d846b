// What would be read as another graph than the one that is meant, and is refused.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <vector>

namespace no_edge_list_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using words = std::vector<std::string>;

}  // namespace

// What the first rows say of a column that is empty there may be wrong of those below them.
TEST(no_edge_list, columns_that_are_filled_later) {
  const auto rows = [](std::string text, const std::string& row, const std::string& last) {
    for (int r = 0; r < 100; ++r) text += row;
    return text + last;
  };
  const std::string question =
      ", and nothing in the first rows: is it the weight (--columns 1,2,3), or is there none (--columns 1,2)?";
  EXPECT_EQ(refused(rows("", "A,B,\n", "A,C,7\n")), "f:101: column 3 holds '7'" + question);
  EXPECT_EQ(refused(rows("", "1,2,\n", "1,3,7\n")), "f:101: column 3 holds '7'" + question);
  EXPECT_EQ(refused(rows("from,to,\n", "1,2,\n", "1,3,7\n")), "f:102: column 3 holds '7'" + question);
  EXPECT_EQ(refused(rows("from,to,\n", "A,B,\n", "A,C,x\n")), "f:102: column 3 holds 'x'" + question);
  EXPECT_EQ(refused(rows("from,to\n", "A,B,\n", "A,C,7\n")), "f:102: column 3 holds '7'" + question);
  EXPECT_EQ(refused(rows("from,to,traffic\n", "1,2,\n", "1,3,7\n")), "f:102: 'traffic' holds '7'" + question);
  EXPECT_EQ(refused(rows("from,to,traffic\n", "A,B,\n", "A,C,$7\n")), "f:102: 'traffic' holds '$7'" + question);
  EXPECT_EQ(refused(rows("from,to,km\n", "A,B,3,\n", "A,C,4,5\n")),  // a decimal comma, perhaps
            "f:102: column 4 holds '5', and nothing in the first rows: if it is not used, say which columns are "
            "from, to and weight (--columns 1,2,3)");
  EXPECT_FALSE(read(rows("from,to,\n", "A,B,\n", "A,C,7\n"), {.columns = {"1", "2"}}).weighted);
  EXPECT_FALSE(read(rows("from,to,note\n", "A,B,\n", "A,C,x\n")).weighted);
  EXPECT_FALSE(read(rows("from,to,id\n", "A,B,\n", "A,C,7\n")).weighted);
  EXPECT_TRUE(read(rows("from,to,km,note\n", "A,B,3,\n", "A,C,4,7\n")).weighted);
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
  EXPECT_EQ(read("from,to\n1.1,a\n").names, (words{"1.1", "a"}));
}

TEST(no_edge_list, numbers_of_rows_are_no_weights) {
  for (const char* title : {"id", "OBJECTID", "edge_id", "Row", "osm_id", "link-id"}) {
    EXPECT_FALSE(read(std::string(title) + ",from,to\n1,A,B\n2,B,C\n").weighted) << title;
    EXPECT_TRUE(read(std::string(title) + ",from,to,km\n1,A,B,7\n2,B,C,8\n").weighted) << title;
  }
  for (const char* title : {"", "Unnamed: 0", "No.", "Nr.", "#", "X1", "lfd. Nr.", "level_0"})
    EXPECT_FALSE(read("\"" + std::string(title) + "\",from,to\n0,A,B\n1,B,C\n").weighted) << title;
  EXPECT_EQ(
      refused("line,stop,from,to\n7,3,A,B\n8,5,B,C\n"),
      "f:1: 'stop' holds numbers, and stands in front: is it the weight (--columns 'from','to','stop'), or is there "
      "none (--columns 'from','to')?");
  EXPECT_NE(refused(std::string(50, 'x') + ",from,to\n7,A,B\n").find("(--columns 'from','to',1)"), std::string::npos);
  EXPECT_TRUE(refused("year,from,to\n1999,A,B\n1999,B,C\n").starts_with("f:1: 'year' says when"));
  EXPECT_TRUE(refused("from,to,timestamp\nA,B,5\n").starts_with("f:1: 'timestamp' says when"));
  EXPECT_TRUE(refused("1 2 1082040961\n2 3 1082155839\n").starts_with("f:1: column 3 holds seconds since 1970"));
  EXPECT_TRUE(refused("1 2 1609459200000\n2 3 1609459300000\n").starts_with("f:1: column 3 holds milliseconds since"));
  EXPECT_TRUE(refused("A,B,20210105\nB,C,20210106\n").starts_with("f:1: column 3 holds dates, it seems"));
  EXPECT_TRUE(read("A,B,20210105\nB,C,20211306\n").weighted);
  EXPECT_TRUE(read("from,to,weight\nA,B,20210105\n").weighted);
  EXPECT_TRUE(refused("% asym dynamic\n1 2 1 5\n1 2 -1 9\n").starts_with("f:1: a dynamic network of KONECT"));
  EXPECT_FALSE(read("% asym dynamic\n1 2 1 5\n1 2 -1 9\n", {.columns = {"1", "2"}}).weighted);
  EXPECT_TRUE(read("km,from,to\n1,A,B\n2,B,C\n").weighted);
  EXPECT_TRUE(refused("from,to,count\nA,B,0\nB,C,1\nC,D,2\n").starts_with("f:1: 'count' numbers the rows, it seems"));
  EXPECT_TRUE(read("from,to,count\nA,B,0\nB,C,2\nC,D,1\n").weighted);
  EXPECT_TRUE(read("from,to,weight\nA,B,1\nB,C,2\nC,D,3\n").weighted);
}

TEST(no_edge_list, times_are_no_vertices) {
  const std::string rest =
      " is a time or a date, and seems no name of a vertex: say which columns are from and to (--columns "
      "1,2)";
  EXPECT_EQ(refused("a,b,km\n08:00,08:10,3\n08:12,08:20,4\n"), "f:2: '08:00'" + rest);
  EXPECT_EQ(refused("08:00,B\n08:10,C\n"), "f:1: '08:00'" + rest);
  edge_list_options ends;
  ends.columns = {"1", "4"};
  EXPECT_EQ(read("A,08:00,08:10,B\nB,08:12,08:20,C\n", ends).names, (words{"A", "B", "C"}));
}

// Titles that call no ends: two columns of names are the ends wherever they stand, and more are asked about.
TEST(no_edge_list, ends_that_no_title_calls_so) {
  for (const char* text : {"weight,a,b\n3,A,B\n4,B,C\n", "a,distance,b\nA,3,B\nB,4,C\n", "Ort,km,Ziel\nA,3,B\nB,4,C\n",
                           "#,from,to,km\n1,A,B,3\n2,B,C,4\n", "#;Von;Nach;km\n1;A;B;3\n2;B;C;4\n",
                           "Gene A\tGene B\tScore\nA\tB\t3\nB\tC\t4\n"}) {
    const auto list = read(text);
    EXPECT_EQ(list.names, (words{"A", "B", "C"})) << text;
    EXPECT_TRUE(list.weighted) << text;
    EXPECT_EQ(std::get<coo<std::int64_t>>(list.edges).value, (std::vector<std::int64_t>{3, 4})) << text;
  }
  for (const char* text :
       {"from,to_name,to,km\nA,x,B,3\nB,x,C,4\n", "from_name,to_name,from,to,km\nx,y,A,B,3\nx,y,B,C,4\n",
        "u_name,v_name,u,v,length\nx,y,A,B,3\nx,y,B,C,4\n", "receiver,sender,km\nB,A,3\nC,B,4\n",
        "Linie;Von;Nach;km\nS1;A;B;3\nS1;B;C;4\n", "pathway_id,from_stop_id,to_stop_id,time\np,A,B,3\nq,B,C,4\n",
        "ligne;de;à;km\nx;A;B;3\nx;B;C;4\n"}) {
    const auto list = read(text);
    const auto& arcs = std::get<coo<std::int64_t>>(list.edges);
    ASSERT_EQ(arcs.row.size(), 2u) << text;
    EXPECT_EQ(list.names[arcs.row[0]] + list.names[arcs.col[0]] + list.names[arcs.col[1]], "ABC") << text;
    EXPECT_EQ(arcs.value, (std::vector<std::int64_t>{3, 4})) << text;
  }
  for (const char* text :
       {"carrier,stadt,ort,km\nx,A,B,3\n", "x,y,z,t\n1,2,3,4\n", "id,x,y\n1,5,7\n", "name,nr,km\nA,5,7\n"})
    EXPECT_NE(refused(text).find(") do not say which two columns are the ends: say which columns are from, to and "
                                 "weight (--columns '"),
              std::string::npos)
        << refused(text);
  for (const char* text : {"Bis,Ort,km\nA,B,3\n", "task,depends_on,cost\nB,A,3\n", "ort,Start\nA,B\nB,7\n"})
    EXPECT_NE(refused(text, {.header = true}).find("it is not clear which of them is from"), std::string::npos)
        << refused(text);
  EXPECT_NE(refused("head,tail,weight\nA,B,3\n").find("arcs go from tail to head in graphs"), std::string::npos);
  EXPECT_TRUE(read("from,to,person1,person2,km\nx,y,A,B,3\n").weighted);
  for (const char* text : {"Ziel;Start;km\nB;A;3\nC;B;4\n", "arrival,departure,km\nB,A,3\nC,B,4\n",
                           "Cible;Source;km\nB;A;3\nC;B;4\n", "FromNodeId|km|to_name|ToNodeId\nA|3|x|B\nB|4|y|C\n",
                           "caller,start,end,callee,km\nA,8:00,9:00,B,3\nB,8:00,9:00,C,4\n"}) {
    const auto list = read(text);
    const auto& arcs = std::get<coo<std::int64_t>>(list.edges);
    EXPECT_EQ(list.names[arcs.row[0]] + list.names[arcs.col[0]] + list.names[arcs.col[1]], "ABC") << text;
  }
  EXPECT_EQ(read("x,y,z\n1,2,30\n2,5,40\n").names, (words{"1", "2", "5"}));
  EXPECT_TRUE(refused("1,A,B\n2,B,C\n").starts_with("f:1: column 1 holds numbers, and column 2 names"));
  EXPECT_TRUE(refused("e 1 2\ne 2 3\n").starts_with("f:1: column 1 holds names, and column 2 numbers"));
  EXPECT_TRUE(refused("A pp B\nC pp D\n").starts_with("f:1: columns 1, 2 and 3 hold names"));
  EXPECT_TRUE(refused("timestamp,who,whom\n2020-01-01,A,B\n").starts_with("f:1: columns 1, 2 and 3 hold names"));
  EXPECT_TRUE(refused("0,6,2,3\n1,1,6,78\n2,4,5,92\n").starts_with("f:1: column 1 numbers the rows"));
  EXPECT_TRUE(refused("A,B,3,5\nB,C,4,6\n").starts_with("f:1: 4 columns without titles: say which columns"));
  EXPECT_TRUE(refused("task,duration,predecessors\nA,3,B\n").starts_with("f:1: 'predecessors' seems to hold lists"));
  EXPECT_EQ(read("node1,node2\nnode2,node3\n").names, (words{"node1", "node2", "node3"}));
  EXPECT_EQ(read("a,b,3\nb,c,4\n").names, (words{"a", "b", "c"}));
}

// First lines that may be titles, arcs, or neither.
TEST(no_edge_list, first_lines_of_two_meanings) {
  for (const char* text : {"from,to\nA,B\nfrom,to\nC,D\n", "source,target\nsource,a\na,sink\n"})
    EXPECT_NE(refused(text).find("may be titles of columns, and occur below, too"), std::string::npos) << refused(text);
  EXPECT_EQ(read("from,to\nA,B\nfrom,to\n", {.header = false}).names, (words{"from", "to", "A", "B"}));
  EXPECT_EQ(read("source,target,capacity\nsource,a,3\na,sink,4\n").names, (words{"source", "a", "sink"}));
  EXPECT_EQ(read("city1,city2\nX,Y\n").names, (words{"X", "Y"}));
  EXPECT_EQ(read("Gene A,Gene B\nX,Y\n").names, (words{"X", "Y"}));
  EXPECT_TRUE(refused("0,1,2\nA,B,3\nB,C,4\n").starts_with("f:1: numbers where the other lines have names"));
  EXPECT_EQ(read("0,1,2\nA,B,3\n", {.header = true}).names, (words{"A", "B"}));
  EXPECT_TRUE(refused("A,B,NA\nB,C,4\n").starts_with("f:1: the weight 'NA'"));
  EXPECT_TRUE(refused("3 2\n1 2\n2 3\n").starts_with("f:1: 3 vertices and 2 arcs, it seems"));
  EXPECT_EQ(read("3 2\n1 2\n2 3\n", {.header = false}).names.size(), 0u);
  EXPECT_EQ(read("1 2\n2 3\n3 1\n").first_vertex, 1);
  EXPECT_TRUE(refused("A,B,#DIV/0!\nB,C,4\n").starts_with("f:1: the weight '#DIV/0!'"));
  EXPECT_NE(read("A,B\nB,?\n").doubt.find("a vertex is called '?'"), std::string::npos);
  EXPECT_NE(read("A,B\nB,NULL\n").doubt.find("a vertex is called 'NULL'"), std::string::npos);
}

// Words that are no known titles, above three columns of names: they may be an arc, and the ends any two.
TEST(no_edge_list, first_lines_that_call_no_ends) {
  const std::string shared = "alpha,beta,gamma\nA,B,x\nB,C,y\nC,A,z\n", apart = "alpha,beta,gamma\nA,B,C\nD,E,F\n";
  const auto question = [](const std::string& columns) {
    return "f:1: columns 1, 2 and 3 hold names, and no word of this line occurs below: does it name the columns "
           "(--header --columns " +
           columns + "), or is it an arc (--no-header --columns " + columns + ")?";
  };
  EXPECT_EQ(refused(shared), question("1,2"));
  EXPECT_EQ(refused(apart), question("1,2"));
  EXPECT_EQ(refused("kind,alpha,beta\nx,A,B\ny,B,C\n"), question("2,3"));
  EXPECT_EQ(read(shared, {.header = true, .columns = {"1", "2"}}).names, (words{"A", "B", "C"}));
  EXPECT_EQ(read(shared, {.columns = {"alpha", "beta"}}).names, (words{"A", "B", "C"}));
  EXPECT_TRUE(refused(shared, {.header = false}).starts_with("f:1: columns 1, 2 and 3 hold names"));
  EXPECT_EQ(read(apart, {.header = false, .columns = {"1", "2"}}).names, (words{"alpha", "beta", "A", "B", "D", "E"}));
  EXPECT_TRUE(refused(shared, {.header = true}).starts_with("f:1: the titles ('alpha', 'beta', 'gamma') do not say"));
  EXPECT_NE(refused("X,Y,road\nA,B,road\nB,C,rail\n").find("(--columns 1,2 if it is these"), std::string::npos);
  EXPECT_NE(refused("2020-01-31,X,Y\n2020-01-30,X,Z\n2020-01-29,Z,Y\n").find("(--columns 2,3 if it is these"),
            std::string::npos);
  // Of two columns it is an arc, as lists of names have no titles as often as not, and the answer says so.
  EXPECT_NE(read("alpha,beta\nA,B\nB,C\n").description.find("(line 1 is an arc; --header if it names the columns)"),
            std::string::npos);
}

TEST(no_edge_list, directions_of_rows) {
  for (const char* text :
       {"from,to,directed\nA,B,FALSE\n", "from,to,oneway\nA,B,no\n", "from,to,Bidirectional\nA,B,yes\n"})
    EXPECT_NE(refused(text).find("direction is not read row by row"), std::string::npos) << refused(text);
  EXPECT_TRUE(read("from,to,directed\nA,B,TRUE\n").directed);
}

// Whatever is not known to say one way, in whichever row, and is a number or none.
TEST(no_edge_list, directions_under_many_titles) {
  const std::string rest = ", and direction is not read row by row: say --undirected or --directed for the whole file";
  EXPECT_EQ(refused("from_stop_id,to_stop_id,is_bidirectional,length\nA,B,0,30\nB,C,1,10\n"),
            "f:3: the column 'is_bidirectional' says '1'" + rest);
  EXPECT_EQ(refused("from,to,km,oneway\na,b,3,\n"), "f:2: the column 'oneway' says nothing" + rest);
  for (const char* title : {"oneway", "is_oneway", "one_way", "one-way", "Directed", "is_directed", "unidirectional"})
    for (const char* field : {"B", "reversible", "-1", "0", "F", "TF", ""})
      EXPECT_EQ(refused("from,to,km," + std::string(title) + "\na,b,3,yes\nb,c,4," + field + "\n"),
                "f:3: the column '" + std::string(title) + "' says " +
                    (*field ? "'" + std::string(field) + "'" : "nothing") + rest);
  for (const char* title : {"bidirectional", "two_way", "is_two_way", "both_ways", "undirected", "Is Undirected"})
    for (const char* field : {"1", "yes", "maybe", ""})
      EXPECT_TRUE(refused("from,to,km," + std::string(title) + "\n1,2,3,no\n2,3,4," + field + "\n")
                      .starts_with("f:3: the column '" + std::string(title) + "' says"));
  for (const char* field : {"both", "backward", "two-way", "undirected", "N", "0"})
    EXPECT_TRUE(refused("from,to,km,direction\na,b,3,forward\nb,c,4," + std::string(field) + "\n").starts_with("f:3"));
  EXPECT_TRUE(refused("Source,Target,Type\na,b,Directed\nb,c,Mixed\n").starts_with("f:3: the column 'Type'"));
  std::string late = "from,to,km,oneway\n";
  for (int row = 0; row < 200; ++row) late += "1,2,3,yes\n";
  EXPECT_EQ(refused(late + "2,3,4,no\n"), "f:202: the column 'oneway' says 'no'" + rest);
  for (const char* text :
       {"from,to,km,oneway\na,b,3,yes\n", "from,to,km,is_oneway\n1,2,3,1\n2,3,4,1\n", "u,v,two_way,km\n1,2,0,3\n",
        "from,to,km,direction\na,b,3,Forward\n", "Source,Target,Type,Weight\na,b,Directed,3\n",
        "from,to,km,type\na,b,3,primary\nb,c,4,\n", "from,to,km,type\n1,2,3,4\n"})
    EXPECT_TRUE(read(text).directed && read(text).weighted) << text;
  const std::string mixed = "from,to,km,oneway\na,b,3,no\n";
  EXPECT_FALSE(read(mixed, {.directed = false}).directed);
  EXPECT_TRUE(read(mixed, {.directed = true}).directed);
  EXPECT_TRUE(refused(mixed, {.columns = {"from", "to", "km"}}).starts_with("f:2: the column 'oneway'"));
}

// Separators at the ends of rows are no column: what can be read without them is read.
TEST(no_edge_list, separators_at_the_ends_of_rows) {
  EXPECT_EQ(read("1\t2\t3\t\n3\t1\t5\t\n2\t3\t4\t\n").description,
            "tab-separated without a header, from column 1 to column 2, weight column 3 (column 4 not used), directed, "
            "vertices numbered from 1");
  EXPECT_TRUE(refused("1\t2\t3\t7\t\n2\t3\t4\t8\t\n3\t1\t5\t9\t\n").starts_with("f:1: column 1 numbers the rows"));
}

// Of two columns, one of names and one of numbers, the second is no end: a table of labels, or of what towns weigh.
TEST(no_edge_list, tables_of_two_columns) {
  const std::string rest =
      ": say which columns are from, to and weight (--columns FROM,TO,WEIGHT, by titles or numbers from 1; --columns "
      "FROM,TO for no weights)";
  EXPECT_EQ(refused("id,name\n1,Fulda\n2,Essen\n"),
            "f:1: 'name' holds names, and 'id' numbers, and they are not called from and to" + rest);
  EXPECT_TRUE(refused("city,population\nFulda,68000\nEssen,9\n").starts_with("f:1: 'city' holds names, and"));
  EXPECT_EQ(refused("a,1\nb,2\n"), "f:1: column 1 holds names, and column 2 numbers" + rest);
  EXPECT_EQ(refused("1 a\n2 b\n"), "f:1: column 1 holds numbers, and column 2 names" + rest);
  EXPECT_EQ(read("a,1\nb,2\n", {.columns = {"1", "2"}}).names, (words{"a", "1", "b", "2"}));
  EXPECT_EQ(read("from,to\n1,Fulda\n2,Essen\n").names, (words{"1", "Fulda", "2", "Essen"}));
  EXPECT_EQ(read("a,1\n1,b\n").names, (words{"a", "1", "b"}));
}

// What to write instead, or which format to name.
TEST(no_edge_list, what_to_do) {
  const std::string rest = " is not a number: write it with a point, and without a unit or marks between thousands";
  for (const char* field : {"3,5", "1.234,5", "5 km", "50%"})
    EXPECT_EQ(refused("from;to;weight\na;b;" + std::string(field) + "\n"),
              "f:2: the weight '" + std::string(field) + "'" + rest);
  EXPECT_EQ(
      refused("3 2\n2\n1 3\n2\n"),
      "f:2: 1 field, where the first line has 2 (blank-separated): if this is METIS, say so (--input-format metis)");
  EXPECT_EQ(
      refused("4 3 1\n2 5 3 2\n1 5 3 7\n1 2 2 7\n\n"),
      "f:2: 4 fields, where the first line has 3 (blank-separated): if this is METIS, say so (--input-format metis)");
  EXPECT_EQ(refused("4 4 3\n1 2\n2 3\n3 4\n"),
            "f:2: 2 fields, where the first line has 3 (blank-separated): is the first line one of sizes, as in Matrix "
            "Market? Then a line %%MatrixMarket belongs above it");
  EXPECT_EQ(refused(",1,2,3\n1,0,3,0\n2,0,0,4\n3,1,0,0\n"),
            "f:1: the first column has the names of the others, as in a matrix: save it as .npy, and its names for "
            "--names");
  EXPECT_TRUE(refused(",0,1,2\n0,10,20,2.5\n1,20,35,1.25\n2,10,35,9.0\n")
                  .ends_with(" for --names (--header --columns 0,1,2 if the first column is an index)"));
}

// What is read, and said.
TEST(no_edge_list, names_in_an_older_code) {
  EXPECT_EQ(read("from,to,km\nFulda,K\xf6ln,3\n").doubt,
            "f: the name 'K\\xf6ln' is not in UTF-8: save the file as UTF-8");
  EXPECT_EQ(read("from,to,km\nFulda,K\xc3\xb6ln,3\n").doubt, "");
}

// pgRouting's tables have both ways in a row.
TEST(no_edge_list, costs_of_the_way_back) {
  EXPECT_EQ(refused("source,target,cost,reverse_cost\n1,2,3,3\n2,3,4,-1\n"),
            "f:1: 'reverse_cost' says what the way back costs, it seems: write each way as a line of its own, or say "
            "which columns are read (--columns 'source','target','cost')");
  for (const char* title : {"cost_rev", "reverse", "Reverse Length", "rev_minutes", "cost_backward"})
    EXPECT_NE(refused("u,v,cost," + std::string(title) + "\n1,2,3,3\n").find("says what the way back costs"),
              std::string::npos);
  EXPECT_TRUE(read("source,target,cost,reverse_cost\n1,2,3,3\n", {.columns = {"source", "target", "cost"}}).weighted);
  EXPECT_TRUE(read("u,v,length,reversed\n1,2,3,False\n").weighted);  // of OSMnx: the arc is there either way
  EXPECT_TRUE(read("from,to,km,revenue\na,b,3,x\n").weighted);
}

// Matrix Market whose banner was lost has a line of its sizes.
TEST(no_edge_list, sizes_above_arcs) {
  EXPECT_EQ(refused("4 4 3\n1 2 5\n2 3 6\n3 4 7\n"),
            "f:1: 4 vertices and 3 arcs, it seems, as 3 lines follow: delete the line, or say that it is an arc "
            "(--no-header); above it Matrix Market has a line %%MatrixMarket, which may have been lost");
  EXPECT_TRUE(refused("% a comment\n9 9 2\n1 2 5.5\n3 4 7\n").starts_with("f:2: 9 vertices and 2 arcs, it seems"));
  EXPECT_TRUE(refused("9,9,1\n4,2,5\n").starts_with("f:1: 9 vertices and 1 arc, it seems, as 1 line follows"));
  EXPECT_TRUE(refused("9 2\n1 2\n4 7\n").starts_with("f:1: 9 vertices and 2 arcs, it seems"));
  EXPECT_TRUE(refused("4 3 1\n1 2 5\n2 3 6\n3 4 7\n").starts_with("f:1: 4 vertices and 3 arcs, it seems"));
  EXPECT_TRUE(read("4 4 3\n1 2 5\n2 3 6\n3 4 7\n", {.header = false}).weighted);
  for (const char* text :
       {"4 4 3\n1 2 5\n2 3 6\n", "4 4 3\n1 2 5\n2 3 6\n3 5 7\n", "1 2 1\n2 1 5\n", "4 4 3\na 2 5\n2 3 6\n3 4 7\n"})
    EXPECT_TRUE(read(text).weighted) << text;
}

// Larger than what is looked at of a list.
TEST(no_edge_list, matrices_of_many_lines) {
  std::string rows, titles, named;
  for (int r = 0; r < 130; ++r) {
    std::string row;
    for (int c = 0; c < 130; ++c) row += (c ? "," : "") + std::to_string(r * c % 7);
    rows += row + "\n", titles += ",n" + std::to_string(r), named += "n" + std::to_string(r) + "," + row + "\n";
  }
  EXPECT_TRUE(refused(rows).starts_with("f:1: lines of 130 numbers are a matrix, it seems"));
  EXPECT_TRUE(refused(titles + "\n" + named).starts_with("f:2: the first column has the names of the others"));
}

TEST(no_edge_list, decimal_commas_beside_other_columns) {
  EXPECT_EQ(
      refused("A B 3,5\nB C 4,25\n"),
      "f:1: '3,5' behind blanks is a decimal comma, it seems: write a point, or say what stands between the fields "
      "(--separator)");
  const std::string rest =
      ", which is no number that is read: write numbers alone, or say which columns are from and to if it is no weight "
      "(--columns 1,2,4)";
  EXPECT_EQ(refused("Von;Nach;km;Anzahl\nA;B;3,5;2\n"), "f:2: 'km' holds '3,5'" + rest);
  EXPECT_EQ(refused("from,to,far,n\nA,B,5 km,2\n"), "f:2: 'far' holds '5 km'" + rest);
  EXPECT_EQ(refused("from;to;far;n\nA;B;1.234,5;2\n"), "f:2: 'far' holds '1.234,5'" + rest);
  EXPECT_TRUE(refused("id;from;to;km\n1;A;B;3,5\n").starts_with("f:2: 'km' holds '3,5'"));
  EXPECT_TRUE(read("from,to,street,km\nA,B,3rd Street,2\n").weighted);
  EXPECT_TRUE(read("from,to,fare,weight\nA,B,$5,2\n").weighted);
}

TEST(no_edge_list, comments_that_name_the_columns) {
  EXPECT_EQ(
      read("# by hand\n# to,from,km\nB,A,3\n").description,
      "comma-separated with a header in a comment, from 'from' to 'to', weight 'km', directed, 2 vertices by name");
  EXPECT_EQ(read("# a b c\n1 2 5\n").description.substr(0, 32), "blank-separated without a header");
  EXPECT_EQ(read("# to,from\nA,B\n", {.header = false}).names, (words{"A", "B"}));
  EXPECT_FALSE(read("%sym unweighted\n1 2\n").directed);
  EXPECT_TRUE(read("% symmetric, almost\n1 2\n").directed);
}

TEST(no_edge_list, other_texts) {
  EXPECT_TRUE(refused("A B {'weight': 3, 'n': 4}\n").starts_with("f:1: a dictionary behind the ends"));
  for (const char* text : {"digraph{a->b;b->c}\n", "A->B 3\n", "A->B,3\nB->C,4\n"})
    EXPECT_TRUE(refused(text).starts_with("f:1: '->' between names")) << text;
  EXPECT_TRUE(refused("-- dump, of x\nINSERT INTO t VALUES (1,2);\n").starts_with("f:1: a line that starts with --"));
  EXPECT_TRUE(refused("version https://git-lfs.github.com/spec/v1\noid x\n").starts_with("f:1: a pointer of Git LFS"));
  EXPECT_TRUE(refused("404: Not Found\n").starts_with("f:1: this is what a server says"));
  EXPECT_TRUE(refused("<html> <body>x</body></html>\n").starts_with("f:1: HTML or XML"));
  EXPECT_EQ(read("\"a->b\",c\n").names, (words{"a->b", "c"}));
  EXPECT_EQ(read("<,>\n<a,b\n").names, (words{"<", ">", "<a", "b"}));
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
  for (const char* comment : {"% undirected", "# directed: false", "# Undirected graph: x",
                              "#Undirected graph (each once)", "  # UNDIRECTED GRAPH"})
    EXPECT_FALSE(read(std::string(comment) + "\n1,2,3\n2,3,4\n").directed) << comment;
  for (const char* comment : {"# Directed graph: Undirected graph", "#", "# un"})
    EXPECT_TRUE(read(std::string(comment) + "\n1,2,3\n2,3,4\n").directed) << comment;
}

}  // namespace no_edge_list_test
