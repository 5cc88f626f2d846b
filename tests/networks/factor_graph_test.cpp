// Factor graphs: costs by hand and beside plain loops, networks, and what is refused with which words.
#include "kleene/networks/factor_graph.hpp"

#include "support/equal.hpp"

#include <limits>
#include <random>

namespace kleene::test::factor_graph_test {
namespace {

using values = std::vector<std::int32_t>;

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

factor_graph<double> two() {
  factor_graph<double> p;
  const int x = p.add_variable(2), y = p.add_variable(3);
  p.add_factor({x, y}, {0, 1, 2, 3, 4, 5});
  p.add_factor({y}, {10, 20, 30});
  p.add_factor({}, {0.5});
  return p;
}

TEST(factor_graph, costs_by_hand) {
  const factor_graph<double> p = two();
  EXPECT_EQ(p.variables(), 2);
  EXPECT_EQ(p.values(0), 2);
  EXPECT_EQ(p.values(1), 3);
  EXPECT_EQ(p.factors().size(), 3u);
  EXPECT_EQ(p.cost(values{0, 0}), 10.5);
  EXPECT_EQ(p.cost(values{0, 2}), 32.5);
  EXPECT_EQ(p.cost(values{1, 0}), 13.5);
  EXPECT_EQ(p.cost(values{1, 2}), 35.5) << "the last variable varies fastest";
  EXPECT_EQ(p.entry(p.factors()[0], values{1, 1}), 4);
  factor_graph<double> swapped;
  swapped.add_variable(2), swapped.add_variable(3);
  swapped.add_factor({1, 0}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(swapped.cost(values{1, 2}), 5);
  EXPECT_EQ(swapped.cost(values{0, 1}), 2) << "in the order of the factor's variables";
  EXPECT_EQ(factor_graph<float>().cost(values{}), 0);
}

TEST(factor_graph, its_network) {
  const network n = two().to_network();
  EXPECT_EQ(n.extents, (std::vector<index_t>{2, 3}));
  EXPECT_EQ(n.tensors, (std::vector<std::vector<int>>{{0, 1}, {1}, {}}));
  EXPECT_TRUE(n.open.empty());
  factor_graph<std::int32_t> loose;
  loose.add_variable(4);
  EXPECT_EQ(loose.to_network().indices(), 1);
  EXPECT_EQ(loose.to_network().size(), 0);
  EXPECT_EQ(loose.cost(values{3}), 0);
}

TEST(factor_graph, an_infinity_stays_one) {
  factor_graph<std::int32_t> p;
  p.add_variable(2);
  for (int copies = 0; copies < 5; ++copies) p.add_factor({0}, {1073741823, -1073741823});
  EXPECT_EQ(p.cost(values{0}), 1073741823) << "five times max/2 is no other number";
  EXPECT_EQ(p.cost(values{1}), -1073741823);
  p.add_factor({0}, {-1073741823, 7});
  EXPECT_EQ(p.cost(values{1}), -1073741823);
  EXPECT_TRUE(contains(refused([&] { (void)p.cost(values{0}); }), "infinities of both signs; factor 5 the second"));
  factor_graph<float> q;
  const float infinite = std::numeric_limits<float>::infinity();
  q.add_variable(1);
  q.add_factor({0}, {infinite});
  q.add_factor({0}, {3});
  EXPECT_EQ(q.cost(values{0}), infinite);
  EXPECT_TRUE(is_forbidden(-infinite) && is_forbidden(std::int64_t{-4611686018427387903}) &&
              is_forbidden(std::int64_t{4611686018427387903}) && is_forbidden(std::int32_t{1073741823}));
  EXPECT_FALSE(is_forbidden(std::int64_t{1073741823}) || is_forbidden(0.0) || is_forbidden(3e38f));
}

TEST(factor_graph, sums_that_do_not_fit_are_refused) {
  factor_graph<std::int32_t> p;
  p.add_variable(1);
  p.add_factor({}, {2000000000});
  p.add_factor({}, {2000000000});
  EXPECT_TRUE(contains(refused([&] { (void)p.cost(values{0}); }), "4000000000"));
  p.add_factor({}, {-2000000000});
  EXPECT_EQ(p.cost(values{0}), 2000000000) << "whatever the order";
  factor_graph<std::int64_t> q;
  for (int copies = 0; copies < 3; ++copies) q.add_factor({}, {std::numeric_limits<std::int64_t>::lowest()});
  EXPECT_TRUE(contains(refused([&] { (void)q.cost(values{}); }), "use a wider type"));
  factor_graph<std::int32_t> infinite;  // max/2 as a sum of two that are finite
  infinite.add_factor({}, {536870912});
  infinite.add_factor({}, {536870911});
  EXPECT_TRUE(contains(refused([&] { (void)infinite.cost(values{}); }), "1073741823"));
  infinite.add_factor({}, {1});
  EXPECT_EQ(infinite.cost(values{}), 1073741824);
}

template <class T>
void floats_that_do_not_fit_are_refused(T large) {
  factor_graph<T> p;
  p.add_factor({}, {large});
  p.add_factor({}, {large});
  EXPECT_TRUE(contains(refused([&] { (void)p.cost(values{}); }), "finite but too large"));
  p.add_factor({}, {-large});
  EXPECT_EQ(p.cost(values{}), large) << "beyond them on the way";
  p.add_factor({}, {std::numeric_limits<T>::quiet_NaN()});
  EXPECT_NE(p.cost(values{}), p.cost(values{}));
}

TEST(factor_graph, sums_of_floats_that_do_not_fit_are_refused) {
  floats_that_do_not_fit_are_refused(3e38f);
  floats_that_do_not_fit_are_refused(1e308);
}

TEST(factor_graph, what_is_refused) {
  factor_graph<double> p = two();
  EXPECT_EQ(refused([&] { p.add_variable(0); }), "variable 2 has 0 values; a variable takes at least one");
  EXPECT_TRUE(contains(refused([&] { p.add_variable(index_t{1} << 40); }), "at most 2147483648"));
  EXPECT_EQ(refused([&] { p.add_factor({0, 2}, {1}); }), "factor 3 has variable 2; there are 2");
  EXPECT_EQ(refused([&] { p.add_factor({-1}, {1}); }), "factor 3 has variable -1; there are 2");
  EXPECT_EQ(refused([&] { p.add_factor({1, 0, 1}, {1}); }), "factor 3 has variable 1 twice");
  EXPECT_EQ(refused([&] { p.add_factor({1, 0}, {1, 2}); }),
            "factor 3 has a table of 2 elements; its variables have 3 x 2 combinations");
  EXPECT_EQ(refused([&] { p.add_factor({}, {}); }),
            "factor 3 has a table of 0 elements; its variables have 1 combinations");
  EXPECT_EQ(refused([&] { (void)p.cost(values{0}); }), "an assignment has 1 value, of 2 variables");
  EXPECT_EQ(refused([&] { (void)p.cost(values{0, 3}); }), "variable 1 is 3, of 3 values from 0");
  EXPECT_EQ(refused([&] { (void)p.cost(values{-1, 0}); }), "variable 0 is -1, of 2 values from 0");
  EXPECT_EQ(p.factors().size(), 3u) << "what was refused is not there";
  factor_graph<float> wide;
  std::vector<int> all;
  for (int v = 0; v < 65; ++v) all.push_back(wide.add_variable(1 << 30));
  EXPECT_TRUE(contains(refused([&] { wide.add_factor(all, {1}); }), "has 65 variables; at most 64"));
  all.pop_back();
  EXPECT_TRUE(contains(refused([&] { wide.add_factor(all, {1}); }), "a table of 1 elements")) << "2^1920 combinations";
  all.resize(5);
  EXPECT_TRUE(contains(refused([&] { wide.add_factor(all, {}); }), "a table of 0 elements")) << "2^150";
}

// Beside sums written out here, over all assignments of random graphs.
TEST(factor_graph, random_graphs_beside_plain_sums) {
  std::mt19937 random(5);
  const auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 100; ++round) {
    factor_graph<std::int64_t> p;
    const int n = 1 + draw(5), factors = draw(8);
    std::vector<int> sizes;
    for (int v = 0; v < n; ++v) sizes.push_back(1 + draw(3)), p.add_variable(sizes.back());
    std::vector<std::vector<int>> scopes;
    std::vector<std::vector<std::int64_t>> tables;
    for (int f = 0; f < factors; ++f) {
      scopes.emplace_back();
      std::size_t size = 1;
      for (int v = n - 1; v >= 0; --v)
        if (draw(2)) scopes.back().push_back(v), size *= static_cast<std::size_t>(sizes[static_cast<std::size_t>(v)]);
      tables.emplace_back(size);
      for (auto& t : tables.back()) t = draw(1000) - 500;
      p.add_factor(scopes.back(), tables.back());
    }
    values at(static_cast<std::size_t>(n), 0);
    for (int v = 0; v >= 0;) {
      std::int64_t want = 0;
      for (std::size_t f = 0; f < scopes.size(); ++f) {
        int element = 0;
        for (const int u : scopes[f]) element = element * sizes[std::size_t(u)] + at[std::size_t(u)];
        want += tables[f][static_cast<std::size_t>(element)];
      }
      ASSERT_EQ(p.cost(at), want);
      for (v = n - 1; v >= 0 && ++at[std::size_t(v)] == sizes[std::size_t(v)]; --v) at[std::size_t(v)] = 0;
    }
  }
}

}  // namespace
}  // namespace kleene::test::factor_graph_test
