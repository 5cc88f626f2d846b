// One pair of a tensor contraction, as a kernel gets it: C_i = (+) over t of A[a(i) + a(t)] (x) B[b(i) + b(t)].
#pragma once

#include "kleene/data/view.hpp"

namespace kleene::kernels {

// An index, or several that run on into each other in both operands; 0 where one lacks it.
struct pair_axis {
  index_t extent, a, b;
};

template <class T>
struct pair_product {
  static constexpr int most_axes = 48;

  const T *a = nullptr, *b = nullptr;
  T* c = nullptr;                // contiguous, the last of `kept` innermost
  index_t items = 1, terms = 1;  // elements of C, and products of each
  int kept = 0, summed = 0;
  pair_axis axes[most_axes] = {};  // the kept ones, then the summed ones, outermost first each
};

}  // namespace kleene::kernels
