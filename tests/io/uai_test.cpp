#include "kleene/io/problems/uai.hpp"

#include "io/files.hpp"

#include <vector>

namespace uai_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

const std::string chain = "MARKOV\n3\n2 2 3\n2\n2 0 1\n2 1 2\n\n4\n 0.1 0.9\n 0.5 0.5\n\n6\n1 2 3 4 5 6\n";

std::string refused(const std::string& text) {
  return refusal([&] { parse_uai(text, "f"); });
}

}  // namespace

TEST(uai, a_markov_network) {
  const uai_file file = parse_uai(chain, "f");
  EXPECT_FALSE(file.is_bayes);
  EXPECT_EQ(file.values, (std::vector<index_t>{2, 2, 3}));
  ASSERT_EQ(file.factors.size(), 2U);
  EXPECT_EQ(file.factors[0].variables, (std::vector<int>{0, 1}));
  EXPECT_EQ(file.factors[0].table, (std::vector<double>{0.1, 0.9, 0.5, 0.5}));
  EXPECT_EQ(file.factors[1].variables, (std::vector<int>{1, 2}));
  EXPECT_EQ(file.factors[1].table, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(uai, lines_do_not_matter) {
  std::string one_line = chain, lines = chain;
  for (char& c : one_line) c = c == '\n' ? ' ' : c;
  for (char& c : lines) c = c == ' ' ? '\n' : c;
  for (const std::string& text : {one_line, lines, "\n\n" + chain + "\n\t\n"}) {
    const uai_file file = parse_uai(text, "f");
    ASSERT_EQ(file.factors.size(), 2U);
    EXPECT_EQ(file.factors[1].table.back(), 6);
  }
}

TEST(uai, bayes_and_constants) {
  const uai_file file = parse_uai("BAYES 1 2 2 1 0 0 2 0.25 0.75 1 3\n", "f");
  EXPECT_TRUE(file.is_bayes);
  ASSERT_EQ(file.factors.size(), 2U);
  EXPECT_EQ(file.factors[0].table, (std::vector<double>{0.25, 0.75}));
  EXPECT_TRUE(file.factors[1].variables.empty());
  EXPECT_EQ(file.factors[1].table, std::vector<double>{3});
  const uai_file nothing = parse_uai("MARKOV 0 0", "f");
  EXPECT_TRUE(nothing.values.empty() && nothing.factors.empty());
}

TEST(uai, files) {
  const test::scratch folder;
  EXPECT_EQ(read_uai(folder.write("a.uai", chain)).factors.size(), 2U);
  EXPECT_EQ(read_uai(folder.write("a.uai.gz", test::gzipped(chain))).factors.size(), 2U);
}

TEST(uai, what_is_refused) {
  EXPECT_EQ(refused(""), "f:1: the file ends where the preamble, MARKOV or BAYES belongs");
  EXPECT_EQ(refused("BAYESIAN\n"), "f:1: the preamble is 'BAYESIAN', not MARKOV or BAYES");
  EXPECT_EQ(refused("MARKOV\n-1\n"), "f:2: the number of variables, -1, is outside 0 .. 2147483647");
  EXPECT_EQ(refused("MARKOV\n2\n2 0\n"), "f:3: the number of values of a variable, 0, is outside 1 .. 2147483647");
  EXPECT_EQ(refused("MARKOV\n2\n2\n"), "f:3: the file ends where the number of values of a variable belongs");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 1\n"), "f:5: variable 1 is outside 0 .. 0");
  EXPECT_EQ(refused("MARKOV\n2\n2 2\n1\n2 1 1\n"), "f:5: variable 1 is twice in a factor");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n65\n"), "f:5: the number of variables of a factor, 65, is outside 0 .. 64");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 0\n3\n"), "f:6: a table of 3 elements, of variables that have 2");
  EXPECT_EQ(refused("MARKOV\n2\n2000000000 2000000000\n1\n2 0 1\n4\n"),
            "f:6: a table of more than 1099511627776 elements");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 0\n2\n1\n"), "f:7: the file ends where the element of a table belongs");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 0\n2\n1 -1\n"), "f:7: the element '-1' is below 0");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 0\n2\n1 inf\n"), "f:7: the element 'inf' is not finite");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 0\n2\n1 nan\n"), "f:7: the element 'nan' is not a number");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1\n1 0\n2\n1 2 3\n"), "f:7: '3' behind the last table");
  EXPECT_EQ(refused("MARKOV\n1\n2\n1 1 x\n"), "f:4: the variable of a factor 'x' is not an integer");
}

TEST(uai, every_mutation_reads_or_is_refused) {
  EXPECT_GT(test::read_mutations(chain, [](const std::string& text) { parse_uai(text, "f"); }), 1);
}

}  // namespace uai_test
