#include "kleene/io/npy.hpp"

#include "io/files.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <limits>
#include <thread>
#include <vector>

namespace npy_test {

using namespace kleene;
using namespace kleene::io;
using test::content_of;
using test::refusal;

namespace {

// A file as NumPy lays it out, written out by hand.
std::string npy(const std::string& header, const std::string& elements, int version = 1) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) text += static_cast<char>(header.size() >> 8 * byte);
  return text + header + elements;
}
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}
template <class T>
std::vector<T> values_of(const matrix<T>& m) {
  return std::vector<T>(m.data(), m.data() + m.size());
}
const std::string header_2x2 = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n";
const std::string four = bytes_of<std::int32_t>({1, 2, 3, 4});

template <class T>
void expect_round_trip(const matrix<T>& m) {
  const test::scratch folder;
  const std::string path = folder.path("f.npy");
  write_npy(path, m);
  EXPECT_EQ(values_of(read_npy<T>(path)), values_of(m));
  EXPECT_EQ(content_of(path).size(), 128 + static_cast<std::size_t>(m.size()) * sizeof(T));
}

}  // namespace

TEST(npy, the_bytes_are_numpys) {
  const test::scratch folder;
  write_npy(folder.path("f"), matrix<std::int32_t>{{1, 2}, {3, 4}});
  std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(117, ' ');
  EXPECT_EQ(content_of(folder.path("f")), npy(header + "\n", four));
}

TEST(npy, every_type_comes_back) {
  expect_round_trip(matrix<float>{{1.5f, -0.f}, {std::numeric_limits<float>::infinity(), 3e-45f}, {2, 3}});
  expect_round_trip(matrix<double>{{0.1, 1e300, 4.9e-324}});
  expect_round_trip(matrix<std::int32_t>{{-2147483647 - 1}, {2147483647}});
  expect_round_trip(matrix<std::int64_t>{{std::numeric_limits<std::int64_t>::min(), 1}});
  expect_round_trip(matrix<bool>{{true, false, true}});
  expect_round_trip(matrix<float>(0, 5));
  expect_round_trip(matrix<float>(5, 0));
}

TEST(npy, a_view_without_data_is_refused) {
  const test::scratch folder;
  EXPECT_THROW(write_npy(folder.path("f"), matrix_view<const float>(nullptr, {2, 2})), argument_error);
  EXPECT_EQ(folder.files(), 0);
  write_npy(folder.path("f"), matrix_view<const float>(nullptr, {0, 2}));
  EXPECT_EQ(read_npy<float>(folder.path("f")).rows(), 0);
}

TEST(npy, any_strides) {
  const test::scratch folder;
  matrix<double> m(3, 4);
  for (kleene::index_t e = 0; e < 12; ++e) m.data()[e] = static_cast<double>(e);
  const std::string path = folder.path("f");
  write_npy(path, m.view().transposed());
  EXPECT_NE(content_of(path).find("'fortran_order': True, 'shape': (4, 3)"), std::string::npos);
  EXPECT_EQ(values_of(read_npy<double>(path)), (std::vector<double>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  write_npy(path, m.view().block(1, 1, 2, 2));
  EXPECT_EQ(values_of(read_npy<double>(path)), (std::vector<double>{5, 6, 9, 10}));
  write_npy(path, matrix_view<double>(m.data() + 11, {2, 3}, {-4, -1}));
  EXPECT_EQ(values_of(read_npy<double>(path)), (std::vector<double>{11, 10, 9, 7, 6, 5}));
  write_npy(path, matrix_view<const double>(m.data() + 5, {2, 2}, {0, 0}));
  EXPECT_EQ(values_of(read_npy<double>(path)), (std::vector<double>{5, 5, 5, 5}));
}

TEST(npy, fortran_order_larger_than_a_piece) {
  const test::scratch folder;
  matrix<std::int32_t> m(3001, 1009);
  for (kleene::index_t e = 0; e < m.size(); ++e) m.data()[e] = static_cast<std::int32_t>(e);
  write_npy(folder.path("f"), m.view().transposed());
  const auto back = read_npy<std::int32_t>(folder.path("f"));
  bool same = back.rows() == 1009 && back.cols() == 3001;
  for (kleene::index_t i = 0; same && i < 1009; ++i)
    for (kleene::index_t j = 0; j < 3001; ++j) same &= back(i, j) == j * 1009 + i;
  EXPECT_TRUE(same);
}

// The same file, written at the end and computed in place.
template <class T>
void expect_same_file(const matrix<T>& m) {
  const test::scratch folder;
  write_npy(folder.path("written"), m);
  {
    npy_output<T> out(folder.path("computed"), m.rows(), m.cols());
    const matrix_view<T> view = out.view();
    EXPECT_EQ(view.extents(), m.view().extents());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data()) % 64, 0u);
    std::copy_n(m.data(), m.size(), view.data());
    EXPECT_FALSE(std::filesystem::exists(folder.path("computed")));
    out.commit();
    EXPECT_EQ(folder.files(), 2);
    EXPECT_EQ(values_of(m), std::vector<T>(view.data(), view.data() + view.size()));
  }
  EXPECT_TRUE(content_of(folder.path("computed")) == content_of(folder.path("written")));
}

TEST(npy_output, the_bytes_are_those_of_write_npy) {
  expect_same_file(matrix<float>{{1.5f, -0.f}, {std::numeric_limits<float>::infinity(), 3e-45f}, {2, 3}});
  expect_same_file(matrix<double>{{0.1, 1e300, 4.9e-324}});
  expect_same_file(matrix<std::int32_t>(1000, 1025, 77));
  expect_same_file(matrix<std::int64_t>{{std::numeric_limits<std::int64_t>::min(), 1}});
  expect_same_file(matrix<bool>{{true, false, true}});
  expect_same_file(matrix<float>(0, 5));
  expect_same_file(matrix<float>(5, 0));
}

TEST(npy_output, the_old_file_stays_until_commit) {
  const test::scratch folder;
  const std::string path = folder.write("f", "old");
  {
    npy_output<float> out(path, 100, 100);
    out.view()(99, 99) = 1;
    EXPECT_EQ(folder.files(), 2);
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1);
  npy_output<float> out(path, 1, 1);
  out.view()(0, 0) = 7;
  out.commit();
  EXPECT_EQ(values_of(read_npy<float>(path)), std::vector<float>{7});
  EXPECT_EQ(folder.files(), 1);
}

TEST(npy_output, devices_and_pipes_are_written_at_commit) {
  const test::scratch folder;
  const std::string pipe = folder.path("pipe"), file = folder.path("file");
  write_npy(file, matrix<double>(300, 300, 2.5));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  npy_output<double> out(pipe, 300, 300);
  std::fill_n(out.view().data(), out.view().size(), 2.5);
  std::string received;
  std::thread reader([&] { received = content_of(pipe); });
  out.commit();
  reader.join();
  EXPECT_TRUE(received == content_of(file));
  EXPECT_EQ(folder.files(), 2);

  npy_output<float> nowhere("/dev/null", 2, 2);
  std::fill_n(nowhere.view().data(), 4, 1.f);
  nowhere.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  if (!std::filesystem::exists("/dev/full")) return;
  npy_output<float> full("/dev/full", 2, 2);
  std::fill_n(full.view().data(), 4, 1.f);
  EXPECT_EQ(refusal([&] { full.commit(); }), "cannot write /dev/full: No space left on device");
}

TEST(npy_output, what_is_refused) {
  const test::scratch folder;
  EXPECT_EQ(refusal([] { npy_output<float>("/nonexistent/out", 2, 2); }),
            "cannot write /nonexistent/out: No such file or directory");
  EXPECT_EQ(refusal([&] { npy_output<float>(folder.path("."), 2, 2); }),
            "cannot write " + folder.path(".") + ": Is a directory");
  EXPECT_THROW(npy_output<float>(folder.path("f"), -1, 2), shape_error);
  refusal([&] { npy_output<float>(folder.path("f"), kleene::index_t{1} << 40, kleene::index_t{1} << 40); },
          fault_code::memory);
  EXPECT_EQ(folder.files(), 0);
}

// The place is taken before anything is computed, or nothing is left.
TEST(npy_output, a_file_that_may_not_grow_is_refused_at_once) {
  const test::scratch folder;
  struct rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 1 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = refusal([&] { npy_output<float>(folder.path("f"), 1024, 1024); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write " + folder.path("f") + ": File too large");
  EXPECT_EQ(folder.files(), 0);
}

TEST(npy, versions_gzip_and_looser_headers) {
  const test::scratch folder;
  const std::vector<std::int32_t> expected{1, 2, 3, 4};
  for (int version : {1, 2, 3})
    EXPECT_EQ(values_of(read_npy<std::int32_t>(folder.write("f", npy(header_2x2, four, version)))), expected);
  EXPECT_EQ(values_of(read_npy<std::int32_t>(folder.write("f", test::gzipped(npy(header_2x2, four))))), expected);
  const std::string loose = "{\"shape\":(2,2),\t'fortran_order':True , \"descr\" :'<i4'}";
  EXPECT_EQ(values_of(read_npy<std::int32_t>(folder.write("f", npy(loose, four)))),
            (std::vector<std::int32_t>{1, 3, 2, 4}));
}

TEST(npy, spaces_wherever_numpy_reads_them) {
  const test::scratch folder;
  const std::string types = "'descr': '<i4', 'fortran_order': False, ";
  for (const std::string& header : {"{" + types + "'shape': (2, 2), }    ", "{" + types + "'shape': (2, 2), }    \n",
                                    "{" + types + "'shape': (2, 2), }\n    ", "  {" + types + "'shape': (2, 2), }\n",
                                    "{ " + types + " 'shape' : ( 2 , 2 , ) , }\n"})
    EXPECT_EQ(values_of(read_npy<std::int32_t>(folder.write("f", npy(header, four)))),
              (std::vector<std::int32_t>{1, 2, 3, 4}))
        << header;
}

TEST(npy, type_found_in_the_file) {
  const test::scratch folder;
  const std::string path = folder.path("f");
  write_npy(path, matrix<bool>{{true}});
  EXPECT_TRUE(std::holds_alternative<matrix<bool>>(read_npy_any(path)));
  write_npy(path, matrix<std::int64_t>{{7}});
  EXPECT_EQ(std::get<matrix<std::int64_t>>(read_npy_any(path))(0, 0), 7);
  EXPECT_EQ(refusal([&] { read_npy<float>(path); }), path + ": at byte 8: elements of type '<i8' where <f4 is needed");
}

// The file that NumPy writes for a type spelled so, of 2 x 2 elements.
std::string typed(const std::string& type, const std::string& elements, const char* fortran = "False") {
  return npy("{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': (2, 2), }  \n", elements);
}

TEST(npy, every_spelling_of_a_type_that_numpy_reads) {
  const test::scratch folder;
  const std::string ones = bytes_of<double>({1, 0.5, -2, 3});
  for (const char* type : {"<f8", "=f8", "|f8", "f8"})
    EXPECT_EQ(values_of(read_npy<double>(folder.write("f", typed(type, ones)))), (std::vector<double>{1, 0.5, -2, 3}));
  const std::string truths("\1\0\0\1", 4);
  for (const char* type : {"?", "|?", "|b1", "<b1", ">b1", "b1"})
    EXPECT_EQ(values_of(std::get<matrix<bool>>(read_npy_any(folder.write("f", typed(type, truths))))),
              (std::vector<bool>{true, false, false, true}));
  for (const char* type : {"|i1", "<i1", ">i1", "=i1", "i1"})
    EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(read_npy_any(folder.write("f", typed(type, truths))))),
              (std::vector<std::int32_t>{1, 0, 0, 1}));
}

TEST(npy, big_endian_elements) {
  const test::scratch folder;
  const auto any = [&](const char* type, std::string_view elements, const char* fortran = "False") {
    return read_npy_any(folder.write("f", typed(type, std::string(elements), fortran)));
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(values_of(std::get<matrix<double>>(any(">f8",
                                                   "\x3f\xf8\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0"
                                                   "\x40\x09\x21\xfb\x54\x44\x2d\x18"sv))),
            (std::vector<double>{1.5, 0, -2, 3.141592653589793}));
  const std::string_view words = "\0\0\0\1\xff\xff\xff\xfe\0\1\0\0\x7f\xff\xff\xff"sv;
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(any(">i4", words))),
            (std::vector<std::int32_t>{1, -2, 65536, 2147483647}));
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(any(">i4", words, "True"))),
            (std::vector<std::int32_t>{1, 65536, -2, 2147483647}));
  EXPECT_EQ(values_of(std::get<matrix<float>>(any(">f4", "\x3f\x80\0\0\0\0\0\0\xbf\0\0\0\x7f\x80\0\0"sv))),
            (std::vector<float>{1, 0, -0.5f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(values_of(std::get<matrix<float>>(any(">f2", "\x3c\0\xc0\0\0\1\x7c\0"sv))),
            (std::vector<float>{1, -2, 0x1p-24f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(values_of(read_npy<std::int64_t>(folder.write("f", typed(">i8", std::string(31, '\0') + "\7")))),
            (std::vector<std::int64_t>{0, 0, 0, 7}));
}

TEST(npy, bools_are_zeros_and_ones_where_numbers_are_asked_for) {
  const test::scratch folder;
  const std::string path = folder.write("f", typed("|b1", std::string("\1\0\0\1", 4)));
  EXPECT_EQ(values_of(read_npy<float>(path)), (std::vector<float>{1, 0, 0, 1}));
  EXPECT_EQ(values_of(read_npy<std::int64_t>(path)), (std::vector<std::int64_t>{1, 0, 0, 1}));
  const std::string numbers = folder.write("g", typed("|i1", std::string("\1\0\0\1", 4)));
  EXPECT_EQ(refusal([&] { read_npy<bool>(numbers); }),
            numbers + ": at byte 8: elements of type '|i1' where |b1 is needed");
}

TEST(npy, narrow_types_are_read_as_wider_ones) {
  const test::scratch folder;
  const auto file = [&](const std::string& type, const std::string& elements, const char* fortran = "False") {
    return folder.write(
        "f", npy("{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': (2, 2), }\n", elements));
  };
  using integers = std::vector<std::int32_t>;
  const std::string halves = bytes_of<std::uint16_t>({0x3C00, 0xC000, 0x0001, 0x7C00}), bytes = "\x80\xff\x01\x7f";
  EXPECT_EQ(values_of(std::get<matrix<float>>(read_npy_any(file("<f2", halves)))),
            (std::vector<float>{1, -2, 0x1p-24f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(read_npy_any(file("|i1", bytes)))), (integers{-128, -1, 1, 127}));
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(read_npy_any(file("|u1", bytes, "True")))),
            (integers{128, 1, 255, 127}));
  const std::string shorts = bytes_of<std::uint16_t>({1, 0x7FFF, 0x8000, 0xFFFF});
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(read_npy_any(file("<i2", shorts)))),
            (integers{1, 32767, -32768, -1}));
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(read_npy_any(file("<u2", shorts)))),
            (integers{1, 32767, 32768, 65535}));
  EXPECT_EQ(values_of(std::get<matrix<std::int32_t>>(read_npy_any(file(">u2", shorts)))),
            (integers{256, 65407, 128, 65535}));
  EXPECT_EQ(values_of(std::get<matrix<std::int64_t>>(
                read_npy_any(file("<u4", bytes_of<std::uint32_t>({1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF}))))),
            (std::vector<std::int64_t>{1, 2147483647, 2147483648, 4294967295}));
  const std::string path = file("<f2", halves);
  EXPECT_EQ(refusal([&] { read_npy<float>(path); }), path + ": at byte 8: elements of type '<f2' where <f4 is needed");
}

// Whoever asks for the largest number means that of the file.
TEST(npy, the_largest_number_of_the_type_in_the_file) {
  const test::scratch folder;
  const auto largest = [&](const std::string& type, std::size_t bytes) {
    input in(folder.write(
        "f", npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': (1, 1), }\n", std::string(bytes, '\0'))));
    dense_facts facts;
    (void)read_npy_any(in, facts);
    EXPECT_EQ(facts.place, folder.path("f"));
    return facts.largest;
  };
  const std::vector<std::int64_t> said = {largest("|i1", 1), largest("|u1", 1), largest("<i2", 2),
                                          largest("<u2", 2), largest("<u4", 4), largest("<f2", 2),
                                          largest("|b1", 1), largest("<i4", 4), largest("<f8", 8)};
  EXPECT_EQ(said, (std::vector<std::int64_t>{127, 255, 32767, 65535, 4294967295, 65504, 1, 0, 0}));
}

TEST(npy, what_is_refused) {
  const test::scratch folder;
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.write("f", content), message = refusal([&] { read_npy_any(path); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  const auto header = [&](const std::string& text) { return refused(npy(text, four)); };
  EXPECT_EQ(refused(""), ": at byte 0: the file is empty");
  EXPECT_EQ(refused("\x93NUM"), ": at byte 4: the file ends within the 8 bytes that an npy file starts with");
  EXPECT_EQ(refused("\x93NUMPY\1"), ": at byte 7: the file ends within the 8 bytes that an npy file starts with");
  EXPECT_EQ(refused("\x93NUMPX\1"),
            ": at byte 0: this is no npy file: it does not start with \\x93NUMPY and a version");
  EXPECT_EQ(refused(npy(header_2x2, four, 4)), ": at byte 6: version 4.0 of the format is unknown");
  EXPECT_EQ(refused(npy(header_2x2, four).substr(0, 9)), ": at byte 9: the file ends before its header");
  EXPECT_EQ(refused(npy(header_2x2, four).substr(0, 40)), ": at byte 40: the file ends within its header of 60 bytes");
  EXPECT_EQ(refused(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
            ": at byte 8: a header of 4294967295 bytes, which is more than the 65536 that are read");
  EXPECT_EQ(header("descr"), ": at byte 10: the header needs a '{' here");
  EXPECT_EQ(header("{'descr': '<i4', 'fortran_order': False}"),
            ": at byte 50: the header lacks one of 'descr', 'fortran_order', 'shape'");
  EXPECT_EQ(header("{'descr': '<i4', 'descr': '<i4'}"), ": at byte 27: an unknown or repeated key 'descr'");
  EXPECT_EQ(header("{'more': 1}"), ": at byte 11: an unknown or repeated key 'more'");
  EXPECT_EQ(header("{'descr': [('a', '<i4')]}"), ": at byte 20: arrays of records are not supported");
  EXPECT_EQ(header("{'descr': '<i4}"), ": at byte 20: a string in the header does not end");
  EXPECT_EQ(header("{'fortran_order': 0}"), ": at byte 28: 'fortran_order' is neither True nor False");
  EXPECT_EQ(header("{'shape': (2, -2)}"), ": at byte 24: an extent in 'shape' is no number from 0 to 2^63 - 1");
  EXPECT_EQ(header("{'shape': (02, 2)}"),
            ": at byte 21: an extent in 'shape' starts with a 0, which is no Python number");
  EXPECT_EQ(header("{'shape': (2 2)}"), ": at byte 23: the header needs a ',' here");
  EXPECT_EQ(header(header_2x2 + "x"), ": at byte 70: text after the header's '}'");
  EXPECT_EQ(header(header_2x2 + std::string("\0x", 2)), ": at byte 70: text after the header's '}'");
  EXPECT_EQ(header("{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }"),
            ": at byte 10: an array of 1 dimension is no matrix");
  EXPECT_EQ(header("{'descr': '<i4', 'fortran_order': False, 'shape': (), }"),
            ": at byte 10: an array of 0 dimensions is no matrix");
  EXPECT_EQ(header("{'descr': '<u8', 'fortran_order': False, 'shape': (2, 2), }"),
            ": at byte 8: elements of type '<u8'; those read are f2, f4, f8, i1, u1, i2, u2, i4, u4, i8, b1, in either "
            "order of "
            "bytes");
  for (const std::string type : {"", "<", ">?x", "<<i4", "<i4 ", " <i4"})  // NumPy knows none of these either
    EXPECT_EQ(header("{'descr': '" + type + "', 'fortran_order': False, 'shape': (2, 2), }").substr(0, 31),
              ": at byte 8: elements of type '");
  EXPECT_EQ(refused(npy(header_2x2, four.substr(0, 15))),
            ": at byte 70: 2 x 2 elements of 4 bytes are promised, which the file cannot hold");
  EXPECT_EQ(refused(test::gzipped(npy(header_2x2, four.substr(0, 15)))),
            ": at byte 85: the file ends within its elements");
  EXPECT_EQ(refused(npy(header_2x2, four + "x")), ": at byte 86: there is more after the last element");
  EXPECT_EQ(header("{'descr': '<i4', 'fortran_order': False, 'shape': (1000000000, 1000000000), }"),
            ": at byte 87: 1000000000 x 1000000000 elements of 4 bytes are promised, which the file cannot hold");
  EXPECT_EQ(header("{'descr': '<i4', 'fortran_order': True, 'shape': (4000000000, 4000000000), }"),
            ": at byte 86: 4000000000 x 4000000000 elements of 4 bytes are promised, which the file cannot hold");
  EXPECT_EQ(refused(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 3), }\n", std::string("\0\1\2", 3))),
            ": at byte 72: a bool of value 2");
}

TEST(npy, every_mutation_reads_or_is_refused) {
  const test::scratch folder;
  const auto read = [&](const std::string& content) { read_npy_any(folder.write("f", content)); };
  EXPECT_GT(test::read_mutations(npy(header_2x2, four), read), 16 * 255);
  EXPECT_GT(test::read_mutations(npy("{'descr':'|b1','fortran_order':True,'shape':(2,3)}", std::string(6, '\1')), read),
            1);
}

}  // namespace npy_test
