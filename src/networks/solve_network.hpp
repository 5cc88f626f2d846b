// A factor graph as a network over an algebra, with its tables, its order, and what was reported of it.
#pragma once

#include "kleene/networks/contract.hpp"
#include "kleene/networks/factor_graph.hpp"
#include "kleene/networks/solve.hpp"
#include "solve_absorb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace kleene::detail {

// Tables over S as read(value) makes them of a factor graph's. sums: indices in no tensor get one of ones, since they
// count.
template <class S>
class solve_network {
 public:
  using V = value_of<S>;

  template <class T, class Read>
  solve_network(const factor_graph<T>& g, bool sums, const Read& read) {
    network all = g.to_network();
    std::vector<std::vector<V>> tables;
    for (const auto& f : g.factors()) {
      tables.emplace_back();
      tables.back().reserve(f.table.size());
      for (const T& value : f.table) tables.back().push_back(read(value));
    }
    if (sums) add_free_indices(all, tables);
    const absorption absorbed = absorb_tensors(all);
    for (const int t : absorbed.order)
      if (const int u = absorbed.into[static_cast<std::size_t>(t)]; u >= 0) {
        multiply_into(all, t, tables[static_cast<std::size_t>(t)], u, tables[static_cast<std::size_t>(u)]);
        std::vector<V>().swap(tables[static_cast<std::size_t>(t)]);
      }
    n_.extents = all.extents;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const bool stays = absorbed.into[t] < 0;
      if (t < g.factors().size()) places_.push_back(stays ? n_.size() : -1);
      if (!stays) continue;
      n_.tensors.push_back(all.tensors[t]);
      tables_.push_back(std::move(tables[t]));
    }
  }

  const network& shape() const { return n_; }
  // Of each factor the tensor that it is; -1: another one has taken it in.
  const std::vector<int>& places() const { return places_; }

  V value(const context& ctx, const contraction_order& order, const solve_options& options,
          solve_report& report) const {
    contraction_report one;
    const tensor<V> result = contract(ctx, S{}, n_, views(), order, options_of(options, one));
    add(report, one);
    return *result.data();
  }
  configuration<V> best(const context& ctx, const contraction_order& order, const solve_options& options,
                        solve_report& report) const {
    contraction_report one;
    auto result = best_configuration(ctx, S{}, n_, views(), order, options_of(options, one));
    add(report, one);
    return result;
  }

 private:
  static void add_free_indices(network& n, std::vector<std::vector<V>>& tables) {
    std::vector<bool> held(n.extents.size(), false);
    for (const std::vector<int>& labels : n.tensors)
      for (const int label : labels) held[static_cast<std::size_t>(label)] = true;
    for (int label = 0; label < n.indices(); ++label) {
      const auto l = static_cast<std::size_t>(label);
      if (held[l] || n.extents[l] == 1) continue;
      n.tensors.push_back({label});
      tables.emplace_back(static_cast<std::size_t>(n.extents[l]), S::one());
    }
  }

  // u = u (x) t, whose indices u has.
  static void multiply_into(const network& n, int t, const std::vector<V>& from, int u, std::vector<V>& to) {
    const std::vector<int>&inner = n.tensors[static_cast<std::size_t>(t)],
          &outer = n.tensors[static_cast<std::size_t>(u)];
    std::vector<loop_axis> axes;
    for (const int label : outer) {
      index_t stride = 0;
      if (const auto at = std::find(inner.begin(), inner.end(), label); at != inner.end()) {
        stride = 1;
        for (auto after = at + 1; after != inner.end(); ++after) stride *= n.extents[static_cast<std::size_t>(*after)];
      }
      axes.push_back({n.extents[static_cast<std::size_t>(label)], stride, 0, 0});
    }
    loop_position at(axes, 0);
    bool overflow = false;
    for (V& value : to) {
      const auto product = S::add(widen<S>(S::zero()), S::mul(widen<S>(value), widen<S>(from[std::size_t(at.a)])));
      if constexpr (can_overflow<S>) overflow |= S::overflows(product);
      value = normalise<S>(product);
      at.next();
    }
    if (overflow)
      throw value_error(name_of<S>() + ": a finite result is too large for the element type; use a wider one");
  }

  std::vector<tensor_view<const V>> views() const {
    std::vector<tensor_view<const V>> all;
    all.reserve(tables_.size());
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      axis_values extents;
      for (const int label : n_.tensors[t]) extents.push_back(n_.extents[static_cast<std::size_t>(label)]);
      all.push_back({tables_[t].data(), extents});
    }
    return all;
  }

  static contract_options options_of(const solve_options& options, contraction_report& report) {
    return {.memory = options.memory, .small_on_processor = options.small_on_processor, .report = &report};
  }
  static void add(solve_report& report, const contraction_report& one) {
    report.contract_seconds += one.seconds;
    report.bytes = std::max(report.bytes, one.bytes);
    ++report.contractions;
    report.launched = one.launched;
  }

  network n_;
  std::vector<std::vector<V>> tables_;
  std::vector<int> places_;
};

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  else return false;
}

// No sum of costs of different factors, on the way to a total or at its end, has a larger magnitude: infinity where f64
// does not hold it. Infinities and NaN aside, and before roundings.
template <class T>
double most_of_sums(const factor_graph<T>& g);

// Whether the floats of T hold all of these sums, roundings included.
template <class T>
bool sums_fit(const factor_graph<T>& g) {
  const double roundings = double(g.factors().size()) * double(std::numeric_limits<T>::epsilon());
  return most_of_sums(g) * std::exp(roundings) <= static_cast<double>(std::numeric_limits<T>::max());
}

// value_error: a cost for which integer max_plus has no place, sums that f64 might round, a cost that is not itself
// again once it was multiplied by a power of two and divided by it.
template <class T>
void require_in_range(const factor_graph<T>& g);
template <class T>
void require_exact_in_f64(const factor_graph<T>& g);
void require_scalable(const factor_graph<double>& g, double scale);

// value_error: the value of a question, which is about that, is none that T holds.
template <class T>
[[noreturn]] void refuse_value(double about);

// Costs as values of max_plus<To>, over which a question is answered, and back. To is T, or floats: of integers whose
// sums are exact there, and f64 of f32.
template <class To, class T>
class gains {
 public:
  gains(const factor_graph<T>& g, direction goal) : goal_(goal) {
    if constexpr (std::is_integral_v<To>) {
      require_in_range(g);
    } else if constexpr (std::is_same_v<To, double> && std::is_integral_v<T>) {
      require_exact_in_f64(g);
    } else if constexpr (std::is_same_v<T, double>) {
      if (sums_fit(g)) return;
      scale_ = smaller;
      require_scalable(g, scale_);
    }
  }

  // Negated to minimise, so that more is better; NaN and what is forbidden, by an infinity of either sign, is zero().
  To operator()(T cost) const {
    if (is_nan(cost) || is_forbidden(cost)) return max_plus<To>::zero();
    const To gain = static_cast<To>(cost) * scale_;
    return goal_ == direction::minimise ? -gain : gain;
  }
  // value_error: T does not hold it, or has it as an infinity.
  T cost_of(To gain) const {
    if (gain == max_plus<To>::zero()) return goal_ == direction::minimise ? min_plus<T>::zero() : max_plus<T>::zero();
    const To cost = (goal_ == direction::minimise ? -gain : gain) / scale_;
    if constexpr (std::is_floating_point_v<To> && std::is_integral_v<T>)
      if (cost > To(std::numeric_limits<T>::max()) || cost < To(std::numeric_limits<T>::lowest()))
        refuse_value<T>(static_cast<double>(cost));
    if (is_forbidden(static_cast<T>(cost))) refuse_value<T>(static_cast<double>(cost));
    return static_cast<T>(cost);
  }

 private:
  // Sums of as many costs as memory holds do not leave f64 once they are made so much smaller; and as this is a power
  // of two, they are rounded as without it.
  static constexpr double smaller = 0x1p-64;
  direction goal_;
  To scale_ = 1;
};

// In what sums are compared where values are counted: exact where those of T are.
template <class T>
using gain_of = std::conditional_t<std::is_same_v<T, std::int64_t>, std::int64_t, double>;

}  // namespace kleene::detail
