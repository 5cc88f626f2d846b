// Two tensors contracted to a third, as one batch of matrix products: which indices become batch, rows, columns and k,
// with which strides, and which tensor has to be copied into another order first. No algebra, no elements.
#pragma once

#include "kleene/data/detail/axis_values.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace kleene::detail {

// The axes of a tensor by their indices; what an index stands at twice (a diagonal) is one axis already.
struct labelled_axes {
  int rank = 0;
  int label[most_axes];
  index_t extent[most_axes], stride[most_axes];

  // Only what there is is copied: a kilobyte for each matrix would take a tenth of a small einsum.
  labelled_axes() {}
  labelled_axes(const labelled_axes& other) { *this = other; }
  labelled_axes& operator=(const labelled_axes& other) {
    rank = other.rank;
    std::copy_n(other.label, rank, label);
    std::copy_n(other.extent, rank, extent);
    std::copy_n(other.stride, rank, stride);
    return *this;
  }

  int find(int index) const {
    for (int r = 0; r < rank; ++r)
      if (label[r] == index) return r;
    return -1;
  }
};
labelled_axes axes_of(std::span<const int> labels, const axis_values& extents, const axis_values& strides);
// Strides of axes that lie one after the other, in this order.
void pack(labelled_axes& axes);

// A tensor as the product reads or writes it.
struct einsum_operand {
  std::array<index_t, 3> extents{}, strides{};  // as a batch of matrices
  bool is_copied = false;                       // into that order, contiguous
  labelled_axes axes;                           // in that order, with the strides that the tensor itself has
  index_t elements() const { return extents[0] * extents[1] * extents[2]; }
};

struct einsum_step {
  einsum_operand a, b, c;
  index_t batch = 1, m = 1, n = 1, k = 1;
  bool is_vector = false;     // one row or one column, and no batch
  bool is_vectors = false;    // a batch of such, of matrices that are worth a product of their own
  bool is_pointwise = false;  // a batch of such, where there is nothing to sum: each element of C is one product
};

// An index of both operands and of the output is batch, one of A and the output rows, of B and the output columns; all
// others are summed over. keeps_order: these in the order in which they first stand in A and B, for a witness.
// c has the strides to write to.
einsum_step plan_einsum(const labelled_axes& a, const labelled_axes& b, const labelled_axes& c, bool keeps_order);

// The output of a step that nobody asked a layout of: its axes in an order in which the product writes without a copy.
// `kept`: for each index of A, then of B, whether it stays.
labelled_axes free_output(const labelled_axes& a, const labelled_axes& b, const std::vector<bool>& kept);

}  // namespace kleene::detail
