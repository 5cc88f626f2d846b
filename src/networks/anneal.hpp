// Annealing of contraction trees by rotations: a node's grandchild changes places with its other child. That changes
// one result and the operations of two pairs, so that a move costs a few words of bits (Kalachev, Panteleev, Yung:
// Multi-tensor contraction for XEB verification of quantum circuits, 2021).
#pragma once

#include "kleene/data/splitmix64.hpp"
#include "networks/order_problem.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace kleene::detail {

// A tree over few enough leaves that the indices of every node are a row of bits. A word has indices of one extent.
class bit_tree {
 public:
  using shape = std::vector<std::array<int, 2>>;  // the children of each node that is no leaf; the last is the root

  // The tree of `pairs` over leaves with those indices; the result keeps what has a flag in `open`.
  bit_tree(const std::vector<double>& log2_extents, std::span<const index_set> leaves, std::span<const char> open,
           const order_pairs& pairs, double traffic_weight);

  // One move tried at each node, at the inverse temperature beta, in powers of two of what the two pairs cost.
  void sweep(double beta, splitmix64& random);
  // log2 of operations and weighted traffic.
  double score() const;

  const shape& current() const { return children_; }
  // The pairs of a shape that this tree had, children before parents.
  order_pairs pairs_of(const shape& s) const;

 private:
  struct move;
  struct word_class {
    int begin, end;  // words
    double log2_extent;
  };
  template <int Words>
  void sweep_words(double beta, splitmix64& random);
  template <int Words>
  void evaluate(move& m) const;
  friend struct sweep_work;

  void number_bits(const std::vector<double>& log2_extents, std::span<const index_set> leaves);
  void fill_rows(std::span<const index_set> leaves, std::span<const char> open);
  double log2_elements(const std::uint64_t* row) const;

  double traffic_weight_;
  int leaves_, words_ = 0;
  std::vector<int> bit_of_;  // of each index; -1: none has it
  std::vector<word_class> classes_;
  std::vector<std::uint64_t> rows_;  // of each node
  shape children_;
  std::vector<double> sizes_;   // of each node, in 2^unit_
  std::vector<double> values_;  // of each pair: operations and weighted traffic, in 2^unit_
  double unit_ = 0;
};

}  // namespace kleene::detail
