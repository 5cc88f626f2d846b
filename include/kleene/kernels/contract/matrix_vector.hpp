// A product of a matrix and a vector, as its kernels see it: a gemm_arguments whose n is 1 (A x) or whose m is 1 (x A),
// with both forms turned into one. Storing stays gemm_writer's.
#pragma once

#include "kleene/kernels/contract/gemm_writer.hpp"

namespace kleene::kernels {

// y[i] = (+)_k a[i, k] (x) x[k] for i < rows, k < depth; x[k] (x) a[i, k] where the vector comes first.
template <class G>
struct matrix_vector {
  using S = typename G::algebra;
  using T = value_of<S>;
  using A = accumulator_of<S>;

  const T* a = nullptr;
  const T* x = nullptr;
  index_t rows = 0, depth = 0;
  index_t row_stride = 0, depth_stride = 0, x_stride = 0;  // in elements
  bool is_row = false;                                     // y is a row of C (x A), else a column of it (A x)

  matrix_vector() = default;
  explicit matrix_vector(const G& g) : is_row(g.n != 1) {
    if (is_row) {
      a = g.b, rows = g.n, row_stride = g.sb[2], depth_stride = g.sb[1];
      x = g.a, x_stride = g.sa[2];
    } else {
      a = g.a, rows = g.m, row_stride = g.sa[1], depth_stride = g.sa[2];
      x = g.b, x_stride = g.sb[1];
    }
    depth = g.k;
  }

  // Whether the order of a product matters and is x[k] (x) a[i, k].
  KLEENE_FUNCTION bool vector_first() const { return !is_commutative<S> && is_row; }

  KLEENE_FUNCTION A term(const A& from_matrix, const A& from_vector) const {
    return vector_first() ? S::mul(from_vector, from_matrix) : S::mul(from_matrix, from_vector);
  }

  // Element i of y from its sum, and its witness.
  KLEENE_FUNCTION void store(gemm_writer<G>& writer, index_t i, const A& sum, index_t smallest) const {
    const index_t row = is_row ? 0 : i, column = is_row ? i : 0;
    const bool improves = writer.store(row, column, sum);
    if constexpr (is_selective<S>)
      if (writer.g.witness) writer.store_witness(row, column, improves, smallest);
  }
};

}  // namespace kleene::kernels
