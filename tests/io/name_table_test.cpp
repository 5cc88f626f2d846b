// Names that many threads look up and add at the same time: the vertices stand in the order of the file, whoever was
// the first to meet them.
#include "kleene/io/edge_list.hpp"
#include "kleene/io/parquet.hpp"

#include "io/files.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace name_table_test {

using namespace kleene;
using namespace kleene::io;
using test::read;

namespace {

using ints = coo<std::int64_t>;
using words = std::vector<std::string>;

constexpr int thread_counts[] = {1, 2, 3, 7, 16};

// Arcs between names, and beside them the list that one look at each line after another makes of them.
struct listing {
  std::string text;
  words names{};
  std::vector<std::int32_t> ends{};
  std::map<std::string, std::int32_t> numbers{};

  explicit listing(std::string head) : text(std::move(head)) {}
  void add(const std::string& name) {
    const auto [found, is_new] = numbers.try_emplace(name, static_cast<std::int32_t>(names.size()));
    if (is_new) names.push_back(name);
    ends.push_back(found->second);
    text += name + (ends.size() % 2 == 1 ? "," : "\n");
  }
};

void expect_same(const listing& l) {
  for (const int threads : thread_counts) {
    SCOPED_TRACE(threads);
    const edge_list_file file = read(l.text, {.threads = threads});
    EXPECT_TRUE(file.names == l.names);
    const auto& arcs = std::get<ints>(file.edges);
    ASSERT_EQ(arcs.rows, static_cast<index_t>(l.names.size()));
    ASSERT_EQ(static_cast<std::size_t>(arcs.entries()), l.ends.size() / 2);
    for (std::size_t e = 0; e < l.ends.size(); ++e)
      ASSERT_EQ((e % 2 == 0 ? arcs.row : arcs.col)[e / 2], l.ends[e]) << "end " << e;
  }
}

// n's that lie side by side, far apart.
std::size_t scattered(std::size_t n) { return n * 2654435761u % 4294967291u; }

}  // namespace

// 5 MB, in which 40 names stand in every block: all threads meet all of them at once.
TEST(name_table, names_that_all_threads_meet) {
  listing l("from,to\n");
  for (std::size_t e = 0; e < 200000; ++e) l.add("junction of the line " + std::to_string(scattered(e) % 40));
  ASSERT_EQ(l.names.size(), 40u);
  expect_same(l);
}

// Tables of all sizes up to 100,000 names, which come back in other orders, and some that only one thread meets.
TEST(name_table, names_that_come_and_come_again) {
  listing l("from,to\n");
  for (std::size_t e = 0; e < 400000; ++e)
    l.add("stop " + std::to_string(e % 7 == 0 ? 1000000 + e : scattered(e) % (1000 + e / 8)));
  ASSERT_GT(l.names.size(), 90000u);
  expect_same(l);
}

// Names of up to 60,000 bytes, which differ at their ends, between short ones.
TEST(name_table, long_names) {
  listing l("from,to\n");
  for (std::size_t e = 0; e < 600; ++e) {
    const std::size_t n = scattered(e) % 100;
    l.add(std::string(n % 10 == 0 ? 600 * n + 1 : n + 1, 'a') + (n % 2 == 0 ? "x" : "y") + std::to_string(n));
  }
  for (std::size_t e = 0; e < 100000; ++e) l.add("short " + std::to_string(e % 20000));
  expect_same(l);
}

// Whole blocks of numbers, which become names when another block has a name; in the order of the file all the same.
TEST(name_table, numbers_and_names) {
  for (const bool ends_in_numbers : {false, true}) {
    listing l("from,to\n");
    for (std::size_t e = 0; e < 400000; ++e) l.add(std::to_string(scattered(e) % 50000));
    for (std::size_t e = 0; e < 100000; ++e) l.add("name " + std::to_string(scattered(e) % 30000));
    for (std::size_t e = 0; e < (ends_in_numbers ? 300000u : 0u); ++e) l.add(std::to_string(scattered(e) % 70000));
    expect_same(l);
  }
}

// Numbers that are no vertices' make names of all: these are in the order of their values.
TEST(name_table, numbers_beyond_those_of_vertices) {
  std::string text = "from,to\n";
  constexpr std::size_t count = 150000;
  for (std::size_t e = 0; e < 2 * count; ++e)
    text += std::to_string(10000000000u + e * 7919 % count * 3) + (e % 2 == 0 ? "," : "\n");
  for (const int threads : thread_counts) {
    const edge_list_file file = read(text, {.threads = threads});
    ASSERT_EQ(file.names.size(), count);
    for (std::size_t v = 0; v < count; ++v) ASSERT_EQ(file.names[v], std::to_string(10000000000u + 3 * v));
    const auto& arcs = std::get<ints>(file.edges);
    for (std::size_t e = 0; e < 2 * count; ++e)
      ASSERT_EQ((e % 2 == 0 ? arcs.row : arcs.col)[e / 2], static_cast<index_t>(e * 7919 % count)) << "end " << e;
  }
}

// The first odd name is told of, one in another code before one that stands for a missing value.
TEST(name_table, odd_names_anywhere) {
  listing l("from,to\n");
  for (std::size_t e = 0; e < 200000; ++e) l.add("stop " + std::to_string(e));
  for (const int threads : thread_counts) {
    EXPECT_EQ(read(l.text, {.threads = threads}).doubt, "");
    EXPECT_EQ(read(l.text + "n/a,a\nNULL,b\n", {.threads = threads}).doubt,
              "f: a vertex is called 'n/a': does it stand for a missing value?");
    EXPECT_EQ(read("from,to\nnull,a\n" + l.text.substr(8) + "M\xfcnchen,b\n\xe4,b\n", {.threads = threads}).doubt,
              "f: the name 'M\\xfcnchen' is not in UTF-8: save the file as UTF-8");
  }
}

// Tables of Parquet may hold longer names than lines do.
TEST(name_table, names_beyond_a_piece_of_memory) {
  if (!has_parquet()) GTEST_SKIP() << "this build has no Parquet";
  const test::scratch folder;
  const words names = {"s", std::string(5000001, 'a'), std::string(5000000, 'a') + "b", "t"};
  {
    parquet_output out(folder.path("long.parquet"), names, 0, {});
    out.add(0, 2, 5), out.add(1, 0, 6), out.add(3, 2, 7);
    out.commit();
  }
  const edge_list_file file = read_parquet(folder.path("long.parquet"));
  EXPECT_TRUE(file.names == (words{names[0], names[2], names[1], names[3]}));
  EXPECT_EQ(std::get<ints>(file.edges).row, (std::vector<std::int32_t>{0, 2, 3}));
  EXPECT_EQ(std::get<ints>(file.edges).col, (std::vector<std::int32_t>{1, 0, 1}));
}

}  // namespace name_table_test
