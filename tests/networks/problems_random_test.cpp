// Random small instances of every problem: all answers, by the factors, by check(), and by plain loops here.
#include "networks/problem_checks.hpp"

#include <random>
#include <type_traits>

namespace kleene::test::problems_random_test {
namespace {

class instances {
 public:
  explicit instances(unsigned seed) : random_(seed) {}
  int draw(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  // An undirected graph of at most so many vertices, sparse or dense; edges given one way, the other, or both.
  template <class T>
  undirected_graph<T> graph(int most) {
    const int n = draw(most + 1), dense = 1 + draw(10);
    coo<T> list{n, n, {}, {}, {}};
    for (int u = 0; u < n; ++u)
      for (int v = u + 1; v < n; ++v) {
        if (draw(10) >= dense) continue;
        const T w = weight<T>();
        const int ways = draw(3);
        if (ways != 1) list.add(u, v, w);
        if (ways != 0) list.add(v, u, w);
      }
    return undirected(list);
  }
  // Multiples of a quarter: sums of them are exact.
  template <class T>
  T weight() {
    return std::is_floating_point_v<T> ? static_cast<T>((draw(61) - 20) / 4.0) : static_cast<T>(draw(16) - 5);
  }
  template <class T>
  std::vector<T> weights(index_t n) {
    std::vector<T> w;
    if (draw(4) == 0) return w;
    for (index_t i = 0; i < n; ++i) w.push_back(weight<T>());
    return w;
  }

 private:
  std::mt19937 random_;
};

// A matrix of what is between two vertices.
template <class T>
struct plain {
  std::vector<std::vector<T>> weight;
  std::vector<std::vector<bool>> is_edge;
  std::size_t n;

  explicit plain(const undirected_graph<T>& g) : n(static_cast<std::size_t>(g.vertices)) {
    weight.assign(n, std::vector<T>(n, T(0)));
    is_edge.assign(n, std::vector<bool>(n, false));
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
      const auto u = static_cast<std::size_t>(g.edges[e].first), v = static_cast<std::size_t>(g.edges[e].second);
      weight[u][v] = weight[v][u] = g.weights[e];
      is_edge[u][v] = is_edge[v][u] = true;
    }
  }
  template <class Holds>
  bool all_pairs(const Holds& holds) const {
    for (std::size_t u = 0; u < n; ++u)
      for (std::size_t v = 0; v < n; ++v)
        if (u != v && !holds(u, v)) return false;
    return true;
  }
};

template <class T>
T chosen(const std::vector<T>& weights, const answer& a) {
  T sum = 0;
  for (std::size_t v = 0; v < a.size(); ++v) sum += a[v] == 0 ? T(0) : weights.empty() ? T(1) : weights[v];
  return sum;
}

// The best over all answers, by loops: judge(answer) gives whether it is allowed, and its value.
template <class T, class Judge>
summary<T> by_loops(const problem<T>& p, const Judge& judge) {
  summary<T> all;
  for_all(sizes_of(p), [&](const answer& a) {
    const auto [allowed, value] = judge(a);
    if (!allowed) return;
    ++all.feasible;
    if (all.is_feasible && value == all.best) ++all.count;
    const bool better = p.goal == direction::maximise ? value > all.best : value < all.best;
    if (!all.is_feasible || better) all.is_feasible = true, all.best = value, all.count = 1;
  });
  return all;
}

template <class T>
class problems_random : public testing::Test {};
using types = testing::Types<std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(problems_random, types);

// round(instances) many times, each with other instances.
template <class Round>
void every_round(unsigned seed, const Round& round) {
  constexpr int rounds = 250;  // of each problem and type
  instances random(seed);
  for (int r = 0; r < rounds; ++r) {
    SCOPED_TRACE(r);
    round(random);
  }
}

// All answers, by the factors and by check(), and by loops; gives what they agree on.
template <class T, class Judge>
summary<T> expect_as_by_loops(const problem<T>& p, const Judge& judge) {
  const summary<T> all = check_all(p);
  EXPECT_EQ(all, by_loops(p, judge)) << p.name;
  return all;
}

TYPED_TEST(problems_random, spins_and_cuts) {
  using T = TypeParam;
  every_round(1, [](instances& random) {
    const auto g = random.graph<T>(10);
    const plain<T> m(g);
    const auto h = random.weights<T>(g.vertices);
    const problem<T> p = ising(g, h), c = cut(g);
    expect_as_by_loops(p, [&](const answer& a) {
      T energy = 0;
      for (std::size_t u = 0; u < m.n; ++u) {
        const T s = a[u] == 0 ? T(1) : T(-1);
        if (!h.empty()) energy -= h[u] * s;
        for (std::size_t v = 0; v < u; ++v) energy -= m.weight[u][v] * s * (a[v] == 0 ? T(1) : T(-1));
      }
      return std::pair(true, energy);
    });
    expect_as_by_loops(c, [&](const answer& a) {
      T sum = 0;
      for (std::size_t u = 0; u < m.n; ++u)
        for (std::size_t v = 0; v < u; ++v) sum += a[u] != a[v] ? m.weight[u][v] : T(0);
      return std::pair(true, sum);
    });
  });
}

TYPED_TEST(problems_random, choices_of_vertices) {
  using T = TypeParam;
  every_round(2, [](instances& random) {
    const auto g = random.graph<T>(10);
    const plain<T> m(g);
    const auto w = random.weights<T>(g.vertices);
    const auto expect = [&](const problem<T>& p, const auto& allowed) {
      expect_as_by_loops(p, [&](const answer& a) { return std::pair(allowed(a), chosen(w, a)); });
    };
    expect(independent_set(g, w), [&](const answer& a) {
      return m.all_pairs([&](auto u, auto v) { return !(m.is_edge[u][v] && a[u] == 1 && a[v] == 1); });
    });
    expect(clique(g, w), [&](const answer& a) {
      return m.all_pairs([&](auto u, auto v) { return m.is_edge[u][v] || a[u] == 0 || a[v] == 0; });
    });
    expect(vertex_cover(g, w), [&](const answer& a) {
      return m.all_pairs([&](auto u, auto v) { return !m.is_edge[u][v] || a[u] == 1 || a[v] == 1; });
    });
    expect(dominating_set(g, w), [&](const answer& a) {
      for (std::size_t u = 0; u < m.n; ++u) {
        bool dominated = a[u] == 1;
        for (std::size_t v = 0; v < m.n; ++v) dominated |= m.is_edge[u][v] && a[v] == 1;
        if (!dominated) return false;
      }
      return true;
    });
  });
}

TYPED_TEST(problems_random, colors) {
  using T = TypeParam;
  every_round(3, [](instances& random) {
    const auto g = random.graph<T>(6);
    const plain<T> m(g);
    const index_t q = 1 + random.draw(4);
    const auto conflicts = [&](const answer& a) {
      T sum = 0;
      for (std::size_t u = 0; u < m.n; ++u)
        for (std::size_t v = 0; v < u; ++v) sum += m.is_edge[u][v] && a[u] == a[v] ? T(1) : T(0);
      return sum;
    };
    const auto p = coloring<T>(g, q), proper = proper_coloring<T>(g, q);
    expect_as_by_loops(p, [&](const answer& a) { return std::pair(true, conflicts(a)); });
    const auto all = expect_as_by_loops(proper, [&](const answer& a) { return std::pair(conflicts(a) == 0, T(0)); });
    EXPECT_EQ(counted_solutions(proper), all.feasible);
  });
}

TYPED_TEST(problems_random, packings) {
  using T = TypeParam;
  every_round(4, [](instances& random) {
    const int elements = random.draw(7), dense = 1 + random.draw(8);
    std::vector<answer> sets(static_cast<std::size_t>(random.draw(10)));
    for (auto& set : sets)
      for (int e = elements - 1; e >= 0; --e)
        for (int copies = random.draw(10) < dense ? 1 + random.draw(2) : 0; copies > 0; --copies) set.push_back(e);
    const auto w = random.weights<T>(static_cast<index_t>(sets.size()));
    const auto p = set_packing(elements, sets, w);
    const auto all = expect_as_by_loops(p, [&](const answer& a) {
      bool allowed = true;
      for (std::size_t s = 0; s < sets.size(); ++s)
        for (std::size_t t = 0; t < s; ++t)
          for (const auto e : sets[s])
            allowed &= a[s] == 0 || a[t] == 0 || std::count(sets[t].begin(), sets[t].end(), e) == 0;
      return std::pair(allowed, chosen(w, a));
    });
    if (p.factors.variables() <= 12) {
      EXPECT_EQ(counted_solutions(p), all.feasible);
    }
  });
}

TYPED_TEST(problems_random, clauses) {
  using T = TypeParam;
  every_round(5, [](instances& random) {
    const int n = random.draw(10), longest = 1 + random.draw(12);
    std::vector<clause<T>> clauses(static_cast<std::size_t>(random.draw(12)));
    for (auto& c : clauses) {
      for (int l = random.draw(longest + 1); l > 0 && n > 0; --l)
        c.literals.push_back((1 + random.draw(n)) * (random.draw(2) == 0 ? 1 : -1));
      c.weight = random.weight<T>();
      c.is_hard = !c.literals.empty() && random.draw(3) == 0;
    }
    const auto p = max_sat(n, clauses);
    const auto all = expect_as_by_loops(p, [&](const answer& a) {
      bool allowed = true;
      T sum = 0;
      for (const auto& c : clauses) {
        bool holds = false;
        for (const auto l : c.literals) holds |= l > 0 ? a[std::size_t(l - 1)] == 1 : a[std::size_t(-l - 1)] == 0;
        if (c.is_hard) allowed &= holds;
        else if (holds) sum += c.weight;
      }
      return std::pair(allowed, sum);
    });
    if (p.factors.variables() <= 12) {
      EXPECT_EQ(counted_solutions(p), all.feasible);
    }
  });
}

TYPED_TEST(problems_random, factors) {
  using T = TypeParam;
  every_round(6, [](instances& random) {
    factor_graph<T> g;
    const int n = random.draw(6);
    for (int v = 0; v < n; ++v) g.add_variable(1 + random.draw(3));
    const bool most = random.draw(2) == 0;
    const T forbidden = most ? max_plus<T>::zero() : min_plus<T>::zero();
    for (int f = random.draw(6); f > 0; --f) {
      std::vector<int> scope;
      index_t size = 1;
      for (int v = 0; v < n; ++v)
        if (random.draw(2) == 0) scope.push_back(v), size *= g.values(v);
      std::vector<T> table;
      for (index_t e = 0; e < size; ++e) table.push_back(random.draw(8) == 0 ? forbidden : random.weight<T>());
      g.add_factor(scope, table);
    }
    const auto p = general(g, most ? direction::maximise : direction::minimise);
    const auto all = expect_as_by_loops(p, [&](const answer& a) {
      const T cost = g.cost(a);
      return std::pair(cost != forbidden, cost);
    });
    EXPECT_EQ(counted_solutions(p), all.feasible);
  });
}

}  // namespace
}  // namespace kleene::test::problems_random_test
