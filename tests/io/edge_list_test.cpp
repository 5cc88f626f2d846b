#include "kleene/io/edge_list.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/names.hpp"

#include <sys/stat.h>

#include <map>
#include <thread>
#include <vector>

namespace edge_list_test {

using namespace kleene;
using namespace kleene::io;
using test::read;
using test::refusal;
using test::refused;

namespace {

using ints = coo<std::int64_t>;
using reals = coo<double>;
using numbers = std::vector<std::int32_t>;
using words = std::vector<std::string>;

std::vector<std::int64_t> integers(const edge_list_file& list) { return std::get<ints>(list.edges).value; }

}  // namespace

TEST(edge_list, names_and_a_header) {
  const auto list = read("from,to,km\nFulda,Essen,292\nEssen,Bonn,84\n\nFulda,Bonn,220\n");
  const auto& arcs = std::get<ints>(list.edges);
  EXPECT_EQ(list.names, (words{"Fulda", "Essen", "Bonn"}));
  EXPECT_EQ(arcs.rows, 3);
  EXPECT_EQ(arcs.cols, 3);
  EXPECT_EQ(arcs.row, (numbers{0, 1, 0}));
  EXPECT_EQ(arcs.col, (numbers{1, 2, 2}));
  EXPECT_EQ(arcs.value, (std::vector<std::int64_t>{292, 84, 220}));
  EXPECT_TRUE(list.directed);
  EXPECT_TRUE(list.weighted);
  EXPECT_EQ(list.description,
            "comma-separated with a header, from 'from' to 'to', weight 'km', directed, 3 vertices by name");
}

TEST(edge_list, numbers_as_collections_have_them) {
  const auto snap = read("# Undirected graph: x.txt\n# FromNodeId\tToNodeId\n0\t1\r\n2\t1\n2\t2\n");
  EXPECT_EQ(std::get<ints>(snap.edges).row, (numbers{0, 1, 2, 1, 2}));
  EXPECT_EQ(std::get<ints>(snap.edges).col, (numbers{1, 0, 1, 2, 2}));
  EXPECT_EQ(integers(snap), (std::vector<std::int64_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(snap.first_vertex, 0);
  EXPECT_TRUE(snap.names.empty());
  EXPECT_FALSE(snap.weighted);
  EXPECT_EQ(
      snap.description,
      "tab-separated with a header in a comment, from 'FromNodeId' to 'ToNodeId', no weights, undirected, vertices "
      "numbered from 0");
  const auto konect = read("% asym weighted\n  1  2 5 1082040961\n2   3 7 1082155839  \n");
  EXPECT_EQ(integers(konect), (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(konect.first_vertex, 1);
  EXPECT_EQ(konect.description,
            "blank-separated without a header, from column 1 to column 2, weight column 3 (column 4 not used), "
            "directed, vertices numbered from 1");
}

TEST(edge_list, vertices_are_those_that_occur) {
  const auto gaps = read("7 30\n30 9\n");
  EXPECT_EQ(gaps.names, (words{"7", "9", "30"}));
  EXPECT_EQ(std::get<ints>(gaps.edges).row, (numbers{0, 2}));
  EXPECT_EQ(std::get<ints>(gaps.edges).col, (numbers{2, 1}));
  EXPECT_TRUE(gaps.description.ends_with(", 3 vertices by number, 7 to 30")) << gaps.description;
  const auto far = read("7 2147483646\n2147483646 12\n");  // too far apart for a bit each
  EXPECT_EQ(far.names, (words{"7", "12", "2147483646"}));
  EXPECT_EQ(std::get<ints>(far.edges).row, (numbers{0, 2}));
  const auto long_numbers = read("10000000000 9\n9 10000000000\n");
  EXPECT_EQ(long_numbers.names, (words{"9", "10000000000"}));
  const auto later = read("5 6\n6 7\n");
  EXPECT_EQ(later.first_vertex, 5);
  EXPECT_TRUE(later.names.empty());
  EXPECT_EQ(std::get<ints>(later.edges).rows, 3);
}

TEST(edge_list, numbers_that_are_names) {
  EXPECT_EQ(read("01067,4\n4,7\n").names, (words{"01067", "4", "7"}));
  EXPECT_EQ(read("2 1\n1 x\n").names, (words{"2", "1", "x"}));
  EXPECT_EQ(read("2 1\n1 -3\n").names, (words{"2", "1", "-3"}));
}

TEST(edge_list, quotation_marks) {
  const auto list = read(
      "\xef\xbb\xbf\"source\";\"target\";note;weight\n\"Halle; \"\"Saale\"\"\";\" Fulda \";\"a;b\";1.5\n"
      " Fulda ;\"Halle; \"\"Saale\"\"\"; x ;2\n");
  EXPECT_EQ(list.names, (words{"Halle; \"Saale\"", " Fulda ", "Fulda"}));
  EXPECT_EQ(std::get<reals>(list.edges).value, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(list.description,
            "semicolon-separated with a header, from 'source' to 'target', weight 'weight' ('note' not used), "
            "directed, 3 vertices by name");
  EXPECT_EQ(refused("a,b\n\"a,b\n"), "f:2: a quoted field does not end on its line");
  EXPECT_EQ(refused("a,b\n\"a\"x,b\n"), "f:2: text behind a quoted field");
  EXPECT_EQ(refused("a,b\n5\" pipe,b\n"),
            "f:2: a quotation mark inside a field (quote the whole field and double the mark)");
}

TEST(edge_list, options_override) {
  const std::string text = "id,von,nach,km,min\n1,B,A,10,7\n2,A,C,20,9\n";
  EXPECT_EQ(refused(text),
            "f:1: 'km' or 'min' may be the weight: say which (--columns 'von','nach','km'), or that there is none "
            "(--columns 'von','nach')");
  const auto chosen = read(text, {.columns = {"von", "nach", "min"}});
  EXPECT_EQ(integers(chosen), (std::vector<std::int64_t>{7, 9}));
  EXPECT_EQ(chosen.names, (words{"B", "A", "C"}));
  EXPECT_EQ(integers(read(text, {.columns = {"2", "3", "4"}})), (std::vector<std::int64_t>{10, 20}));
  EXPECT_FALSE(read(text, {.columns = {"von", "nach"}}).weighted);
  EXPECT_EQ(read("1 2\n", {.directed = false}).description,
            "blank-separated without a header, from column 1 to column 2, no weights, undirected, vertices numbered "
            "from 1");
  const auto isolated = read("1 4\n", {.vertices = vertex_labels::zero_based});
  EXPECT_EQ(std::get<ints>(isolated.edges).rows, 5);
  EXPECT_EQ(std::get<ints>(isolated.edges).row, (numbers{1}));
  EXPECT_EQ(std::get<ints>(read("1 4\n", {.vertices = vertex_labels::one_based}).edges).col, (numbers{3}));
  EXPECT_EQ(read("1 2\n", {.vertices = vertex_labels::names}).names, (words{"1", "2"}));
  EXPECT_EQ(read("a b,c\n", {.separator = ','}).names, (words{"a b", "c"}));
  EXPECT_EQ(read("x,y\na,b\n", {.header = true}).names, (words{"a", "b"}));
  EXPECT_EQ(read("from,to\na,b\n", {.header = false}).names, (words{"from", "to", "a", "b"}));
}

TEST(edge_list, first_line_of_words_that_occur_nowhere_else) {
  const std::string doubt = "without a header (line 1 is an arc; --header if it names the columns), ";
  const auto says = [&](const std::string& text, const edge_list_options& options = {}) {
    return read(text, options).description.find(doubt) != std::string::npos;
  };
  EXPECT_TRUE(says("package,needs\na,b\nb,c\n"));
  EXPECT_EQ(read("package,needs\na,b\nb,c\n").names, (words{"package", "needs", "a", "b", "c"}));
  EXPECT_FALSE(says("a,b\nb,c\n"));
  EXPECT_FALSE(says("package,needs\n"));
  EXPECT_FALSE(says("1,2\n3,4\n"));
  EXPECT_FALSE(says("package,needs\na,b\n", {.header = false}));
  EXPECT_FALSE(says("package,needs\na,b\n", {.header = true}));
}

TEST(edge_list, weights) {
  EXPECT_EQ(std::get<reals>(read("a,b,1\nb,c,0.25\nc,d,-3\n").edges).value, (std::vector<double>{1, 0.25, -3}));
  EXPECT_EQ(integers(read("a,b,9223372036854775807\n"))[0], 9223372036854775807);
  EXPECT_EQ(refused("a,b,1\na,b,9223372036854775808\n"),
            "f:2: the weight '9223372036854775808' is outside the range of 64-bit integers: write a point behind it, "
            "and it is real");
  EXPECT_EQ(std::get<reals>(read("a,b,1\na,b,9223372036854775808.\n").edges).value[1], 9223372036854775808.0);
  EXPECT_EQ(refused("a,b,1\na,b,\n"), "f:2: the weight is missing: column 3 is empty");
  EXPECT_EQ(refused("from,to,km\na,b,1\na,b,x\n"), "f:3: the weight 'x' is not a number");
  EXPECT_EQ(refused("a,b,1\na,b,inf\n"), "f:2: the weight 'inf' is not finite");
  EXPECT_EQ(refusal([] { parse_edge_list("a,b,1e39\n", "f", {}, real_type::f32); }),
            "f:1: the weight '1e39' is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 (--dtype f64)");
}

TEST(edge_list, files_that_are_refused) {
  EXPECT_EQ(refused(""), "f:1: the file is empty");
  EXPECT_EQ(refused("# only\n# comments\n"), "f:2: the file has no lines but comments and empty ones");
  EXPECT_EQ(refused("from,to,weight\n"), "f:1: nothing follows the header");
  EXPECT_EQ(refused("alone\n"), "f:1: a line has at least two fields, from and to, and this one has 'alone' alone");
  EXPECT_EQ(refused("a,b\na,b\na,b,c\n"), "f:3: 3 fields, where the first line has 2 (comma-separated)");
  EXPECT_EQ(refused("from,to\na\n"), "f:2: 1 field, where the header has 2 (comma-separated)");
  EXPECT_EQ(refused("a,b\n,b\n"), "f:2: a vertex has no name: column 1 is empty");
  EXPECT_EQ(refused("a,b\na,\"x\ty\"\n"), "f:2: the name 'x\\x09y' has control characters in it");
  EXPECT_EQ(refused("1 2\n0 1\n", {.vertices = vertex_labels::one_based}),
            "f:2: vertex 0 in a file whose vertices are numbered from 1");
  EXPECT_EQ(refused("1 2\n1 x\n", {.vertices = vertex_labels::zero_based}),
            "f:2: the vertex 'x' (column 2) is no number");
  EXPECT_EQ(refused("1 2147483647\n", {.vertices = vertex_labels::zero_based}),
            "f:1: the vertex '2147483647' (column 2) is larger than 2147483646");
  EXPECT_EQ(refused("from,to\n1,2\n", {.columns = {"from", "nach"}}),
            "f:1: there is no column 'nach': they are 'from', 'to'");
  EXPECT_EQ(refused("1,2\n", {.columns = {"1", "3"}}),
            "f:1: there is no column '3': no header names them, and they are 1 to 2");
  EXPECT_EQ(refused("\xff\xfe"
                    "a\0,\0b\0"),
            "f:1: the file is UTF-16: save it as UTF-8");
  EXPECT_EQ(refused("a,b\n" + std::string(std::size_t{2} << 20, 'x')), "f:2: a line of more than 1048575 bytes");
  EXPECT_EQ(refused("from,to\n" + std::string(std::size_t{2} << 20, 'x')), "f:2: a line of more than 1048575 bytes");
}

// 3 MiB and more: several blocks, some with the line that changes everything.
TEST(edge_list, blocks_come_together) {
  std::string text;
  constexpr int arcs = 300000;
  for (int e = 0; e < arcs; ++e) text += std::to_string(e) + " " + std::to_string((e + 1) % arcs) + " 5\n";
  for (const int threads : {1, 2, 5}) {
    const auto list = read(text, {.threads = threads});
    const auto& cycle = std::get<ints>(list.edges);
    ASSERT_EQ(cycle.entries(), arcs);
    EXPECT_EQ(list.first_vertex, 0);
    for (int e = 0; e < arcs; ++e) ASSERT_EQ(cycle.row[e], e);
    const auto named = read(text + "x 0 0.5\n", {.threads = threads});
    const auto& mixed = std::get<reals>(named.edges);
    ASSERT_EQ(named.names.size(), arcs + 1u);
    EXPECT_EQ(named.names[arcs], "x");  // in the order of the file
    EXPECT_EQ(mixed.value[arcs - 1], 5);
    for (int e = 0; e < arcs; ++e) ASSERT_EQ(mixed.row[e], e);
    EXPECT_EQ(mixed.row[arcs], arcs);
    EXPECT_EQ(refused(text + "1 2\n" + text + "1\n", {.threads = threads}),
              "f:300001: 2 fields, where the first line has 3 (blank-separated)");
  }
}

// Names of 1 to 30 bytes that differ in one: fields and names are read by words of 8 bytes.
TEST(edge_list, names_of_every_length) {
  words all;
  for (std::size_t size = 1; size <= 30; ++size)
    for (std::size_t at = 0; at < size; ++at) all.push_back(std::string(size, 'a').replace(at, 1, "b"));
  std::string text;
  std::map<std::string, std::int32_t> number;
  words in_order;
  numbers ends;
  for (std::size_t e = 0; e < 200000; ++e) {
    const std::string& name = all[e * e % 463 + e % 3];
    if (number.try_emplace(name, static_cast<std::int32_t>(in_order.size())).second) in_order.push_back(name);
    ends.push_back(number[name]);
    text += name + (e % 2 == 0 ? "," : "\n");
  }
  for (const int threads : {1, 2, 5}) {
    const auto list = read(text, {.threads = threads});
    EXPECT_EQ(list.names, in_order);
    const auto& arcs = std::get<ints>(list.edges);
    ASSERT_EQ(static_cast<std::size_t>(arcs.entries()), ends.size() / 2);
    for (std::size_t e = 0; e < ends.size(); ++e) ASSERT_EQ((e % 2 == 0 ? arcs.row : arcs.col)[e / 2], ends[e]) << e;
  }
}

TEST(edge_list, characters_at_every_place_of_a_name) {
  const auto with = [](std::size_t size, std::size_t at, char c) {
    return std::string(size, 'n').replace(at, 1, std::string(1, c));
  };
  for (std::size_t size = 1; size <= 20; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      for (const char c : {'\x01', '\x1f', '\x7f'}) {
        const std::string name = with(size, at, c);
        EXPECT_EQ(refused("x,y\nx," + name + "\n"), "f:2: the name " + shown(name) + " has control characters in it");
      }
      for (const char c : {'!', '~', '\x80', '\xa0', '\xff'})
        EXPECT_EQ(read("x,y\nx," + with(size, at, c) + "\n").names.back(), with(size, at, c));
      const std::string quoted = refused("x,y\n" + with(size, at, '"') + ",y\n");
      EXPECT_EQ(quoted, at > 0 ? "f:2: a quotation mark inside a field (quote the whole field and double the mark)"
                               : "f:2: a quoted field does not end on its line");
      for (const char* separator : {",", ";", "\t", "|", " "})
        EXPECT_EQ(read("x" + (separator + std::string(size, 'n')) + "\n").names.back(), std::string(size, 'n'));
    }
}

TEST(edge_list, files_pipes_and_gzip) {
  const test::scratch folder;
  const std::string text = "a,b,2\nb,c,3\n";
  for (const std::string& content : {text, test::gzipped(text)})
    EXPECT_EQ(integers(read_edge_list(folder.write("f", content))), (std::vector<std::int64_t>{2, 3}));
  const graph_file graph = read_graph(folder.write("f.csv.gz", test::gzipped(text)));
  EXPECT_EQ(graph.format, "edge list");
  EXPECT_EQ(graph.names, (words{"a", "b", "c"}));
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_EQ(graph.arcs, 2);
  EXPECT_TRUE(graph.description.starts_with("comma-separated without a header"));
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(path) << text; });
  EXPECT_EQ(read_graph(path).arcs, 2);
  writer.join();
  const std::string long_file =
      folder.write("g.csv.gz", test::gzipped("a,b\n" + std::string(std::size_t{64} << 20, 'x')));
  input in(long_file);
  EXPECT_EQ(refusal([&] { read_graph(in); }), long_file + ":2: a line of more than 1048575 bytes");
  EXPECT_LE(in.offset(), 4u << 20);
}

TEST(edge_list, every_mutation_reads_or_is_refused) {
  EXPECT_GT(test::read_mutations("from,to,w\na,\"b\"\"\",1\n7,c,0.5\n",
                                 [](const std::string& text) { parse_edge_list(text, "f"); }),
            1);
  EXPECT_GT(
      test::read_mutations("# c\n1\t2\t3\n2 \t30\t4\r\n", [](const std::string& text) { parse_edge_list(text, "f"); }),
      1);
}

TEST(names, files_of_them) {
  const test::scratch folder;
  EXPECT_EQ(read_names(folder.write("n.gz", test::gzipped("Fulda\n Bad Hersfeld \r\n\"a \"\"b\"\", c\""))),
            (words{"Fulda", "Bad Hersfeld", "a \"b\", c"}));
  const auto refused_names = [](const std::string& text) { return refusal([&] { parse_names(text, "n"); }); };
  EXPECT_EQ(refused_names("a\n\nb\n"), "n:2: an empty line, where the name of a vertex belongs");
  EXPECT_EQ(refused_names("a\nb\na\n"), "n:3: the name 'a' is in line 1 already");
  EXPECT_EQ(refused_names("a\nb\x1b\n"), "n:2: the name 'b\\x1b' has control characters in it");
  EXPECT_EQ(refused_names("\"a\" b\n"), "n:1: text behind a quoted field");
}

TEST(names, lists_of_them) {
  EXPECT_EQ(split_list("Fulda, \"Halle, Westf.\",3", "--sources"), (words{"Fulda", "Halle, Westf.", "3"}));
  for (const char* wrong : {"", "1,", ",1", "1,,2", "\"1"})
    EXPECT_TRUE(refusal([&] { split_list(wrong, "--sources"); }, fault_code::usage).starts_with("--sources: "));
}

TEST(names, the_nearest) {
  const words all{"apsp", "path", "closure", "gemm"};
  const auto near = [&](std::string_view asked) {
    return nearest(asked, 4, [&](long w) { return std::string_view(all[w]); });
  };
  EXPECT_EQ(near("asps"), 0);
  EXPECT_EQ(near("APSP"), 0);
  EXPECT_EQ(near("paths"), 1);
  EXPECT_EQ(near("clsoure"), 2);
  EXPECT_EQ(near("nothing of it"), -1);
}

TEST(names, characters_of_utf8_are_shown) {
  EXPECT_EQ(shown("München"), "'München'");
  EXPECT_EQ(shown("a\xc2\x85\xff"), "'a\\xc2\\x85\\xff'");
}

// A first line with a number in it, or with one that went wrong, is an arc and no header.
TEST(edge_list, a_wrong_first_line_is_no_header) {
  EXPECT_TRUE(refused("1,2,nan\n2,3,4\n").starts_with("f:1: "));
  EXPECT_TRUE(refused("1,2,5x\n2,3,4\n").starts_with("f:1: "));
  EXPECT_TRUE(refused("1,2,1e999\n2,3,4\n").starts_with("f:1: "));
  EXPECT_TRUE(refused("a,b,3.5.1\nb,c,2\n").starts_with("f:1: "));
  EXPECT_TRUE(refused("1;2;3,5\n2;3;4\n").starts_with("f:1: "));
  EXPECT_EQ(read("1O 2\n2 3\n").names, (words{"1O", "2", "3"}));
  EXPECT_EQ(read("from to 3\nto x 4\n").names, (words{"from", "to", "x"}));
  EXPECT_EQ(read("abc,2,5\n2,3,3\n").names, (words{"abc", "2", "3"}));
  EXPECT_EQ(read("u v {}\na b {}\n").names, (words{"u", "v", "a", "b"}));
}

// What was meant as weights is refused, not left out.
TEST(edge_list, weights_that_are_no_numbers) {
  const std::string what_to_write = ": write it with a point, and without a unit or marks between thousands";
  EXPECT_EQ(refused("from;to;km\nA;B;91,5\nB;C;103,25\n"), "f:2: the weight '91,5' is not a number" + what_to_write);
  EXPECT_EQ(refused("from,to,km\nA,B,91.5 km\nB,C,2 km\n"),
            "f:2: the weight '91.5 km' is not a number" + what_to_write);
  EXPECT_TRUE(refused("A,B,50%\nB,C,20%\n").starts_with("f:1: the weight '50%'"));
  EXPECT_TRUE(refused("from,to,w\nA,B,NaN\nB,C,NaN\n").starts_with("f:2: "));
  EXPECT_EQ(read("from,to,day\nA,B,2019-01-31\nB,C,2019-02-01\n").description,
            "comma-separated with a header, from 'from' to 'to', no weights ('day' not used), directed, 3 "
            "vertices by name");
}

TEST(edge_list, tabs_among_blanks) {
  EXPECT_EQ(read("a b\t5\nb c\t3\n").names, (words{"a", "b", "c"}));
  EXPECT_EQ(read("New York\tOld Town\nOld Town\tA\n").names, (words{"New York", "Old Town", "A"}));
}

// What a first reader of German files, of Gephi's and of old Macs' met: each was read, and wrong.
TEST(edge_list, what_looks_like_another_file) {
  for (const char* text : {"von;nach;km\nFulda;Essen;210,5\nEssen;Bonn;90,25\n", "von,nach,km\nA,B,\"5,5\"\n"})
    EXPECT_NE(refused(text).find("f:2: the weight"), std::string::npos) << refused(text);
  EXPECT_EQ(refused("1 2 5,5\n2 3 2,25,0\n"),
            "f:1: '1 2 5' are numbers with blanks between, and other marks follow: say what stands between the fields "
            "(--separator)");
  EXPECT_NE(refused("% asym\n1 2\t1 1082040961\n2 3\t1 1082040961\n").find("f:2: '1 2' are numbers"),
            std::string::npos);
  EXPECT_NE(refused("1,2 5\n2,3 2\n").find("f:1: '2 5' are numbers"), std::string::npos);
  EXPECT_EQ(refused("from,to,km\rA,B,5\rB,C,2\r"),
            "f:1: a carriage return inside a line: save the file with line feeds as line ends");
  EXPECT_EQ(refused("\r\r"), "f:1: nothing but carriage returns");
  for (const char* text : {"A -> B 5\nB -> C 2\n", "digraph { a -> b; b -> c }\n"})
    EXPECT_NE(refused(text).find("f:1: '->' between names"), std::string::npos) << refused(text);
  EXPECT_NE(refused("a -- b\nb -- c\n").find("f:1: '--' between names"), std::string::npos);
  EXPECT_NE(refused("Source,Target,Type,Weight\n1,2,Undirected,5\n").find("f:2: the column 'Type' says 'Undirected'"),
            std::string::npos);
  EXPECT_FALSE(read("Source,Target,Type,Weight\n1,2,Undirected,5\n", {.directed = false}).directed);
  EXPECT_NE(refused("0 5 9 1\n5 0 2 1\n9 2 0 1\n1 1 1 0\n").find("f:1: 4 lines of 4 numbers are a matrix"),
            std::string::npos);
  EXPECT_NE(refused("from,to,weight,distance\na,b,1,2\n").find("f:1: 'weight' or 'distance' may be the weight"),
            std::string::npos);
}

TEST(edge_list, bipartite_graphs_of_konect) {
  EXPECT_TRUE(refused("% bip unweighted\n1 1\n2 1\n").starts_with("f:1: a bipartite graph"));
}

}  // namespace edge_list_test
