// The order of a question's contractions: the one that is given, or one that is looked for once; sliced as far as the
// elements of each algebra ask for.
#pragma once

#include "kleene/data/error.hpp"
#include "solve_network.hpp"

#include <optional>

namespace kleene::detail {

class question_order {
 public:
  question_order(const context& ctx, const solve_options& options, solve_report& report)
      : ctx_(ctx), options_(options), report_(report) {}

  // run(order), which contracts n. Tensors may be so large that about five of them fit; where the order takes more
  // workspace than that, it is sliced further and run again, unless options say how large they may be.
  template <class S, class Run>
  auto contract(const solve_network<S>& n, const Run& run) {
    const index_t most = most_elements(sizeof(value_of<S>));
    if (!base_) base_ = first_order(n.shape(), n.places(), most);
    for (int halvings = 0;; ++halvings) {
      try {
        return run(sliced(n.shape(), std::max<index_t>(most >> halvings, 1)));
      } catch (const error& wrong) {
        if (wrong.code() != fault_code::memory || is_limited() || halvings == most_halvings) throw;
      }
    }
  }

 private:
  static constexpr int most_halvings = 4;

  bool is_limited() const { return options_.order.most_elements != order_options{}.most_elements; }
  index_t most_elements(std::size_t element) const;
  contraction_order first_order(const network& n, const std::vector<int>& places, index_t most) const;
  // Writes what it costs into the report.
  contraction_order sliced(const network& n, index_t most) const;

  const context& ctx_;
  const solve_options& options_;
  solve_report& report_;
  std::optional<contraction_order> base_;
};

}  // namespace kleene::detail
