// What an order costs, by going through it with counts of who still has each index: no tree, and nothing that the
// searches use.
#include "kleene/networks/order.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kleene {

namespace {

using index_set = std::vector<int>;

constexpr double none = -std::numeric_limits<double>::infinity();

class bookkeeper {
 public:
  bookkeeper(const network& n, const std::vector<int>& sliced) : is_open_(n.extents.size(), 0) {
    for (const index_t extent : n.extents) log2_.push_back(extent == 0 ? none : std::log2(static_cast<double>(extent)));
    for (const int i : n.open) is_open_[at(i)] = 1;
    std::vector<char> is_sliced(n.extents.size(), 0);
    for (const int i : sliced) {
      if (i < 0 || i >= n.indices() || is_sliced[at(i)] != 0 || is_open_[at(i)] != 0)
        throw argument_error("cost_of: index " + std::to_string(i) +
                             " cannot be sliced: it is open, sliced twice, or " + "not there");
      is_sliced[at(i)] = 1;
      slices_ += log2_[at(i)];
    }
    holders_.assign(n.extents.size(), 0);
    for (index_set axes : n.tensors) {
      std::sort(axes.begin(), axes.end());
      axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
      std::erase_if(axes, [&](int i) { return is_sliced[at(i)] != 0; });
      keep(std::move(axes));
    }
    if (!tensors_.empty()) cost_.largest = *std::max_element(sizes_.begin(), sizes_.end());
  }

  void contract(std::size_t step, int a, int b) {
    const int there = static_cast<int>(tensors_.size());
    for (const int t : {a, b})
      if (t < 0 || t >= there || is_used_[at(t)] != 0)
        throw argument_error("cost_of: pair " + std::to_string(step) + " takes tensor " + std::to_string(t) +
                             ", which is " + (t < 0 || t >= there ? "not there yet" : "gone"));
    if (a == b) throw argument_error("cost_of: pair " + std::to_string(step) + " takes a tensor twice");
    index_set both;
    std::set_union(tensors_[at(a)].begin(), tensors_[at(a)].end(), tensors_[at(b)].begin(), tensors_[at(b)].end(),
                   std::back_inserter(both));
    add(operations_, log2_elements(both));
    for (const int t : {a, b}) {
      add(traffic_, sizes_[at(t)]);
      is_used_[at(t)] = 1;
      for (const int i : tensors_[at(t)]) --holders_[at(i)];
      index_set().swap(tensors_[at(t)]);
    }
    std::erase_if(both, [&](int i) { return is_open_[at(i)] == 0 && holders_[at(i)] == 0; });
    keep(std::move(both));
    add(traffic_, sizes_.back());
    cost_.largest = std::max(cost_.largest, sizes_.back());
  }

  contraction_cost total() {
    cost_.operations = value(operations_);
    cost_.traffic = value(traffic_);
    return cost_;
  }

 private:
  struct sum {
    double top = none, in_top = 0;  // in_top * 2^top
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static void add(sum& s, double log2_term) {
    if (log2_term == none) return;
    if (log2_term > s.top) s.in_top *= std::exp2(s.top - log2_term), s.top = log2_term;
    s.in_top += std::exp2(log2_term - s.top);
  }
  double value(const sum& s) const {
    return s.top == none || slices_ == none ? none : s.top + std::log2(s.in_top) + slices_;
  }
  double log2_elements(const index_set& set) const {
    double elements = 0;
    for (const int i : set) elements += log2_[at(i)];
    return elements;
  }
  void keep(index_set set) {
    sizes_.push_back(log2_elements(set));
    for (const int i : set) ++holders_[at(i)];
    tensors_.push_back(std::move(set));
    is_used_.push_back(0);
  }

  std::vector<char> is_open_, is_used_;
  std::vector<double> log2_, sizes_;
  std::vector<int> holders_;
  std::vector<index_set> tensors_;
  sum operations_, traffic_;
  double slices_ = 0;
  contraction_cost cost_;
};

}  // namespace

contraction_cost cost_of(const network& n, const std::vector<std::pair<int, int>>& pairs,
                         const std::vector<int>& sliced) {
  require_network(n);
  const std::size_t wanted = n.tensors.empty() ? 0 : n.tensors.size() - 1;
  if (pairs.size() != wanted)
    throw argument_error("cost_of: " + std::to_string(pairs.size()) + " pairs; a network of " +
                         std::to_string(n.tensors.size()) + " tensors takes " + std::to_string(wanted));
  bookkeeper books(n, sliced);
  for (std::size_t step = 0; step < pairs.size(); ++step) books.contract(step, pairs[step].first, pairs[step].second);
  return books.total();
}

double predicted_seconds(const contraction_order& order, const contraction_rates& rates) {
  const double pairs = static_cast<double>(order.pairs.size()) * static_cast<double>(order.slices);
  return std::exp2(order.cost.operations) / rates.operations + std::exp2(order.cost.traffic) / rates.elements +
         pairs / rates.pairs;
}

std::string describe(const contraction_order& order, const contraction_rates& rates) {
  const auto power = [](double log2_count) {
    if (std::isinf(log2_count)) return std::string("no");
    const std::string digits = fmt::format("2^{:.1f}", log2_count);
    return digits.substr(0, digits.find(".0"));
  };
  std::string text = power(order.cost.operations) + " operations, largest tensor " + power(order.cost.largest) +
                     " elements, traffic " + power(order.cost.traffic);
  if (!order.sliced.empty())
    text += fmt::format(", {} slices over {} {}", order.slices, order.sliced.size(),
                        order.sliced.size() == 1 ? "index" : "indices");
  return text + fmt::format(", {}; about {:.2g} s", order.method, predicted_seconds(order, rates));
}

}  // namespace kleene
