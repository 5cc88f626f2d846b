// Spins, cuts and colours: edges that care whether their ends are alike.
#include "data/counted.hpp"
#include "kleene/data/error.hpp"
#include "networks/problems.hpp"

namespace kleene {

namespace {

using networks::magnitude;

// Weights of the edges, checked, and added to a sum of magnitudes.
template <class T>
std::vector<T> edge_weights(const char* problem, const undirected_graph<T>& g, magnitude<T>& sum) {
  require_simple(g);
  if (g.weights.size() != g.edges.size())
    throw shape_error(std::string(problem) + " has " + detail::counted(std::ssize(g.weights), "weight", "weights") +
                      ", of " + detail::counted(std::ssize(g.edges), "edge", "edges"));
  for (std::size_t e = 0; e < g.edges.size(); ++e) sum.add("the weight of edge", static_cast<index_t>(e), g.weights[e]);
  return g.weights;
}

bool is_alike(const std::pair<std::int32_t, std::int32_t>& edge, std::span<const std::int32_t> answer) {
  return answer[static_cast<std::size_t>(edge.first)] == answer[static_cast<std::size_t>(edge.second)];
}

std::string edge_text(const std::pair<std::int32_t, std::int32_t>& edge) {
  return "vertices " + std::to_string(edge.first) + " and " + std::to_string(edge.second);
}

// q colours; an edge with one colour at both ends counts 1, or is forbidden.
template <class T>
problem<T> colors(const char* name, const simple_graph& g, index_t q, bool is_forbidden) {
  require_simple(g);
  if (q < 1) throw argument_error(std::string(name) + " with " + std::to_string(q) + " colours; it takes at least one");
  magnitude<T> sum;
  for (std::size_t e = 0; e < g.edges.size(); ++e) sum.add("edge", static_cast<index_t>(e), T(1));
  sum.require_fits(name);
  problem<T> p = networks::start<T>(name, direction::minimise, g.vertices, q);
  const std::vector<T> each(static_cast<std::size_t>(q), T(0));
  for (const int v : p.own) p.factors.add_factor({v}, each);
  if (g.edges.empty()) return p;
  std::vector<T> pair(static_cast<std::size_t>(q) * static_cast<std::size_t>(q), T(0));
  for (std::size_t c = 0; c < pair.size(); c += static_cast<std::size_t>(q) + 1)
    pair[c] = is_forbidden ? p.forbidden() : T(1);
  for (const auto& [u, v] : g.edges) p.factors.add_factor({u, v}, pair);
  return p;
}

// In factors of two values each.
double table_parts(const simple_graph& g, index_t q) {
  return networks::parts_of(g) * (1 + static_cast<double>(q) * static_cast<double>(q) / 20);
}

}  // namespace

template <class T>
problem<T> ising(const undirected_graph<T>& couplings, const std::vector<T>& fields) {
  return networks::with_room("an Ising model", networks::parts_of(couplings), [&] {
    magnitude<T> sum;
    const std::vector<T> bonds = edge_weights("an Ising model", couplings, sum);
    if (!fields.empty() && static_cast<index_t>(fields.size()) != couplings.vertices)
      throw shape_error("an Ising model has " + detail::counted(std::ssize(fields), "field", "fields") + ", of " +
                        detail::counted(couplings.vertices, "spin", "spins"));
    for (std::size_t v = 0; v < fields.size(); ++v) sum.add("the field of spin", static_cast<index_t>(v), fields[v]);
    sum.require_fits("an Ising model");
    problem<T> p = networks::start<T>("an Ising model", direction::minimise, couplings.vertices, 2);
    const std::vector<T> h = fields.empty() ? std::vector<T>(p.own.size(), T(0)) : fields;
    for (std::size_t v = 0; v < h.size(); ++v) p.factors.add_factor({p.own[v]}, {T(-h[v]), h[v]});
    for (std::size_t e = 0; e < bonds.size(); ++e) {
      const T J = bonds[e];
      p.factors.add_factor({couplings.edges[e].first, couplings.edges[e].second}, {T(-J), J, J, T(-J)});
    }
    p.verdict_of = [edges = couplings.edges, bonds, h](std::span<const std::int32_t> answer) {
      const auto spin = [&](std::int32_t v) { return 1 - 2 * answer[static_cast<std::size_t>(v)]; };
      verdict<T> v;
      for (std::size_t e = 0; e < edges.size(); ++e)
        v.value -= bonds[e] * static_cast<T>(spin(edges[e].first) * spin(edges[e].second));
      for (std::size_t i = 0; i < h.size(); ++i) v.value -= h[i] * static_cast<T>(spin(static_cast<std::int32_t>(i)));
      return v;
    };
    return p;
  });
}

template <class T>
problem<T> cut(const undirected_graph<T>& weights) {
  return networks::with_room("a cut", networks::parts_of(weights), [&] {
    magnitude<T> sum;
    const std::vector<T> w = edge_weights("a cut", weights, sum);
    sum.require_fits("a cut");
    problem<T> p = networks::start<T>("a cut", direction::maximise, weights.vertices, 2);
    for (const int v : p.own) p.factors.add_factor({v}, {T(0), T(0)});
    for (std::size_t e = 0; e < w.size(); ++e)
      p.factors.add_factor({weights.edges[e].first, weights.edges[e].second}, {T(0), w[e], w[e], T(0)});
    p.verdict_of = [edges = weights.edges, w](std::span<const std::int32_t> answer) {
      verdict<T> v;
      for (std::size_t e = 0; e < edges.size(); ++e)
        if (!is_alike(edges[e], answer)) v.value += w[e];
      return v;
    };
    return p;
  });
}

template <class T>
problem<T> coloring(const simple_graph& g, index_t q) {
  return networks::with_room("a coloring", table_parts(g, q), [&] {
    problem<T> p = colors<T>("a coloring", g, q, false);
    p.verdict_of = [edges = g.edges](std::span<const std::int32_t> answer) {
      verdict<T> v;
      for (const auto& edge : edges) v.value += is_alike(edge, answer) ? T(1) : T(0);
      return v;
    };
    return p;
  });
}

template <class T>
problem<T> proper_coloring(const simple_graph& g, index_t q) {
  return networks::with_room("a proper coloring", table_parts(g, q), [&] {
    problem<T> p = colors<T>("a proper coloring", g, q, true);
    p.verdict_of = [edges = g.edges](std::span<const std::int32_t> answer) {
      for (const auto& edge : edges)
        if (is_alike(edge, answer))
          return verdict<T>{false, 0, edge_text(edge) + " are neighbours, and have one colour"};
      return verdict<T>{};
    };
    return p;
  });
}

#define KLEENE_PROBLEMS_OF_SPINS(T)                                             \
  template problem<T> ising(const undirected_graph<T>&, const std::vector<T>&); \
  template problem<T> cut(const undirected_graph<T>&);                          \
  template problem<T> coloring<T>(const simple_graph&, index_t);                \
  template problem<T> proper_coloring<T>(const simple_graph&, index_t);
KLEENE_PROBLEMS_OF_SPINS(std::int32_t)
KLEENE_PROBLEMS_OF_SPINS(std::int64_t)
KLEENE_PROBLEMS_OF_SPINS(float)
KLEENE_PROBLEMS_OF_SPINS(double)
#undef KLEENE_PROBLEMS_OF_SPINS

}  // namespace kleene
