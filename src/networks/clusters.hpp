// Pairs of variables that become one.
#pragma once

#include "kleene/networks/clusters.hpp"
#include "kleene/networks/factor_graph.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace kleene::networks {

// One or two variables, and the values that they take together. Of one variable all, in their order.
struct cluster {
  int first, second = -1;
  std::vector<std::array<std::int32_t, 2>> values;
};

// Each variable of g in one cluster, numbered by their first variables. forbids(value) of a table's element.
template <class T>
std::vector<cluster> clusters_of(const factor_graph<T>& g, const std::function<bool(T)>& forbids);

// g over clusters: its factors, in their order.
template <class T>
factor_graph<T> over_clusters(const factor_graph<T>& g, const std::vector<cluster>& clusters);

// Both, where there are clusters of two, and `when` has it so.
template <class T>
struct graph_of_clusters {
  std::vector<cluster> clusters;
  factor_graph<T> factors;
};
template <class T>
std::optional<graph_of_clusters<T>> clustered(const factor_graph<T>& g, const std::function<bool(T)>& forbids,
                                              clustering when);

}  // namespace kleene::networks
