// Closures of graphs with every kind of strongly connected components, condensed first or not: small ones against
// Warshall's algorithm, large ones against a search from each vertex.
#pragma once

#include "operations/bits_checks.hpp"
#include "support/sample.hpp"

#include <functional>
#include <numeric>

namespace kleene::test {

using arc_list = std::vector<std::pair<index_t, index_t>>;

struct named_graph {
  const char* name;
  std::function<void(index_t n, problems::generator&, arc_list&)> add;
};

// Arcs within [first, end): a cycle and as many chords.
inline void add_component(index_t first, index_t end, problems::generator& g, arc_list& arcs) {
  const index_t size = end - first;
  for (index_t v = first; v < end; ++v) {
    arcs.emplace_back(v, v + 1 < end ? v + 1 : first);
    arcs.emplace_back(first + g.below(size), first + g.below(size));
  }
}

inline const std::vector<named_graph>& component_graphs() {
  static const std::vector<named_graph> graphs = {
      {"no arcs", [](index_t, problems::generator&, arc_list&) {}},
      {"self loops",
       [](index_t n, problems::generator&, arc_list& arcs) {
         for (index_t v = 0; v < n; v += 2) arcs.emplace_back(v, v);
       }},
      {"a long cycle",
       [](index_t n, problems::generator&, arc_list& arcs) {
         for (index_t v = 0; v < n; ++v) arcs.emplace_back(v, (v + 1) % n);
       }},
      {"a long path",
       [](index_t n, problems::generator&, arc_list& arcs) {
         for (index_t v = 0; v + 1 < n; ++v) arcs.emplace_back(v + 1, v);
       }},
      {"a graph without cycles",
       [](index_t n, problems::generator& g, arc_list& arcs) {
         for (index_t v = 1; v < n; ++v)
           for (int e = 0; e < 3; ++e) arcs.emplace_back(v, g.below(v));
       }},
      {"two layers, all arcs between them",
       [](index_t n, problems::generator&, arc_list& arcs) {
         for (index_t v = 0; v < std::min<index_t>(n, 300) / 2; ++v)
           for (index_t w = std::min<index_t>(n, 300) / 2; w < std::min<index_t>(n, 300); ++w) arcs.emplace_back(v, w);
       }},
      {"a giant component and vertices around it",
       [](index_t n, problems::generator& g, arc_list& arcs) {
         for (index_t e = 0; e < 2 * n; ++e) arcs.emplace_back(g.below(n), g.below(n));
       }},
      {"many small components",
       [](index_t n, problems::generator& g, arc_list& arcs) {
         for (index_t first = 0; first < n;) {
           const index_t end = std::min(n, first + 1 + g.below(6));
           add_component(first, end, g, arcs);
           first = end;
         }
         for (index_t e = 0; e < n; ++e) {
           const index_t v = g.below(n);
           arcs.emplace_back(v, v / 8 * 7);  // back, or within its component
         }
       }},
      {"a chain of components, each half the next",
       [](index_t n, problems::generator& g, arc_list& arcs) {
         for (index_t end = n; end > 0; end /= 2) {
           add_component(end / 2, end, g, arcs);
           if (end / 2 > 0) arcs.emplace_back(end / 2, end / 2 - 1);
         }
       }},
      {"a grid of streets, some one-way",
       [](index_t n, problems::generator& g, arc_list& arcs) {
         index_t side = 1;
         while ((side + 1) * (side + 1) <= n) ++side;
         for (index_t v = 0; v < side * side; ++v)
           for (const index_t w : {(v + 1) % side != 0 ? v + 1 : -1, v + side < side * side ? v + side : -1}) {
             if (w < 0) continue;
             arcs.emplace_back(v, w);
             if (g.chance(0.8)) arcs.emplace_back(w, v);
           }
       }},
  };
  return graphs;
}

// The graph's arcs with its vertices in random order.
inline arc_list shuffled_arcs(const named_graph& graph, index_t n, std::uint64_t seed) {
  problems::generator g(seed);
  arc_list arcs;
  graph.add(n, g, arcs);
  std::vector<index_t> place(static_cast<std::size_t>(n));
  std::iota(place.begin(), place.end(), index_t{0});
  for (index_t v = n; v > 1; --v) std::swap(place[v - 1], place[g.below(v)]);
  for (auto& [from, to] : arcs) from = place[from], to = place[to];
  return arcs;
}

inline bit_matrix reach_by_search(index_t n, const arc_list& arcs) {
  std::vector<std::vector<index_t>> heads(static_cast<std::size_t>(n));
  for (const auto& [from, to] : arcs) heads[from].push_back(to);
  bit_matrix reached(n, n);
  std::vector<index_t> open;
  for (index_t s = 0; s < n; ++s) {
    reached.set(s, s, true);
    for (open.assign(1, s); !open.empty();) {
      const index_t v = open.back();
      open.pop_back();
      for (const index_t w : heads[v])
        if (!reached(s, w)) reached.set(s, w, true), open.push_back(w);
    }
  }
  return reached;
}

inline void check_condensed_closures(const context& ctx, std::initializer_list<index_t> sizes) {
  for (const named_graph& graph : component_graphs())
    for (const index_t n : sizes)
      for (const std::optional<bool> condense :
           {std::optional<bool>{}, std::optional<bool>{false}, std::optional<bool>{true}}) {
        if (!sampled()) continue;
        SCOPED_TRACE(testing::Message() << graph.name << ", " << n << " vertices, "
                                        << (condense ? *condense ? "condensed" : "not condensed" : "chosen"));
        bit_matrix whole = random_bits(n + 2, n + 129, 0.5, 5);  // garbage around the graph
        for (index_t i = 0; i < n; ++i)
          for (index_t j = 0; j < n; ++j) whole.set(i + 1, j + 64, false);
        for (const auto& [from, to] : shuffled_arcs(graph, n, 7)) whole.set(from + 1, to + 64, true);
        placed_bits a(ctx, n, n, std::move(whole));
        kernels::reference::closure(a.here());
        closure(ctx, or_and<bit>{}, a.at(), {.condense = condense});
        EXPECT_TRUE(a.agrees());
      }
}

// Of several blocks.
inline void check_large_condensed_closures(const context& ctx, index_t n) {
  for (const named_graph& graph : component_graphs()) {
    const arc_list arcs = shuffled_arcs(graph, n, 11);
    const bit_matrix want = reach_by_search(n, arcs);
    bit_matrix source(n, n);
    for (const auto& [from, to] : arcs) source.set(from, to, true);
    for (const bool condense : {true, false}) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << graph.name << ", " << n << " vertices" << (condense ? ", condensed" : ""));
      placed<bit_word> words(ctx, placed_bits::words_of(source));
      closure(ctx, or_and<bit>{}, bit_view<bit, memory::managed>(words.at().data(), n, n), {.condense = condense});
      EXPECT_TRUE(equal(words.take(), placed_bits::words_of(want)));
    }
  }
}

}  // namespace kleene::test
