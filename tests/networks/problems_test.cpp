// Problems whose answers are known: by hand, or published. Then what is refused, with which words.
#include "networks/problem_checks.hpp"
#include "support/equal.hpp"

#include <cmath>
#include <limits>

namespace kleene::test::problems_test {
namespace {

using edges = std::vector<std::pair<std::int32_t, std::int32_t>>;
using found = summary<std::int32_t>;
using integers = std::vector<std::int32_t>;

simple_graph path(std::int32_t n) {
  simple_graph g{n, {}};
  for (std::int32_t v = 0; v + 1 < n; ++v) g.edges.emplace_back(v, v + 1);
  return g;
}
simple_graph cycle(std::int32_t n) {
  simple_graph g = path(n);
  g.edges.insert(g.edges.begin() + 1, {0, n - 1});
  return g;
}
simple_graph complete(std::int32_t n) {
  simple_graph g{n, {}};
  for (std::int32_t u = 0; u < n; ++u)
    for (std::int32_t v = u + 1; v < n; ++v) g.edges.emplace_back(u, v);
  return g;
}
// Vertex 0 in the middle.
simple_graph star(std::int32_t leaves) {
  simple_graph g{leaves + 1, {}};
  for (std::int32_t v = 1; v <= leaves; ++v) g.edges.emplace_back(0, v);
  return g;
}
// An outer cycle 0 to 4, an inner star 5 to 9, and spokes.
simple_graph petersen() {
  return {10,
          {{0, 1},
           {0, 4},
           {0, 5},
           {1, 2},
           {1, 6},
           {2, 3},
           {2, 7},
           {3, 4},
           {3, 8},
           {4, 9},
           {5, 7},
           {5, 8},
           {6, 8},
           {6, 9},
           {7, 9}}};
}
template <class T>
undirected_graph<T> weighted(const simple_graph& g, const std::vector<T>& weights) {
  undirected_graph<T> w;
  w.vertices = g.vertices, w.edges = g.edges, w.weights = weights;
  return w;
}
undirected_graph<std::int32_t> unit(const simple_graph& g) { return weighted(g, integers(g.edges.size(), 1)); }

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

TEST(problems, independent_sets) {
  EXPECT_EQ(check_all(independent_set(path(3))), (found{true, 2, 1, 5}));
  EXPECT_EQ(check_all(independent_set(cycle(5))), (found{true, 2, 5, 11})) << "Lucas' fifth number of them";
  EXPECT_EQ(check_all(independent_set(petersen())), (found{true, 4, 5, 76}));
  EXPECT_EQ(check_all(independent_set(complete(4))), (found{true, 1, 4, 5}));
  EXPECT_EQ(check_all(independent_set(path(3), integers{1, 3, 1})), (found{true, 3, 1, 5}));
  EXPECT_EQ(check_all(independent_set(path(3), integers{-1, -3, 0})), (found{true, 0, 2, 5}));
  EXPECT_EQ(independent_set(path(3)).goal, direction::maximise);
  const auto p = independent_set(path(3));
  EXPECT_EQ(p.check(answer{1, 1, 0}).why, "vertices 0 and 1 are neighbours, and both chosen");
  EXPECT_EQ(p.check(answer{1, 1, 0}).value, 2) << "worth something, though it is not allowed";
  EXPECT_EQ(p.factors.cost(answer{1, 1, 0}), -1073741823);
}

TEST(problems, cliques_and_covers) {
  EXPECT_EQ(check_all(clique(petersen())), (found{true, 2, 15, 26})) << "no triangle: 1 + 10 + 15";
  EXPECT_EQ(check_all(clique(complete(4))), (found{true, 4, 1, 16}));
  EXPECT_EQ(check_all(vertex_cover(petersen())), (found{true, 6, 5, 76})) << "all but an independent set";
  EXPECT_EQ(check_all(vertex_cover(star(7))), (found{true, 1, 1, 129}));
  EXPECT_EQ(check_all(vertex_cover(star(3), integers{4, 1, 1, 1})), (found{true, 3, 1, 9}));
  EXPECT_EQ(clique(path(3)).check(answer{1, 0, 1}).why, "vertices 0 and 2 are no neighbours, and both chosen");
  EXPECT_EQ(vertex_cover(path(3)).check(answer{1, 0, 0}).why, "vertices 1 and 2 are neighbours, and neither is chosen");
  EXPECT_EQ(vertex_cover(path(3)).goal, direction::minimise);
}

TEST(problems, dominating_sets) {
  const auto best = check_all(dominating_set(petersen()));
  EXPECT_EQ(best.best, 3);
  EXPECT_EQ(best.count, 10);
  EXPECT_EQ(check_all(dominating_set(path(3))), (found{true, 1, 1, 5}));
  EXPECT_EQ(check_all(dominating_set(cycle(5))), (found{true, 2, 5, 21}));
  EXPECT_EQ(check_all(dominating_set(complete(9))), (found{true, 1, 9, 511})) << "a constraint of nine, once";
  EXPECT_EQ(dominating_set(complete(9)).factors.variables(), 9 + 6);
  EXPECT_EQ(check_all(dominating_set(simple_graph{2, {}})), (found{true, 2, 1, 1}));
  EXPECT_EQ(dominating_set(path(4)).check(answer{1, 0, 0, 0}).why,
            "vertex 2 is not chosen, and none of its neighbours is");
}

// 2^61 answers, and no table of them: 58 auxiliary variables in a chain.
TEST(problems, a_star_of_sixty_leaves) {
  const auto p = dominating_set(star(60));
  EXPECT_EQ(p.own.size(), 61u);
  EXPECT_EQ(p.factors.variables(), 61 + 58);
  for (const auto& f : p.factors.factors()) EXPECT_LE(f.table.size(), 64u);
  const extensions<std::int32_t> tables(p);
  answer middle(61, 0), leaves(61, 1), most(61, 1);
  middle[0] = 1, leaves[0] = 0, most[0] = 0, most[60] = 0;
  ASSERT_EQ(tables.of(middle).size(), 1u);
  EXPECT_EQ(p.factors.cost(tables.of(middle)[0]), 1);
  EXPECT_EQ(p.check(middle).value, 1);
  ASSERT_EQ(tables.of(leaves).size(), 1u);
  EXPECT_EQ(p.factors.cost(tables.of(leaves)[0]), 60);
  EXPECT_TRUE(tables.of(most).empty());
  EXPECT_EQ(p.check(most).why, "vertex 60 is not chosen, and none of its neighbours is");
  EXPECT_TRUE(tables.of(answer(61, 0)).empty());
}

// Of six variables a constraint is one table, of seven a chain with four more.
TEST(problems, where_chains_begin) {
  const auto six = dominating_set(complete(6)), seven = dominating_set(complete(7));
  EXPECT_EQ(six.factors.variables(), 6);
  EXPECT_EQ(six.factors.factors().back().table.size(), 64u);
  EXPECT_EQ(seven.factors.variables(), 7 + 4);
  EXPECT_EQ(seven.factors.factors().back().table.size(), 8u);
}

TEST(problems, cuts) {
  EXPECT_EQ(check_all(cut(unit(cycle(5)))), (found{true, 4, 10, 32}));
  EXPECT_EQ(check_all(cut(unit(cycle(4)))), (found{true, 4, 2, 16}));
  EXPECT_EQ(check_all(cut(unit(petersen()))).best, 12);
  EXPECT_EQ(check_all(cut(unit(complete(5)))), (found{true, 6, 20, 32})) << "two and three";
  EXPECT_EQ(check_all(cut(weighted(path(3), integers{5, -2}))), (found{true, 5, 2, 8}));
}

TEST(problems, spins) {
  const auto antiferro = weighted(complete(3), integers{-1, -1, -1});
  EXPECT_EQ(check_all(ising(antiferro)), (found{true, -1, 6, 8})) << "one bond of a triangle is frustrated";
  EXPECT_EQ(check_all(ising(unit(complete(3)))), (found{true, -3, 2, 8}));
  const auto p = ising(unit(path(3)), integers{0, 0, 2});
  EXPECT_EQ(check_all(p), (found{true, -4, 1, 8}));
  EXPECT_EQ(p.check(answer{0, 0, 0}).value, -4) << "value 0 is spin +1, which a field of 2 wants";
  EXPECT_EQ(p.check(answer{1, 1, 1}).value, 0);
  EXPECT_EQ(p.check(answer{0, 1, 0}).value, 0);
  EXPECT_EQ(p.factors.factors().size(), 5u);
  // -1.5 s0 s1 + 0.25 s0: least where the spins agree, and spin 0 is -1.
  const auto q = ising(weighted(path(2), std::vector<double>{1.5}), {-0.25, 0});
  EXPECT_EQ(check_all(q), (summary<double>{true, -1.75, 1, 4}));
  EXPECT_EQ(q.check(answer{1, 1}).value, -1.75);
}

TEST(problems, colorings) {
  EXPECT_EQ(check_all(proper_coloring(complete(4), 4)), (found{true, 0, 24, 24}));
  EXPECT_FALSE(check_all(proper_coloring(complete(4), 3)).is_feasible);
  EXPECT_EQ(check_all(proper_coloring(cycle(5), 3)).count, 30) << "2^5 - 2";
  EXPECT_EQ(check_all(proper_coloring(petersen(), 3)).count, 120);
  EXPECT_EQ(counted_solutions(proper_coloring(complete(4), 4)), 24);
  EXPECT_EQ(check_all(coloring(cycle(5), 2)), (found{true, 1, 10, 32}));
  EXPECT_EQ(check_all(coloring(complete(4), 3)), (found{true, 1, 36, 81}));
  EXPECT_EQ(check_all(coloring(petersen(), 1)), (found{true, 15, 1, 1}));
  EXPECT_EQ(proper_coloring(path(2), 2).check(answer{1, 1}).why,
            "vertices 0 and 1 are neighbours, and have one colour");
}

TEST(problems, packings) {
  EXPECT_EQ(check_all(set_packing(4, {{0, 1}, {1, 2}, {2, 3}})), (found{true, 2, 1, 5}));
  EXPECT_EQ(check_all(set_packing(4, {{0, 1}, {1, 2}, {2, 3}}, integers{1, 5, 1})), (found{true, 5, 1, 5}));
  const std::vector<integers> eight(8, integers{3, 3});
  EXPECT_EQ(check_all(set_packing(4, eight)), (found{true, 1, 8, 9})) << "at most one of eight";
  EXPECT_EQ(set_packing(4, eight).factors.variables(), 8 + 5);
  EXPECT_EQ(check_all(set_packing(0, {{}, {}})), (found{true, 2, 1, 4})) << "empty sets share nothing";
  EXPECT_EQ(set_packing(4, {{0, 1}, {1, 2}}).check(answer{1, 1}).why,
            "sets 0 and 1 share element 1, and are both chosen");
}

TEST(problems, satisfiability) {
  std::vector<clause<std::int32_t>> all;
  for (int signs = 0; signs < 8; ++signs) all.push_back({{signs & 1 ? 1 : -1, signs & 2 ? 2 : -2, signs & 4 ? 3 : -3}});
  EXPECT_EQ(check_all(max_sat(3, all)), (found{true, 7, 8, 8})) << "of all eight clauses one fails, whatever one does";
  for (auto& c : all) c.is_hard = true;
  EXPECT_FALSE(check_all(max_sat(3, all)).is_feasible);
  all.pop_back();
  EXPECT_EQ(check_all(max_sat(3, all)), (found{true, 0, 1, 1}));
  EXPECT_EQ(counted_solutions(max_sat<std::int32_t>(2, {{{1, 2}, 1, true}})), 3);
  // Three pigeons, two holes: p is in the first where p is true.
  EXPECT_FALSE(check_all(max_sat<std::int32_t>(3, {{{1, 2}, 1, true},
                                                   {{1, 3}, 1, true},
                                                   {{2, 3}, 1, true},
                                                   {{-1, -2}, 1, true},
                                                   {{-1, -3}, 1, true},
                                                   {{-2, -3}, 1, true}}))
                   .is_feasible);
  const auto weighted = max_sat<std::int32_t>(2, {{{1}, 5}, {{-1}, 3}, {{}, 9}, {{2, -2}, 2}, {{2, 2, -1}, 4}});
  EXPECT_EQ(check_all(weighted), (found{true, 11, 1, 4})) << "5 + 2 + 4 where both are true";
  EXPECT_FALSE(check_all(max_sat<std::int32_t>(1, {{{}, 1, true}})).is_feasible);
  EXPECT_EQ(max_sat<std::int32_t>(1, {{{1}, 1, true}}).check(answer{0}).why, "clause 0 is hard, and not satisfied");
}

TEST(problems, a_clause_of_sixty_literals) {
  clause<std::int32_t> every{{}, 7, false};
  for (std::int32_t v = 1; v <= 60; ++v) every.literals.push_back(v % 3 == 0 ? -v : v);
  const auto p = max_sat<std::int32_t>(60, {every});
  EXPECT_EQ(p.factors.variables(), 60 + 57);
  for (const auto& f : p.factors.factors()) EXPECT_LE(f.table.size(), 64u);
  const extensions<std::int32_t> tables(p);
  answer none(60, 0);
  for (std::size_t v = 2; v < 60; v += 3) none[v] = 1;
  for (std::size_t flipped = 0; flipped <= 60; ++flipped) {
    answer a = none;
    if (flipped < 60) a[flipped] = 1 - a[flipped];
    ASSERT_EQ(tables.of(a).size(), 1u);
    EXPECT_EQ(p.factors.cost(tables.of(a)[0]), flipped < 60 ? 7 : 0);
    EXPECT_EQ(p.check(a).value, flipped < 60 ? 7 : 0);
  }
}

TEST(problems, graphs_without_edges_or_vertices) {
  const simple_graph nothing{0, {}}, loose{3, {}};
  for (const auto& p : {independent_set(nothing), clique(nothing), vertex_cover(nothing), dominating_set(nothing),
                        coloring(nothing, 2), proper_coloring(nothing, 1), cut(unit(nothing)), ising(unit(nothing)),
                        set_packing(5, {}), max_sat<std::int32_t>(0, {})})
    EXPECT_EQ(check_all(p), (found{true, 0, 1, 1})) << p.name;
  EXPECT_EQ(check_all(independent_set(loose)), (found{true, 3, 1, 8}));
  EXPECT_EQ(check_all(clique(loose)), (found{true, 1, 3, 4}));
  EXPECT_EQ(check_all(vertex_cover(loose)), (found{true, 0, 1, 8}));
  EXPECT_EQ(check_all(ising(unit(loose))), (found{true, 0, 8, 8})) << "isolated spins count";
  EXPECT_EQ(counted_solutions(proper_coloring(loose, 4)), 64);
  factor_graph<std::int32_t> free;
  free.add_variable(3), free.add_variable(2);
  const auto counted = general(free, direction::minimise);
  EXPECT_EQ(check_all(counted), (found{true, 0, 6, 6}));
  EXPECT_EQ(counted.factors.to_network().tensors, (std::vector<std::vector<int>>{{0}, {1}})) << "each in some factor";
}

TEST(problems, undirected_graphs) {
  coo<std::int32_t> list{4, 4, {}, {}, {}};
  list.add(2, 0, 3), list.add(0, 2, 3);  // both ways: once
  list.add(3, 1, 4), list.add(3, 1, 1);  // twice one way: added
  list.add(0, 1, 0);                     // an edge of weight 0 is one
  const auto g = undirected(list);
  EXPECT_EQ(g.vertices, 4);
  EXPECT_EQ(g.edges, (edges{{0, 1}, {0, 2}, {1, 3}}));
  EXPECT_EQ(g.weights, (integers{0, 3, 5}));
  const auto same = undirected(make_csr(list, [](auto a, auto b) { return a + b; }));
  EXPECT_EQ(same.edges, g.edges);
  EXPECT_EQ(same.weights, g.weights);
  list.add(2, 0, 1);
  EXPECT_EQ(refused([&] { (void)undirected(list); }),
            "the edge from 0 to 2 has weight 3, and 4 the other way; an edge has one weight");
  coo<bool> flags{2, 2, {}, {}, {}};
  flags.add(1, 0, true), flags.add(1, 0, false);
  EXPECT_EQ(undirected(flags).edges, (edges{{0, 1}}));
  EXPECT_TRUE(undirected(flags).weights.at(0)) << "or";
  EXPECT_TRUE(undirected(coo<float>{}).edges.empty());
  EXPECT_EQ(check_all(independent_set(undirected(flags))).best, 1);

  coo<std::int32_t> loop{3, 3, {}, {}, {}};
  loop.add(0, 1, 1), loop.add(2, 2, 5);
  EXPECT_EQ(refused([&] { (void)undirected(loop); }), "vertex 2 has an edge to itself; edges join two vertices here");
  const index_t offsets[] = {0, 2, 2, 2};
  const std::int32_t columns[] = {2, 1};
  const float ones[] = {1, 1};
  EXPECT_TRUE(contains(refused([&] { (void)undirected(csr_view<float>{3, 3, offsets, columns, ones}); }), "ascend"));
  coo<std::int32_t> oblong{3, 2, {}, {}, {}};
  EXPECT_EQ(refused([&] { (void)undirected(oblong); }), "a graph is a square matrix, not one of 3 x 2");
  coo<std::int32_t> outside{3, 3, {0}, {3}, {1}};
  EXPECT_TRUE(contains(refused([&] { (void)undirected(outside); }), "entry 0 is (0, 3)"));
  coo<std::int32_t> large{2, 2, {0, 0}, {1, 1}, {2000000000, 2000000000}};
  EXPECT_TRUE(contains(refused([&] { (void)undirected(large); }), "2000000000 + 2000000000, does not fit"));
}

TEST(problems, graphs_by_hand_are_checked) {
  const auto of = [](edges list) { return refused([&] { (void)independent_set(simple_graph{3, std::move(list)}); }); };
  EXPECT_EQ(of({{0, 3}}), "edge 0 is {0, 3} in a graph of 3 vertices");
  EXPECT_EQ(of({{-1, 2}}), "edge 0 is {-1, 2} in a graph of 3 vertices");
  EXPECT_EQ(of({{0, 1}, {2, 1}}), "edge 1 is {2, 1}; an edge's first vertex is below its second");
  EXPECT_EQ(of({{1, 1}}), "edge 0 is {1, 1}; an edge's first vertex is below its second");
  EXPECT_EQ(of({{0, 1}, {0, 1}}), "edge 1 is {0, 1}, not above the edge before it; edges rise");
  EXPECT_TRUE(contains(refused([] { (void)clique(simple_graph{-1, {}}); }), "-1 vertices"));
  EXPECT_TRUE(contains(refused([] { (void)cut(undirected_graph<float>{{2, {{0, 1}}}, {}}); }), "0 weights, of 1 edge"));
}

TEST(problems, weights_that_do_not_fit_are_refused) {
  const std::int32_t limit = 268435455;
  EXPECT_EQ(check_all(independent_set(path(2), integers{limit - 2, 1})).best, limit - 2);
  EXPECT_TRUE(contains(refused([&] { (void)independent_set(path(2), integers{limit - 1, 1}); }), "use a wider one"));
  EXPECT_TRUE(contains(refused([&] { (void)independent_set(path(2), integers{-2147483647 - 1, 1}); }), "2147483649"));
  EXPECT_EQ(check_all(independent_set(path(2), std::vector<std::int64_t>{limit, 1})).best, limit);
  const std::int64_t lowest = std::numeric_limits<std::int64_t>::lowest();
  EXPECT_TRUE(contains(refused([&] { (void)cut(weighted(path(3), std::vector<std::int64_t>{lowest, lowest})); }),
                       "about 18446744073709551616"));
  EXPECT_TRUE(contains(refused([&] { (void)ising(unit(path(2)), integers{limit - 2, 1}); }), "use a wider one"));
  EXPECT_TRUE(contains(refused([&] { (void)max_sat<std::int32_t>(1, {{{1}, limit}}); }), "use a wider one"));
  EXPECT_EQ(check_all(max_sat<std::int32_t>(1, {{{1}, limit, true}})).best, 0) << "a hard clause has no weight";
  EXPECT_EQ(refused([] { (void)independent_set(path(2), std::vector<double>{1, std::nan("")}); }),
            "the weight of vertex 1 is nan; weights are finite");
  EXPECT_EQ(refused([] { (void)ising(weighted(path(2), std::vector<float>{INFINITY})); }),
            "the weight of edge 0 is inf; weights are finite");
  EXPECT_TRUE(contains(refused([] { (void)independent_set(path(2), std::vector<float>{3e38f, 3e38f}); }), "6e+38"));
}

TEST(problems, what_else_is_refused) {
  EXPECT_EQ(refused([] { (void)independent_set(path(3), integers{1}); }), "an independent set has 1 weights, of 3");
  EXPECT_EQ(refused([] { (void)ising(unit(path(3)), integers{1}); }), "an Ising model has 1 field, of 3 spins");
  EXPECT_TRUE(contains(refused([] { (void)coloring(path(3), 0); }), "a coloring with 0 colours"));
  EXPECT_EQ(refused([] { (void)set_packing(2, {{0}, {2}}); }), "set 1 has element 2; there are 2");
  EXPECT_EQ(refused([] { (void)set_packing(2, {{-1}}); }), "set 0 has element -1; there are 2");
  EXPECT_TRUE(contains(refused([] { (void)set_packing(-1, {}); }), "-1 elements"));
  EXPECT_EQ(refused([] { (void)max_sat<std::int32_t>(2, {{{1, 0}}}); }),
            "clause 0 has literal 0; there are 1 to 2, and their negatives");
  EXPECT_TRUE(contains(refused([] { (void)max_sat<std::int32_t>(2, {{{-3}}}); }), "literal -3"));
  EXPECT_TRUE(contains(refused([] { (void)max_sat<std::int32_t>(2, {{{-2147483647 - 1}}}); }), "literal -2147483648"));
  EXPECT_TRUE(contains(refused([] { (void)max_sat<std::int32_t>(-1, {}); }), "-1 variables"));
  const auto p = independent_set(path(3));
  EXPECT_EQ(refused([&] { (void)p.check(answer{0, 1}); }),
            "an independent set: an answer has 2 values, of 3 that it takes");
  EXPECT_EQ(refused([&] { (void)p.check(answer{0, 2, 0}); }),
            "an independent set: value 1 of the answer is 2, of 2 from 0");
  EXPECT_TRUE(contains(refused([&] { (void)p.check(answer{0, 0, -1}); }), "value 2 of the answer is -1"));
  EXPECT_TRUE(contains(refused([&] { (void)p.own_values(answer{0}); }), "1 value, of 3 variables"));
}

}  // namespace
}  // namespace kleene::test::problems_test
