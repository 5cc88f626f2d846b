#include "kleene/io/npz.hpp"

#include "io/files.hpp"
#include "kleene/io/graph.hpp"

#include <cstring>
#include <limits>
#include <vector>

namespace npz_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

using ints = coo<std::int64_t>;
using reals = coo<double>;

// scipy.sparse.save_npz(file, csr_matrix([[0, 3, 0], [0, 0, 4.5], [1, 0, 0]])) of SciPy 1.17 with NumPy 2.4.
constexpr const char* scipy_csr =
    "504b03042d000000080000002100056f9e16ffffffffffffffff0b001400696e64696365732e6e7079010010008c000000000000004c0000"
    "00000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3a09e965f54529498179f5f94920a12774bcc294e058a1767"
    "2416a402f91ac63a9a3a0ab50a14002e460606062606080000504b03042d000000080000002100fe741ed4ffffffffffffffff0a00140069"
    "6e647074722e6e70790100100090000000000000004e000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a2aea3"
    "a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a263a9a3a0ab50a14002e0620600462262066066200504b03042d"
    "000000080000002100a3c37497ffffffffffffffff0a001400666f726d61742e6e707901001000830000000000000045000000000000009b"
    "ec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e136cacaea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a"
    "9a3a0ab50a1401aee4e22200504b03042d000000080000002100f1d916a2ffffffffffffffff0900140073686170652e6e70790100100090"
    "0000000000000049000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9369a1aea3a09e965f54529498179f5f94920a"
    "12774bcc294e058a17672416a402f91a463a9a3a0ab50a14002e66060880d100504b03042d00000008000000210084b6fda9ffffffffffff"
    "ffff08001400646174612e6e70790100100098000000000000004f000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e"
    "9366a1aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91ac63a9a3a0ab50a14002e0630e07080d04250fa833d"
    "00504b01022d032d000000080000002100056f9e164c0000008c0000000b0000000000000000000000800100000000696e64696365732e6e"
    "7079504b01022d032d000000080000002100fe741ed44e000000900000000a0000000000000000000000800189000000696e647074722e6e"
    "7079504b01022d032d000000080000002100a3c3749745000000830000000a0000000000000000000000800113010000666f726d61742e6e"
    "7079504b01022d032d000000080000002100f1d916a2490000009000000009000000000000000000000080019401000073686170652e6e70"
    "79504b01022d032d00000008000000210084b6fda94f00000098000000080000000000000000000000800118020000646174612e6e707950"
    "4b0506000000000500050016010000a10200000000";

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16));
  return bytes;
}

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int b = 0; b < bytes; ++b, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

// An array as NumPy writes it: its type, its extents as they stand in the header, its elements.
template <class T>
std::string npy(const std::string& type, const std::string& shape, const std::vector<T>& elements) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes = "\x93NUMPY" + number(1, 2) + number(header.size(), 2) + header;
  return bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
}
std::string word(const std::string& text) {
  return npy("|S" + std::to_string(text.size()), "()", std::vector<char>(text.begin(), text.end()));
}
std::string ints32(const std::vector<std::int32_t>& values) {
  return npy("<i4", "(" + std::to_string(values.size()) + ",)", values);
}
std::string ints64(const std::vector<std::int64_t>& values) {
  return npy("<i8", "(" + std::to_string(values.size()) + ",)", values);
}
std::string doubles(const std::vector<double>& values) {
  return npy("<f8", "(" + std::to_string(values.size()) + ",)", values);
}

struct part {
  std::string name, content;
};

// What an archive may say that differs from its members, which are stored.
struct lies {
  std::uint64_t flags = 0, method = 0;
  std::string comment{};
  bool zip64 = false;       // it ends as an archive of more than 4 GiB does
  std::uint64_t moved = 0;  // what the ZIP64 end says of its directory's place, too much
};

// A ZIP archive of stored members.
std::string zip(const std::vector<part>& parts, const lies& lie = {}) {
  std::string all, directory;
  for (const part& p : parts) {
    const std::uint64_t crc = ::crc32(0, reinterpret_cast<const Bytef*>(p.content.data()), p.content.size());
    const std::string about = number(20, 2) + number(lie.flags, 2) + number(lie.method, 2) + number(0, 4) +
                              number(crc, 4) + number(p.content.size(), 4) + number(p.content.size(), 4) +
                              number(p.name.size(), 2) + number(0, 2);
    directory += "PK\1\2" + number(20, 2) + about + number(0, 10) + number(all.size(), 4) + p.name;
    all += "PK\3\4" + about + p.name + p.content;
  }
  const std::string count = number(parts.size(), 2);
  const std::string end64 = "PK\6\6" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
                            number(parts.size(), 8) + number(parts.size(), 8) + number(directory.size(), 8) +
                            number(all.size() + lie.moved, 8);
  if (lie.zip64)
    return all + directory + end64 + "PK\6\7" + number(0, 4) + number(all.size() + directory.size(), 8) + number(1, 4) +
           "PK\5\6" + number(0, 4) + count + count + number(~0u, 4) + number(~0u, 4) + number(0, 2);
  return all + directory + "PK\5\6" + number(0, 4) + count + count + number(directory.size(), 4) +
         number(all.size(), 4) + number(lie.comment.size(), 2) + lie.comment;
}

// The arcs 0 -> 1 of weight 3, 1 -> 2 of weight 0 and, the second time, 1 -> 2 of weight 5.
std::vector<part> csr_parts() {
  return {{"indices.npy", ints32({1, 2, 2})},
          {"indptr.npy", ints32({0, 1, 3, 3})},
          {"format.npy", word("csr")},
          {"shape.npy", ints64({3, 3})},
          {"data.npy", ints64({3, 0, 5})}};
}

class npz : public testing::Test {
 protected:
  npz_sparse sparse(const std::vector<part>& parts) const {
    return std::get<npz_sparse>(read_npz(folder_.write("f.npz", zip(parts))));
  }
  // The message behind the path.
  std::string refused(const std::string& archive, real_type wanted = real_type::f64) const {
    const std::string path = folder_.write("f.npz", archive);
    const std::string message = refusal([&] { read_npz(path, wanted); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  }
  // The same of a csr matrix in which one member is another.
  std::string refused_with(const std::string& name, const std::string& content) const {
    std::vector<part> parts = csr_parts();
    for (part& p : parts)
      if (p.name == name) p.content = content;
    return refused(zip(parts));
  }
  test::scratch folder_;
};

TEST_F(npz, what_scipy_writes) {
  const std::string path = folder_.write("f", from_hex(scipy_csr));
  const auto file = std::get<npz_sparse>(read_npz(path));
  EXPECT_EQ(file.layout, "csr");
  const auto& list = std::get<reals>(file.entries);
  EXPECT_EQ(list.rows, 3);
  EXPECT_EQ(list.cols, 3);
  EXPECT_EQ(list.row, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(list.col, (std::vector<std::int32_t>{1, 2, 0}));
  EXPECT_EQ(list.value, (std::vector<double>{3, 4.5, 1}));
  const graph_file graph = read_graph(path);
  EXPECT_EQ(graph.format, "npz");
  EXPECT_EQ(graph.vertices, 3);
  EXPECT_EQ(graph.arcs, 3);
  EXPECT_EQ(graph.first_vertex, 0);
  EXPECT_FALSE(graph.symmetric);
  EXPECT_EQ(graph.description, "a sparse matrix (csr), rows to columns");
}

TEST_F(npz, zeros_and_duplicates_stay) {
  const auto list = std::get<ints>(sparse(csr_parts()).entries);
  EXPECT_EQ(list.row, (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(list.col, (std::vector<std::int32_t>{1, 2, 2}));
  EXPECT_EQ(list.value, (std::vector<std::int64_t>{3, 0, 5}));
}

TEST_F(npz, columns_and_lists) {
  std::vector<part> parts = csr_parts();
  parts[2].content = word("csc");
  parts.push_back({"_is_array.npy", npy("|b1", "()", std::vector<char>{1})});
  const auto columns = std::get<ints>(sparse(parts).entries);
  EXPECT_EQ(columns.row, (std::vector<std::int32_t>{1, 2, 2}));
  EXPECT_EQ(columns.col, (std::vector<std::int32_t>{0, 1, 1}));
  const auto pairs = sparse({{"row.npy", ints64({2, 0})},
                             {"col.npy", ints32({0, 3})},
                             {"format.npy", npy("<U3", "()", std::vector<std::uint32_t>{'c', 'o', 'o'})},
                             {"shape.npy", ints64({3, 4})},
                             {"data.npy", doubles({-1.5, 2})}});
  EXPECT_EQ(pairs.layout, "coo");
  const auto& list = std::get<reals>(pairs.entries);
  EXPECT_EQ(list.rows, 3);
  EXPECT_EQ(list.cols, 4);
  EXPECT_EQ(list.row, (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(list.col, (std::vector<std::int32_t>{0, 3}));
  EXPECT_EQ(list.value, (std::vector<double>{-1.5, 2}));
}

TEST_F(npz, types_of_data) {
  const auto with = [&](const std::string& data) {
    std::vector<part> parts = csr_parts();
    parts.back().content = data;
    return sparse(parts).entries;
  };
  const std::vector<std::int64_t> whole{1, 0, 1};
  EXPECT_EQ(std::get<ints>(with(npy("|b1", "(3,)", std::vector<char>{1, 0, 1}))).value, whole);
  EXPECT_EQ(std::get<ints>(with(npy("|u1", "(3,)", std::vector<char>{1, 0, 1}))).value, whole);
  EXPECT_EQ(std::get<ints>(with(npy("|i1", "(3,)", std::vector<char>{-1, 0, 1}))).value[0], -1);
  EXPECT_EQ(std::get<ints>(with(npy("<i2", "(3,)", std::vector<std::int16_t>{-300, 0, 1}))).value[0], -300);
  EXPECT_EQ(std::get<ints>(with(npy("<u2", "(3,)", std::vector<std::uint16_t>{65535, 0, 1}))).value[0], 65535);
  EXPECT_EQ(std::get<ints>(with(npy("<u4", "(3,)", std::vector<std::uint32_t>{4294967295, 0, 1}))).value[0],
            4294967295);
  EXPECT_EQ(std::get<ints>(with(ints32({1, 0, 1}))).value, whole);
  EXPECT_EQ(std::get<ints>(with(npy(">i4", "(3,)", std::vector<std::uint32_t>{1u << 24, 0, 1u << 24}))).value, whole);
  EXPECT_EQ(std::get<reals>(with(npy("<f4", "(3,)", std::vector<float>{1.5f, 0, 1}))).value[0], 1.5);
  EXPECT_EQ(std::get<reals>(with(npy("<f2", "(3,)", std::vector<std::uint16_t>{0x3e00, 0, 0}))).value[0], 1.5);
  EXPECT_EQ(
      refused_with("data.npy", npy("<c16", "(3,)", std::vector<double>(6))),
      " (data.npy): at byte 10: elements of type '<c16' where one of f2, f4, f8, i1, u1, i2, u2, i4, u4, i8, b1 is "
      "needed");
  EXPECT_EQ(refused_with("data.npy", doubles({1, std::numeric_limits<double>::infinity(), 2})),
            " (data.npy): at byte 76: element 1 is inf, which is not finite");
}

TEST_F(npz, weights_that_single_precision_cannot_hold) {
  std::vector<part> parts = csr_parts();
  parts.back().content = doubles({1, 0, 1e39});
  EXPECT_EQ(
      refused(zip(parts), real_type::f32),
      " (data.npy): at byte 84: element 2 is 1e+39, outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 "
      "(--dtype f64)");
}

TEST_F(npz, one_dense_array) {
  const std::string values = npy("<f8", "(1, 2)", std::vector<double>{1, 2.5});
  const std::string path = folder_.write("f", zip({{"arr_0.npy", values}}));
  EXPECT_EQ(std::get<matrix<double>>(std::get<npy_matrix>(read_npz(path)))(0, 1), 2.5);
  EXPECT_EQ(std::get<matrix<double>>(read_dense(path))(0, 1), 2.5);
  EXPECT_EQ(refusal([&] { read_graph(path); }),
            path + ": a dense matrix (npz) is no graph file: nothing in it says which arcs are absent");
  input in(path);
  const auto dense = std::get<dense_file>(read_graph_or_dense(in));
  EXPECT_EQ(dense.format, "npz");
  EXPECT_EQ(dense.facts.place, path + " (arr_0.npy)");
  const std::string neither = ": neither a sparse matrix of scipy.sparse.save_npz nor one array of numpy.savez: ";
  EXPECT_EQ(refused(zip({{"a.npy", values}, {"b.npy", values}})), neither + "it holds 'a.npy', 'b.npy'");
  EXPECT_EQ(refused(zip({})), neither + "it holds nothing");
  EXPECT_EQ(refused(zip({{"xl/workbook.xml", "x"}, {"[Content_Types].xml", "x"}})),
            ": an Excel workbook: save it as CSV");
  EXPECT_EQ(refused(zip({{"mimetype", "application/vnd.oasis.opendocument.spreadsheet"}, {"content.xml", "x"}})),
            ": an OpenDocument file: save it as CSV");
  EXPECT_EQ(refused(zip({{"roads.csv", "a,b\n"}})), ": a zip archive of 'roads.csv': unpack it first");
  EXPECT_EQ(refused(zip({{"a.csv", "a,b\n"}, {"b.csv", "a,b\n"}})),
            ": a zip archive of 'a.csv' and others: unpack it first");
  EXPECT_EQ(refused(zip({{"a.npy", "words of any kind"}})),
            " (a.npy): at byte 0: this is no npy file: it does not start with \\x93NUMPY and a version");
}

TEST_F(npz, dense_from_sparse) {
  std::vector<part> parts = csr_parts();
  const std::string twice = folder_.write("g", zip(parts));
  EXPECT_EQ(refusal([&] { read_dense(twice); }), twice + ": entry (1, 2) is given twice");
  parts[0].content = ints32({1, 2, 0});
  const auto dense = read_dense(folder_.write("h", zip(parts)), {.integer = 9});
  const auto& m = std::get<matrix<std::int64_t>>(dense);
  EXPECT_EQ(std::vector<std::int64_t>(m.data(), m.data() + 9), (std::vector<std::int64_t>{9, 3, 9, 5, 9, 0, 9, 9, 9}));
}

TEST_F(npz, layouts_and_members_that_are_not_read) {
  EXPECT_EQ(refused_with("format.npy", word("bsr")),
            " (format.npy): a sparse matrix in the layout 'bsr': csr, csc and coo are read; save matrix.tocsr()");
  EXPECT_EQ(refused_with("format.npy", word("dia")),
            " (format.npy): a sparse matrix in the layout 'dia': csr, csc and coo are read; save matrix.tocsr()");
  EXPECT_EQ(refused_with("format.npy", word("xyz")),
            " (format.npy): no layout of a sparse matrix that is known: 'xyz'");
  EXPECT_EQ(refused_with("format.npy", word("csr2")),
            " (format.npy): at byte 10: elements of type '|S4' where |S3 is needed");
  EXPECT_EQ(refused_with("format.npy", word("coo")), ": a member 'indices.npy', which no coo matrix has");
  std::vector<part> parts = csr_parts();
  parts.erase(parts.begin());
  EXPECT_EQ(refused(zip(parts)), ": a sparse matrix without indices.npy");
  parts = csr_parts();
  parts.push_back({"more.npy", ""});
  EXPECT_EQ(refused(zip(parts)), ": a member 'more.npy', which no csr matrix has");
}

TEST_F(npz, indices_and_lengths) {
  EXPECT_EQ(refused_with("indices.npy", ints32({1, 2, 3})),
            " (indices.npy): at byte 76: element 2 is 3, in a matrix of 3 x 3");
  EXPECT_EQ(refused_with("indices.npy", ints64({1, -1, 0})),
            " (indices.npy): at byte 76: element 1 is -1, in a matrix of 3 x 3");
  EXPECT_EQ(refused_with("indices.npy", doubles({1, 2, 2})),
            " (indices.npy): at byte 10: elements of type '<f8' where i4 or i8 is needed");
  EXPECT_EQ(refused_with("indices.npy", ints32({1, 2})), ": indices.npy has 2 elements, and data.npy has 3");
  const std::string rise = ": they rise from 0 to the number of entries, 3";
  EXPECT_EQ(refused_with("indptr.npy", ints32({0, 2, 1, 3})), " (indptr.npy): at byte 76: element 2 is 1" + rise);
  EXPECT_EQ(refused_with("indptr.npy", ints32({1, 1, 3, 3})), " (indptr.npy): at byte 68: element 0 is 1" + rise);
  EXPECT_EQ(refused_with("indptr.npy", ints64({0, 1, std::int64_t{1} << 60, 3})),
            " (indptr.npy): at byte 84: element 2 is 1152921504606846976" + rise);
  EXPECT_EQ(refused_with("indptr.npy", ints32({0, 1, 2, 2})),
            " (indptr.npy): at byte 80: element 3 is the last, 2, and there are 3 entries");
  EXPECT_EQ(refused_with("indptr.npy", ints32({0, 3})), " (indptr.npy): at byte 10: 2 elements, and 3 rows take 4");
  EXPECT_EQ(refused_with("shape.npy", ints64({3})), " (shape.npy): at byte 10: 1 extent, and a matrix has two");
  EXPECT_EQ(refused_with("shape.npy", ints64({3, std::int64_t{1} << 31})),
            " (shape.npy): at byte 76: element 1 is 2147483648, and extents are from 0 to 2147483647");
  EXPECT_EQ(refused_with("data.npy", npy("<f8", "(3, 1)", std::vector<double>{1, 2, 3})),
            " (data.npy): at byte 10: an array of 2 dimensions where data.npy has 1");
  EXPECT_EQ(refused_with("data.npy", npy("<f8", "(3,)", std::vector<double>{1, 2})),
            " (data.npy): at byte 10: 3 elements of 8 bytes are promised, which it cannot hold");
  EXPECT_EQ(refused_with("data.npy", npy("<f8", "(3,)", std::vector<double>{1, 2, 3, 4})),
            " (data.npy): at byte 92: there is more after the last element");
  std::vector<part> wide = csr_parts();
  wide[3].content = ints64({3, 4});
  const std::string path = folder_.write("w", zip(wide));
  EXPECT_EQ(refusal([&] { read_graph(path); }),
            path + " (shape.npy): a graph is a square matrix, and this one is 3 x 4");
}

TEST_F(npz, archives) {
  const std::vector<part> parts = csr_parts();
  const std::string good = zip(parts);
  EXPECT_TRUE(refused(zip(parts, {.flags = 1})).ends_with(": 'indices.npy' is encrypted"));
  EXPECT_TRUE(refused(zip(parts, {.method = 12}))
                  .ends_with("'indices.npy' is compressed by method 12; those read are 0 (stored) and 8 (deflated)"));
  EXPECT_TRUE(refused(zip(parts, {.comment = "x"})).ends_with("it does not end with its directory"));
  const std::string path = folder_.write("zip64", zip(parts, {.zip64 = true}));
  EXPECT_EQ(std::get<npz_sparse>(read_npz(path)).layout, "csr");
  EXPECT_TRUE(refused(zip(parts, {.zip64 = true, .moved = 1})).ends_with("the directory does not lie before its end"));
  std::vector<part> twice = parts;
  twice.push_back(parts.front());
  EXPECT_TRUE(refused(zip(twice)).ends_with(": a second member 'indices.npy'"));
  std::string other = good;
  other[other.find("indices.npy")] = 'j';  // before the member, not in the directory
  EXPECT_EQ(refused(other), ": at byte 0: the directory says otherwise of 'indices.npy'");
  other = good;
  other[41 + 10 + 62] ^= 1;  // in the elements of the first member
  EXPECT_TRUE(refused(other).ends_with("(its CRC is wrong)")) << refused(other);
  EXPECT_EQ(refused("PK\3\4"),
            ": at byte 4: a truncated ZIP archive, or one with a comment: it does not end with its "
            "directory");
  const std::string gz = folder_.write("f.npz.gz", test::gzipped(good));
  EXPECT_EQ(refusal([&] { read_npz(gz); }), gz + ": an .npz that gzip has compressed once more: decompress it first");
  const std::string junk = folder_.write("junk.npz", "junk");
  EXPECT_EQ(refusal([&] { read_graph(junk); }), junk + ": at byte 0: no npz file: it does not start with PK\\x03\\x04");
}

TEST_F(npz, a_member_becomes_no_more_than_its_bytes_can) {
  std::string archive = from_hex(scipy_csr);
  const std::size_t entry = archive.find("PK\1\2");
  for (int b = 0; b < 4; ++b) archive[entry + 24 + b] = static_cast<char>(b == 3 ? 0x7f : 0xff);
  EXPECT_TRUE(refused(archive).ends_with("the directory says otherwise of 'indices.npy'")) << refused(archive);
  const std::size_t wide = archive.find("PK\3\4") + 30 + std::strlen("indices.npy") + 4;  // the same in ZIP64
  for (int b = 0; b < 4; ++b) archive[wide + b] = static_cast<char>(b == 3 ? 0x7f : 0xff);
  EXPECT_TRUE(refused(archive).ends_with("'indices.npy' is said to hold 2147483647 bytes, in 76")) << refused(archive);
}

// What is read in spite of a cut or a flipped bit is the same matrix: the bit says when, or by whom.
TEST_F(npz, cut_and_flipped) {
  const std::string good = from_hex(scipy_csr);
  const auto read = [&](const std::string& bytes) {
    try {
      const auto content = read_npz(folder_.write("m", bytes));
      const auto& list = std::get<reals>(std::get<npz_sparse>(content).entries);
      EXPECT_EQ(list.row, (std::vector<std::int32_t>{0, 1, 2}));
      EXPECT_EQ(list.col, (std::vector<std::int32_t>{1, 2, 0}));
      EXPECT_EQ(list.value, (std::vector<double>{3, 4.5, 1}));
      return true;
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()), "");
      return false;
    }
  };
  EXPECT_TRUE(read(good));
  for (std::size_t length = 0; length < good.size(); ++length) EXPECT_FALSE(read(good.substr(0, length))) << length;
  int same = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const std::size_t bit : {at % 8, (at + 4) % 8}) {
      std::string flipped = good;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
      same += read(flipped);
    }
  EXPECT_LT(same, 400);  // five members, and dates, versions and attributes in two places
}

}  // namespace npz_test
