#include "kleene/io/problems/cnf.hpp"

#include "io/files.hpp"

#include <vector>

namespace cnf_test {

using namespace kleene;
using namespace kleene::io;
using test::refusal;

namespace {

using literals = std::vector<std::int32_t>;

std::string refused(const std::string& text, const std::string& file = "f") {
  return refusal([&] { parse_cnf(text, file); });
}

}  // namespace

TEST(cnf, clauses) {
  const cnf_file file = parse_cnf("c a comment\np cnf 4 3\n1 -2 0\nc inside\n\n-3\n 4 0 0\n", "f");
  EXPECT_FALSE(file.is_weighted);
  EXPECT_EQ(file.variables, 4);
  ASSERT_EQ(file.clauses.size(), 3U);
  EXPECT_EQ(file.clauses[0].literals, (literals{1, -2}));
  EXPECT_EQ(file.clauses[1].literals, (literals{-3, 4}));
  EXPECT_EQ(file.clauses[2].literals, literals{});
  for (const cnf_clause& clause : file.clauses) EXPECT_TRUE(clause.is_hard);
}

TEST(cnf, a_percent_sign_ends_the_file) {
  const cnf_file file = parse_cnf("p cnf 3 1\r\n1 2 3 0\r\n%\r\n0\r\n\r\n", "f");
  ASSERT_EQ(file.clauses.size(), 1U);
  EXPECT_EQ(file.clauses[0].literals, (literals{1, 2, 3}));
}

TEST(cnf, weights_until_2021) {
  const cnf_file file = parse_cnf("p wcnf 2 3 10\n10 1 2 0\n3 -1 0\n11 -2 0\n", "f");
  EXPECT_TRUE(file.is_weighted);
  ASSERT_EQ(file.clauses.size(), 3U);
  EXPECT_TRUE(file.clauses[0].is_hard);
  EXPECT_FALSE(file.clauses[1].is_hard);
  EXPECT_EQ(file.clauses[1].weight, 3);
  EXPECT_EQ(file.clauses[1].literals, literals{-1});
  EXPECT_TRUE(file.clauses[2].is_hard);
  EXPECT_EQ(file.clauses[2].weight, 1);
  const cnf_file topless = parse_cnf("p wcnf 1 1\n9223372036854775807 1 0\n", "f");
  EXPECT_FALSE(topless.clauses[0].is_hard);
  EXPECT_EQ(topless.clauses[0].weight, 9223372036854775807);
}

TEST(cnf, weights_since_2022) {
  for (const char* name : {"f", "f.wcnf", "f.wcnf.xz"}) {
    const cnf_file file = parse_cnf("c new\nh 1 -7 0\n5 2 0\nh 0\n", name);
    EXPECT_TRUE(file.is_weighted);
    EXPECT_EQ(file.variables, 7);
    ASSERT_EQ(file.clauses.size(), 3U);
    EXPECT_TRUE(file.clauses[0].is_hard);
    EXPECT_EQ(file.clauses[0].literals, (literals{1, -7}));
    EXPECT_EQ(file.clauses[1].weight, 5);
    EXPECT_FALSE(file.clauses[1].is_hard);
    EXPECT_TRUE(file.clauses[2].is_hard);
  }
  EXPECT_EQ(parse_cnf("4 1 2 0\n", "a.wcnf").clauses[0].weight, 4);
}

TEST(cnf, files) {
  const test::scratch folder;
  EXPECT_EQ(read_cnf(folder.write("a.cnf", "p cnf 1 1\n1 0\n")).variables, 1);
  EXPECT_EQ(read_cnf(folder.write("a.cnf.gz", test::gzipped("p cnf 2 1\n1 0\n"))).variables, 2);
}

TEST(cnf, what_is_refused) {
  EXPECT_EQ(refused(""), "f:1: there is no p line");
  for (const char* nothing : {"", "c a comment\n", "\n%\n"})
    EXPECT_TRUE(refused(nothing, "f.wcnf").ends_with(": there is neither a p line nor a clause"));
  EXPECT_TRUE(parse_cnf("p wcnf 0 0\n", "f.wcnf").clauses.empty());
  EXPECT_EQ(refused("c\n1 2 0\n"), "f:2: a clause before the p line");
  EXPECT_EQ(refused("p edge 3 2\n"), "f:1: the p line has 'edge' where 'cnf' or 'wcnf' belongs");
  EXPECT_EQ(refused("p cnf 2\n"), "f:1: the number of clauses is missing");
  EXPECT_EQ(refused("p cnf -2 1\n"), "f:1: -2 variables are outside 0 .. 2147483646");
  EXPECT_EQ(refused("p cnf 2147483647 1\n"), "f:1: 2147483647 variables are outside 0 .. 2147483646");
  EXPECT_EQ(refused("p cnf 2 1 3\n"), "f:1: unexpected '3' at the end of the line");
  EXPECT_EQ(refused("p cnf 2 99999999\n1 0\n"),
            "f:1: 99999999 clauses are promised, but the 4 bytes that follow cannot hold them");
  EXPECT_EQ(refused("p cnf 2 1\np cnf 2 1\n"), "f:2: a second p line");
  EXPECT_EQ(refused("h 1 0\np wcnf 2 1\n"), "f:2: a p line behind clauses");
  EXPECT_EQ(refused("p cnf 2 1\n1 3 0\n"), "f:2: the literal 3 is of none of 2 variables");
  EXPECT_EQ(refused("p cnf 2 1\n1 -9223372036854775808 0\n"),
            "f:2: the literal -9223372036854775808 is of none of 2 variables");
  EXPECT_EQ(refused("p cnf 2 1\n1 x 0\n"), "f:2: the literal 'x' is not an integer");
  EXPECT_EQ(refused("p cnf 2 1\n1 2\n"), "f:2: the last clause has no 0 at its end");
  EXPECT_EQ(refused("p cnf 2 3\n1 0 2 0\n"), "f:2: the file ends after 2 of 3 clauses");
  EXPECT_EQ(refused("p cnf 2 1\n1 0\n2 0\n"), "f:3: a clause beyond the 1 that the p line promises");
  EXPECT_EQ(refused("p wcnf 2 1 5\n0 1 0\n"), "f:2: the weight 0 is below 1");
  EXPECT_EQ(refused("p wcnf 2 1 0\n"), "f:1: the top 0 is below 1");
  EXPECT_EQ(refused("p wcnf 2 1 5\n0.5 1 0\n"), "f:2: the weight '0.5' is not an integer");
  EXPECT_EQ(refused("p wcnf 2 1 5\nh 1 0\n"), "f:2: the weight 'h' is not an integer");
  EXPECT_EQ(refused("h 1\n2 0\n"), "f:1: the clause has no 0 at its end");
  EXPECT_EQ(refused("1 2\n", "f.wcnf"), "f.wcnf:1: the clause has no 0 at its end");
}

TEST(cnf, every_mutation_reads_or_is_refused) {
  const auto read = [](const std::string& text) { parse_cnf(text, "f"); };
  EXPECT_GT(test::read_mutations("c x\np cnf 3 2\n1 -2 0\r\n-3 0\n", read), 1);
  EXPECT_GT(test::read_mutations("p wcnf 3 2 9\n9 1 -2 0\n4 -3 0\n", read), 1);
  EXPECT_GT(test::read_mutations("h 1 -2 0\n4 -3 0\n", read), 1);
}

}  // namespace cnf_test
