// Parquet: what its columns mean, each refusal, and files of the writer's and of pyarrow's.
#include "kleene/io/parquet.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace parquet_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

using ints = coo<std::int64_t>;
using reals = coo<double>;
using numbers = std::vector<std::int32_t>;
using names = std::vector<std::string>;
using columns = std::vector<std::string>;

// data/README.md says how it was made: from, to, distance; i8, u32, u64, f32, large, nulls, nan, day, list, bytes.
const std::string roads = KLEENE_DATA "/parquet/roads.parquet";

class parquet_table : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_parquet()) GTEST_SKIP() << "this build has no Apache Arrow";
  }
  edge_list_file read(const columns& which, vertex_labels vertices = vertex_labels::automatic) const {
    return read_parquet(roads, {.columns = which, .vertices = vertices});
  }
  std::string refused(const columns& which, vertex_labels vertices = vertex_labels::automatic) const {
    const std::string said = refusal([&] { read(which, vertices); });
    EXPECT_TRUE(said.starts_with(roads + ": ")) << said;
    return said.substr(std::min(said.size(), roads.size() + 2));
  }

  test::scratch folder;
};

}  // namespace

TEST(parquet_build, without_arrow_a_file_is_refused_by_the_name_of_the_library) {
  if (has_parquet()) GTEST_SKIP() << "this build has Apache Arrow";
  EXPECT_EQ(refusal([] { read_graph(roads); }),
            roads + " is Parquet, and this build of Kleene has no Apache Arrow to read it");
  const test::scratch folder;
  const std::string path = folder.path("d.parquet");
  EXPECT_EQ(refusal([&] { parquet_output(path, {}, 0, {}); }),
            "cannot write " + path + ": this build of Kleene has no Apache Arrow to write Parquet");
  EXPECT_EQ(folder.files(), 0);
}

TEST_F(parquet_table, strings_a_dictionary_and_integers) {
  const edge_list_file file = read({});
  EXPECT_EQ(file.names, (names{"Fulda", "Essen", "Ulm", "Köln"}));
  EXPECT_TRUE(file.weighted && file.directed);
  EXPECT_EQ(file.description,
            "from 'from' to 'to', weight 'distance' (10 of 13 columns not used), directed, 4 vertices by name");
  const auto& list = std::get<ints>(file.edges);
  EXPECT_EQ(list.rows, 4);
  EXPECT_EQ(list.row, (numbers{0, 1, 2, 0}));
  EXPECT_EQ(list.col, (numbers{1, 2, 3, 2}));
  EXPECT_EQ(list.value, (std::vector<std::int64_t>{292, 150, 400, 500}));
}

TEST_F(parquet_table, columns_of_any_width) {
  const edge_list_file mixed = read({"large", "u32", "f32"});
  EXPECT_EQ(mixed.names, (names{"a", "1", "b", "2", "c", "3", "4294967295"}));
  EXPECT_EQ(std::get<reals>(mixed.edges).value, (std::vector<double>{0.5, 1.5, 2.5, 3.5}));
  const edge_list_file wide = read({"u64", "u32", "i8"});
  EXPECT_EQ(wide.names, (names{"1", "2", "3", "4294967295", "18446744073709551615"}));
  EXPECT_EQ(std::get<ints>(wide.edges).value, (std::vector<std::int64_t>{-3, 1, 2, 3}));
  const edge_list_file negative = read({"i8", "distance"});
  EXPECT_EQ(negative.names, (names{"-3", "292", "1", "150", "2", "400", "3", "500"}));
  EXPECT_FALSE(negative.weighted);
  EXPECT_EQ(read({"1", "2", "3"}).names, read({}).names);
}

TEST_F(parquet_table, options) {
  const edge_list_file both = read_parquet(roads, {.directed = false});
  EXPECT_EQ(std::get<ints>(both.edges).entries(), 8);
  EXPECT_FALSE(both.directed);
  EXPECT_EQ(refusal([] { read_parquet(roads, {.separator = ','}); }, fault_code::usage),
            roads + ": --separator, --header and --no-header are for text, and this is Parquet");
  EXPECT_EQ(read({"distance", "u32"}, vertex_labels::names).names.size(), 8u);
  EXPECT_EQ(refused({"from", "to"}, vertex_labels::zero_based), "row 1: the vertex 'Fulda' ('from') is no number");
  EXPECT_EQ(refused({"i8", "u32"}, vertex_labels::one_based), "row 1: the vertex '-3' ('i8') is no number");
}

// As those of edge lists, of whatever type: bool, integers, floats and strings.
TEST_F(parquet_table, directions_of_rows) {
  const edge_list_file file = read_parquet(KLEENE_DATA "/parquet/one_way.parquet");
  EXPECT_EQ(file.description,
            "from 'from' to 'to', weight 'km' (5 of 8 columns not used), directed, 3 vertices by name");
  const std::string both = KLEENE_DATA "/parquet/two_way.parquet";
  EXPECT_EQ(refusal([&] { read_parquet(both); }),
            both +
                ": row 2: the column 'two_way' says nothing, and direction is not read row by row: say --undirected "
                "or --directed for the whole file");
  EXPECT_EQ(read_parquet(both, {.directed = true}).names, (names{"a", "b", "c", "d"}));
}

TEST_F(parquet_table, columns_that_are_refused) {
  EXPECT_EQ(refused({"from", "bus"}).substr(0, 42), "there is no column 'bus': they are 'from',");
  EXPECT_EQ(refused({"f32", "to"}), "from ('f32') holds FLOAT, and vertices are integers or strings");
  EXPECT_EQ(refused({"from", "day"}).substr(0, 21), "to ('day') holds Date");
  EXPECT_EQ(refused({"from", "list"}), "to ('list') holds nested values, and vertices are integers or strings");
  EXPECT_EQ(refused({"bytes", "to"}), "from ('bytes') holds BYTE_ARRAY, and vertices are integers or strings");
  EXPECT_EQ(refused({"from", "to", "large"}),
            "the weight ('large') holds String, and weights are integers, float or double");
  EXPECT_EQ(refused({"from", "to", "nulls"}), "row 3: 'nulls' is null");
  EXPECT_EQ(refused({"nulls", "to"}), "row 3: 'nulls' is null");
  EXPECT_EQ(refused({"from", "to", "nan"}), "row 2: the weight nan is not finite");
  EXPECT_EQ(refused({"from", "to", "u64"}),
            "row 4: the weight 18446744073709551615 is outside the range of 64-bit integers");
}

TEST_F(parquet_table, what_is_no_parquet) {
  const std::string bytes = test::content_of(roads);
  const auto parsed = [](const std::string& text) { return refusal([&] { parse_parquet(text, "f"); }); };
  EXPECT_TRUE(parsed("PAR1\x15").starts_with("f: Parquet file size is 5 bytes")) << parsed("PAR1\x15");
  EXPECT_TRUE(parsed(bytes.substr(0, bytes.size() / 2)).starts_with("f: Parquet magic bytes not found in footer"));
  std::string bad = bytes;
  bad[bad.size() - 20] ^= 0x55;  // in the footer
  EXPECT_TRUE(parsed(bad).starts_with("f: "));
  const std::string path = folder.write("x.parquet", "from,to\n1,2\n");
  EXPECT_EQ(refusal([&] { read_graph(path); }),
            path + ": at byte 0: no Parquet file: it does not start with PAR1\\x15");
  EXPECT_EQ(refusal([&] { read_graph(folder.write("e.parquet", "")); }),
            folder.path("e.parquet") + ": the file is empty");
}

TEST_F(parquet_table, the_content_gives_it_away) {
  const std::string path = folder.write("roads.csv", test::gzipped(test::content_of(roads)));
  const graph_file graph = read_graph(path);
  EXPECT_EQ(graph.format, "Parquet");
  EXPECT_EQ(graph.vertices, 4);
  EXPECT_EQ(graph.arcs, 4);
  EXPECT_EQ(read_graph(folder.write("list", "PAR1 LON1 3\n")).format, "edge list");
}

TEST_F(parquet_table, written_and_read) {
  const std::string path = folder.path("w.parquet");
  const names called = {"b", "a,\"", "Köln"};
  {
    parquet_output out(path, called, 0, {.value = "km", .values = parquet_values::f64, .undirected = true});
    out.add(0, 1, 0.1);
    out.add(2, 2, -1e300);
    EXPECT_FALSE(std::filesystem::exists(path));
    out.commit();
  }
  EXPECT_EQ(folder.files(), 1);
  const edge_list_file named = read_parquet(path);
  EXPECT_EQ(named.names, called);
  EXPECT_EQ(named.description, "from 'from' to 'to', weight 'km', undirected, 3 vertices by name");
  EXPECT_EQ(std::get<reals>(named.edges).value, (std::vector<double>{0.1, 0.1, -1e300}));
  EXPECT_EQ(refusal([&] { read_parquet(path, {}, real_type::f32); }).substr(path.size()),
            ": row 2: the weight '-1e+300' is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 "
            "(--dtype f64)");
  {
    const names digits = {"3", "400", "50000000000"};
    parquet_output out(path, digits, 0, {.values = parquet_values::none});
    out.add(0, 1);
    out.add(1, 2);
    out.commit();
  }
  const edge_list_file numbered = read_parquet(path);
  EXPECT_EQ(numbered.names, (names{"3", "400", "50000000000"}));
  EXPECT_EQ(std::get<ints>(numbered.edges).value, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(numbered.description, "from 'from' to 'to', no weights, directed, 3 vertices by number, 3 to 50000000000");
}

TEST_F(parquet_table, null_is_no_weight_and_nothing_is_no_table) {
  const std::string path = folder.path("w.parquet");
  parquet_output out(path, {}, 1, {});
  out.add(0, 1, std::numeric_limits<std::int64_t>::min());
  out.add(1, 0);
  out.commit();
  EXPECT_EQ(refusal([&] { read_parquet(path); }), path + ": row 2: 'weight' is null");
  EXPECT_EQ(std::get<ints>(read_parquet(path, {.columns = {"from", "to"}}).edges).entries(), 2);
  parquet_output(path, {}, 1, {}).commit();
  EXPECT_EQ(refusal([&] { read_parquet(path); }), path + ": the table has no rows");
  EXPECT_EQ(refusal([&] { parquet_output(folder.path("no/d.parquet"), {}, 0, {}); }),
            "cannot write " + folder.path("no/d.parquet") + ": No such file or directory");
}

// More rows than a group has, by one thread and by several: names in the order of the file.
TEST_F(parquet_table, many_rows_in_groups) {
  constexpr std::int32_t rows = 2'200'000, vertices = 1000;
  names called;
  for (int v = 0; v < vertices; ++v) called.push_back("v" + std::to_string(v));
  const std::string path = folder.path("w.parquet");
  parquet_output out(path, called, 0, {});
  for (std::int32_t r = 0; r < rows; ++r) out.add(vertices - 1 - r / 2200, r % vertices, r);
  out.commit();
  for (const int threads : {1, 3}) {
    const edge_list_file file = read_parquet(path, {.threads = threads});
    const auto& list = std::get<ints>(file.edges);
    ASSERT_EQ(list.entries(), rows);
    EXPECT_EQ(file.names[0], "v999");
    EXPECT_EQ(file.names[1], "v0");
    std::int32_t wrong = 0;
    for (std::int32_t r = 0; r < rows; ++r)
      wrong += list.value[r] != r || file.names[list.row[r]] != called[vertices - 1 - r / 2200] ||
               file.names[list.col[r]] != called[r % vertices];
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(parquet_table, every_prefix_and_many_mutations_read_or_are_refused) {
  const std::string text = test::content_of(roads);
  const auto attempt = [](const std::string& mutation) {
    try {
      const edge_list_file file = parse_parquet(mutation, "f", {.columns = {"from", "to", "distance"}, .threads = 1});
      EXPECT_LE(std::get<ints>(file.edges).entries(), 4);
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()), "");
    }
  };
  for (std::size_t length = 0; length < text.size(); ++length) attempt(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const int flip : {1, 0x10, 0x80, 0xff}) {
      std::string mutation = text;
      mutation[at] = static_cast<char>(mutation[at] ^ flip);
      attempt(mutation);
    }
}

}  // namespace parquet_test
