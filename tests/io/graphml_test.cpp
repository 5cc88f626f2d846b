#include "kleene/io/graphml.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <vector>

namespace graphml_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

using ints = coo<std::int64_t>;
using reals = coo<double>;
using numbers = std::vector<std::int32_t>;
using names = std::vector<std::string>;

// write_graphml of networkx 3.6, of a DiGraph whose nodes are names and of a Graph whose nodes are numbers.
const std::string of_names =
    R"(<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
    R"(xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d1" for="node" attr.name="color" attr.type="string" />
  <key id="d0" for="edge" attr.name="weight" attr.type="double" />
  <graph edgedefault="directed">
    <node id="Fulda" />
    <node id="Essen" />
    <node id="Ulm" />
    <node id="Köln">
      <data key="d1">red</data>
    </node>
    <edge source="Fulda" target="Essen">
      <data key="d0">292.5</data>
    </edge>
    <edge source="Essen" target="Ulm">
      <data key="d0">1.5</data>
    </edge>
  </graph>
</graphml>
)";
const std::string of_numbers =
    R"(<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
    R"(xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d0" for="edge" attr.name="weight" attr.type="long" />
  <graph edgedefault="undirected">
    <node id="0" />
    <node id="1" />
    <node id="2" />
    <edge source="0" target="1">
      <data key="d0">3</data>
    </edge>
    <edge source="1" target="2">
      <data key="d0">4</data>
    </edge>
    <edge source="2" target="2">
      <data key="d0">1</data>
    </edge>
  </graph>
</graphml>
)";

const std::string weight_key = "<key id='w' for='edge' attr.name='weight' attr.type='int'/>";

// Keys on the first line, the graph on the second, what is in it from the third on.
std::string document(const std::string& keys, const std::string& content, const std::string& direction = "directed") {
  return "<graphml>" + keys + "\n<graph edgedefault='" + direction + "'>\n" + content + "</graph></graphml>";
}
const std::string two_nodes = "<node id='a'/><node id='b'/>\n";

graphml_file parse(const std::string& text) { return parse_graphml(text, "f"); }
std::string refused(const std::string& text) {
  return refusal([&] { parse(text); });
}

class graphml : public testing::Test {
 protected:
  void SetUp() override {
    if (!reads_graphml()) GTEST_SKIP() << "this build has no libexpat";
  }
};

TEST(graphml_build, without_expat_a_file_is_refused_by_the_name_of_the_library) {
  if (reads_graphml()) GTEST_SKIP() << "this build has libexpat";
  EXPECT_EQ(refused(of_names), "f is GraphML, and this build of Kleene has no libexpat to read it");
}

TEST_F(graphml, names_and_reals) {
  const graphml_file file = parse(of_names);
  EXPECT_EQ(file.names, (names{"Fulda", "Essen", "Ulm", "Köln"}));
  EXPECT_TRUE(file.weighted);
  EXPECT_FALSE(file.undirected);
  EXPECT_EQ(file.description, "directed, weights (double), 4 vertices by name");
  const auto& list = std::get<reals>(file.edges);
  EXPECT_EQ(list.rows, 4);
  EXPECT_EQ(list.row, (numbers{0, 1}));
  EXPECT_EQ(list.col, (numbers{1, 2}));
  EXPECT_EQ(list.value, (std::vector<double>{292.5, 1.5}));
}

TEST_F(graphml, numbers_and_integers) {
  const test::scratch folder;
  const graph_file graph = read_graph(folder.write("f", test::gzipped(of_numbers)));
  EXPECT_EQ(graph.format, "GraphML");
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_EQ(graph.arcs, 5);
  EXPECT_EQ(graph.first_vertex, 0);
  EXPECT_EQ(graph.names, names{});
  EXPECT_TRUE(graph.symmetric);
  EXPECT_FALSE(graph.pattern);
  EXPECT_EQ(graph.description, "undirected, weights (long), vertices numbered from 0");
  const auto& list = std::get<ints>(graph.edges);
  EXPECT_EQ(list.row, (numbers{0, 1, 1, 2, 2}));
  EXPECT_EQ(list.col, (numbers{1, 0, 2, 1, 2}));
  EXPECT_EQ(list.value, (std::vector<std::int64_t>{3, 3, 4, 4, 1}));
}

TEST_F(graphml, ids_that_count_up_are_numbers) {
  const auto ids = [](const char* a, const char* b) {
    return parse(document("", std::string("<node id='") + a + "'/><node id='" + b + "'/>"));
  };
  EXPECT_EQ(ids("5", "6").first_vertex, 5);
  EXPECT_EQ(ids("5", "6").names, names{});
  EXPECT_EQ(ids("6", "5").names, (names{"6", "5"}));
  EXPECT_EQ(ids("00", "01").names, (names{"00", "01"}));
  EXPECT_EQ(ids("0", "n1").names, (names{"0", "n1"}));
  EXPECT_EQ(std::get<ints>(parse(document("", "")).edges).rows, 0);
}

TEST_F(graphml, nodes_may_follow_their_edges) {
  const auto file = parse(document("", "<edge source='b' target='c'/><node id='a'/><node id='c'/><node id='b'/>"));
  EXPECT_EQ(file.names, (names{"a", "c", "b"}));
  EXPECT_EQ(std::get<ints>(file.edges).row, numbers{2});
  EXPECT_EQ(std::get<ints>(file.edges).col, numbers{1});
  EXPECT_EQ(refused(document("", "<node id='a'/>\n<edge source='a'\n target='c'/>")),
            "f:4: an edge at 'c', which is no node of the graph");
}

TEST_F(graphml, other_keys_of_edges_are_named) {
  const std::string key = "<key id='l' for='edge' attr.name='lanes' attr.type='double'/>";
  const std::string edge = "<edge source='a' target='b'><data key='l'>5</data></edge>";
  EXPECT_EQ(parse(document(key, two_nodes + edge)).description,
            "directed, no key 'weight', so every edge weighs 1 (keys not used: 'lanes'), 2 vertices by name");
}

TEST_F(graphml, the_only_key_with_the_title_of_a_weight_is_it) {
  const std::string words = "<key id='n' for='edge' attr.name='distance' attr.type='string'/>";
  const std::string key = "<key id='l' for='edge' attr.name='Length' attr.type='double'><default>9</default></key>";
  const std::string cost = "\n<key id='c' for='edge' attr.name='cost' attr.type='int'><default>x</default></key>";
  const std::string edges = "<edge source='a' target='b'><data key='l'>2.5</data></edge><edge source='b' target='a'/>";
  const auto file = parse(document(words + key, two_nodes + edges));
  EXPECT_EQ(file.description, "directed, weights 'Length' (double, unsaid 9), 2 vertices by name");
  EXPECT_EQ(std::get<reals>(file.edges).value, (std::vector<double>{2.5, 9}));
  EXPECT_EQ(refused(document(key + cost, two_nodes + edges)),
            "f:3: the weight could be any of the keys 'Length', 'cost': call one of them weight");
  EXPECT_EQ(refused(document(cost, two_nodes)), "f:2: the weight 'x' is not an integer");
  EXPECT_EQ(parse(document(key + weight_key + cost, two_nodes + edges)).description,
            "directed, edges of weight 1, 2 vertices by name");
}

// NetworkX has a key for each type of Python's that the weights of a graph are of.
TEST_F(graphml, several_keys_of_one_title) {
  const std::string real = "\n<key id='v' for='edge' attr.name='weight' attr.type='double'/>";
  const auto edges = [](const std::string& first, const std::string& second) {
    return "<edge source='a' target='b'>" + first + "</edge>\n<edge source='b' target='a'>\n" + second + "</edge>";
  };
  const std::string three = "<data key='w'>3</data>", half = "<data key='v'>2.5</data>";
  const auto file = parse(document(weight_key + real, two_nodes + edges(three, half)));
  EXPECT_EQ(file.description, "directed, weights (int, double), 2 vertices by name");
  EXPECT_EQ(std::get<reals>(file.edges).value, (std::vector<double>{3, 2.5}));
  EXPECT_EQ(refused(document(weight_key + real, two_nodes + edges(three, half + three))),
            "f:7: a second weight of an edge");
  EXPECT_EQ(refused(document(weight_key + real, two_nodes + edges(three, ""))),
            "f:6: an edge without a weight: others have one, and the key has no default");
  const std::string unsaid = "\n<key id='v' for='all' attr.name='weight' attr.type='int'><default>9</default></key>";
  EXPECT_EQ(refused(document(weight_key + unsaid, two_nodes + edges(three, ""))),
            "f:2: a default, and several keys are called 'weight': it is not clear for which edges it is");
  const std::string whole = "<key id='w' for='edge' attr.name='length' attr.type='long'/>",
                    length = "<key id='v' for='edge' attr.name='length' attr.type='float'/>";
  EXPECT_EQ(parse(document(whole + length, two_nodes + edges(three, half))).description,
            "directed, weights 'length' (long, float), 2 vertices by name");
}

// Of type string, as programs write what they read from a table.
TEST_F(graphml, numbers_in_a_key_of_words) {
  const std::string key = "<key id='l' for='edge' attr.name='length' attr.type='string'/>\n";
  const auto edge = [](const std::string& value) {
    return "<edge source='a' target='b'>\n<data key='l'> " + value + " </data></edge>";
  };
  EXPECT_EQ(
      refused(document(key, two_nodes + edge("2.5"))),
      "f:6: the key 'length' is of type 'string', and holds the number 2.5: declare it as double, or rename it if "
      "it is no weight");
  EXPECT_EQ(refused(document("<key id='l' for='edge' attr.name='km'/>\n", two_nodes + edge("2"))),
            "f:6: the key 'km' is of no type, and holds the number 2: declare it as double, or rename it if it is no "
            "weight");
  EXPECT_FALSE(parse(document("<key id='l' for='edge' attr.name='km'/>\n", two_nodes + edge("far"))).weighted);
  EXPECT_FALSE(parse(document(key, two_nodes + edge("long<b>5</b>") + edge("12"))).weighted);
  EXPECT_FALSE(parse(document(key, two_nodes + edge(std::string(2000, '1')))).weighted);
  EXPECT_TRUE(parse(document(key + weight_key, two_nodes + "<edge source='a' target='b'><data key='w'>3</data>\n"
                                                           "<data key='l'>2.5</data></edge>"))
                  .weighted);
}

TEST_F(graphml, an_edge_may_have_a_direction_of_its_own) {
  const std::string edges = "<edge source='a' target='b' directed='true'/><edge source='b' target='b'/>";
  const auto partly = parse(document("", two_nodes + edges, "undirected"));
  EXPECT_FALSE(partly.undirected);
  EXPECT_EQ(partly.description, "partly directed, edges of weight 1, 2 vertices by name");
  EXPECT_EQ(std::get<ints>(partly.edges).row, (numbers{0, 1}));
  const auto both = parse(document("", two_nodes + "<edge source='a' target='b' directed='false'/>"));
  EXPECT_TRUE(both.undirected);
  EXPECT_EQ(std::get<ints>(both.edges).row, (numbers{0, 1}));
  EXPECT_EQ(refused(document("", two_nodes + "<edge source='a' target='b' directed='no'/>")),
            "f:4: directed is 'no', neither true nor false");
}

TEST_F(graphml, weights) {
  const std::string bare = "<edge source='a' target='b'/>\n";
  const std::string seven = "<edge source='a' target='b'>\n<data key='w'> 7\n</data></edge>\n";
  const std::string with_default =
      "<key id='w' attr.name='weight' attr.type='float'><desc>km</desc><default>2.5</default></key>";
  const auto file = parse(document(with_default, two_nodes + bare + seven));
  EXPECT_EQ(std::get<reals>(file.edges).value, (std::vector<double>{2.5, 7}));
  EXPECT_EQ(file.description, "directed, weights (float, unsaid 2.5), 2 vertices by name");
  const auto none = parse(document(weight_key, two_nodes + bare));
  EXPECT_FALSE(none.weighted);
  EXPECT_EQ(std::get<ints>(none.edges).value, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(refused(document(weight_key, two_nodes + seven + bare)),
            "f:7: an edge without a weight: others have one, and the key has no default");
  const auto of = [&](const std::string& data) {
    return refused(document(weight_key, two_nodes + "<edge source='a' target='b'>\n" + data + "</edge>"));
  };
  EXPECT_EQ(of("<data key='w'>1.5</data>"), "f:5: the weight '1.5' is not an integer");
  EXPECT_EQ(of("<data key='w'>9223372036854775808</data>"),
            "f:5: the weight '9223372036854775808' is outside the range of 64-bit integers");
  EXPECT_EQ(of("<data key='w'>1 2</data>"), "f:5: the weight '1 2' is not an integer");
  EXPECT_EQ(of("<data key='w'> </data>"), "f:5: the weight is missing");
  EXPECT_EQ(of("<data key='w'>1<b/></data>"), "f:5: an element 'b' in a weight");
  EXPECT_EQ(of("<data key='w'>1</data><data key='w'>1</data>"), "f:5: a second weight of an edge");
  EXPECT_EQ(of("<data key='v'>1</data>"), "f:5: data of the key 'v', which is not declared");
  EXPECT_EQ(of("<data>1</data>"), "f:5: data without the attribute key");
  EXPECT_EQ(of("<data key='w'>" + std::string(2000, '1') + "</data>"), "f:5: a weight of more than 1024 bytes");
  const std::string real = "<key id='w' for='edge' attr.name='weight' attr.type='double'/>";
  const auto one = [&](const std::string& number) {
    return document(real, two_nodes + "<edge source='a' target='b'><data key='w'>" + number + "</data></edge>");
  };
  EXPECT_EQ(refused(one("inf")), "f:4: the weight 'inf' is not finite");
  EXPECT_EQ(refused(one("NaN")), "f:4: the weight 'NaN' is not a number");
  EXPECT_EQ(std::get<reals>(parse(one("1e39")).edges).value[0], 1e39);
  EXPECT_EQ(refusal([&] { parse_graphml(one("1e39"), "f", real_type::f32); }),
            "f:4: the weight '1e39' is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 (--dtype f64)");
}

TEST_F(graphml, keys) {
  const auto of = [&](const std::string& keys) { return refused(document(keys, "")); };
  EXPECT_EQ(of("<key id='w' for='edge' attr.name='weight' attr.type='string'/>"),
            "f:1: weights of type 'string': those read are int, long, float and double");
  EXPECT_EQ(of(weight_key + "<key id='w' for='node'/>"), "f:1: a second key 'w'");
  EXPECT_EQ(of("<key for='node'/>"), "f:1: a key without the attribute id");
  EXPECT_EQ(of("<key id='w' attr.name='weight' attr.type='int'><default>x</default></key>"),
            "f:1: the weight 'x' is not an integer");
  EXPECT_EQ(refused("<graphml><graph edgedefault='directed'/>" + weight_key + "</graphml>"),
            "f:1: a key behind the graph: keys stand before it");
}

TEST_F(graphml, what_other_programs_put_into_data_is_not_read) {
  const auto file = parse(
      "\xef\xbb\xbf<!-- c --><!DOCTYPE graphml SYSTEM 'graphml.dtd'><g:graphml xmlns:g='urn:g' xmlns:y='urn:y'>"
      "<g:key id='d' for='node' yfiles.type='nodegraphics'/><g:data key='d'><y:edge/>text</g:data>"
      "<g:graph edgedefault='directed'><g:desc>a &lt;graph></g:desc>"
      "<g:node id='&#65;'><g:data key='d'><y:port><y:graph/></y:port></g:data></g:node></g:graph></g:graphml>");
  EXPECT_EQ(file.names, names{"A"});
}

TEST_F(graphml, what_is_not_read) {
  const auto of = [](const std::string& content) { return refused(document("", two_nodes + content)); };
  EXPECT_EQ(of("<hyperedge/>"), "f:4: a hyperedge, which is not read");
  EXPECT_EQ(of("<node id='c'>\n<port name='p'/></node>"), "f:5: a port, which is not read");
  EXPECT_EQ(of("<edge source='a' target='b' sourceport='p'/>"), "f:4: an edge between ports, which are not read");
  EXPECT_EQ(of("<node id='c'><graph edgedefault='directed'/></node>"),
            "f:4: a graph in a node or an edge: nested graphs are not read");
  EXPECT_EQ(of("<node id='c'><locator/></node>"), "f:4: a locator, which is not read");
  EXPECT_EQ(of("</graph><graph edgedefault='directed'>"), "f:4: a second graph: a file is read as one");
  EXPECT_EQ(of("<arc/>"), "f:4: the element 'arc' does not belong here");
  EXPECT_EQ(of("<node id='a'/>"), "f:4: a second node 'a'");
  EXPECT_EQ(of("<node/>"), "f:4: a node without the attribute id");
  EXPECT_EQ(of("<node id='x&#10;y'/>"), "f:4: the node 'x\\x0ay' has a control character in its name");
  EXPECT_EQ(of("<edge target='a'/>"), "f:4: an edge without the attribute source");
  EXPECT_EQ(refused(document("", "", "both")), "f:2: edgedefault is 'both', neither directed nor undirected");
  EXPECT_EQ(refused("<graphml>\n<graph/></graphml>"), "f:2: a graph without the attribute edgedefault");
  EXPECT_EQ(refused("<graphml/>"), "f:1: there is no graph");
  EXPECT_EQ(refused("<gexf/>"), "f:1: this is no GraphML: it starts with an element 'gexf'");
}

TEST_F(graphml, what_is_no_xml) {
  EXPECT_EQ(refused(""), "f:1: this is no XML: no element found");
  EXPECT_EQ(refused("<graphml>\n</graph>"), "f:2: this is no XML: mismatched tag");
  EXPECT_EQ(refused(document("", "<node id=a/>")), "f:3: this is no XML: not well-formed (invalid token)");
  EXPECT_EQ(refused(document("", "") + "\n<more/>"), "f:4: this is no XML: junk after document element");
  EXPECT_EQ(refused("<graphml>\n&nbsp;</graphml>"), "f:2: this is no XML: undefined entity");
  EXPECT_EQ(refused("<!DOCTYPE graphml SYSTEM 'x'><graphml>\n&nbsp;</graphml>"), "f:2: the entity 'nbsp' is not known");
}

// Declarations that would let a small file become a large one, elements without an end, a tag without one.
TEST_F(graphml, bombs) {
  std::string laughs = "<!DOCTYPE graphml [\n<!ENTITY a0 'ha'>\n";
  for (int i = 1; i < 10; ++i) {
    laughs += "<!ENTITY a" + std::to_string(i) + " '";
    for (int k = 0; k < 10; ++k) laughs += "&a" + std::to_string(i - 1) + ";";
    laughs += "'>\n";
  }
  EXPECT_EQ(refused(laughs + "]>\n<graphml>&a9;</graphml>"),
            "f:1: a DOCTYPE with declarations of its own, such as entities, which are not read");
  std::string deep = "<graphml>\n";
  for (int i = 0; i < 100; ++i) deep += "<desc>";
  EXPECT_EQ(refused(deep), "f:2: elements nest more than 64 deep");
  const test::scratch folder;
  const std::string megabytes(std::size_t{64} << 20, ' ');
  input in(folder.write("f", test::gzipped("<graphml>\n<graph edgedefault='directed' " + megabytes + "/></graphml>")));
  scanner text(in);
  EXPECT_TRUE(refusal([&] { parse_graphml(text); }).ends_with("f:2: a tag or a comment of more than 1048576 bytes"));
  EXPECT_LT(in.offset(), 4u << 20);
}

TEST_F(graphml, the_content_gives_it_away) {
  EXPECT_TRUE(looks_like_graphml(of_names));
  EXPECT_TRUE(looks_like_graphml("\xef\xbb\xbf\n<graphml>"));
  EXPECT_FALSE(looks_like_graphml("a <graphml>"));
  EXPECT_FALSE(looks_like_graphml("<html>"));
}

TEST_F(graphml, every_mutation_reads_or_is_refused) {
  const std::string text = document("<key id='w' attr.name='weight' attr.type='int'><default>2</default></key>",
                                    "<node id='1'/><node id='2'/><edge source='1' target='2' directed='false'>"
                                    "<data key='w'>3</data></edge>");
  test::read_mutations(text, [](const std::string& mutation) {
    const auto file = parse(mutation);
    std::visit([&](const auto& list) { EXPECT_LE(list.entries(), 2); }, file.edges);
  });
}

// igraph numbers the vertices, and has their names in a key.
TEST_F(graphml, names_of_vertices_that_are_numbered) {
  const std::string key = "<key id='v_name' for='node' attr.name='name' attr.type='string'/>";
  const auto node = [](const std::string& id, const std::string& name) {
    return "<node id='" + id + "'><data key='v_name'>" + name + "</data></node>\n";
  };
  const std::string edge = "<edge source='n0' target='n1'/>\n";
  const graphml_file file = parse(document(key, node("n0", "Fulda") + node("n1", " Bad Hersfeld ") + edge));
  EXPECT_EQ(file.names, (names{"Fulda", "Bad Hersfeld"}));
  EXPECT_EQ(file.description, "directed, edges of weight 1, 2 vertices by the key 'name'");
  for (const std::string& nodes : {node("n0", "a") + node("n1", "a"), node("n0", "a") + "<node id='n1'/>\n"}) {
    const graphml_file numbered = parse(document(key, nodes + edge));
    EXPECT_EQ(numbered.names, (names{"n0", "n1"}));
    EXPECT_EQ(numbered.description, "directed, edges of weight 1, 2 vertices by id (two share a 'name', or lack it)");
  }
  EXPECT_EQ(parse(document(key, node("n1", "a") + node("n0", "b") + edge)).names, (names{"n1", "n0"}));
  EXPECT_EQ(refused(document(key, node("n0", std::string(1025, 'x')))), "f:3: a name of more than 1024 bytes");
}

// Keys without a name, those that are called as measures, and weights where GraphML has none.
TEST_F(graphml, weights_as_others_write_them) {
  const std::string nodes = "<node id='a'/><node id='b'/>", begin = "<edge source='a' target='b'",
                    arc = begin + "><data key='weight'>3</data></edge>";
  EXPECT_EQ(std::get<reals>(parse(document("<key id='weight' for='edge'/>", nodes + arc)).edges).value,
            (std::vector<double>{3}));
  const std::string km = "<key id='weight' for='edge' attr.name='km' attr.type='int'/>";
  EXPECT_EQ(std::get<ints>(parse(document(km, nodes + arc)).edges).value, (std::vector<std::int64_t>{3}));
  EXPECT_NE(refused(document("", nodes + begin + " weight='3'/>")).find("an attribute weight, and GraphML has none"),
            std::string::npos);
  EXPECT_EQ(refused("<graphml>\n<graph edgedefault='directed'>\n<node id='a'/>\n"),
            "f:4: the file ends early: is it cut off?");
}

}  // namespace graphml_test
