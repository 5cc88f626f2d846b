// Cliques of a sparse graph. Its complement is dense, and too entangled to be contracted; but each clique has a first
// vertex in a degeneracy order, and the rest of it is among the few neighbours that come later. So there is a small
// problem for each vertex: contracted where it is dense, else parted in the same way, and left out where its colours
// say that it has nothing better.
//
// Sources: Eppstein, Loeffler, Strash, "Listing all maximal cliques in sparse graphs in near-optimal time", 2010 (the
// order); Carraghan, Pardalos, "An exact algorithm for the maximum clique problem", 1990 (the bound, here of colours).
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
      : ctx_(ctx), whole_(neighbours_of(g)), weights_(std::move(weights)) {
    if (weights_.empty()) weights_.assign(whole_.near.size(), T(1));
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
    std::vector<std::int32_t> names(whole_.near.size());
    for (std::size_t v = 0; v < names.size(); ++v) names[v] = static_cast<std::int32_t>(v);
    part(whole_, names, T(0), drop, found, contracted);
  }

  template <class Drop, class Found, class Contracted>
  void part(const neighbour_lists& g, const std::vector<std::int32_t>& names, T base, const Drop& drop,
            const Found& found, const Contracted& contracted) {
    ++problems_;
    if (contract(g, names, base, contracted)) return;
    found(base);
    const std::vector<std::int32_t> order = degeneracy_order(g);
    std::vector<std::int32_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
    for (auto v = order.rbegin(); v != order.rend(); ++v) {  // the densest part is likely to have the best
      const T weight = base + weights_[static_cast<std::size_t>(names[static_cast<std::size_t>(*v)])];
      const std::vector<std::int32_t> later = later_neighbours(g, *v, place);
      std::vector<std::int32_t> called;
      for (const std::int32_t u : later) called.push_back(names[static_cast<std::size_t>(u)]);
      const neighbour_lists inner = induced(g, later);
      if (drop(greatest_with(weight, inner, called))) continue;
      chosen_.push_back(names[static_cast<std::size_t>(*v)]);
      part(inner, called, weight, drop, found, contracted);
      chosen_.pop_back();
    }
  }

  // What no clique of these vertices, in addition to the weight, is above: none has two of one colour.
  T greatest_with(T weight, const neighbour_lists& g, const std::vector<std::int32_t>& names) const {
    std::vector<T> most;
    const std::vector<int> colors = greedy_colors(g);
    for (std::size_t v = 0; v < colors.size(); ++v) {
      const auto c = static_cast<std::size_t>(colors[v]);
      if (most.size() <= c) most.resize(c + 1, T(0));
      most[c] = std::max(most[c], weights_[static_cast<std::size_t>(names[v])]);
    }
    T sum = weight;
    for (const T each : most) sum += each;
    if constexpr (std::is_floating_point_v<T>) sum += 1e-9 * (std::abs(sum) + std::abs(weight));  // sums are rounded
    return sum;
  }

  template <class Contracted>
  bool contract(const neighbour_lists& g, const std::vector<std::int32_t>& names, T base,
                const Contracted& contracted) {
    if (names.size() < fewest_contracted || !is_dense(g.near.size(), g.edges)) return false;
    std::vector<T> weights;
    for (const std::int32_t v : names) weights.push_back(weights_[static_cast<std::size_t>(v)]);
    const problem<T> p = clique<T>(graph_of(g), weights);
    const contraction_order order = find_order(p.factors.to_network(), {.seconds = 0, .threads = 1});
    if (order.cost.operations > most_operations) return false;
    solve_options options;
    options.found = &order;
    contracted(p, names, base, options);
    return true;
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
  std::vector<T> weights_;
  std::vector<std::int32_t> chosen_;  // in every clique of the part at hand
  solve_report report_;
  index_t problems_ = 0;
};

}  // namespace kleene::cli
