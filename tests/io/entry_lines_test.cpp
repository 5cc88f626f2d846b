// Files of more than one block, which several threads parse: what one thread would read, and the same refusals.
#include "kleene/io/dimacs.hpp"
#include "kleene/io/gset.hpp"
#include "kleene/io/matrix_market.hpp"
#include "kleene/io/undirected.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace kleene::io::entry_lines_test {
namespace {

constexpr index_t vertices = 1000, entries = 300000;  // 4 to 5 MB

// Line e holds e's own numbers; a blank line and, where there may be one, a comment stand among them.
std::string lines(const std::string& head, const char* start, bool weights, const char* comment) {
  std::string text = head;
  for (index_t e = 0; e < entries; ++e) {
    if (e % 70000 == 69999) text += std::string("\n") + comment;
    text += start + std::to_string(1 + e % vertices) + " " + std::to_string(1 + e / vertices);
    if (weights) text += " " + std::to_string(e);
    text += '\n';
  }
  return text;
}

template <class T>
void expect_lines(const coo<T>& list, bool both_ways, bool weights) {
  index_t at = 0;
  for (index_t e = 0; e < entries; ++e) {
    const auto u = static_cast<std::int32_t>(e % vertices), v = static_cast<std::int32_t>(e / vertices);
    const T weight = weights ? static_cast<T>(e) : T{1};
    ASSERT_LT(at, list.entries());
    ASSERT_TRUE(list.row[at] == u && list.col[at] == v && list.value[at] == weight) << e;
    ++at;
    if (!both_ways || u == v) continue;
    ASSERT_TRUE(list.row[at] == v && list.col[at] == u && list.value[at] == weight) << e;
    ++at;
  }
  EXPECT_EQ(at, list.entries());
}

std::string refused(const std::function<void()>& read) {
  try {
    read();
  } catch (const error& refusal) {
    EXPECT_EQ(refusal.code(), fault_code::bad_input);
    return refusal.what();
  }
  return "read";
}

TEST(entry_lines, blocks_come_together_in_order) {
  const std::string sp = lines("p sp 1000 300000\n", "a ", true, "c between\n"),
                    edge = lines("p edge 1000 300000\n", "e ", false, "n 3 7\n"),
                    pace = lines("p tw 1000 300000\n", "", false, "c between\n"),
                    gset = lines("1000 300000\n", "", true, ""),
                    mtx = lines("%%MatrixMarket matrix coordinate real general\n1000 1000 300000\n", "", true, "");
  for (const int threads : {1, 2, 7}) {
    scanner a(sp, "f"), b(edge, "f"), c(pace, "f"), d(gset, "f"), e(mtx, "f");
    expect_lines(std::get<coo<std::int64_t>>(parse_dimacs_graph(a, threads)), false, true);
    expect_lines(parse_dimacs_edges(b, threads), true, false);
    expect_lines(parse_pace(c, threads), true, false);
    expect_lines(std::get<coo<std::int64_t>>(parse_gset(d, threads)), true, true);
    expect_lines(std::get<coo<double>>(parse_matrix_market(e, threads).values), false, true);
  }
}

TEST(entry_lines, one_real_weight_in_a_late_block_makes_all_real) {
  std::string text = lines("p sp 1000 300001\n", "a ", true, "");
  text += "a 1 2 0.5\n";
  for (const int threads : {1, 3}) {
    scanner in(text, "f");
    coo<double> list = std::get<coo<double>>(parse_dimacs_graph(in, threads));
    EXPECT_EQ(list.value.back(), 0.5);
    list.row.pop_back(), list.col.pop_back(), list.value.pop_back();
    expect_lines(list, false, true);
  }
}

// Arrays go column by column, symmetric ones from the diagonal down, skew-symmetric ones from below it.
TEST(entry_lines, arrays_come_together) {
  constexpr index_t n = 700;
  for (const char* symmetry : {"general", "symmetric", "skew-symmetric"}) {
    const bool general = *symmetry == 'g', skew = symmetry[1] == 'k';
    std::string text = std::string("%%MatrixMarket matrix array integer ") + symmetry + "\n700 700\n";
    for (index_t j = 0; j < n; ++j)
      for (index_t i = general ? 0 : j + skew; i < n; ++i) text += std::to_string(1000000 + 1000 * i + j) + "\n";
    for (const int threads : {1, 2, 5}) {
      scanner in(text, "f");
      const auto values = std::get<matrix<std::int64_t>>(parse_matrix_market(in, threads).values);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) {
          const index_t low = 1000000 + 1000 * i + j, high = 1000000 + 1000 * j + i;
          const index_t expected = general || i > j ? low : i == j ? (skew ? 0 : low) : skew ? -high : high;
          ASSERT_EQ(values(i, j), expected) << symmetry << ' ' << i << ' ' << j;
        }
    }
  }
}

// The first of several refusals counts, and lines are counted through blocks, comments and blank lines.
TEST(entry_lines, refusals_name_the_line) {
  const std::string text = lines("p sp 1000 300000\n", "a ", true, "c between\n");
  const auto read = [](const std::string& changed, int threads) {
    return refused([&] {
      scanner in(changed, "f");
      parse_dimacs_graph(in, threads);
    });
  };
  const auto with = [&](const std::string& from, const std::string& to, const std::string& from2,
                        const std::string& to2) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return from2.empty() ? changed : changed.replace(changed.find(from2), from2.size(), to2);
  };
  for (const int threads : {1, 4}) {
    // Entry e is in line e + 2, and two lines further behind each multiple of 70,000 less one.
    EXPECT_EQ(read(with("\na 1 201 200000\n", "\na 1 201 x\n", "\na 1 291 290000\n", "\na 1 291\n"), threads),
              "f:200006: the weight 'x' is not a number");
    EXPECT_EQ(read(with("\na 1 291 290000\n", "\na 1 291\n", "", ""), threads), "f:290010: the weight is missing");
    EXPECT_EQ(read(with("p sp 1000 300000", "p sp 1000 299990", "", ""), threads),
              "f:300000: an arc beyond the 299990 that the p line promises");
    EXPECT_EQ(read(with("p sp 1000 300000", "p sp 1000 299990", "\na 1 300 299000\n", "\na 1 300\n"), threads),
              "f:299010: the weight is missing");
    EXPECT_EQ(read(with("p sp 1000 300000", "p sp 1000 300001", "", ""), threads),
              "f:300009: the file ends after 300000 of 300001 arcs");
    EXPECT_EQ(read(text + "p sp 1 1\n", threads), "f:300010: a second p line");
  }
}

}  // namespace
}  // namespace kleene::io::entry_lines_test
