#include "kleene/io/matrix_market.hpp"

#include "io/files.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace matrix_market_test {

using namespace kleene;
using namespace kleene::io;
using test::content_of;
using test::refusal;

namespace {

using ints = coo<std::int64_t>;
using reals = coo<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

matrix_market_file parse(const std::string& text) { return parse_matrix_market(text, "f"); }
std::string refused(const std::string& text) {
  return refusal([&] { parse(text); });
}
const std::string general = "%%MatrixMarket matrix coordinate integer general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n";

template <class T>
void expect_entries(const coo<T>& list, kleene::index_t rows, kleene::index_t cols,
                    const std::vector<std::int32_t>& row, const std::vector<std::int32_t>& col,
                    const std::vector<T>& value) {
  EXPECT_EQ(list.rows, rows);
  EXPECT_EQ(list.cols, cols);
  EXPECT_EQ(list.row, row);
  EXPECT_EQ(list.col, col);
  EXPECT_EQ(list.value, value);
}

}  // namespace

// --- what is read ----------------------------------------------------------------------------------------------------

TEST(matrix_market, integers_are_exact) {
  const auto file = parse(general + "2 3 3\n1 1 9223372036854775807\n2 3 -9223372036854775808\n1 2 +5\n");
  EXPECT_EQ(file.layout, mm_layout::coordinate);
  EXPECT_EQ(file.field, mm_field::integer);
  EXPECT_EQ(file.symmetry, mm_symmetry::general);
  EXPECT_EQ(file.rows, 2);
  EXPECT_EQ(file.cols, 3);
  expect_entries<std::int64_t>(std::get<ints>(file.values), 2, 3, {0, 1, 0}, {0, 2, 1},
                               {9223372036854775807, std::numeric_limits<std::int64_t>::min(), 5});
}

TEST(matrix_market, reals_explicit_zeros_and_duplicates_stay) {
  const auto file = parse("%%MatrixMarket matrix coordinate real general\n2 2 4\n1 2 0\n1 2 1e-9\n2 1 -.5\n2 2 inf\n");
  expect_entries<double>(std::get<reals>(file.values), 2, 2, {0, 0, 1, 1}, {1, 1, 0, 1}, {0, 1e-9, -0.5, infinity});
  EXPECT_EQ(parse("%%MatrixMarket matrix coordinate double general\n1 1 0\n").field, mm_field::real);
}

TEST(matrix_market, patterns_have_weight_one) {
  const auto file = parse("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n");
  expect_entries<std::int64_t>(std::get<ints>(file.values), 3, 3, {1, 0, 2}, {0, 1, 2}, {1, 1, 1});
}

TEST(matrix_market, unsigned_integers) {
  const auto list = parse("%%MatrixMarket matrix coordinate unsigned-integer symmetric\n2 2 1\n2 1 7\n");
  EXPECT_EQ(list.field, mm_field::unsigned_integer);
  expect_entries<std::int64_t>(std::get<ints>(list.values), 2, 2, {1, 0}, {0, 1}, {7, 7});
  const auto array = parse("%%MatrixMarket matrix array Unsigned-Integer general\n2 1\n0\n9223372036854775807\n");
  EXPECT_EQ(std::get<matrix<std::int64_t>>(array.values)(1, 0), 9223372036854775807);
  EXPECT_EQ(refused("%%MatrixMarket matrix array unsigned-integer general\n1 1\n-3\n"),
            "f:3: the value -3 is negative in a file of unsigned integers");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 9223372036854775808\n"),
            "f:3: the value '9223372036854775808' is outside the range of 64-bit integers");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate unsigned-integer skew-symmetric\n1 1 0\n"),
            "f:1: unsigned integers cannot be skew-symmetric: they have no signs");
}

// Of 3 x 3: 1 2 3 / 2 4 5 / 3 5 6, and with signs 0 -1 -2 / 1 0 -3 / 2 3 0; a lower half, column by column.
TEST(matrix_market, arrays_of_every_field_and_symmetry) {
  const auto elements = [](const matrix_market_file& file) {
    return std::visit(
        [](const auto& m) {
          if constexpr (requires { m.data(); }) return std::vector<double>(m.data(), m.data() + m.size());
          else return std::vector<double>();
        },
        file.values);
  };
  for (const std::string field : {"real", "double", "integer", "unsigned-integer"}) {
    const std::string start = "%%MatrixMarket matrix array " + field;
    EXPECT_EQ(elements(parse(start + " symmetric\n3 3\n1\n2\n3\n4\n5\n6\n")),
              (std::vector<double>{1, 2, 3, 2, 4, 5, 3, 5, 6}));
    EXPECT_EQ(elements(parse(start + " general\n2 2\n1\n2\n3\n4\n")), (std::vector<double>{1, 3, 2, 4}));
    if (field == "unsigned-integer") continue;
    EXPECT_EQ(elements(parse(start + " skew-symmetric\n3 3\n1\n2\n3\n")),
              (std::vector<double>{0, -1, -2, 1, 0, -3, 2, 3, 0}));
  }
}

TEST(matrix_market, symmetric_files_are_expanded) {
  expect_entries<std::int64_t>(std::get<ints>(parse(symmetric + "3 3 3\n1 1 4\n2 1 5\n3 2 6\n").values), 3, 3,
                               {0, 1, 0, 2, 1}, {0, 0, 1, 1, 2}, {4, 5, 5, 6, 6});
  expect_entries<std::int64_t>(std::get<ints>(parse(skew + "3 3 2\n2 1 5\n3 2 -6\n").values), 3, 3, {1, 0, 2, 1},
                               {0, 1, 1, 2}, {5, -5, -6, 6});
}

TEST(matrix_market, arrays_go_by_column) {
  const auto file = parse("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6.5\n");
  const auto& m = std::get<matrix<double>>(file.values);
  EXPECT_EQ(m.rows(), 2);
  EXPECT_EQ(m.cols(), 3);
  EXPECT_EQ(std::vector<double>(m.data(), m.data() + 6), (std::vector<double>{1, 3, 5, 2, 4, 6.5}));
  const auto s = parse("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n");
  const auto& sm = std::get<matrix<std::int64_t>>(s.values);
  EXPECT_EQ(std::vector<std::int64_t>(sm.data(), sm.data() + 4), (std::vector<std::int64_t>{1, 2, 2, 3}));
  const auto k = parse("%%MatrixMarket matrix array integer skew-symmetric\n2 2\n7\n");
  const auto& km = std::get<matrix<std::int64_t>>(k.values);
  EXPECT_EQ(std::vector<std::int64_t>(km.data(), km.data() + 4), (std::vector<std::int64_t>{0, -7, 7, 0}));
}

TEST(matrix_market, empty_matrices) {
  EXPECT_EQ(std::get<ints>(parse(general + "0 0 0\n").values).entries(), 0);
  EXPECT_EQ(std::get<ints>(parse(general + "5 0 0").values).rows, 5);
  EXPECT_EQ(parse("%%MatrixMarket matrix array real general\n0 1000000000000000000\n").cols, 1000000000000000000);
  EXPECT_EQ(parse("%%MatrixMarket matrix array real skew-symmetric\n1 1\n").rows, 1);
}

TEST(matrix_market, comments_blank_lines_crlf_case_and_a_missing_last_line_end) {
  const auto file = parse(
      "%%MatrixMarket MATRIX Coordinate Integer General\r\n%\r\n% note\r\n%%GraphBLAS type int32_t\r\n"
      "%%GraphBLAS anything else\r\n\r\n 2\t2  2 \r\n\r\n1 1 3\r\n   \r\n\t2 2 4");
  expect_entries<std::int64_t>(std::get<ints>(file.values), 2, 2, {0, 1}, {0, 1}, {3, 4});
  EXPECT_EQ(parse(general + "1 1 1\n1 1 1\n\n \n").rows, 1);
}

TEST(matrix_market, graphblas_types) {
  for (const char* type :
       {"bool", "int8_t", "int64", "uint16_t", "uint64_t", "float", "double", "float complex", "FP32"})
    EXPECT_EQ(parse(general.substr(0, general.size() - 1) + "\n%%GraphBLAS type " + type + "\n1 1 0\n").rows, 1)
        << type;
  EXPECT_EQ(refused(general + "%%GraphBLAS type gunk\n1 1 0\n"), "f:2: 'gunk' is no GraphBLAS type");
  EXPECT_EQ(refused(general + "%\n%%GraphBLAS type\n1 1 0\n"), "f:3: '' is no GraphBLAS type");
  EXPECT_EQ(refused(general + "%%GraphBLAS type int32_t x\n1 1 0\n"), "f:2: 'int32_t x' is no GraphBLAS type");
}

TEST(matrix_market, gzip) {
  const test::scratch folder;
  const std::string path = folder.write("f.mtx", test::gzipped(general + "1 1 1\n1 1 42\n"));
  EXPECT_EQ(std::get<ints>(read_matrix_market(path).values).value[0], 42);
  EXPECT_EQ(refusal([&] { read_matrix_market(folder.write("g.mtx.gz", test::gzipped(general + "1 1 1\n1 1 x\n"))); }),
            folder.path("g.mtx.gz") + ":3: the value 'x' is not an integer");
}

// --- what is refused -------------------------------------------------------------------------------------------------

TEST(matrix_market, banners) {
  EXPECT_EQ(refused(""), "f:1: the file is empty");
  EXPECT_EQ(refused("\n"), "f:1: the file does not start with %%MatrixMarket");
  EXPECT_EQ(refused("%MatrixMarket matrix"), "f:1: the file does not start with %%MatrixMarket");
  EXPECT_EQ(refused("%%MatrixMarket vector coordinate real general\n"),
            "f:1: the banner's object 'vector' is not 'matrix'");
  EXPECT_EQ(refused("%%MatrixMarket matrix csr real general\n"),
            "f:1: the banner's format 'csr' is neither 'coordinate' nor 'array'");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate float general\n"),
            "f:1: the banner's field 'float' is none of real, double, integer, unsigned-integer, pattern");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate complex general\n"), "f:1: complex matrices are not supported");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real odd\n"),
            "f:1: the banner's symmetry 'odd' is none of general, symmetric, skew-symmetric");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real hermitian\n"),
            "f:1: hermitian matrices are complex, which is not supported");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real\n"),
            "f:1: the banner's symmetry '' is none of general, symmetric, skew-symmetric");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate real general x\n"), "f:1: unexpected 'x' at the end of the line");
  EXPECT_EQ(refused("%%MatrixMarket matrix array pattern general\n"),
            "f:1: an array cannot be a pattern: it stores every entry");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"),
            "f:1: a pattern cannot be skew-symmetric: it has no signs");
}

TEST(matrix_market, size_lines) {
  EXPECT_EQ(refused(general), "f:1: the file ends before the size line");
  EXPECT_EQ(refused(general + "% only a comment\n"), "f:2: the file ends before the size line");
  EXPECT_EQ(refused(general + "3\n"), "f:2: the number of columns is missing");
  EXPECT_EQ(refused(general + "3 3\n"), "f:2: the number of entries is missing");
  EXPECT_EQ(refused(general + "3 3 0 0\n"), "f:2: unexpected '0' at the end of the line");
  EXPECT_EQ(refused(general + "3 x 0\n"), "f:2: the number of columns 'x' is not an integer");
  EXPECT_EQ(refused(general + "3 3.0 0\n"), "f:2: the number of columns '3.0' is not an integer");
  EXPECT_EQ(refused(general + "-1 3 0\n"), "f:2: the size -1 x 3 is negative");
  EXPECT_EQ(refused(general + "3 3 -1\n"), "f:2: the number of entries -1 is negative");
  EXPECT_EQ(refused(general + "2147483648 1 0\n"), "f:2: the size 2147483648 x 1 exceeds 2147483647 rows or columns");
  EXPECT_EQ(refused(general + "99999999999999999999 1 0\n"),
            "f:2: the number of rows '99999999999999999999' is outside the range of 64-bit integers");
  EXPECT_EQ(refused(symmetric + "2 3 0\n"), "f:2: a symmetric matrix is square, not 2 x 3");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n2 2 4\n1\n1\n1\n1\n"),
            "f:2: unexpected '4' at the end of the line");
}

TEST(matrix_market, sizes_that_the_file_cannot_hold_allocate_nothing) {
  EXPECT_EQ(refused(general + "9 9 1000000000000000000\n1 1 1\n"),
            "f:2: 1000000000000000000 entries are promised, but the 6 bytes that follow cannot hold them");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n1000000000 1000000000\n1\n"),
            "f:2: 1000000000000000000 entries are promised, but the 2 bytes that follow cannot hold them");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real symmetric\n4000000000 4000000000\n1\n"),
            "f:2: 9223372036854775807 entries are promised, but the 2 bytes that follow cannot hold them");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n0 9223372036854775807\n"),
            "f:2: the size 0 x 9223372036854775807 is too large to be counted");
  EXPECT_EQ(refused("%%MatrixMarket matrix array integer general\n2293372036854775807 0\n"),
            "f:2: the size 2293372036854775807 x 0 is too large to be counted");
}

TEST(matrix_market, a_side_of_0_takes_no_time) {
  const auto file = parse("%%MatrixMarket matrix array real general\n0 1000000000000000\n");
  const auto& none = std::get<matrix<double>>(file.values);
  EXPECT_EQ(none.cols(), 1000000000000000);
  const test::scratch folder;
  io::write_matrix_market(folder.path("none.mtx"), none);
  EXPECT_EQ(std::get<matrix<double>>(io::read_matrix_market(folder.path("none.mtx")).values).cols(), none.cols());
}

TEST(matrix_market, entries) {
  EXPECT_EQ(refused(general + "2 2 1\n0 1 1\n"), "f:3: row 0 is outside 1 .. 2");
  EXPECT_EQ(refused(general + "2 2 1\n1 3 1\n"), "f:3: column 3 is outside 1 .. 2");
  EXPECT_EQ(refused(general + "2 2 1\n-1 1 1\n"), "f:3: row -1 is outside 1 .. 2");
  EXPECT_EQ(refused(general + "0 2 1\n1 1 1\n"), "f:3: row 1 in a matrix without any");
  EXPECT_EQ(refused(general + "2 2 1\n1.5 1 1\n"), "f:3: the row '1.5' is not an integer");
  EXPECT_EQ(refused(general + "2 2 1\n1 1     \n"), "f:3: the value is missing");
  EXPECT_EQ(refused(general + "2 2 1\n1 1 2.5\n"), "f:3: the value '2.5' is not an integer");
  EXPECT_EQ(refused(general + "2 2 1\n1 1 1 1\n"), "f:3: unexpected '1' at the end of the line");
  EXPECT_EQ(refused(general + "2 2 1\n1 1 9223372036854775808\n"),
            "f:3: the value '9223372036854775808' is outside the range of 64-bit integers");
  EXPECT_EQ(refused(general + "2 2 2\n1 1 1        \n"), "f:3: the file ends after 1 of 2 entries");
  EXPECT_EQ(refused(general + "2 2 1\n1 1 1\n2 2 2\n"), "f:4: an entry beyond the 1 that the size line promises");
  EXPECT_EQ(refused(general + "2 2 2\n1 1 1\n% comment\n2 2 2\n"),
            "f:4: a comment among the entries: comments stand before the size line");
  const std::string real = "%%MatrixMarket matrix coordinate real general\n2 2 1\n";
  EXPECT_EQ(refused(real + "1 1 NaN\n"), "f:3: the value 'NaN' is not a number");
  EXPECT_EQ(refused(real + "1 1 1e400\n"), "f:3: the value '1e400' is outside the range of double precision");
  EXPECT_EQ(refused(real + "1 1 1,5\n"), "f:3: the value '1,5' is not a number");
  EXPECT_EQ(refused("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n"),
            "f:3: unexpected '1' at the end of the line");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n2 1\n1 2\n\n\n"),
            "f:3: unexpected '2' at the end of the line");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n2 1\n1    \n"),
            "f:3: the file ends after 1 of 2 entries");
  EXPECT_EQ(refused("%%MatrixMarket matrix array real general\n1 1\n1\n2\n"),
            "f:4: an entry beyond the 1 that the size line promises");
}

TEST(matrix_market, halves) {
  EXPECT_EQ(refused(symmetric + "3 3 1\n1 3 1\n"),
            "f:3: (1, 3) is above the diagonal, which a symmetric file leaves out");
  EXPECT_EQ(refused(skew + "3 3 1\n1 3 1\n"), "f:3: (1, 3) is above the diagonal, which a symmetric file leaves out");
  EXPECT_EQ(refused(skew + "3 3 1\n2 2 0\n"), "f:3: (2, 2) is on the diagonal, which a skew-symmetric file leaves out");
  EXPECT_EQ(refused(skew + "3 3 1\n3 2 -9223372036854775808\n"),
            "f:3: -(-9223372036854775808) does not fit 64-bit integers");
}

TEST(matrix_market, mangled_files) {
  const char* where[] = {":1: the banner's object 'mangled' is not 'matrix'",
                         ":1: the banner's format 'mangled' is neither 'coordinate' nor 'array'",
                         ":1: the banner's field 'mangled' is none of real, double, integer, unsigned-integer, pattern",
                         ":1: the banner's symmetry 'mangled' is none of general, symmetric, skew-symmetric",
                         ":1: hermitian matrices are complex, which is not supported",
                         ":1: hermitian matrices are complex, which is not supported",
                         ":2: 'gunk' is no GraphBLAS type",
                         ":4: the number of columns is missing"};
  for (int i = 1; i <= 8; ++i) {
    const std::string path = KLEENE_DATA "/malformed/mangled" + std::to_string(i) + ".mtx";
    EXPECT_EQ(refusal([&] { read_matrix_market(path); }), path + where[i - 1]);
  }
}

TEST(matrix_market, every_mutation_reads_or_is_refused) {
  const auto read = [](const std::string& text) { parse(text); };
  EXPECT_GT(test::read_mutations("%%MatrixMarket matrix coordinate real symmetric\n%%GraphBLAS type fp64\n3 3 2\n"
                                 "2 1 -1.5e3\n3 3 +7\n",
                                 read),
            1);
  EXPECT_GT(
      test::read_mutations("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\r\n2 1 12\r\n3 1 7", read),
      1);
  EXPECT_GT(test::read_mutations("%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n-4\n", read), 1);
}

// --- what is written -------------------------------------------------------------------------------------------------

TEST(matrix_market, writes_what_it_reads) {
  const test::scratch folder;
  coo<double> list;
  list.rows = 3;
  list.cols = 2;
  list.add(2, 1, 0.1);
  list.add(0, 0, -infinity);
  list.add(0, 0, 1e300);
  write_matrix_market(folder.path("f"), list);
  EXPECT_EQ(content_of(folder.path("f")),
            "%%MatrixMarket matrix coordinate real general\n3 2 3\n3 2 0.1\n1 1 -inf\n1 1 1e+300\n");
  expect_entries<double>(std::get<reals>(read_matrix_market(folder.path("f")).values), 3, 2, {2, 0, 0}, {1, 0, 0},
                         {0.1, -infinity, 1e300});

  write_matrix_market(folder.path("g"), matrix<std::int32_t>{{1, -2}, {3, 2147483647}});
  EXPECT_EQ(content_of(folder.path("g")), "%%MatrixMarket matrix array integer general\n2 2\n1\n3\n-2\n2147483647\n");
  const auto back = read_matrix_market(folder.path("g"));
  EXPECT_EQ(std::get<matrix<std::int64_t>>(back.values)(1, 1), 2147483647);
  write_matrix_market(folder.path("h"), matrix<float>{{0.1f}});
  EXPECT_EQ(content_of(folder.path("h")), "%%MatrixMarket matrix array real general\n1 1\n0.1\n");
}

TEST(matrix_market, writes_nothing_that_it_could_not_read) {
  const test::scratch folder;
  try {
    write_matrix_market(folder.path("f"), matrix<double>{{1, std::nan("")}});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const value_error& refused) {
    EXPECT_EQ(refused.what(), folder.path("f") + ": element (1, 2) is NaN, which Matrix Market does not have");
  }
  coo<std::int64_t> outside;
  outside.rows = outside.cols = 1;
  outside.add(0, 1, 1);
  EXPECT_THROW(write_matrix_market(folder.path("f"), outside), value_error);
  coo<double> ragged{2, 2, {}, {}, {1, 2}};
  try {
    write_matrix_market(folder.path("f"), ragged);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const shape_error& e) {
    EXPECT_EQ(std::string(e.what()), "a coordinate list has 0 rows, 0 columns and 2 values");
  }
  for (const auto& [rows, cols] : {std::pair<index_t, index_t>{-2, 2}, {2, -2}, {3000000000, 2}, {2, 2147483648}})
    EXPECT_THROW(write_matrix_market(folder.path("f"), coo<double>{rows, cols, {}, {}, {}}), value_error) << rows;
  EXPECT_THROW(write_matrix_market(folder.path("f"), matrix_view<const float>(nullptr, {2, 2})), argument_error);
  EXPECT_EQ(folder.files(), 0);
}

// --- real files ------------------------------------------------------------------------------------------------------

TEST(matrix_market, shipped_files) {
  const auto entries_of = [](const char* name) {
    return std::visit(
        [](const auto& m) -> kleene::index_t {
          if constexpr (requires { m.entries(); }) return m.entries();
          else return m.size();
        },
        read_matrix_market(std::string(KLEENE_DATA "/") + name).values);
  };
  EXPECT_EQ(entries_of("lagraph/karate.mtx"), 156);
  EXPECT_EQ(entries_of("lagraph/west0067.mtx"), 294);
  EXPECT_EQ(entries_of("lagraph/cover.mtx"), 12);
  EXPECT_EQ(entries_of("lagraph/test_BF.mtx"), 12);
  EXPECT_EQ(entries_of("lagraph/test_FW_1000.mtx"), 3996);
  EXPECT_EQ(entries_of("lagraph/test_FW_2003.mtx"), 23973);
  EXPECT_EQ(entries_of("lagraph/tree-example.mtx"), 10);
  EXPECT_EQ(entries_of("lagraph/ldbc-directed-example.mtx"), 17);
  EXPECT_EQ(entries_of("lagraph/ldbc-undirected-example.mtx"), 24);
  EXPECT_EQ(entries_of("lagraph/full.mtx"), 9);
  EXPECT_EQ(entries_of("lagraph/comments_full.mtx"), 9);
  EXPECT_EQ(entries_of("road/minnesota.mtx"), 6606);
  EXPECT_EQ(entries_of("road/minnesota_coord.mtx"), 5284);
  EXPECT_EQ(entries_of("social/dolphins.mtx"), 318);
  EXPECT_EQ(entries_of("social/netscience.mtx"), 5484);
  EXPECT_EQ(entries_of("power/1138_bus.mtx"), 4054);
  const auto skewed = read_matrix_market(KLEENE_DATA "/lagraph/skew_int8.mtx");
  const auto& list = std::get<ints>(skewed.values);
  EXPECT_EQ(list.entries(), 20);
  EXPECT_EQ(list.value[0], -12);
  EXPECT_EQ(list.value[1], 12);
  const auto full = read_matrix_market(KLEENE_DATA "/lagraph/full.mtx");
  EXPECT_EQ(std::get<matrix<double>>(full.values)(1, 0), 0.709);
  EXPECT_EQ(std::get<matrix<double>>(full.values)(0, 1), 0.276);
}

}  // namespace matrix_market_test
