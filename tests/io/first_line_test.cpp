// First lines of numbers, or of words and numbers, that name the columns or say sizes, and would be arcs.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <vector>

namespace first_line_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using words = std::vector<std::string>;

const std::string which = ": does this line name the columns (--header), or is it an arc (--no-header)?";
const std::string note = "(line 1 is an arc; --header if it names the columns)";

bool is_noted(const std::string& text) { return read(text).description.find(note) != std::string::npos; }

}  // namespace

// More arcs than vertices, as most graphs have: the second number is no vertex of the others.
TEST(first_line, sizes_of_more_arcs_than_vertices) {
  const std::string arcs = "1 2\n2 3\n3 4\n4 5\n5 1\n1 3\n2 4\n3 5\n";
  EXPECT_EQ(refused("5 8\n" + arcs),
            "f:1: 5 vertices and 8 arcs, it seems, as 8 lines follow: delete the line, or say that it is an arc "
            "(--no-header)");
  for (const char* text :
       {"3 5 2\n1 2 4\n2 3 4\n3 1 4\n2 1 4\n3 2 4\n", "# c\n\n3 4\n\n1 2\n2 3\n3 1\n1 3\n", "3,4\n1,2\n2,3\n3,1\n1,3\n",
        "3\t4\n0\t1\n1\t2\n2\t0\n0\t2\n", "90 4\n7 8\n8 9\n77 8\n8 77\n"})
    EXPECT_NE(refused(text).find(" arcs, it seems, as "), std::string::npos) << refused(text);
  EXPECT_TRUE(refused("5 8\n" + arcs, {.directed = false}).starts_with("f:1: 5 vertices and 8 arcs"));
  EXPECT_TRUE(refused("5 8\n" + arcs, {.vertices = vertex_labels::names}).starts_with("f:1: 5 vertices and 8 arcs"));
  EXPECT_TRUE(read("5 8\n" + arcs, {.header = false}).directed);
  for (const char* text : {"2 3\n1 2\n2 4\n4 1\n",  // 4 is none of 2 vertices
                           "2 3\n1 2\n2 3\n3 1\n",  // 3 is a vertex of others
                           "2 3\n0 1\n1 2\n2 0\n",  // from 0 there are three
                           "0 1\n0 0\n", "2 5\n1 2\n2 1\n1 1\n"})
    EXPECT_TRUE(read(text).directed) << text;
}

// What DataFrame.to_csv writes where the columns have no names.
TEST(first_line, columns_that_are_counted) {
  EXPECT_EQ(refused("0,1,2\n1,2,3.5\n2,3,2.25\n3,4,7.0\n"),
            "f:1: 0, 1, 2 above numbers with a point: does this line name the columns, as pandas numbers them "
            "(--header), or is it an arc (--no-header)?");
  EXPECT_TRUE(refused("0;1;2;3\n1;2;7;3.5\n").starts_with("f:1: 0, 1, 2 above numbers with a point"));
  EXPECT_EQ(read("0,1,2\n1,2,3.5\n2,3,2.25\n", {.header = true}).first_vertex, 1);
  EXPECT_EQ(read("0,1,2\n1,2,3.5\n2,3,2.25\n", {.header = false}).first_vertex, 0);
  for (const char* text : {"0,1,2\n1,2,3\n2,3,4\n", "0,1\n1,2\n", "0,1,2\n1,2,3.5\n2,3,4\n", "0\t1\n1\t2\n"})
    EXPECT_TRUE(is_noted(text)) << text;
  for (const char* text : {"0 1\n1 2\n", "# SNAP\n0\t1\n1\t2\n", "0,1,3\n1,2,3.5\n", "1,0\n1,2\n"})
    EXPECT_FALSE(is_noted(text)) << text;
}

TEST(first_line, chosen_columns_are_asked_about_as_others) {
  const std::string text = "0,1,2\na,b,3\nb,c,2\n";
  const edge_list_options by_number = {.columns = {"1", "2", "3"}};
  EXPECT_EQ(refused(text, by_number), "f:1: numbers where the other lines have names" + which);
  EXPECT_EQ(refused(text, by_number), refused(text));
  EXPECT_EQ(refused("1,2,3\na,b,3\n", by_number), "f:1: numbers where the other lines have names" + which);
  EXPECT_TRUE(refused("0,1,2\n1,2,3.5\n", by_number).starts_with("f:1: 0, 1, 2 above numbers with a point"));
  EXPECT_EQ(read(text, {.header = true, .columns = {"0", "1", "2"}}).names, (words{"a", "b", "c"}));
  EXPECT_EQ(read(text, {.header = false, .columns = {"1", "2", "3"}}).names, (words{"0", "1", "a", "b", "c"}));
}

// An index has no title.
TEST(first_line, numbers_behind_an_empty_title) {
  const auto question = [](const std::string& flags) {
    return "f:1: numbers behind an empty field: does this line name the columns (" + flags +
           "), or is it an arc (--no-header)?";
  };
  const std::string frame = ",0,1,2\n0,a,b,3\n1,b,c,2\n";
  EXPECT_EQ(refused(frame), question("--header --columns 0,1,2"));
  EXPECT_EQ(refused(frame, {.columns = {"2", "3", "4"}}), question("--header --columns 0,1,2"));
  EXPECT_EQ(refused(",0,1,2\n0,1,2,3.5\n1,2,3,2.25\n"), question("--header --columns 0,1,2"));
  EXPECT_EQ(refused(",0,1\n0,4,5\n1,5,6\n7,6,9\n"), question("--header --columns 0,1"));
  EXPECT_EQ(refused(",,0\nUlm,Bonn,3\n"), question("--header"));
  EXPECT_EQ(read(frame, {.header = true, .columns = {"0", "1", "2"}}).names, (words{"a", "b", "c"}));
  EXPECT_EQ(read(",,0\nUlm,Bonn,3\n", {.header = true}).names, (words{"Ulm", "Bonn"}));
  EXPECT_EQ(read(",,km\nUlm,Bonn,3\n").names, (words{"Ulm", "Bonn"}));
  EXPECT_TRUE(refused(",1,2\n4,1,2\n", {.header = false}).starts_with("f:1: a vertex has no name"));
}

// A series has 0 for the name of its values.
TEST(first_line, ends_are_titles_whatever_follows) {
  for (const char* text :
       {"from,to,0\nUlm,Bonn,3.5\nBonn,Kiel,2.25\n", "source\ttarget\tNA\nUlm\tBonn\t3\nBonn\tKiel\t4\n"}) {
    EXPECT_EQ(read(text).names, (words{"Ulm", "Bonn", "Kiel"})) << text;
    EXPECT_TRUE(read(text).weighted) << text;
  }
  EXPECT_EQ(read("source,target,5\nsource,a,3\na,target,1\n").names, (words{"source", "target", "a"}));
  EXPECT_EQ(read("u,v,5\na,b,3\n").names, (words{"u", "v", "a", "b"}));
}

// A comment says nothing of the line below it, unless it is one of SNAP or KONECT, whose rows are arcs.
TEST(first_line, comments_in_front_answer_no_question) {
  const std::string counts = "4 3\n1 2\n2 3\n3 4\n", rows = "1,5,6\n2,6,7\n3,5,7\n";
  for (const char* comment : {"# edges of a tree\n", "% edges of a tree\n", "# nodes edges\n"}) {
    EXPECT_TRUE(refused(comment + counts).starts_with("f:2: 4 vertices and 3 arcs, it seems")) << comment;
    EXPECT_TRUE(refused(comment + rows).starts_with("f:2: column 1 numbers the rows, it seems")) << comment;
  }
  EXPECT_TRUE(refused("% a\n1 5 6\n2 6 7\n3 5 7\n").starts_with("f:2: column 1 numbers the rows, it seems"));
  EXPECT_TRUE(refused("% a\n1\t5\t6\n2\t6\t7\n3\t5\t7\n").starts_with("f:2: column 1 numbers the rows"));
  for (const char* collection : {"% asym unweighted\n", "# Nodes: 4 Edges: 4\n", "# FromNodeId ToNodeId\n"})
    EXPECT_TRUE(read(collection + counts).directed) << collection;
  EXPECT_TRUE(read("% asym weighted\n1 5 6\n2 6 7\n3 5 7\n").weighted);
  EXPECT_TRUE(read("# edges of a tree\n" + counts, {.header = false}).directed);
}

// Sizes of Matrix Market below a comment that calls them so.
TEST(first_line, titles_of_sizes) {
  EXPECT_TRUE(refused("% rows cols nnz\n3 3 2\n1 2 3\n2 3 4\n").starts_with("f:2: 3 vertices and 2 arcs, it seems"));
  EXPECT_TRUE(read("# row col weight\n3 2 2\n1 2 3\n2 3 4\n").weighted);
}

// Two columns of names: without the question, two vertices are called 'task' and 'predecessors'.
TEST(first_line, titles_of_lists_above_names) {
  for (const char* text : {"task,predecessors\na,b\nb,c\n", "Package;Dependencies\na;b\nb;c\n",
                           "successors\ttask\na\tb\nb\tc\n", "node neighbours\na b\nb c\n"})
    EXPECT_NE(refused(text).find(" may be the title of a column of lists, and an edge list has a line for each arc: "
                                 "does this line name the columns (--header --columns 1,2, if there is one vertex in "
                                 "each field), or is it an arc (--no-header)?"),
              std::string::npos)
        << text << refused(text);
  const std::string text = "task,predecessors\na,b\nb,c\n";
  EXPECT_EQ(read(text, {.header = true, .columns = {"1", "2"}}).names, (words{"a", "b", "c"}));
  EXPECT_EQ(read(text, {.columns = {"task", "predecessors"}}).names, (words{"a", "b", "c"}));
  EXPECT_EQ(read(text, {.header = false}).names, (words{"task", "predecessors", "a", "b", "c"}));
  EXPECT_EQ(read("a,neighbors\nneighbors,c\n").names, (words{"a", "neighbors", "c"}));
}

}  // namespace first_line_test
