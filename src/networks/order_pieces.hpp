// Annealing of trees of any size, a piece at a time: connected nodes about one that costs much; what is below stays.
#pragma once

#include "kleene/data/splitmix64.hpp"
#include "networks/tree.hpp"

#include <array>

namespace kleene::detail {

class tree_pieces {
 public:
  tree_pieces(const order_problem& p, const order_pairs& pairs, double traffic_weight);

  // Anneals one piece between two inverse temperatures, and keeps what is better. Returns how many moves that took.
  double repair_one(double warm, double cold, splitmix64& random);
  order_pairs pairs() const;

 private:
  struct piece {
    std::vector<int> inner, leaves;  // inner[0] is the root
  };
  int pick_root(splitmix64& random);
  piece grow(int root, int leaves) const;
  // The piece as a problem of its own, over the indices that its leaves have; named gets their numbers here.
  order_problem problem_of_piece(const piece& part, std::vector<int>& named);
  order_pairs pairs_of_piece(const piece& part) const;
  void put_back(const piece& part, const contraction_tree& tree, const std::vector<int>& named);
  double log2_value(int node) const;
  void rank();

  const order_problem& problem_;
  const double traffic_weight_;
  int leaves_;
  contraction_tree tree_;       // as it was; its pairs and sets are those of now, in no order
  std::vector<int> parents_;    // of each node; -1: the root
  std::vector<double> values_;  // log2, of each pair
  std::vector<int> dearest_;    // some inner nodes, by falling value
  int until_rank_ = 0;          // pieces
  std::vector<int> number_;     // of each index in a piece; -1
};

}  // namespace kleene::detail
