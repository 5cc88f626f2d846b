// Pairs of a network that a processor contracts in less time than a launch takes: small ones, whose operands are
// tensors of the network or results of such pairs. A network of 10^5 small tensors has hardly others.
#pragma once

#include "kleene/networks/detail/contract_run.hpp"
#include "kleene/networks/detail/contract_walk.hpp"

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kleene::detail {

// How many products a small pair has at most: as many as a core forms in 3 to 5 us, which is what each launch of a
// sequence takes. Those of structs, a value with residues say, take twenty times as long.
template <class S>
inline constexpr double most_of_small_pair = is_long<S> ? 0x1p9 : 0x1p13;

struct small_pairs {
  // Several trees: leaves are the network's tensors, the result of pair s has the number leaves + s.
  std::vector<std::pair<int, int>> forest;
  // What is left: the tensors of the network, or results of the forest, that it has, and its pairs over these, numbered
  // anew. Of no pair, where all are in the forest.
  std::vector<int> tensors;
  std::vector<std::pair<int, int>> rest;
};

// kept: for each index whether it is not summed over, 0 or 1: open ones, and those that are sliced.
small_pairs find_small_pairs(std::span<const std::vector<network_axis>> leaves,
                             std::span<const std::pair<int, int>> pairs, std::span<const std::uint8_t> kept,
                             double most);

// Contracts them. All results are kept, as best_configuration reads them again; where they would take more than a
// quarter of the memory, only smaller pairs count as small.
template <product_algebra S>
class small_forest {
 public:
  using T = value_of<S>;

  small_forest(const context& ctx, const network_operands<T>& operands, std::span<const std::pair<int, int>> pairs,
               std::span<const std::uint8_t> kept, double most) {
    const std::vector<std::uint8_t> fixed(kept.size(), 0);
    for (;; most /= 4) {
      small_ = find_small_pairs(operands.axes, pairs, kept, most);
      if (is_all()) return;
      plan_request request{operands.axes, small_.forest, fixed, kept};
      request.element = sizeof(T), request.keeps_from = 0, request.threads = ctx.threads();
      request.multiplies = multiplies_by_gemm<S>, request.sums_are_long = is_long<S>;
      plan_ = plan_contraction(request);
      if (plan_.bytes <= ctx.available() / 4) break;
    }
    run_.emplace(ctx, plan_);
    for (std::size_t t = 0; t < operands.data.size(); ++t) run_->set_leaf(t, operands.data[t]);
    run_->run();
  }
  small_forest(const small_forest&) = delete;
  small_forest& operator=(const small_forest&) = delete;

  // Whether all pairs are small: nothing was contracted then.
  bool is_all() const { return small_.rest.empty(); }
  const std::vector<std::pair<int, int>>& pairs_of_rest() const { return small_.rest; }
  // What is left, in the forest's memory and that of the operands.
  network_operands<T> rest() const {
    network_operands<T> left;
    for (const int t : small_.tensors) {
      const auto axes = plan_.axes_of(t);
      left.axes.emplace_back(axes.begin(), axes.end());
      left.data.push_back(run_->data(t));
    }
    return left;
  }
  // Once the indices of what is left have values: those of all others, as configuration_walk chooses them.
  void choose(std::span<std::int32_t> values) const {
    std::vector<int> down(plan_.pairs.size());
    std::iota(down.rbegin(), down.rend(), 0);
    choose_terms<S>(plan_, *run_, down, values);
  }

 private:
  small_pairs small_;
  contraction_plan plan_;
  std::optional<contraction_runner<S>> run_;
};

}  // namespace kleene::detail
