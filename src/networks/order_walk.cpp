// One walk melts the tree and cools it, slices what is too large then, and goes on in shorter turns from its best.
#include "networks/order_walk.hpp"

#include "networks/anneal.hpp"
#include "networks/order_pieces.hpp"

namespace kleene::detail {

order_candidate fitted(const order_problem& p, const order_pairs& pairs, std::vector<char> sliced,
                       const order_wishes& wishes) {
  const contraction_tree tree = tree_of(p, pairs);
  sliced.resize(p.log2_extents.size(), 0);
  sliced = sliced_to_fit(tree, p, std::move(sliced), {wishes.most_elements, wishes.traffic_weight});
  const contraction_cost cost = tree_cost(tree, p, sliced);
  return {pairs, std::move(sliced), cost, {}};
}

namespace {

// Inverse temperatures. At `hot` everything moves; from `warm` on a tree keeps its shape at large, and is mended.
constexpr double hot = 0.1, warm = 3, cold = 10;
// Parts of the time: some trees from the melt, one after the other, as their costs differ by more than what further
// cooling of one gains; then shorter turns that mend the best, now with its slices, now without to choose them anew.
constexpr int melts = 3;
constexpr double melt_part = 0.17, mend_part = 0.1;
// Rows of bits of this many bytes stay in the caches; larger trees are annealed piece by piece.
constexpr double most_row_bytes = 16e6;

class walk {
 public:
  walk(const order_problem& p, const order_candidate& start, const order_wishes& wishes, std::uint64_t seed,
       const search_end& end, const walk_calls& calls)
      : problem_(p), wishes_(wishes), end_(end), calls_(calls), random_{seed}, best_(start), current_(start) {}

  void run() {
    const double row_bytes = 2.0 * problem_.size() * problem_.indices() / 8;
    const bool is_large = row_bytes > most_row_bytes;
    double until = 0;
    for (int turn = 0; part() < 1; ++turn) {
      const bool melt = turn < melts && !is_large;
      until = std::min(1.0, std::max(until, part()) + (melt ? melt_part : mend_part));
      if (!melt) current_ = best_;
      if (melt || turn % 2 == 0) current_.sliced.assign(problem_.log2_extents.size(), 0);
      if (is_large) {
        mend_pieces(until);
      } else {
        cool(melt ? hot : warm, until);
      }
      current_ = fitted(problem_, current_.pairs, current_.sliced, wishes_);
      calls_.found(current_);
      if (wishes_.is_better(current_.cost, best_.cost)) best_ = current_;
    }
  }

 private:
  double part() const {
    if (end_.stopped()) return 1;
    return wishes_.sweeps > 0 ? moves_ / problem_.size() / wishes_.sweeps : end_.part();
  }

  std::vector<index_set> unsliced() const {
    std::vector<index_set> leaves = problem_.tensors;
    for (index_set& leaf : leaves) std::erase_if(leaf, [&](int i) { return current_.sliced[at(i)] != 0; });
    return leaves;
  }

  void cool(double from, double until) {
    bit_tree tree(problem_.log2_extents, unsliced(), problem_.open, current_.pairs, wishes_.traffic_weight);
    const double begin = part();
    bit_tree::shape best = tree.current();
    double least = from == hot ? std::numeric_limits<double>::infinity() : tree.score();
    for (double now = begin; now < until; now = part()) {
      const double along = (now - begin) / (until - begin);
      tree.sweep(from + (cold - from) * along, random_);
      moves_ += problem_.size();
      if (along > 0.5 && tree.score() < least) best = tree.current(), least = tree.score();
      calls_.now_and_then(now);
    }
    current_.pairs = tree.pairs_of(best);
  }

  void mend_pieces(double until) {
    order_problem p{problem_.log2_extents, problem_.open, unsliced()};
    tree_pieces pieces(p, current_.pairs, wishes_.traffic_weight);
    for (double now = part(); now < until; now = part()) {
      moves_ += pieces.repair_one(warm, cold, random_);
      calls_.now_and_then(now);
    }
    current_.pairs = pieces.pairs();
  }

  const order_problem& problem_;
  const order_wishes& wishes_;
  const search_end& end_;
  const walk_calls& calls_;
  splitmix64 random_;
  order_candidate best_, current_;
  double moves_ = 0;
};

}  // namespace

void anneal_walk(const order_problem& p, const order_candidate& start, const order_wishes& wishes, std::uint64_t seed,
                 const search_end& end, const walk_calls& calls) {
  walk(p, start, wishes, seed, end, calls).run();
}

}  // namespace kleene::detail
