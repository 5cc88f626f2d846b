// Dynamic programming over sets of tensors: the best tree of a set has the best trees of its two parts.
#include "networks/order_exact.hpp"

#include <cstdint>

namespace kleene::detail {

namespace {

class exact_search {
 public:
  exact_search(const order_problem& p, double traffic_weight, double most_elements)
      : problem_(p), log2_weight_(traffic_weight > 0 ? std::log2(traffic_weight) : none), most_(most_elements) {
    const std::uint32_t sets = 1u << p.size();
    held_.assign(p.log2_extents.size(), 0);
    for (int t = 0; t < p.size(); ++t)
      for (const int i : p.tensors[at(t)]) held_[at(i)] |= 1u << t;
    used_.reserve(held_.size());
    for (int i = 0; i < p.indices(); ++i)
      if (held_[at(i)] != 0) used_.push_back(i);
    sizes_.resize(sets);
    cost_.assign(sets, std::numeric_limits<double>::infinity());
    part_.assign(sets, 0);
    for (std::uint32_t s = 1; s < sets; ++s) sizes_[s] = log2_elements(s);
  }

  order_pairs run() {
    const std::uint32_t all = static_cast<std::uint32_t>(cost_.size()) - 1;
    for (std::uint32_t s = 1; s <= all; ++s) {
      if ((s & (s - 1)) == 0) {
        cost_[s] = none;
      } else if (sizes_[s] <= most_ + 1e-9) {
        try_parts(s);
      }
    }
    order_pairs pairs;
    if (cost_[all] < std::numeric_limits<double>::infinity()) number(all, pairs);
    return pairs;
  }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  // What the tensors of a set make together; a tensor alone keeps what it has.
  double log2_elements(std::uint32_t set) const {
    const bool is_tensor = (set & (set - 1)) == 0;
    double sum = 0;
    for (const int i : used_) {
      const std::uint32_t held = held_[at(i)];
      const bool stays = is_tensor || problem_.open[at(i)] != 0 || (held & ~set) != 0;
      if ((held & set) != 0 && stays) sum += problem_.log2_extents[at(i)];
    }
    return sum;
  }
  // Whether an index is in the result, or the tensor, of a set.
  bool has(std::uint32_t set, int i) const {
    const std::uint32_t held = held_[at(i)];
    return (held & set) != 0 && ((set & (set - 1)) == 0 || problem_.open[at(i)] != 0 || (held & ~set) != 0);
  }

  void try_parts(std::uint32_t s) {
    const std::uint32_t least_bit = s & (~s + 1);
    for (std::uint32_t a = (s - 1) & s; a != 0; a = (a - 1) & s) {
      if ((a & least_bit) == 0) continue;
      const std::uint32_t b = s ^ a;
      const double parts = log2_of_sum(cost_[a], cost_[b]);
      if (!(parts < cost_[s])) continue;
      double product = 0;
      for (const int i : used_)
        if (has(a, i) || has(b, i)) product += problem_.log2_extents[at(i)];
      const double traffic = log2_of_sum(log2_of_sum(sizes_[a], sizes_[b]), sizes_[s]) + log2_weight_;
      const double cost = log2_of_sum(parts, log2_of_sum(product, traffic));
      if (cost < cost_[s]) cost_[s] = cost, part_[s] = a;
    }
  }

  int number(std::uint32_t s, order_pairs& pairs) const {
    if ((s & (s - 1)) == 0) {
      int t = 0;
      while ((s >> t) != 1) ++t;
      return t;
    }
    const int a = number(part_[s], pairs), b = number(s ^ part_[s], pairs);
    pairs.emplace_back(a, b);
    return problem_.size() + static_cast<int>(pairs.size()) - 1;
  }

  const order_problem& problem_;
  const double log2_weight_, most_;
  std::vector<std::uint32_t> held_;   // the set of tensors that have each index
  std::vector<int> used_;             // indices that any has
  std::vector<double> sizes_, cost_;  // of each set, log2
  std::vector<std::uint32_t> part_;
};

}  // namespace

order_pairs exact_order(const order_problem& p, double traffic_weight, double most_elements) {
  return exact_search(p, traffic_weight, most_elements).run();
}

}  // namespace kleene::detail
