// Choices of vertices and sets: independent, covering, dominating, packed.
#include "kleene/data/error.hpp"
#include "networks/problems.hpp"

#include <algorithm>

namespace kleene {

namespace {

using networks::literal;
using edge_list = std::vector<std::pair<std::int32_t, std::int32_t>>;
using answer_span = std::span<const std::int32_t>;

bool is_chosen(answer_span answer, std::int32_t v) { return answer[static_cast<std::size_t>(v)] == 1; }

std::string pair_text(std::int32_t u, std::int32_t v) {
  return "vertices " + std::to_string(u) + " and " + std::to_string(v);
}

// A problem of choosing vertices: a weight each.
template <class T>
problem<T> choice(const char* name, direction goal, const simple_graph& g, const std::vector<T>& weights) {
  require_simple(g);
  problem<T> p = networks::start<T>(name, goal, g.vertices, 2);
  networks::add_weights(p, networks::weights_of(name, "the weight of vertex", weights, g.vertices));
  return p;
}

// The same weights as choice() gave them.
template <class T>
std::vector<T> filled(const std::vector<T>& weights, index_t count) {
  return weights.empty() ? std::vector<T>(static_cast<std::size_t>(count), T(1)) : weights;
}

// Answers worth the weights that are chosen; why(answer): what is broken, or nothing.
template <class T, class Why>
typename problem<T>::judge judged(const std::vector<T>& weights, index_t count, Why why) {
  return [all = filled(weights, count), why](answer_span answer) {
    verdict<T> v;
    v.value = networks::chosen_weight(all, answer);
    v.why = why(answer);
    v.is_feasible = v.why.empty();
    return v;
  };
}

// For each vertex it and its neighbours, rising.
std::vector<std::vector<std::int32_t>> neighbourhoods(const simple_graph& g) {
  std::vector<std::vector<std::int32_t>> around(static_cast<std::size_t>(g.vertices));
  for (std::int32_t v = 0; v < g.vertices; ++v) around[static_cast<std::size_t>(v)].push_back(v);
  for (const auto& [u, v] : g.edges) {
    around[static_cast<std::size_t>(u)].push_back(v);
    around[static_cast<std::size_t>(v)].push_back(u);
  }
  for (auto& list : around) std::sort(list.begin(), list.end());
  return around;
}

// The rule for each list of variables, which are sorted; for equal lists once.
template <class T>
void add_rules(problem<T>& p, std::vector<std::vector<std::int32_t>> lists, const networks::rule<T>& r) {
  std::sort(lists.begin(), lists.end());
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  for (const auto& list : lists) {
    std::vector<literal> literals;
    for (const std::int32_t v : list) literals.push_back({v});
    networks::add_rule(p, literals, r);
  }
}

std::vector<std::vector<std::int32_t>> distinct_elements(index_t elements,
                                                         const std::vector<std::vector<std::int32_t>>& sets) {
  std::vector<std::vector<std::int32_t>> distinct = sets;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const std::int32_t e : sets[s])
      if (e < 0 || e >= elements)
        throw argument_error("set " + std::to_string(s) + " has element " + std::to_string(e) + "; there are " +
                             std::to_string(elements));
    std::sort(distinct[s].begin(), distinct[s].end());
    distinct[s].erase(std::unique(distinct[s].begin(), distinct[s].end()), distinct[s].end());
  }
  return distinct;
}

}  // namespace

template <class T>
problem<T> independent_set(const simple_graph& g, const std::vector<T>& weights) {
  return networks::with_room("an independent set", networks::parts_of(g), [&] {
    problem<T> p = choice("an independent set", direction::maximise, g, weights);
    for (const auto& [u, v] : g.edges) p.factors.add_factor({u, v}, {T(0), T(0), T(0), p.forbidden()});
    p.verdict_of = judged(weights, g.vertices, [edges = g.edges](answer_span answer) -> std::string {
      for (const auto& [u, v] : edges)
        if (is_chosen(answer, u) && is_chosen(answer, v)) return pair_text(u, v) + " are neighbours, and both chosen";
      return {};
    });
    return p;
  });
}

template <class T>
problem<T> clique(const simple_graph& g, const std::vector<T>& weights) {
  return networks::with_room("a clique", double(g.vertices) * double(g.vertices) / 2, [&] {
    problem<T> p = choice("a clique", direction::maximise, g, weights);
    auto edge = g.edges.begin();
    for (std::int32_t u = 0; u < g.vertices; ++u)
      for (std::int32_t v = u + 1; v < g.vertices; ++v) {
        if (edge != g.edges.end() && *edge == std::pair(u, v)) ++edge;
        else p.factors.add_factor({u, v}, {T(0), T(0), T(0), p.forbidden()});
      }
    p.verdict_of = judged(weights, g.vertices, [edges = g.edges, n = g.vertices](answer_span answer) -> std::string {
      for (std::int32_t u = 0; u < n; ++u)
        for (std::int32_t v = u + 1; v < n; ++v)
          if (is_chosen(answer, u) && is_chosen(answer, v) &&
              !std::binary_search(edges.begin(), edges.end(), std::pair(u, v)))
            return pair_text(u, v) + " are no neighbours, and both chosen";
      return {};
    });
    return p;
  });
}

template <class T>
problem<T> vertex_cover(const simple_graph& g, const std::vector<T>& weights) {
  return networks::with_room("a vertex cover", networks::parts_of(g), [&] {
    problem<T> p = choice("a vertex cover", direction::minimise, g, weights);
    for (const auto& [u, v] : g.edges) p.factors.add_factor({u, v}, {p.forbidden(), T(0), T(0), T(0)});
    p.verdict_of = judged(weights, g.vertices, [edges = g.edges](answer_span answer) -> std::string {
      for (const auto& [u, v] : edges)
        if (!is_chosen(answer, u) && !is_chosen(answer, v))
          return pair_text(u, v) + " are neighbours, and neither is chosen";
      return {};
    });
    return p;
  });
}

template <class T>
problem<T> dominating_set(const simple_graph& g, const std::vector<T>& weights) {
  return networks::with_room("a dominating set", networks::parts_of(g), [&] {
    problem<T> p = choice("a dominating set", direction::minimise, g, weights);
    add_rules(p, neighbourhoods(g), networks::any_of(p.forbidden(), T(0)));
    p.verdict_of = judged(weights, g.vertices, [edges = g.edges](answer_span answer) -> std::string {
      std::vector<bool> reached(answer.size());
      for (std::size_t v = 0; v < answer.size(); ++v) reached[v] = answer[v] == 1;
      for (const auto& [u, v] : edges) {
        if (is_chosen(answer, u)) reached[static_cast<std::size_t>(v)] = true;
        if (is_chosen(answer, v)) reached[static_cast<std::size_t>(u)] = true;
      }
      const auto lost = std::find(reached.begin(), reached.end(), false);
      if (lost == reached.end()) return {};
      return "vertex " + std::to_string(lost - reached.begin()) + " is not chosen, and none of its neighbours is";
    });
    return p;
  });
}

template <class T>
problem<T> set_packing(index_t elements, const std::vector<std::vector<std::int32_t>>& sets,
                       const std::vector<T>& weights) {
  return networks::with_room("a set packing", static_cast<double>(elements) + static_cast<double>(sets.size()), [&] {
    if (elements < 0 || elements > most_vertices)
      throw argument_error("a set packing of " + std::to_string(elements) + " elements; there can be 0 to 2147483648");
    const auto distinct = distinct_elements(elements, sets);
    const index_t count = static_cast<index_t>(sets.size());
    problem<T> p = networks::start<T>("a set packing", direction::maximise, count, 2);
    networks::add_weights(p, networks::weights_of("a set packing", "the weight of set", weights, count));
    std::vector<std::vector<std::int32_t>> holders(static_cast<std::size_t>(elements));
    for (std::size_t s = 0; s < distinct.size(); ++s)
      for (const std::int32_t e : distinct[s])
        holders[static_cast<std::size_t>(e)].push_back(static_cast<std::int32_t>(s));
    std::erase_if(holders, [](const auto& list) { return list.size() < 2; });
    add_rules(p, std::move(holders), networks::at_most_one<T>());
    p.verdict_of = judged(weights, count, [sets, elements](answer_span answer) -> std::string {
      std::vector<std::int32_t> holder(static_cast<std::size_t>(elements), -1);
      for (std::int32_t s = 0; s < static_cast<std::int32_t>(sets.size()); ++s) {
        if (!is_chosen(answer, s)) continue;
        for (const std::int32_t e : sets[static_cast<std::size_t>(s)]) {
          std::int32_t& by = holder[static_cast<std::size_t>(e)];
          if (by >= 0 && by != s)
            return "sets " + std::to_string(by) + " and " + std::to_string(s) + " share element " + std::to_string(e) +
                   ", and are both chosen";
          by = s;
        }
      }
      return {};
    });
    return p;
  });
}

#define KLEENE_PROBLEMS_OF_SETS(T)                                                 \
  template problem<T> independent_set(const simple_graph&, const std::vector<T>&); \
  template problem<T> clique(const simple_graph&, const std::vector<T>&);          \
  template problem<T> vertex_cover(const simple_graph&, const std::vector<T>&);    \
  template problem<T> dominating_set(const simple_graph&, const std::vector<T>&);  \
  template problem<T> set_packing(index_t, const std::vector<std::vector<std::int32_t>>&, const std::vector<T>&);
KLEENE_PROBLEMS_OF_SETS(std::int32_t)
KLEENE_PROBLEMS_OF_SETS(std::int64_t)
KLEENE_PROBLEMS_OF_SETS(float)
KLEENE_PROBLEMS_OF_SETS(double)
#undef KLEENE_PROBLEMS_OF_SETS

}  // namespace kleene
