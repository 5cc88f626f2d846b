// Walks of annealing from an order: trees that are rotated and slices that are chosen, in turns.
#pragma once

#include "networks/slice.hpp"
#include "networks/tree.hpp"

#include <functional>
#include <string>

namespace kleene::detail {

struct order_candidate {
  order_pairs pairs;
  std::vector<char> sliced;  // a flag for each index
  contraction_cost cost;
  std::string method;
};

// What every search is asked for.
struct order_wishes {
  double most_elements = std::numeric_limits<double>::infinity();  // log2
  double traffic_weight = 16;
  int sweeps = 0;  // 0: until the end

  bool fits(const contraction_cost& cost) const { return cost.largest <= most_elements + 1e-9; }
  // Whether a is better than b: one that fits, else the smaller, then the cheaper.
  bool is_better(const contraction_cost& a, const contraction_cost& b) const {
    if (fits(a) != fits(b)) return fits(a);
    if (!fits(a) && a.largest != b.largest) return a.largest < b.largest;
    return score_of(a, traffic_weight) < score_of(b, traffic_weight);
  }
};

// The order, with `sliced` and the slices that make it fit.
order_candidate fitted(const order_problem& p, const order_pairs& pairs, std::vector<char> sliced,
                       const order_wishes& wishes);

struct walk_calls {
  std::function<void(const order_candidate&)> found;  // of every order that a turn of the walk ends at
  std::function<void(double part)> now_and_then;      // after every sweep, with the part of the budget that is used
};

// Anneals from `start` until the wishes' sweeps are done; without a number of them, until `end` has come.
void anneal_walk(const order_problem& p, const order_candidate& start, const order_wishes& wishes, std::uint64_t seed,
                 const search_end& end, const walk_calls& calls);

}  // namespace kleene::detail
