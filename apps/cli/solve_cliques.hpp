// Cliques of a sparse graph. Its complement is dense, and too entangled to be contracted; but each clique has a first
// vertex in a degeneracy order, and the rest of it is among the few neighbours that come later. So there is a small
// problem for each vertex: contracted where few of its pairs are no neighbours, else parted by colours, and left out
// where these say that it has nothing better.
//
// Sources: Eppstein, Loeffler, Strash, "Listing all maximal cliques in sparse graphs in near-optimal time", 2010 (the
// order); Tomita, Seki, "An efficient branch-and-bound algorithm for finding a maximum clique", 2003 (the colours);
// San Segundo, Rodriguez-Losada, Jimenez, "An exact bit-parallel algorithm for the maximum clique problem", 2011.
#pragma once

#include "kleene/data/context.hpp"
#include "kleene/networks/problems.hpp"
#include "kleene/networks/solve.hpp"
#include "solve_subgraphs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kleene::cli {

template <class T>
class clique_search {
 public:
  clique_search(const context& ctx, const simple_graph& g, std::vector<T> weights)
      : ctx_(ctx), whole_(neighbours_of(g)), order_(degeneracy_order(whole_)), weights_(std::move(weights)) {
    if (weights_.empty()) weights_.assign(whole_.size(), T(1));
    place_.resize(whole_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) place_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
  }

  struct weighted_clique {
    T weight;
    std::vector<std::int32_t> vertices;  // rising
  };

  // One of the greatest weight; that of the empty clique is 0.
  weighted_clique best() {
    weighted_clique most{T(0), {}};
    const auto offer = [&](T found, std::vector<std::int32_t> vertices) {
      if (most.weight < found) most = {found, std::move(vertices)};
    };
    walk([&](T bound) { return !(most.weight < bound); }, [&](T found) { offer(found, chosen_); },
         [&](const problem<T>& p, const std::vector<std::int32_t>& names, T base, const solve_options& options) {
           const optimum_result<T> found = noted(optimum(ctx_, p, options));
           std::vector<std::int32_t> vertices = chosen_;
           for (std::size_t v = 0; v < names.size(); ++v)
             if (found.assignment[v] == 1) vertices.push_back(names[v]);
           offer(base + found.value, std::move(vertices));
         });
    std::sort(most.vertices.begin(), most.vertices.end());
    return most;
  }

  // How many cliques have the greatest weight, `value`.
  std::string count(T value) {
    std::string sum = "0";
    walk([&](T bound) { return bound < value; },
         [&](T found) {
           if (found == value) sum = sum_of_decimals(sum, "1");
         },
         [&](const problem<T>& p, const std::vector<std::int32_t>&, T base, const solve_options& options) {
           const count_result<T> found = noted(count_optima(ctx_, p, options));
           if (base + found.value == value) sum = sum_of_decimals(sum, found.count);
         });
    return sum;
  }

  // The `wanted` greatest weights, each as often as there are cliques that have it.
  std::vector<T> several(int wanted) {
    std::vector<T> values;
    const auto is_full = [&] { return static_cast<int>(values.size()) == wanted; };
    const auto offer = [&](T found) {
      if (is_full() && !(values.back() < found)) return;
      if (is_full()) values.pop_back();
      values.insert(std::upper_bound(values.begin(), values.end(), found, std::greater<>()), found);
    };
    walk([&](T bound) { return is_full() && !(values.back() < bound); }, offer,
         [&](const problem<T>& p, const std::vector<std::int32_t>&, T base, const solve_options& options) {
           for (const T found : noted(several_best(ctx_, p, wanted, options)).values) offer(base + found);
         });
    return values;
  }

  const solve_report& report() const { return report_; }  // of all contractions together
  index_t problems() const { return problems_; }          // that were looked at

 private:
  static constexpr std::size_t fewest_contracted = 13;
  static constexpr double most_operations = 24;  // log2, of one small problem

  // drop(bound): whether nothing of at most that weight is asked for. found(weight): of the clique chosen_. contracted:
  // the cliques of a small problem, in addition to chosen_, of the weight base.
  template <class Drop, class Found, class Contracted>
  void walk(const Drop& drop, const Found& found, const Contracted& contracted) {
    chosen_.clear();
    found(T(0));
    for (auto v = order_.rbegin(); v != order_.rend(); ++v) {  // the densest part is likely to have the best
      const std::vector<std::int32_t> later = later_neighbours(whole_, *v, place_);
      const T weight = weight_of(*v);
      T most = weight;
      for (const std::int32_t u : later) most += std::max(weight_of(u), T(0));
      if (drop(loose(most))) continue;
      names_ = later;
      graph_ = bit_graph(whole_, later);
      chosen_.assign(1, *v);
      part(graph_.all(), weight, drop, found, contracted);
      chosen_.clear();
    }
  }

  // The cliques among some vertices of graph_: by the last of each in an order of colours, from its end. Those that are
  // left then have no more weight than one vertex of each colour that is left.
  template <class Drop, class Found, class Contracted>
  void part(bit_set left, T base, const Drop& drop, const Found& found, const Contracted& contracted) {
    ++problems_;
    const std::vector<colored_vertex> order = graph_.by_colors(left);
    std::vector<T> bounds;
    T below = 0, most = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k > 0 && order[k].color != order[k - 1].color) below += most, most = 0;
      most = std::max(most, weight_of(name_of(order[k])));
      bounds.push_back(below + most);
    }
    if (!bounds.empty() &&
        (drop(loose(base + bounds.back())) || (chosen_.size() == 1 && contract(left, base, contracted))))
      return;
    found(base);
    for (std::size_t k = order.size(); k-- > 0;) {
      // Of the last colour all vertices together: the bound of its last one.
      if (k + 1 == order.size() || order[k].color != order[k + 1].color)
        if (drop(loose(base + bounds[k]))) return;
      chosen_.push_back(name_of(order[k]));
      part(graph_.among(left, order[k].vertex), base + weight_of(chosen_.back()), drop, found, contracted);
      chosen_.pop_back();
      left.erase(order[k].vertex);
    }
  }

  // Of all neighbours of a vertex: where few pairs are none, orders are cheap, and there may be very many cliques.
  template <class Contracted>
  bool contract(const bit_set& left, T base, const Contracted& contracted) {
    const std::vector<int> vertices = left.members();
    const std::size_t n = vertices.size();
    if (n < fewest_contracted || 2 * (n * (n - 1) / 2 - graph_.edges_among(left)) > 3 * n) return false;
    std::vector<T> weights;
    std::vector<std::int32_t> names;
    for (const int v : vertices) names.push_back(names_[static_cast<std::size_t>(v)]);
    for (const std::int32_t v : names) weights.push_back(weight_of(v));
    const problem<T> p = clique<T>(graph_.induced(vertices), weights);
    const contraction_order order = find_order(p.factors.to_network(), {.seconds = 0, .threads = 1});
    if (order.cost.operations > most_operations) return false;
    solve_options options;
    options.found = &order;
    contracted(p, names, base, options);
    return true;
  }

  T weight_of(std::int32_t v) const { return weights_[static_cast<std::size_t>(v)]; }
  std::int32_t name_of(const colored_vertex& v) const { return names_[static_cast<std::size_t>(v.vertex)]; }
  // Of sums that may be rounded: another order of the terms gives no more.
  static T loose(T bound) {
    if constexpr (std::is_floating_point_v<T>) return bound + 1e-9 * std::abs(bound);
    else return bound;
  }

  template <class Result>
  Result noted(Result result) {
    report_.cost.operations = log2_sum_of(report_.cost.operations, result.report.cost.operations);
    report_.cost.traffic = log2_sum_of(report_.cost.traffic, result.report.cost.traffic);
    report_.cost.largest = std::max(report_.cost.largest, result.report.cost.largest);
    report_.contract_seconds += result.report.contract_seconds;
    report_.bytes = std::max(report_.bytes, result.report.bytes);
    return result;
  }

  const context& ctx_;
  neighbour_lists whole_;
  std::vector<std::int32_t> order_, place_;  // by degeneracy; where each vertex is in it
  std::vector<T> weights_;
  bit_graph graph_;                           // the later neighbours of one vertex
  std::vector<std::int32_t> names_, chosen_;  // of those; what is in every clique of the part at hand
  solve_report report_;
  index_t problems_ = 0;
};

}  // namespace kleene::cli
