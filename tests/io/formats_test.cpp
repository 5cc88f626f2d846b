// The table of file formats: what is found in a file, and the words that messages and help take from it.
#include "kleene/io/formats.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/graphml.hpp"
#include "kleene/io/input.hpp"
#include "kleene/io/parquet.hpp"

#include <gtest/gtest.h>

namespace kleene::io::formats_test {
namespace {

TEST(formats, content_decides_before_the_name) {
  EXPECT_EQ(format_of("%%MatrixMarket matrix", "x.gr"), file_format::matrix_market);
  EXPECT_EQ(format_of("\x93NUMPY\1", "x.mtx"), file_format::npy);
  EXPECT_EQ(format_of("PK\3\4", "x.mtx"), file_format::npz);
  EXPECT_EQ(format_of("PAR1\x15\4", "x.mtx"), file_format::parquet);
  EXPECT_EQ(format_of("c a comment\n\np sp 3 4\n", "x.co"), file_format::dimacs_graph);
  EXPECT_EQ(format_of("p aux sp co 3\n", "x.gr"), file_format::dimacs_coordinates);
  EXPECT_EQ(format_of("p max 3 4\n", "x"), file_format::unknown);
  EXPECT_EQ(format_of("c a comment\np tw 3 4\n", "x.gr"), file_format::pace);
  for (const char* track : {"p td 3 4\n", "p cep 3 4\n", "p ds 3 4\n", "p tww 3 4\n"})
    EXPECT_EQ(format_of(track, "x.gr"), file_format::pace) << track;
  EXPECT_EQ(format_of("p edge 3 4\n", "x.csv"), file_format::dimacs_edges);
  EXPECT_EQ(format_of("p col 3 4\n", "x.gr"), file_format::dimacs_edges);
  EXPECT_EQ(format_of("<?xml version='1.0'?>\n<graphml>", "x.csv"), file_format::graphml);
  EXPECT_EQ(format_of("218\nc a preamble\n", "x.clq.b"), file_format::dimacs_edges);
}

TEST(formats, a_name_decides_where_the_content_says_nothing) {
  EXPECT_EQ(format_of("", "roads.gr"), file_format::dimacs_graph);
  EXPECT_EQ(format_of("1 2\n", "roads.mtx.gz"), file_format::matrix_market);
  EXPECT_EQ(format_of("", "roads.co.gz"), file_format::dimacs_coordinates);
  EXPECT_EQ(format_of("", "roads.npy"), file_format::npy);
  EXPECT_EQ(format_of("", "roads.npz"), file_format::npz);
  EXPECT_EQ(format_of("", "roads.parquet"), file_format::parquet);
  EXPECT_EQ(format_of("", "roads.graph"), file_format::metis);
  EXPECT_EQ(format_of("3 2\n1 2 3\n", "roads.metis.gz"), file_format::metis);
  EXPECT_EQ(format_of("", "roads.gset"), file_format::gset);
  EXPECT_EQ(format_of("", "roads.rud"), file_format::gset);
  EXPECT_EQ(format_of("", "roads.graphml.gz"), file_format::graphml);
  EXPECT_EQ(format_of("", "roads.col"), file_format::dimacs_edges);
  EXPECT_EQ(format_of("", "roads.clq.gz"), file_format::dimacs_edges);
  EXPECT_EQ(format_of("", "roads.txt"), file_format::edge_list);
  EXPECT_EQ(format_of("", "roads.tsv.gz"), file_format::edge_list);
  EXPECT_EQ(format_of("", "roads"), file_format::unknown);
}

TEST(formats, what_is_meant_decides_before_the_name) {
  using enum file_format;
  EXPECT_EQ(format_of("3 2\n2\n1\n", "/dev/stdin", metis), metis);
  EXPECT_EQ(format_of("3 2\n1 2 3\n", "roads.txt", edge_list), edge_list);
  EXPECT_EQ(format_of("3 2\n1 2 3\n", "roads.graph", gset), gset);
  EXPECT_EQ(format_of("p sp 3 2\n", "roads.txt", metis), dimacs_graph);
}

TEST(formats, text_in_fields_is_an_edge_list) {
  EXPECT_EQ(format_of("# comment\n1 2\n", "roads"), file_format::edge_list);
  EXPECT_EQ(format_of("# a comment that is not all\n# the", "roads"), file_format::edge_list);
  EXPECT_EQ(format_of("a;b\n", "/dev/stdin"), file_format::edge_list);
  EXPECT_EQ(format_of("1 2\n", "roads.mtx"), file_format::matrix_market);
  EXPECT_EQ(format_of("3 2\n1 2 3\n", "roads"), file_format::gset);
  EXPECT_EQ(format_of("3 2\n1 2 3\n", "roads.txt"), file_format::gset);
  EXPECT_EQ(format_of("3 2\n1 2\n", "roads"), file_format::edge_list);
  EXPECT_EQ(format_of("PAR1 LON1\n", "roads"), file_format::edge_list);
  EXPECT_EQ(format_of("%%matrixmarket matrix", "roads"), file_format::matrix_market);
  EXPECT_EQ(format_of("words\n", "roads"), file_format::unknown);
  EXPECT_EQ(format_of("a,\x01\n", "roads"), file_format::unknown);
}

TEST(formats, a_byte_order_mark_in_front) {
  const test::scratch folder;
  const std::string mark = "\xef\xbb\xbf";
  const auto arcs = [&](const char* name, const std::string& text) {
    return read_graph(folder.write(name, mark + text)).arcs;
  };
  EXPECT_EQ(arcs("f.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1\n"), 1);
  EXPECT_EQ(arcs("f.gr", "p sp 2 1\na 1 2 3\n"), 1);
  EXPECT_EQ(arcs("f.col", "c of people\np edge 2 1\ne 1 2\n"), 2);
  EXPECT_EQ(arcs("f.txt", "3 1\n1 2 3\n"), 2);
  EXPECT_EQ(arcs("f.graph", "2 1\n2\n1\n"), 2);
  EXPECT_EQ(arcs("f.csv", "1,2\n"), 1);
  EXPECT_EQ(arcs("short.csv", "1,2,3\n2,3,4\n3,4,5\n4,5,6\n"), 4);
  for (std::size_t length = 0; length <= 20; ++length) {  // what there is is less, as much or more than is looked at
    const std::string rest = std::string("1 2\n2 3\n3 4\n4 5\n5 6").substr(0, length);
    EXPECT_EQ(read_whole(folder.write("t", mark + rest)), rest);
  }
  EXPECT_EQ(read_whole(folder.write("two", mark + mark)), mark);
  EXPECT_EQ(format_of("\xef\xbb\xbf"
                      "a,b\n",
                      "f.csv"),
            file_format::edge_list);
}

TEST(formats, rows_by_name) {
  EXPECT_EQ(row_of_name("d.csv")->format, file_format::edge_list);
  EXPECT_EQ(row_of_name("d.npy.gz")->format, file_format::npy);
  for (const char* suffix : {".xz", ".zst", ".bz2"})
    EXPECT_EQ(row_of_name(std::string("d.npy") + suffix)->format, file_format::npy);
  EXPECT_EQ(row_of_name("d.xlsx"), nullptr);
  EXPECT_EQ(row_of_name("d.npy.xz.gz"), nullptr);
  EXPECT_EQ(written_suffixes(), std::string(".npy, .mtx, .csv, .tsv") + (has_parquet() ? ", .parquet" : ""));
}

TEST(formats, words_come_from_the_table) {
  const std::string graphml = reads_graphml() ? ".graphml, " : "", parquet = has_parquet() ? ", .parquet" : "";
  EXPECT_EQ(suffixes_of(holds_graph, ", "), ".npz, .mtx, .gr, .col, .clq, .graph, .metis, .gset, .rud, " + graphml +
                                                ".csv, .tsv, .txt, .edges" + parquet);
  EXPECT_EQ(suffixes_of(holds_dense | holds_graph, ", "),
            ".npy, .npz, .mtx, .gr, .col, .clq, .graph, .metis, .gset, .rud, " + graphml + ".csv, .tsv, .txt, .edges" +
                parquet);
  EXPECT_EQ(suffixes_of(holds_dense, " or "), ".npy or .npz or .mtx");
  EXPECT_EQ(is_built_in(file_format::graphml), reads_graphml());
  EXPECT_EQ(is_built_in(file_format::parquet), has_parquet());
  EXPECT_TRUE(is_built_in(file_format::metis));
  EXPECT_EQ(suffixes_of(holds_places, ", "), ".mtx, .co");
  EXPECT_EQ(neither_of(holds_graph),
            "neither npz nor Matrix Market (%%MatrixMarket) nor DIMACS (p sp) nor DIMACS edges (p edge) "
            "nor PACE (p tw) nor METIS (.graph) nor G-set (.gset) nor GraphML (<graphml) nor edge list (.csv)" +
                std::string(is_built_in(file_format::parquet) ? " nor Parquet" : ""));
  EXPECT_EQ(neither_of(holds_dense), "neither npy nor npz nor Matrix Market (%%MatrixMarket)");
}

}  // namespace
}  // namespace kleene::io::formats_test
