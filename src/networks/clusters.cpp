#include "networks/clusters.hpp"

#include "kleene/data/error.hpp"
#include "kleene/networks/order.hpp"
#include "networks/min_fill.hpp"
#include "networks/tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace kleene {

namespace networks {

namespace {

constexpr index_t most_together = 64;         // values of a pair, bits of a mask
constexpr std::size_t most_variables = 6;     // of a factor that is looked at
constexpr std::size_t most_factors = 20'000;  // networks of more are sparse, or hopeless
constexpr double most_growth = 4;             // of tables
constexpr double least_score = 26;            // log2 of operations and weighed traffic; less is soon done
constexpr double least_gain = 1;              // log2

// What factors allow of the values of u and v together: bit x * values(v) + y.
struct allowed_pair {
  int u, v;
  std::uint64_t mask;
};

// The pairs of the factor's variables that it forbids something together, u < v.
template <class T>
void add_pairs(const factor_graph<T>& g, const typename factor_graph<T>::factor& f,
               const std::function<bool(T)>& forbids, std::vector<allowed_pair>& pairs) {
  const std::size_t rank = f.variables.size();
  if (rank < 2 || rank > most_variables || std::none_of(f.table.begin(), f.table.end(), forbids)) return;
  for (std::size_t i = 0; i < rank; ++i)
    for (std::size_t j = 0; j < rank; ++j) {
      const int u = f.variables[i], v = f.variables[j];
      if (u >= v || g.values(u) * g.values(v) > most_together) continue;
      allowed_pair pair{u, v, 0};
      for (std::size_t e = 0; e < f.table.size(); ++e) {
        if (forbids(f.table[e])) continue;
        index_t rest = static_cast<index_t>(e), x = 0, y = 0;
        for (std::size_t k = rank; k-- > 0;) {
          const index_t values = g.values(f.variables[k]), value = rest % values;
          rest /= values;
          if (k == i) x = value;
          if (k == j) y = value;
        }
        pair.mask |= std::uint64_t{1} << (x * g.values(v) + y);
      }
      pairs.push_back(pair);
    }
}

// All that factors allow of each two variables, in their order.
template <class T>
std::vector<allowed_pair> allowed_pairs(const factor_graph<T>& g, const std::function<bool(T)>& forbids) {
  std::vector<allowed_pair> all, distinct;
  for (const auto& f : g.factors()) add_pairs(g, f, forbids, all);
  std::sort(all.begin(), all.end(),
            [](const allowed_pair& a, const allowed_pair& b) { return std::pair(a.u, a.v) < std::pair(b.u, b.v); });
  for (const allowed_pair& pair : all)
    if (!distinct.empty() && distinct.back().u == pair.u && distinct.back().v == pair.v)
      distinct.back().mask &= pair.mask;
    else distinct.push_back(pair);
  return distinct;
}

template <class T>
double elements_of(const factor_graph<T>& g) {
  double elements = 0;
  for (const auto& f : g.factors()) elements += static_cast<double>(f.table.size());
  return elements;
}

// The clusters of a factor's variables, each once.
template <class T>
std::vector<int> clusters_in(const typename factor_graph<T>::factor& f, const std::vector<int>& place) {
  std::vector<int> found;
  for (const int v : f.variables) {
    const int c = place[static_cast<std::size_t>(v)];
    if (std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
  }
  return found;
}

std::vector<int> places_of(int variables, const std::vector<cluster>& clusters) {
  std::vector<int> place(static_cast<std::size_t>(variables));
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    place[static_cast<std::size_t>(clusters[c].first)] = static_cast<int>(c);
    if (clusters[c].second >= 0) place[static_cast<std::size_t>(clusters[c].second)] = static_cast<int>(c);
  }
  return place;
}

template <class T>
double elements_over(const factor_graph<T>& g, const std::vector<cluster>& clusters) {
  const std::vector<int> place = places_of(g.variables(), clusters);
  double elements = 0;
  for (const auto& f : g.factors()) {
    double table = 1;
    for (const int c : clusters_in<T>(f, place))
      table *= static_cast<double>(clusters[static_cast<std::size_t>(c)].values.size());
    elements += table;
  }
  return elements;
}

}  // namespace

template <class T>
std::vector<cluster> clusters_of(const factor_graph<T>& g, const std::function<bool(T)>& forbids) {
  const std::vector<allowed_pair> pairs = allowed_pairs(g, forbids);
  std::vector<bool> taken(static_cast<std::size_t>(g.variables()), false);
  std::vector<cluster> clusters;
  auto at = pairs.begin();
  for (int u = 0; u < g.variables(); ++u) {
    const allowed_pair* best = nullptr;
    const auto share = [&](const allowed_pair& p) {
      return static_cast<double>(std::popcount(p.mask)) / static_cast<double>(g.values(p.u) * g.values(p.v));
    };
    for (; at != pairs.end() && at->u == u; ++at)
      if (at->mask != 0 && share(*at) <= 0.75 && !taken[static_cast<std::size_t>(at->v)] &&
          (!best || share(*at) < share(*best)))
        best = &*at;
    if (taken[static_cast<std::size_t>(u)]) continue;
    cluster c{u, best ? best->v : -1, {}};
    const std::int32_t seconds = best ? static_cast<std::int32_t>(g.values(best->v)) : 1;
    for (std::int32_t x = 0; x < g.values(u); ++x)
      for (std::int32_t y = 0; y < seconds; ++y)
        if (!best || (best->mask >> (x * seconds + y) & 1) != 0) c.values.push_back({x, y});
    if (best) taken[static_cast<std::size_t>(best->v)] = true;
    clusters.push_back(std::move(c));
  }
  return clusters;
}

template <class T>
factor_graph<T> over_clusters(const factor_graph<T>& g, const std::vector<cluster>& clusters) {
  const std::vector<int> place = places_of(g.variables(), clusters);
  factor_graph<T> result;
  for (const cluster& c : clusters) result.add_variable(static_cast<index_t>(c.values.size()));
  std::vector<std::int32_t> assignment(static_cast<std::size_t>(g.variables()), 0);
  for (const auto& f : g.factors()) {
    std::vector<int> scope = clusters_in<T>(f, place);
    std::vector<std::size_t> at(scope.size(), 0);
    std::vector<T> table;
    for (bool more = true; more;) {
      for (std::size_t k = 0; k < scope.size(); ++k) {
        const cluster& c = clusters[static_cast<std::size_t>(scope[k])];
        assignment[static_cast<std::size_t>(c.first)] = c.values[at[k]][0];
        if (c.second >= 0) assignment[static_cast<std::size_t>(c.second)] = c.values[at[k]][1];
      }
      table.push_back(g.entry(f, assignment));
      std::size_t k = scope.size();
      for (; k > 0 && ++at[k - 1] == clusters[static_cast<std::size_t>(scope[k - 1])].values.size(); --k) at[k - 1] = 0;
      more = k > 0;
    }
    result.add_factor(std::move(scope), std::move(table));
  }
  return result;
}

namespace {

// What the better of two orders takes, operations and weighed traffic: by min-fill, and of indices as they are
// numbered. Infinite where there is neither.
double tried_score(const network& n) {
  const detail::order_problem whole = detail::problem_of(n);
  const detail::reduced_problem r = detail::reduced(whole);
  const detail::search_end unending;
  double best = std::numeric_limits<double>::infinity();
  for (const bool in_turn : {false, true}) {
    const std::vector<int> indices =
        in_turn ? detail::numbered_indices(r.rest) : detail::min_fill_order(r.rest, 1, unending);
    const detail::order_pairs pairs = detail::elimination_pairs(r.rest, indices, unending, detail::most_in_turn);
    if (static_cast<int>(pairs.size()) + 1 != r.rest.size()) continue;
    const auto tree = detail::tree_of(whole, detail::expanded(r, whole.size(), pairs));
    best = std::min(best, detail::score_of(detail::tree_cost(tree, whole, {}), order_options{}.traffic_weight));
  }
  return best;
}

template <class T>
problem<T> read_from(const problem<T>& p, const std::vector<cluster>& clusters, factor_graph<T> factors) {
  problem<T> result{p.name, p.goal, std::move(factors), {}, {}, p.verdict_of};
  const std::vector<int> place = places_of(p.factors.variables(), clusters);
  for (const int v : p.own) {
    const int at = place[static_cast<std::size_t>(v)];
    const cluster& c = clusters[static_cast<std::size_t>(at)];
    typename problem<T>::reading reading{p.factors.values(v), {}};
    for (const auto& values : c.values) reading.value_of.push_back(values[v == c.first ? 0 : 1]);
    result.own.push_back(at);
    result.readings.push_back(std::move(reading));
  }
  return result;
}

}  // namespace

template <class T>
std::optional<graph_of_clusters<T>> clustered(const factor_graph<T>& g, const std::function<bool(T)>& forbids,
                                              clustering when) {
  const bool asks = when == clustering::where_it_pays;
  if (asks && g.factors().size() > most_factors) return std::nullopt;
  return detail::with_memory("clusters of variables", 64 * elements_of(g),
                             [&]() -> std::optional<graph_of_clusters<T>> {
                               std::vector<cluster> clusters = clusters_of<T>(g, forbids);
                               if (static_cast<int>(clusters.size()) == g.variables()) return std::nullopt;
                               if (asks && elements_over(g, clusters) > most_growth * elements_of(g))
                                 return std::nullopt;
                               const double before = asks ? tried_score(g.to_network()) : 0;
                               if (asks && before < least_score) return std::nullopt;
                               factor_graph<T> factors = over_clusters(g, clusters);
                               if (asks && !(tried_score(factors.to_network()) < before - least_gain))
                                 return std::nullopt;
                               return graph_of_clusters<T>{std::move(clusters), std::move(factors)};
                             });
}

}  // namespace networks

template <class T>
problem<T> clustered(problem<T> p, clustering when) {
  if (!p.readings.empty()) return p;
  auto found = networks::clustered<T>(p.factors, [](T value) { return value != value || is_forbidden(value); }, when);
  return found ? networks::read_from(p, found->clusters, std::move(found->factors)) : p;
}

#define KLEENE_CLUSTERED(T)                                                                                        \
  template std::vector<networks::cluster> networks::clusters_of(const factor_graph<T>&,                            \
                                                                const std::function<bool(T)>&);                    \
  template factor_graph<T> networks::over_clusters(const factor_graph<T>&, const std::vector<networks::cluster>&); \
  template std::optional<networks::graph_of_clusters<T>> networks::clustered(                                      \
      const factor_graph<T>&, const std::function<bool(T)>&, clustering);                                          \
  template problem<T> clustered(problem<T>, clustering);
KLEENE_CLUSTERED(std::int32_t)
KLEENE_CLUSTERED(std::int64_t)
KLEENE_CLUSTERED(float)
KLEENE_CLUSTERED(double)
#undef KLEENE_CLUSTERED

}  // namespace kleene
