// Which columns of a table are taken without a question: ends that titles call, or a table of nothing else.
#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"

#include <string>
#include <utility>
#include <vector>

namespace edge_columns_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refused;

namespace {

using words = std::vector<std::string>;

void expect_question(const std::string& text, const std::string& columns) {
  EXPECT_NE(refused(text).find("(--columns " + columns + " if it is these; by titles or numbers from 1"),
            std::string::npos)
      << text << refused(text);
}

}  // namespace

// What the columns hold says less than titles, and so do titles that differ by a number.
TEST(edge_columns, others_beside_ends_that_no_title_calls) {
  for (const auto& [titles, columns] : std::vector<std::pair<std::string, std::string>>{
           {"F_JNCTID,T_JNCTID,NAME,RAMP,LENGTH", "'F_JNCTID','T_JNCTID','LENGTH'"},
           {"REF_IN_ID,NREF_IN_ID,ST_NAME,FUNC_CLASS,LENGTH", "'REF_IN_ID','NREF_IN_ID','LENGTH'"},
           {"fbus,tbus,name,type,length", "'fbus','tbus','length'"},
           {"US_node,DS_node,pipe,material,length", "'US_node','DS_node','length'"},
           {"sid,tid,relation,evidence,weight", "'sid','tid','weight'"},
           {"AKnoten,EKnoten,Strasse,Ort,length", "'AKnoten','EKnoten','length'"}})
    expect_question(titles + "\n1,2,Main,no,3\n2,3,Oak,yes,4\n", columns);
  expect_question("regulator,gene,type,method,weight\nA,B,x,y,3\n", "'regulator','gene','weight'");
  expect_question("OBJECTID,Ort,Ziel,km\n1,A,B,3\n2,B,C,4\n", "'Ort','Ziel','km'");
  expect_question(",city_a,city_b,weight\n0,A,B,3\n1,B,C,4\n", "'city_a','city_b','weight'");
  expect_question("Interaction,Gene A,Gene B,Score\npp,A,B,3\npp,B,C,4\n", "'Gene A','Gene B','Score'");
  expect_question("trip_id,arrival_time,departure_time,stop_id,stop_sequence\nt,08:00:00,08:01:00,s,1\n",
                  "'trip_id','stop_id','stop_sequence'");
}

TEST(edge_columns, tables_of_measurements) {
  for (const char* text :
       {"from,t1,t2,t3\nA,1,2,3\n", "origin,dest1,dest2,dest3\nA,1,2,3\n", "gene,sample1,sample2\nA,1.5,2.5\n",
        "gene_id length count1 count2\nA 100 1 2\n", "city,pop1,pop2,pop3\nA,1,2,3\n", "respondent,q1,q2\nA,1,2\n",
        "origin,stop1,stop2\nA,B,C\n"})
    EXPECT_NE(refused(text).find("--columns "), std::string::npos) << text;
  EXPECT_TRUE(read("city1,city2,km\nA,B,3\n").weighted);
  EXPECT_EQ(read("city1,city2\nA,B\n").names, (words{"A", "B"}));
}

TEST(edge_columns, two_pairs_of_titles) {
  for (const char* text : {"source,target,from,to\n1,2,3,4\n", "origin,destination,source,target,km\n1,2,3,4,5\n"})
    EXPECT_NE(refused(text).find("may be the ends, or"), std::string::npos) << text;
  EXPECT_EQ(read("from,to,km,departure,arrival\nA,B,3,08:00,09:00\n").names, (words{"A", "B"}));
  EXPECT_EQ(read("from,to,start,end\nA,B,2024-01-31,2024-02-01\n").names, (words{"A", "B"}));
}

TEST(edge_columns, more_than_three_without_titles) {
  expect_question("1,2,3,5\n2,3,4,5\n", "1,2,3");  // 3,5 may be one number
  expect_question("1 2 3 5\n2 3 4 5\n7 3 4 5\n", "1,2,3");
  expect_question("A\tB\t3\troad\nB\tC\t4\troad\n", "1,2,3");
  EXPECT_TRUE(read("% asym weighted\n1 2 3 1100000000\n2 3 4 1100000001\n").weighted);  // as all of KONECT's are
}

TEST(edge_columns, numbers_of_rows_in_front) {
  for (const char* text : {"\"1\",3,0\n\"2\",4,7\n\"3\",5,1\n", "0,3,0\n1,4,7\n2,5,3\n", "1 7 2\n2 1 7\n3 2 5\n"})
    EXPECT_TRUE(
        refused(text).starts_with("f:1: column 1 numbers the rows, it seems: say which columns are from, to "
                                  "and weight (--columns 2,3, or 1,2,3 if it is one of the ends)"))
        << text;
  for (const char* text : {"0,3,0\n1,4,7\n", "1 2 5\n2 3 5\n3 4 5\n", "0,3,0.5\n1,4,7\n2,5,3\n"})
    EXPECT_TRUE(read(text).weighted) << text;
}

TEST(edge_columns, matrices_of_three_lines) {
  for (const char* text : {"0,5,9\n5,0,2\n9,2,0\n", "A,B,C\n0,5,9\n5,0,2\n9,2,0\n"})
    EXPECT_NE(refused(text).find("are a matrix, it seems"), std::string::npos) << text;
  std::string wide = "1";
  for (int c = 0; c < 110; ++c) wide += ",7";
  EXPECT_NE(refused(wide + "\n" + wide + "\n" + wide + "\n").find("of 111 numbers are a matrix"), std::string::npos);
  EXPECT_TRUE(read("from,to,km\n0,5,9\n5,0,2\n9,2,0\n").weighted);
}

// As pandas writes integers of a column that has an empty field.
TEST(edge_columns, vertices_with_a_point) {
  const std::string what = "' is no number of a vertex";
  EXPECT_TRUE(refused("from,to,km\n1.0,2,3\n2,3,4\n").starts_with("f:2: '1.0" + what));
  EXPECT_TRUE(refused("from,to,km\n1.0,2,3\n2,3,4\n", {.columns = {"from", "to"}}).starts_with("f:2: '1.0" + what));
  EXPECT_TRUE(refused("x,y\n1.5,2.5\n").starts_with("f:2: '1.5" + what));
  std::string long_list = "from,to\n";
  for (int row = 0; row < 5000; ++row) long_list += "1,2\n";
  EXPECT_TRUE(refused(long_list + "3,2.0\n").starts_with("f:5002: '2.0" + what));
  EXPECT_EQ(read("from,to\n1.0,a\n").names, (words{"1.0", "a"}));
}

// A byte order mark where one file was put behind another, and blanks that nobody sees.
TEST(edge_columns, unseen_characters_at_the_ends_of_names) {
  EXPECT_EQ(read("a,b\n\xef\xbb\xbf"
                 "b,c\n\xef\xbb\xbf\"c\",\"a\"\n")
                .names,
            (words{"a", "b", "c"}));
  EXPECT_EQ(read("from,to\na\xc2\xa0,b\nb\xe2\x80\x8b,\xc2\xa0 a\n\"a\xc2\xa0\",\"b\"\n").names, (words{"a", "b"}));
  EXPECT_EQ(read("from\xc2\xa0,to\nZ\xc3\xbcrich,\xc3\x89vian\n").names, (words{"Z\xc3\xbcrich", "\xc3\x89vian"}));
}

TEST(edge_columns, one_way_in_other_languages) {
  for (const char* title : {"einbahn",
                            "Einbahnstra\xc3\x9f"
                            "e",
                            "sens_unique", "sentido_unico", "senso_unico", "enkelrichting", "dir"})
    EXPECT_NE(refused("from,to," + std::string(title) + "\nA,B,0\n").find("read row by row"), std::string::npos)
        << title;
  EXPECT_NE(refused("from,to,reversible\nA,B,1\n").find("read row by row"), std::string::npos);
  EXPECT_EQ(read("from,to,Einbahn\nA,B,ja\n").names, (words{"A", "B"}));
}

TEST(edge_columns, what_comments_say) {
  const std::string note = "the comment speaks of undirected: if each line is an edge both ways, say --undirected";
  EXPECT_TRUE(read("# This network is undirected\n1 2\n").doubt.starts_with("f:1: " + note));
  EXPECT_TRUE(read("# c\n# Directed: no\n1 2\n").doubt.starts_with("f:2: " + note));
  EXPECT_EQ(read("# This network is undirected\n1 2\n", {.directed = true}).doubt, "");
  EXPECT_EQ(read("# Undirected graph\n1 2\n").doubt, "");
  for (const char* text : {"# Format: to from weight\n1 2 5\n", "# columns: target source weight\n1 2 5\n"}) {
    const auto arcs = std::get<coo<std::int64_t>>(read(text).edges);
    EXPECT_EQ(arcs.row[0], 1) << text;
  }
}

TEST(edge_columns, a_line_of_sizes_with_commas) {
  EXPECT_TRUE(refused("3,2\n1,2\n2,3\n").starts_with("f:1: 3 vertices and 2 arcs, it seems"));
}

// Of two columns with one title the numbers say which.
TEST(edge_columns, advice_about_titles_that_are_alike) {
  EXPECT_NE(refused("from,to,km,km\nA,B,3,4\n").find("(--columns 'from','to',3)"), std::string::npos);
}

TEST(edge_columns, lines_that_are_comments_of_others) {
  EXPECT_TRUE(refused("// by hand\na,b,3\nb,c,4\n").starts_with("f:1: a line that starts with // is a comment"));
  EXPECT_TRUE(refused("; by hand\na b 3\nb c 4\n").starts_with("f:1: a line that starts with ; is a comment"));
  EXPECT_TRUE(refused("<edges><edge a=\"b\"/></edges>\n").starts_with("f:1: XML, it seems"));
  EXPECT_EQ(read(";from;to\n0;a;b\n1;b;c\n").names, (words{"a", "b", "c"}));
}

TEST(edge_columns, a_head_of_metis_that_may_be_one_of_counts) {
  EXPECT_NE(refused("3 3\n2 3\n1 3\n1 2\n").find("; if this is METIS, say so (--input-format metis)"),
            std::string::npos);
}

// Titles of which none says from or to, and all say who a vertex is.
TEST(edge_columns, tables_of_vertices) {
  for (const char* titles : {"Id,Label", "id,name", "name,id", "Name,Vorname", "node,label"})
    EXPECT_NE(refused(std::string(titles) + "\nn1,Ann\nn2,Bob\n").find("are those of a table of vertices, it seems"),
              std::string::npos)
        << titles;
  EXPECT_TRUE(refused("id,label,size\nn1,Ann,3\nn2,Bob,4\n").starts_with("f:1: the titles ('id', 'label', 'size')"));
  EXPECT_EQ(read("id,name\nn1,Ann\n", {.columns = {"id", "name"}}).names, (words{"n1", "Ann"}));
  EXPECT_EQ(read("name,friend\nAnn,Bob\nBob,Cid\n").names.size(), 5u);
}

// Titles that are numbers: --columns has numbers of columns, or titles, where it has all of them.
TEST(edge_columns, numbers_that_are_titles) {
  const std::string frame = ",0,1,2\n0,10,20,2.5\n1,20,35,1.25\n2,10,35,9.0\n";
  const auto described = [&](const words& columns) {
    return read(frame, {.header = true, .columns = columns}).description;
  };
  EXPECT_NE(described({"0", "1", "2"}).find("from '0' to '1', weight '2'"), std::string::npos);
  EXPECT_NE(described({"2", "3", "4"}).find("from '0' to '1', weight '2'"), std::string::npos);
  EXPECT_NE(described({"2", "3"}).find("from '0' to '1', no weights"), std::string::npos);
  EXPECT_EQ(refused(frame, {.header = true, .columns = {"1", "2"}}),
            "f:1: --columns 1,2 are titles and numbers of other columns: give the columns other titles");
  EXPECT_NE(read("1,2,3\n10,20,5\n", {.header = true, .columns = {"2", "1"}}).description.find("from '2' to '1'"),
            std::string::npos);
}

}  // namespace edge_columns_test
