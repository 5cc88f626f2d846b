// What tests of orders share: networks drawn at random, costs by plain loops, the best of all orders.
#pragma once

#include "kleene/data/splitmix64.hpp"
#include "kleene/networks/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace kleene::test {

using order_pairs = std::vector<std::pair<int, int>>;

// Numbers, not logarithms: for small networks.
struct plain_cost {
  double operations = 0, largest = 0, traffic = 0;
};

class plain_contraction {
 public:
  explicit plain_contraction(const network& n, const std::vector<int>& sliced = {}) : network_(n) {
    for (const auto& axes : n.tensors) {
      std::set<int> set(axes.begin(), axes.end());
      for (const int i : sliced) set.erase(i);
      cost.largest = std::max(cost.largest, elements(set));
      left.push_back(set);
      names.push_back(static_cast<int>(names.size()));
    }
    next_ = n.size();
    for (const int i : sliced) slices_ *= static_cast<double>(n.extents[static_cast<std::size_t>(i)]);
  }

  // Of those that are left, by place.
  void contract(std::size_t a, std::size_t b) {
    std::set<int> both = left[a];
    both.insert(left[b].begin(), left[b].end());
    cost.operations += slices_ * elements(both);
    cost.traffic += slices_ * (elements(left[a]) + elements(left[b]));
    for (const std::size_t gone : {std::max(a, b), std::min(a, b)}) {
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(gone));
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    std::set<int> made;
    for (const int i : both) {
      bool is_kept = std::count(network_.open.begin(), network_.open.end(), i) > 0;
      for (const auto& other : left) is_kept = is_kept || other.count(i) > 0;
      if (is_kept) made.insert(i);
    }
    cost.traffic += slices_ * elements(made);
    cost.largest = std::max(cost.largest, elements(made));
    left.push_back(made);
    names.push_back(next_++);
  }

  plain_cost cost;
  std::vector<std::set<int>> left;
  std::vector<int> names;  // the numbers that orders have for them

 private:
  double elements(const std::set<int>& set) const {
    double product = 1;
    for (const int i : set) product *= static_cast<double>(network_.extents[static_cast<std::size_t>(i)]);
    return product;
  }

  const network& network_;
  int next_ = 0;
  double slices_ = 1;
};

inline plain_cost plain_cost_of(const network& n, const order_pairs& pairs, const std::vector<int>& sliced = {}) {
  plain_contraction c(n, sliced);
  for (const auto& [a, b] : pairs) {
    const auto place = [&](int name) {
      const auto found = std::find(c.names.begin(), c.names.end(), name);
      EXPECT_NE(found, c.names.end()) << "tensor " << name << " is gone or not there yet";
      return static_cast<std::size_t>(found - c.names.begin());
    };
    const std::size_t x = place(a), y = place(b);
    EXPECT_NE(x, y);
    if (x == y || x >= c.names.size() || y >= c.names.size()) return {};
    c.contract(x, y);
  }
  EXPECT_LE(c.names.size(), 1u);
  return c.cost;
}

// The least operations plus weighted traffic of all orders that make nothing larger than `most`; infinite: none does.
inline double least_of_all(const plain_contraction& c, double traffic_weight, double most) {
  if (c.cost.largest > most) return std::numeric_limits<double>::infinity();
  if (c.left.size() <= 1) return c.cost.operations + traffic_weight * c.cost.traffic;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < c.left.size(); ++a)
    for (std::size_t b = a + 1; b < c.left.size(); ++b) {
      plain_contraction next = c;
      next.contract(a, b);
      least = std::min(least, least_of_all(next, traffic_weight, most));
    }
  return least;
}

inline void expect_log2(double log2_got, double want) {
  if (want == 0) {
    EXPECT_EQ(log2_got, -std::numeric_limits<double>::infinity());
  } else {
    EXPECT_NEAR(log2_got, std::log2(want), 1e-9);
  }
}

// That the order is one, that its slices may be, and that it costs what it says.
inline void expect_order(const network& n, const contraction_order& order) {
  const plain_cost want = plain_cost_of(n, order.pairs, order.sliced);
  EXPECT_EQ(order.pairs.size() + 1, std::max<std::size_t>(n.tensors.size(), 1));
  expect_log2(order.cost.operations, want.operations);
  expect_log2(order.cost.traffic, want.traffic);
  if (n.size() > 0) expect_log2(order.cost.largest, want.largest);
  index_t slices = 1;
  for (const int i : order.sliced) {
    slices *= n.extents[static_cast<std::size_t>(i)];
    EXPECT_EQ(std::count(n.open.begin(), n.open.end(), i), 0) << "index " << i << " is open";
    EXPECT_EQ(std::count(order.sliced.begin(), order.sliced.end(), i), 1);
  }
  EXPECT_EQ(order.slices, slices);
}

// Tensors of 0 to 3 axes over a few indices: hyperedges, diagonals, scalars, parts, open indices.
inline network random_network(int tensors, int indices, std::vector<index_t> extents, std::uint64_t seed) {
  splitmix64 random{seed};
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  network n;
  for (int i = 0; i < indices; ++i) n.extents.push_back(extents[draw(extents.size())]);
  std::set<int> held;
  for (int t = 0; t < tensors; ++t) {
    n.tensors.emplace_back();
    for (std::size_t axes = draw(4); axes > 0; --axes) {
      n.tensors.back().push_back(static_cast<int>(draw(static_cast<std::size_t>(indices))));
      held.insert(n.tensors.back().back());
    }
  }
  for (const int i : held)
    if (draw(5) == 0) n.open.push_back(i);
  return n;
}

// A tensor for each edge of a grid, an index of extent 2 for each vertex.
inline network grid_network(int side) {
  network n;
  n.extents.assign(static_cast<std::size_t>(side * side), 2);
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      if (j + 1 < side) n.tensors.push_back({i * side + j, i * side + j + 1});
      if (i + 1 < side) n.tensors.push_back({i * side + j, i * side + side + j});
    }
  return n;
}

}  // namespace kleene::test
