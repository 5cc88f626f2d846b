// Every allocation of every reader and writer fails in turn, as in allocation_test.cpp. A file that was there is as it
// was, and nothing lies beside it.
#include "faults/failing_new.hpp"
#include "kleene/io/dimacs.hpp"
#include "kleene/io/graph.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/npy.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace kleene::test {
namespace {

namespace fs = std::filesystem;

class allocation_of_files : public testing::Test {
 protected:
  allocation_of_files() : folder(fs::temp_directory_path() / ("kleene-allocation-" + std::to_string(::getpid()))) {
    fs::create_directories(folder);
  }
  ~allocation_of_files() override { fs::remove_all(folder); }

  std::string file(const char* name, const std::string& content = "") const {
    const std::string path = (folder / name).string();
    if (!content.empty()) std::ofstream(path) << content;
    return path;
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // write(), which writes one file where another is, with each allocation failing.
  template <class Write>
  void each_write_fails(const std::string& path, const Write& write) const {
    const auto reset = [&] {  // without operator new
      std::FILE* out = std::fopen(path.c_str(), "w");
      std::fputs("before", out);
      std::fclose(out);
    };
    EXPECT_GT(each_allocation_fails([&](const context&) {
                reset();
                try {
                  write();
                } catch (...) {
                  (void)allocations_succeed();
                  EXPECT_EQ(content(path), "before");
                  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
                  throw;
                }
              }),
              0);
  }

  fs::path folder;
};

TEST_F(allocation_of_files, readers) {
  const std::string graph = file("g.gr", "c a graph\np sp 3 3\na 1 2 5\na 2 3 1.5\na 3 1 2\n");
  const std::string places = file("g.co", "p aux sp co 2\nv 1 10 20\nv 2 30 40\n");
  const std::string list = file("l.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 4\n3 2 5\n");
  const std::string array = file("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n");
  const std::string npy = file("m.npy");
  io::write_npy(npy, matrix<float>(3, 4, 2));
  for (const std::string& path : {graph, list})
    EXPECT_GT(each_allocation_fails([&](const context&) { EXPECT_EQ(io::read_graph(path).vertices, 3); }), 0);
  EXPECT_GT(each_allocation_fails([&](const context&) { EXPECT_EQ(io::read_coordinates(places)(1, 0), 30); }), 0);
  for (const std::string& path : {array, npy})
    EXPECT_GT(each_allocation_fails([&](const context&) { (void)io::read_dense(path); }), 0);
  EXPECT_GT(each_allocation_fails([&](const context&) { (void)io::read_matrix_market(list); }), 0);
  EXPECT_GT(each_allocation_fails([&](const context&) { (void)io::read_dimacs_graph(graph); }), 0);
  EXPECT_GT(each_allocation_fails([&](const context&) { (void)io::read_npy_any(npy); }), 0);
  EXPECT_GT(each_allocation_fails([&](const context&) { EXPECT_EQ(io::read_npy<float>(npy)(2, 3), 2); }), 0);
}

// The same by a file that is open already, as the command line reads what may be a pipe.
TEST_F(allocation_of_files, readers_of_open_files) {
  const std::string graph = file("a graph with a longer name.gr", "p sp 3 2\na 1 2 5\na 2 3 1\n");
  const std::string places = file("the coordinates of vertices.co", "p aux sp co 1\nv 1 10 20\n");
  const std::string list =
      file("a list of entries.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 4\n");
  const std::string npy = file("a dense matrix, as NumPy writes it.npy");
  io::write_npy(npy, matrix<float>(3, 4, 2));
  const auto each = [](const std::string& path, const auto& read) {
    EXPECT_GT(each_allocation_fails([&](const context&) {
                io::input in(path);
                read(in);
              }),
              0);
  };
  each(graph, [](io::input& in) { EXPECT_EQ(io::read_graph(in).vertices, 3); });
  each(list, [](io::input& in) { EXPECT_EQ(io::read_graph(in).vertices, 2); });
  each(list, [](io::input& in) { (void)io::read_dense(in); });
  each(npy, [](io::input& in) { (void)io::read_dense(in); });
  each(npy, [](io::input& in) { (void)io::read_npy_any(in); });
  each(list, [](io::input& in) {
    io::scanner text(in);
    (void)io::parse_matrix_market(text);
  });
  each(graph, [](io::input& in) {
    io::scanner text(in);
    (void)io::parse_dimacs_graph(text);
  });
  each(places, [](io::input& in) {
    io::scanner text(in);
    EXPECT_EQ(io::parse_dimacs_coordinates(text)(0, 1), 20);
  });
  each(list, [](io::input& in) { EXPECT_GT(io::read_whole(in).size(), 9u); });
}

TEST_F(allocation_of_files, writers) {
  const matrix<float> values(40, 30, 2);
  coo<float> list;
  list.rows = list.cols = 3;
  list.add(0, 1, 5);
  const std::string path = file("out");
  each_write_fails(path, [&] { io::write_npy(path, values); });
  each_write_fails(path, [&] { io::write_npy(path, values.view().block(1, 1, 7, 9)); });
  each_write_fails(path, [&] { io::write_matrix_market(path, values); });
  each_write_fails(path, [&] { io::write_matrix_market(path, list); });
  each_write_fails(path, [&] {
    io::npy_output<double> out(path, 20, 10);
    std::fill_n(out.view().data(), 200, 1.0);
    out.commit();
  });
}

}  // namespace
}  // namespace kleene::test
