#include "kleene/io/text.hpp"

#include "io/files.hpp"

#include <cstdint>
#include <limits>

namespace text_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

template <class T>
T number_in(std::string_view text) {
  scanner in(text, "f");
  in.next_line();
  const T value = in.number<T>("value");
  in.end_of_line();
  return value;
}

}  // namespace

TEST(text, lines_and_fields) {
  scanner in("one  two\r\n\n \t\nthree\tfour\nlast", "f");
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.line(), "one  two");
  EXPECT_EQ(in.word(), "one");
  EXPECT_EQ(in.word(), "two");
  EXPECT_EQ(in.word(), "");
  in.end_of_line();
  ASSERT_TRUE(in.next_filled_line());
  EXPECT_EQ(in.word(), "three");
  EXPECT_EQ(refusal([&] { in.end_of_line(); }), "f:4: unexpected 'four' at the end of the line");
  ASSERT_TRUE(in.next_line());
  EXPECT_EQ(in.word(), "last");
  EXPECT_FALSE(in.next_line());
}

TEST(text, an_empty_text_has_no_line) {
  scanner in("", "f");
  EXPECT_FALSE(in.next_line());
  EXPECT_EQ(refusal([&] { in.fail("nothing"); }), "f:1: nothing");
}

TEST(text, numbers) {
  EXPECT_EQ(number_in<std::int64_t>("9223372036854775807"), 9223372036854775807);
  EXPECT_EQ(number_in<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(number_in<std::int64_t>("+17"), 17);
  EXPECT_EQ(number_in<double>("+1.5e2"), 150.0);
  EXPECT_EQ(number_in<double>(".5"), 0.5);
  EXPECT_EQ(number_in<double>("5."), 5.0);
  EXPECT_EQ(number_in<double>("-.25E-1"), -0.025);
  EXPECT_EQ(number_in<double>("0.1"), 0.1);
  EXPECT_EQ(number_in<double>("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_in<double>("4.9e-324"), 4.9e-324);
}

TEST(text, what_is_no_number) {
  for (const char* field :
       {"x", "+", "-", "++1", "+-1", "1x", "0x10", "1.0d0", "1,5", "--1", "1e", "nan", "NaN", "-nan"})
    EXPECT_EQ(refusal([&] { number_in<double>(field); }),
              "f:1: the value '" + std::string(field) + "' is not a number");
  EXPECT_EQ(refusal([&] { number_in<std::int64_t>("1.0"); }), "f:1: the value '1.0' is not an integer");
  EXPECT_EQ(refusal([&] { number_in<std::int64_t>(""); }), "f:1: the value is missing");
  EXPECT_EQ(refusal([&] { number_in<std::int64_t>("9223372036854775808"); }),
            "f:1: the value '9223372036854775808' is outside the range of 64-bit integers");
  EXPECT_EQ(refusal([&] { number_in<double>("1e999"); }),
            "f:1: the value '1e999' is outside the range of double precision");
  EXPECT_EQ(refusal([&] { number_in<double>("1e-999"); }),
            "f:1: the value '1e-999' is outside the range of double precision");
}

// No infinity and no 0 that the file does not say.
TEST(text, reals_that_single_precision_cannot_hold) {
  const auto narrow = [](const std::string& field) {
    scanner in(field, "f", real_type::f32);
    in.next_line();
    return in.number<double>("weight");
  };
  EXPECT_EQ(narrow("3.4028234e38"), 3.4028234e38);
  EXPECT_EQ(narrow("-1.4e-45"), -1.4e-45);
  EXPECT_EQ(narrow("0"), 0);
  EXPECT_EQ(narrow("-0.0"), 0);
  EXPECT_EQ(narrow("-inf"), -std::numeric_limits<double>::infinity());
  for (const char* field : {"1e39", "-3.41e38", "1e-46", "-4.9e-324"}) {
    EXPECT_EQ(refusal([&] { narrow(field); }),
              "f:1: the weight '" + std::string(field) +
                  "' is outside the range of f32 (1.4e-45 to 3.4e38, and 0): ask for f64 (--dtype f64)");
    EXPECT_EQ(number_in<double>(field), std::strtod(field, nullptr));
  }
  scanner integers("9223372036854775807", "f", real_type::f32);
  integers.next_line();
  EXPECT_EQ(integers.number<std::int64_t>("weight"), 9223372036854775807);
}

TEST(text, unprintable_and_long_fields_are_shown_safely) {
  EXPECT_EQ(shown(std::string_view("a\x1b\0", 3)), "'a\\x1b\\x00'");
  EXPECT_EQ(shown(std::string(50, 'y')), "'" + std::string(40, 'y') + "...'");
}

TEST(text, promises_that_the_text_cannot_hold) {
  scanner in("3\n1 1\n1 1\n1 1", "f");
  in.next_line();
  in.require_lines(65536, 4);  // so few are counted when they have been read
  EXPECT_EQ(refusal([&] { in.require_lines(65537, 4); }),
            "f:1: 65537 entries are promised, but the 11 bytes that follow cannot hold them");
  EXPECT_EQ(refusal([&] { in.require_lines(65537, 4, "arcs"); }),
            "f:1: 65537 arcs are promised, but the 11 bytes that follow cannot hold them");
  EXPECT_NE(refusal([&] { in.require_lines(std::numeric_limits<kleene::index_t>::max(), 4); }), "");
}

TEST(text, a_file_in_pieces_is_the_same_text) {
  const test::scratch folder;
  std::string text;
  for (std::size_t line = 0; text.size() < 3 * scanner::longest_line; ++line)
    text += std::string(line * 7919 % 3001, 'x') + " " + std::to_string(line) + (line % 3 ? "\n" : "\r\n");
  text += "the last has no end";
  for (const std::string& content : {text, test::gzipped(text), std::string()}) {
    input file(folder.write("f", content));
    scanner in_file(file), in_memory(content.empty() ? content : text, "f");
    while (in_memory.next_line()) {
      ASSERT_TRUE(in_file.next_line());
      ASSERT_EQ(in_file.line(), in_memory.line());
    }
    EXPECT_FALSE(in_file.next_line());
  }
}

TEST(text, a_line_without_end) {
  const test::scratch folder;
  const std::string path = folder.write("f", "one\n" + std::string(scanner::longest_line, 'x') + "\n");
  input file(path);
  scanner in(file);
  EXPECT_EQ(in.ahead().substr(0, 5), "one\nx");
  EXPECT_TRUE(in.next_line());
  EXPECT_EQ(refusal([&] { in.next_line(); }), path + ":2: a line of more than 1048575 bytes");
  input other(folder.write("g", std::string(scanner::longest_line - 1, 'x') + "\nend"));
  scanner longest(other);
  EXPECT_TRUE(longest.next_line());
  EXPECT_EQ(longest.line().size(), scanner::longest_line - 1);
  EXPECT_TRUE(longest.next_line());
  EXPECT_EQ(longest.line(), "end");
}

}  // namespace text_test
