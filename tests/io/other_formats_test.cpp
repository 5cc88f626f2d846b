// Graphs in formats that are not read are called by their names, and nothing else is.
#include "kleene/io/graph.hpp"

#include "io/files.hpp"

namespace other_formats_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

const std::string advice =
    " is not read: save the graph as GraphML, or as an edge list with a line from,to,weight for each arc";

class other_formats : public testing::Test {
 protected:
  std::string refused(const std::string& name, const std::string& content) const {
    const std::string path = folder_.write(name, content), message = refusal([&] { read_graph(path); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  }
  index_t arcs(const std::string& name, const std::string& content) const {
    return read_graph(folder_.write(name, content)).arcs;
  }

  test::scratch folder_;
};

TEST_F(other_formats, by_what_they_start_with) {
  EXPECT_EQ(refused("a.txt", "dl n=3\nformat = edgelist1\ndata:\n1 2\n"), ":1: UCINET's DL" + advice);
  const std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  EXPECT_EQ(refused("a.gexf", xml + "<gexf xmlns=\"http://gexf.net/1.3\">\n</gexf>\n"), ":1: GEXF" + advice);
  EXPECT_EQ(refused("a.graphml", "<gexf version=\"1.2\">\n"), ":1: GEXF" + advice);
  EXPECT_EQ(refused("a.xml", "\n" + xml + "<roads>\n"), ":2: XML that is no GraphML" + advice);
  EXPECT_EQ(refused("a.csv", "<roads>\n<road a=\"b\"/>\n"), ":1: XML that is no GraphML" + advice);
  EXPECT_EQ(refused("a.csv", "<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n"),
            ":1: HTML, a page that was saved in place of the file, it seems," + advice);
  EXPECT_EQ(refused("a.net", "% by hand\n*Vertices 2\n1 \"a\"\n2 \"b\"\n*Arcs\n1 2 3\n"), ":2: Pajek" + advice);
  EXPECT_EQ(refused("a.txt", "*network x\n*vertices 2\n"), ":1: Pajek" + advice);
  EXPECT_EQ(refused("a.gml", "graph [\n  node [ id 0 ]\n]\n"), ":1: GML" + advice);
  EXPECT_EQ(refused("a.graph", "Creator \"me\"\ngraph\n[\n"), ":1: GML" + advice);
  EXPECT_EQ(refused("a.tsp", "NAME : att48\nTYPE: TSP\nDIMENSION : 48\n"), ":1: TSPLIB" + advice);
  EXPECT_EQ(refused("a.dot", "digraph G {\n  a -> b;\n}\n"), ":1: DOT" + advice);
  EXPECT_EQ(refused("a.max", "c a flow\nc\np max 3 2\n"), ":1: a flow problem of DIMACS (p max)" + advice);
  EXPECT_EQ(refused("a.gr", "p min 3 2\n"), ":1: a flow problem of DIMACS (p min)" + advice);
  EXPECT_EQ(refused("a.asn", "p asn 3 2\n"), ":1: an assignment problem of DIMACS (p asn)" + advice);
  EXPECT_EQ(refused("a.adj", "WeightedAdjacencyGraph\n3\n3\n"), ":1: an adjacency graph of Ligra" + advice);
  EXPECT_EQ(refused("a.lgf", "@nodes\nlabel\n1\n"), ":1: LEMON's format" + advice);
  EXPECT_EQ(refused("a.gw", "LEDA.GRAPH\nstring\n"), ":1: LEDA's format" + advice);
  EXPECT_EQ(refused("a.g6", ">>graph6<<\nIheA@GUAo\n"), ":1: graph6" + advice);
  EXPECT_EQ(refused("a.tntp", "<NUMBER OF ZONES> 4\n<END OF METADATA>\n"),
            ":1: a network of TransportationNetworks (TNTP)" + advice);
  EXPECT_EQ(refused("a.sql", "INSERT INTO arcs VALUES (1, 2, 3);\n"), ":1: SQL" + advice);
  EXPECT_EQ(refused("a.gdf", "nodedef>name VARCHAR,label VARCHAR\ns1,One\nedgedef>node1,node2\ns1,s1\n"),
            ":1: GDF" + advice);
  EXPECT_EQ(refused("a.vna", "*Node data\nID name\na Ann\n*Tie data\nfrom to\na a\n"), ":1: VNA" + advice);
  EXPECT_EQ(refused("a.txt", "*Tie data\nfrom to\na b\n"), ":1: VNA" + advice);
  EXPECT_EQ(refused("a", "strict graph\n{\n  a -- b;\n}\n"), ":1: DOT" + advice);
}

TEST_F(other_formats, that_start_as_an_edge_list) {
  const std::string tgf = ": TGF (vertices above a line of '#', arcs below)" + advice;
  const std::string anyway = " (--input-format edge-list, if both are arcs)";
  const std::string vertices = "1 A\n2 B\n3 C\n#\n1 2\n2 3\n";
  EXPECT_EQ(refused("a.tgf", vertices), ":4" + tgf + anyway);
  EXPECT_EQ(refused("a.txt", "1\n2\n#\n1 2 7\n"), ":3" + tgf + anyway);
  input in(folder_.path("a.tgf"));
  EXPECT_EQ(std::get<graph_file>(read_graph_or_dense(in, real_type::f64, {}, file_format::edge_list)).arcs, 5);
  const std::string lists =
      ":1: a list of neighbours for each vertex" + advice + " (--input-format edge-list, if each line is an arc)";
  EXPECT_EQ(refused("a.adjlist", "a b c d\nb c\nc a\nd a b c\n"), lists);
  EXPECT_EQ(refused("a.csv", "a,b,c\nb\nc,a\nd,a,b\n"), lists);
  EXPECT_EQ(refused("a.txt", "# of NetworkX\n0: 1 2 3\n1: 0\n2: 0\n3: 0 1\n"), ":2" + lists.substr(2));
}

// A mark of their own between a vertex and its neighbours, or a colon.
TEST_F(other_formats, lists_of_neighbours_behind_a_mark) {
  for (const char* text :
       {"1\t2,3,4\n2\t1\n3\t1\n", "1\t2,3,4\n", "a;b,c\nb;c,a\nc;a,b\n", "1|2 3\n2|1 3\n", "1: 2 3\n2: 1 3\n",
        "1: 2\n2: 1\n", "a, b c\nb, c a\nc, a b\n", "1,\"2,3\"\n2,\"1,3\"\n", "# c\n1\t2, 3\n2\t1, 3\n"}) {
    EXPECT_NE(refused("a.txt", text).find(": a list of neighbours for each vertex is not read"), std::string::npos)
        << text;
  }
  input in(folder_.path("a.txt"));
  EXPECT_EQ(std::get<graph_file>(read_graph_or_dense(in, real_type::f64, {}, file_format::edge_list)).arcs, 2);
  EXPECT_EQ(arcs("b.tsv", "Paris, TX\tAustin, TX\nAustin, TX\tWaco, TX\n"), 2);
  EXPECT_EQ(arcs("c.csv", "A,Bad Hersfeld\nFulda,A\nEssen,Fulda\nUlm,Essen\n"), 4);
  EXPECT_EQ(arcs("d.tsv", "0,0\t0,1\n0,1\t0,2\n"), 2);
}

// NetworkX's comment in front makes rows of three fields lists, and {} stands where an edge has no data.
TEST_F(other_formats, lists_of_neighbours_by_networkx) {
  const std::string head = "#convert.py\n# GMT Thu Jan  1 00:00:00 1970\n# \n",
                    anyway = " (nx.write_weighted_edgelist; --input-format edge-list, if each line is an arc)";
  const std::string each = ":4: a list of neighbours for each vertex, as NetworkX writes it, is not read";
  EXPECT_TRUE(refused("a.txt", head + "11 12 13\n12 13 11\n13 11 12\n").starts_with(each));
  EXPECT_TRUE(refused("a.txt", head + "1,2\n2,3,4\n").starts_with(each));
  const std::string one = ": a list of neighbours, one a line, as NetworkX writes it, is not read";
  EXPECT_TRUE(refused("b.txt", head + "1 1\n2 {}\n2 1\n3 {}\n3 0\n").starts_with(":4" + one));
  EXPECT_TRUE(refused("b.txt", "1 1\n2 {}\n2 0\n").starts_with(":1" + one));
  EXPECT_TRUE(refused("b.txt", "1 1\n2 {}\n2 0\n").ends_with(anyway));
  EXPECT_EQ(arcs("c.txt", head + "1 2\n2 3\n"), 2);
  EXPECT_EQ(arcs("d.txt", "# at noon\n11 12 13\n12 13 11\n13 11 12\n"), 3);
  EXPECT_EQ(arcs("e.txt", "1 2 {}\n2 3 {}\n"), 2);
}

// As NetworkX writes them, the graph behind the header in one line, or without it.
TEST_F(other_formats, characters_of_six_bits) {
  EXPECT_EQ(refused("a.g6", ">>graph6<<Dhc\n"), ":1: graph6" + advice);
  EXPECT_EQ(refused("a.g6", "Dhc\n"), ":1: graph6" + advice);
  EXPECT_EQ(refused("a.txt", "IheA@GUAo\n"), ":1: graph6" + advice);
  EXPECT_EQ(refused("a.s6", ">>sparse6<<:Da@Gn\n"), ":1: sparse6" + advice);
  EXPECT_EQ(refused("a.s6", ":Da@Gn\n"), ":1: sparse6" + advice);
  EXPECT_EQ(refused("a.d6", "&BP_\n"), ":1: digraph6" + advice);
  EXPECT_NE(refused("a", "Dhcx\n").find("no graph format that is known"), std::string::npos);
}

// With a byte order mark, and without.
TEST_F(other_formats, texts_in_utf16) {
  const std::string words = ":1: the file is UTF-16: save it as UTF-8";
  for (const char* name : {"a.csv", "a.mtx", "a"}) {
    EXPECT_EQ(refused(name, std::string("\xff\xfe"
                                        "1\0,\0002\0\n\0",
                                        10)),
              words)
        << name;
    EXPECT_EQ(refused(name, std::string("1\0,\0002\0\n\0", 8)), words) << name;
    EXPECT_EQ(refused(name, std::string("\0001\0,\0002\0\n", 8)), words) << name;
  }
}

TEST_F(other_formats, whose_names_look_like_comments) {
  const std::string lgl = "# a\nb 3\nc 2\n# b\nc 4\n", anyway = " (--input-format edge-list, if these are comments)";
  const std::string words = ":1: LGL (neighbours below a line '# vertex')" + advice + anyway;
  EXPECT_EQ(refused("a.txt", lgl), words);
  EXPECT_EQ(refused("b", "# a\nb\nc\n# b\nc\n"), words);
  EXPECT_EQ(refused("c.lgl", "# a\nb 3\nc 2\n"), words);
  EXPECT_EQ(refused("d.lgl.gz", test::gzipped("# a\nb 3\n")), words);
  input in(folder_.path("a.txt"));
  EXPECT_EQ(arcs("e", "# north\na b\n# south\nc d\n"), 2);
  EXPECT_EQ(arcs("f", "# a\na b 3\n# b\nb c 4\n"), 2);
  const std::string banner =
      ": a banner of Matrix Market starts with %%MatrixMarket, and this line would be a comment: write it so";
  EXPECT_EQ(refused("g.edges", "%MatrixMarket matrix coordinate real symmetric\n4 4 3\n1 2 5\n2 3 6\n3 4 7\n"),
            ":1" + banner);
  EXPECT_EQ(refused("h", "# %MatrixMarket matrix coordinate pattern general\n4 4\n"), ":1" + banner);
  EXPECT_EQ(arcs("i", "% MatrixMarket, by hand\n1 2\n"), 1);
}

// Clauses and factor graphs are told by their first line, or their name.
TEST_F(other_formats, problems_that_are_no_graphs) {
  const std::string clauses = "clauses, no graph: kleene solve sat reads it";
  const std::string factors = "a factor graph, no graph: kleene solve factors reads it";
  EXPECT_EQ(refused("a.cnf", "p cnf 2 1\n1 2 0\n"), ":1: " + clauses);
  EXPECT_EQ(refused("a.txt", "c by hand\nc\np wcnf 2 1 9\n9 1 2 0\n"), ":3: " + clauses);
  EXPECT_EQ(refused("a.wcnf", "c as of 2022\nh 1 2 0\n3 1 0\n"), ":2: " + clauses);
  EXPECT_EQ(refused("a.uai.gz", test::gzipped("MARKOV\n1\n2\n1\n1 0\n2 1 2\n")), ":1: " + factors);
  EXPECT_EQ(refused("a", "\nBAYES\n0\n\n0\n"), ":2: " + factors);
  EXPECT_EQ(arcs("b", "BAYES MARKOV\nMARKOV p\np cnf2\n"), 3);
}

TEST_F(other_formats, what_servers_say) {
  const std::string words = ":1: this is what a server says in place of a file that it does not have";
  for (const char* name : {"a.csv", "a.gr", "a.mtx", "a.graph", "a"})
    for (const char* text : {"404: Not Found", "Not Found\n"}) EXPECT_EQ(refused(name, text), words) << name << text;
}

// Names that look like a word of another format, and a comment of one mark.
TEST_F(other_formats, edge_lists_are_none) {
  EXPECT_EQ(arcs("b", "<a> <b>\n<b> <c>\n"), 2);
  EXPECT_EQ(arcs("c", "*verticesX b\nb c\n"), 2);
  EXPECT_EQ(arcs("d", "NAME :\nTYPE :\n"), 2);
  EXPECT_EQ(arcs("e", "a b\nb c\n#\nc d\n"), 3);
  EXPECT_EQ(arcs("f", "a b\nc d\n#\na d\n"), 3);
  EXPECT_EQ(arcs("g", "*nodes b\nb c\n"), 2);
}

}  // namespace other_formats_test
