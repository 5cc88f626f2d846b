#include "kleene/io/graph.hpp"

#include "kleene/io/npy.hpp"
#include "kleene/io/parquet.hpp"

#include "io/files.hpp"
#include "kleene/io/text.hpp"

#include <sys/stat.h>

#include <thread>

#include <limits>
#include <vector>

namespace graph_test {

using namespace kleene;
using namespace kleene::io;
using test::gzipped;
using test::refusal;

namespace {

using ints = coo<std::int64_t>;
using reals = coo<double>;
const std::string banner = "%%MatrixMarket matrix coordinate ";

}  // namespace

TEST(graph, matrix_market) {
  const test::scratch folder;
  const graph_file graph = read_graph(folder.write("f", banner + "pattern symmetric\n3 3 2\n2 1\n3 3\n"));
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_EQ(graph.arcs, 3);
  EXPECT_TRUE(graph.pattern);
  EXPECT_TRUE(graph.symmetric);
  EXPECT_EQ(graph.format, "Matrix Market");
  EXPECT_EQ(graph.first_vertex, 1);
  EXPECT_EQ(std::get<ints>(graph.edges).value, (std::vector<std::int64_t>{1, 1, 1}));
  const graph_file weighted = read_graph(folder.write("g.gr", gzipped(banner + "real general\n2 2 1\n1 2 0.5\n")));
  EXPECT_FALSE(weighted.pattern);
  EXPECT_FALSE(weighted.symmetric);
  EXPECT_EQ(std::get<reals>(weighted.edges).value, (std::vector<double>{0.5}));
}

TEST(graph, dimacs) {
  const test::scratch folder;
  const graph_file graph = read_graph(folder.write("f.mtx.gz", "c x\n\np sp 4 1\na 4 1 7\n"));
  EXPECT_EQ(graph.vertices, 4);
  EXPECT_EQ(graph.arcs, 1);
  EXPECT_EQ(graph.format, "DIMACS");
  EXPECT_EQ(graph.first_vertex, 1);
  EXPECT_EQ(std::get<ints>(graph.edges).row[0], 3);
}

TEST(graph, the_name_decides_where_the_content_does_not) {
  const test::scratch folder;
  const auto refused = [&](const std::string& name, const std::string& content) {
    const std::string path = folder.write(name, content), message = refusal([&] { read_graph(path); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(refused("f.mtx", ""), ":1: the file is empty");
  EXPECT_EQ(refused("f.mtx.gz", gzipped("1 2 3\n")), ":1: the file does not start with %%MatrixMarket");
  EXPECT_EQ(refused("f.gr", "a 1 2 3\n"), ":1: a line 'a' before the p line");
  EXPECT_EQ(refused("f.gr", "p hs 3 3\n"), ":1: the p line has 'hs' where 'sp' belongs, or PACE's 'tw'");
  EXPECT_EQ(
      refused("f.x", "words\n"),
      ":1: no graph format that is known: save the graph as an edge list, a line from,to,weight for each arc (this is "
      "neither npy nor npz nor Matrix Market (%%MatrixMarket) nor DIMACS (p sp) nor "
      "DIMACS edges "
      "(p edge) nor PACE (p tw) nor METIS (.graph) nor G-set (.gset) nor GraphML (<graphml) nor edge list (.csv)" +
          std::string(has_parquet() ? " nor Parquet" : "") + ")");
  EXPECT_EQ(refused("f.co", "p aux sp co 0\n"),
            ":1: these are coordinates of vertices, or other facts about them (p aux), not a graph");
  EXPECT_EQ(refused("f.npy", "junk"), ": at byte 0: no npy file: it does not start with \\x93NUMPY");
}

// A G-set that no name calls one is an undirected graph, and may have been meant as arcs.
TEST(graph, two_numbers_above_three) {
  const test::scratch folder;
  const std::string text = "4 3\n1 2 10\n2 3 20\n3 4 30\n", path = folder.write("f.txt", text);
  EXPECT_EQ(read_graph(path).doubt, path +
                                        ": two numbers above three a line are a G-set, whose edges go both ways "
                                        "(--input-format edge-list without that line, if these are arcs)");
  for (const char* name : {"f.rud", "G1"}) EXPECT_EQ(read_graph(folder.write(name, text)).doubt, "") << name;
  input in(path);
  EXPECT_EQ(std::get<graph_file>(read_graph_or_dense(in, real_type::f64, {}, file_format::gset)).doubt, "");
}

// A text by its first line with data, and anything else by its first byte.
TEST(graph, the_place_of_what_is_no_graph) {
  using namespace std::string_view_literals;
  const test::scratch folder;
  const auto place = [&](const std::string& content) {
    const std::string path = folder.write("f", content), message = refusal([&] { read_graph(path); });
    return message.substr(path.size(), message.find("no graph format that is known") - path.size());
  };
  EXPECT_EQ(place("words\n"), ":1: ");
  EXPECT_EQ(place("\n# c\n\nwords\n"), ":4: ");
  EXPECT_EQ(place(gzipped("\nwords\n")), ":2: ");
  EXPECT_EQ(place(std::string(1 << 21, 'x')), ":1: ");
  EXPECT_EQ(place(std::string("1 2 3\0\n"sv)), ": at byte 0: ");
  const std::string path = folder.write("g", std::string("\0\0"sv));
  EXPECT_TRUE(refusal([&] { read_dense(path); }).starts_with(path + ": at byte 0: no dense matrix"));
  EXPECT_TRUE(refusal([&] { read_coordinates(path); }).starts_with(path + ": at byte 0: no coordinates"));
}

TEST(graph, weights_that_single_precision_cannot_hold) {
  const test::scratch folder;
  const std::string table = folder.write("a.mtx", banner + "real general\n2 2 2\n1 2 1.5\n2 1 1e39\n");
  const std::string arcs = folder.write("b.gr", "p sp 2 2\na 1 2 1.5\na 2 1 1e-46\n");
  EXPECT_EQ(std::get<coo<double>>(read_graph(table).edges).value[1], 1e39);
  EXPECT_EQ(std::get<coo<double>>(read_graph(arcs).edges).value[1], 1e-46);
  const std::string range = " is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 (--dtype f64)";
  EXPECT_EQ(refusal([&] { read_graph(table, real_type::f32); }), table + ":4: the value '1e39'" + range);
  EXPECT_EQ(refusal([&] { read_graph(arcs, real_type::f32); }), arcs + ":3: the weight '1e-46'" + range);
}

// In a matrix they are numbers, and stay.
TEST(graph, weights_that_are_not_finite) {
  const test::scratch folder;
  for (const std::string weight : {"inf", "-inf"}) {
    const std::string file = folder.write("f", banner + "real general\n2 2 2\n1 1 3\n1 2 " + weight + "\n");
    EXPECT_EQ(refusal([&] { (void)read_graph(file); }), file + ":4: the weight '" + weight + "' is not finite");
    EXPECT_EQ(std::get<matrix<double>>(read_dense(file))(0, 1),
              (weight == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity());
    input in(folder.write("a", "%%MatrixMarket matrix array real general\n1 1\n" + weight + "\n"));
    EXPECT_TRUE(std::holds_alternative<dense_file>(read_graph_or_dense(in)));
  }
}

TEST(graph, empty_and_cut_files_are_called_so) {
  const test::scratch folder;
  for (const char* name : {"f.npy", "f", "f.co", "f.gr"}) {
    const std::string path = folder.write(name, ""), said = path + ": the file is empty";
    EXPECT_EQ(refusal([&] { read_graph(path); }), said);
    EXPECT_EQ(refusal([&] { read_dense(path); }), said);
    EXPECT_EQ(refusal([&] { read_coordinates(path); }), said);
  }
  const std::string cut = folder.write("cut.npy", "\x93NUM");
  EXPECT_EQ(refusal([&] { read_graph(cut); }), cut + ": a truncated npy file: it ends after 4 bytes");
  EXPECT_EQ(refusal([&] { read_dense(cut); }), cut + ": a truncated npy file: it ends after 4 bytes");
  const std::string table = folder.write("empty.mtx", "");
  EXPECT_EQ(refusal([&] { read_graph(table); }), table + ":1: the file is empty");
}

TEST(graph, what_is_no_graph) {
  const test::scratch folder;
  const std::string wide = folder.write("f", banner + "real general\n3 4 0\n");
  EXPECT_EQ(refusal([&] { read_graph(wide); }), wide + ":2: a graph is a square matrix, and this one is 3 x 4");
  const std::string dense = folder.write("g", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  EXPECT_EQ(refusal([&] { read_graph(dense); }),
            dense + ": a dense matrix (array) is no graph file: nothing in it says which arcs are absent");
  const std::string array = folder.path("h.mtx");
  write_npy(array, matrix<double>(2, 2));
  EXPECT_EQ(refusal([&] { read_graph(array); }),
            array + ": a dense matrix (npy) is no graph file: nothing in it says which arcs are absent");
  EXPECT_EQ(refusal([&] { read_graph(folder.path("")); }), "cannot read " + folder.path("") + ": Is a directory");
  EXPECT_EQ(refusal([&] { read_graph(folder.path("none.gr")); }),
            "cannot read " + folder.path("none.gr") + ": No such file or directory");
}

TEST(graph, dense_files_where_they_may_be_meant_as_graphs) {
  const test::scratch folder;
  input array(folder.write("a", "%%MatrixMarket matrix array integer symmetric\n2 2\n0\n7\n0\n"));
  const auto dense = std::get<dense_file>(read_graph_or_dense(array));
  EXPECT_EQ(dense.format, "Matrix Market");
  EXPECT_EQ(dense.first_vertex, 1);
  EXPECT_EQ(std::get<matrix<std::int64_t>>(dense.values)(0, 1), 7);
  write_npy(folder.path("b"), matrix<float>{{1.5f, 2, 3}});
  input npy(folder.path("b"));
  const auto values = std::get<dense_file>(read_graph_or_dense(npy));
  EXPECT_EQ(values.format, "npy");
  EXPECT_EQ(values.first_vertex, 0);
  EXPECT_EQ(std::get<matrix<float>>(values.values).cols(), 3);
  EXPECT_EQ(values.facts.place, folder.path("b"));
  EXPECT_EQ(dense.facts.place, folder.path("a") + ":2");
  input list(folder.write("c", "p sp 4 1\na 4 1 7\n"));
  EXPECT_EQ(std::get<graph_file>(read_graph_or_dense(list)).arcs, 1);
}

TEST(graph, coordinates) {
  const test::scratch folder;
  const auto a = read_coordinates(folder.write("a", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4.5\n"));
  EXPECT_EQ(std::vector<double>(a.data(), a.data() + 4), (std::vector<double>{1, 3, 2, 4.5}));
  const auto b = read_coordinates(folder.write("b", "%%MatrixMarket matrix array integer general\n1 2\n7\n8\n"));
  EXPECT_EQ(b(0, 1), 8);
  EXPECT_EQ(read_coordinates(folder.write("c", gzipped("c x\np aux sp co 1\nv 1 5 6\n")))(0, 0), 5);
  const auto minnesota = read_coordinates(KLEENE_DATA "/road/minnesota_coord.mtx");
  EXPECT_EQ(minnesota.rows(), 2642);
  EXPECT_EQ(minnesota(0, 0), -97.207);
}

TEST(graph, what_is_no_coordinates) {
  const test::scratch folder;
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.write("f", content), message = refusal([&] { read_coordinates(path); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n1 3\n1\n2\n3\n"),
            ": coordinates are an array of n x 2, and this is an array of 1 x 3");
  EXPECT_EQ(refused(banner + "real general\n1 2 0\n"),
            ": coordinates are an array of n x 2, and this is a sparse matrix of 1 x 2");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n1 2\n1\ninf\n"),
            ": a coordinate of vertex 1 is not finite");
  EXPECT_EQ(refused("p sp 1 0\n"), ":1: no coordinates: neither a Matrix Market array of two columns nor a DIMACS .co");
}

TEST(graph, dense_from_npy) {
  const test::scratch folder;
  const std::string path = folder.path("f");
  write_npy(path, matrix<float>{{1.5f}});
  EXPECT_EQ(std::get<matrix<float>>(read_dense(path))(0, 0), 1.5f);
  write_npy(path, matrix<std::int64_t>{{7, 8}});
  EXPECT_EQ(std::get<matrix<std::int64_t>>(read_dense(path))(0, 1), 8);
  write_npy(path, matrix<bool>{{true, false}});
  const auto truths = read_dense(path);
  EXPECT_EQ(std::get<matrix<std::int32_t>>(truths)(0, 0), 1);
  EXPECT_EQ(std::get<matrix<std::int32_t>>(truths)(0, 1), 0);
}

TEST(graph, dense_from_matrix_market) {
  const test::scratch folder;
  const auto array = read_dense(folder.write("a", "%%MatrixMarket matrix array real general\n1 2\n1\n2.5\n"));
  EXPECT_EQ(std::get<matrix<double>>(array)(0, 1), 2.5);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto real =
      read_dense(folder.write("b", gzipped(banner + "real general\n2 2 2\n1 2 0\n2 1 -3\n")), {.real = infinity});
  const auto& m = std::get<matrix<double>>(real);
  EXPECT_EQ(std::vector<double>(m.data(), m.data() + 4), (std::vector<double>{infinity, 0, -3, infinity}));
  const auto integer = read_dense(folder.write("c", banner + "pattern general\n1 3 1\n1 2\n"), {.integer = 99});
  const auto& n = std::get<matrix<std::int64_t>>(integer);
  EXPECT_EQ(std::vector<std::int64_t>(n.data(), n.data() + 3), (std::vector<std::int64_t>{99, 1, 99}));
}

TEST(graph, what_is_no_dense_matrix) {
  const test::scratch folder;
  const std::string twice = folder.write("a", banner + "real general\n2 2 2\n1 2 0\n1 2 0\n");
  EXPECT_EQ(refusal([&] { read_dense(twice); }), twice + ": entry (1, 2) is given twice");
  const std::string graph = folder.write("b", "p sp 1 0\n");
  EXPECT_EQ(refusal([&] { read_dense(graph); }),
            graph + ":1: no dense matrix: neither npy nor npz nor Matrix Market (%%MatrixMarket)");
  const std::string junk = folder.write("c.npy", "junk");
  EXPECT_EQ(refusal([&] { read_dense(junk); }), junk + ": at byte 0: no npy file: it does not start with \\x93NUMPY");
  const std::string huge = folder.write("d", banner + "real general\n2147483647 2147483647 0\n");
  EXPECT_NE(refusal([&] { read_dense(huge); }, fault_code::memory).find(huge + ": "), std::string::npos);
}

TEST(graph, a_gzip_bomb_is_refused_at_its_first_wrong_line) {
  const test::scratch folder;
  const std::string zeros = test::gzipped(std::string(std::size_t{64} << 20, '\0'));
  std::string blanks(std::size_t{8} << 20, ' ');
  for (std::size_t at = 0; at < blanks.size(); at += 64) blanks[at] = '\n';
  // Content, the line that is wrong, and how much of 64 MiB may be inflated until it is found.
  struct bomb {
    std::string content, says;
    std::uint64_t most;
  };
  const bomb bombs[] = {
      {test::gzipped("p sp 2 1\na 1 2 x\n") + zeros, "f.gr.gz:2: the weight 'x' is not a number", 2 << 20},
      {test::gzipped("p sp 2 1\na 1 2 3\n") + zeros, "f.gr.gz:3: a line of more than 1048575 bytes", 2 << 20},
      {test::gzipped("%%MatrixMarket matrix array real general\n4 4\n1\nx\n") + zeros,
       "f.gr.gz:4: the value 'x' is not a number", 2 << 20},
      {test::gzipped("p sp 2 3\na 1 2 3\n") + test::gzipped(blanks + "junk\n") + zeros,
       "f.gr.gz:131075: a line starts with c, p or a, not with 'junk'", 10 << 20},
  };
  for (const bomb& b : bombs) {
    input in(folder.write("f.gr.gz", b.content));
    const std::string message =
        refusal([&] { b.says.find("value") == b.says.npos ? void(read_graph(in)) : void(read_dense(in)); });
    EXPECT_TRUE(message.ends_with(b.says)) << message;
    EXPECT_LE(in.offset(), b.most);
  }
}

TEST(graph, promises_of_unknown_size_take_no_memory) {
  const test::scratch folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto through_pipe = [&](const std::string& text) {
    std::thread writer([&] { std::ofstream(path) << text; });
    const std::string message = refusal([&] { read_graph(path); });
    writer.join();
    return message;
  };
  const std::string more_than_a_piece(scanner::longest_line, '\n');
  EXPECT_EQ(through_pipe("p sp 2 1000000000000000000\n" + more_than_a_piece + "a 1 2 3\n"),
            path + ":1048578: the file ends after 1 of 1000000000000000000 arcs");
  EXPECT_EQ(through_pipe("%%MatrixMarket matrix coordinate integer symmetric\n2 2 1000000000000000000\n" +
                         more_than_a_piece + "2 1 3\n"),
            path + ":1048579: the file ends after 1 of 1000000000000000000 entries");
}

TEST(graph, files_in_pipes) {
  const test::scratch folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string arcs = "p sp 300000 300000\n";
  for (int v = 1; v <= 300000; ++v) arcs += "a " + std::to_string(v) + " 1 7\n";
  for (const std::string& text : {arcs, test::gzipped(arcs)}) {
    std::thread writer([&] { std::ofstream(path) << text; });
    const graph_file graph = read_graph(path);
    writer.join();
    EXPECT_EQ(graph.arcs, 300000);
    EXPECT_EQ(std::get<coo<std::int64_t>>(graph.edges).row.back(), 299999);
  }
}

}  // namespace graph_test
