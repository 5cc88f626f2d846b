// A product of packed bits, as operations hand it to a machine.
#pragma once

#include "kleene/data/bit_matrix.hpp"

namespace kleene::kernels {

struct bit_product {
  bit_view<const bit> a, b;  // m x k; k x n, or n x k where transposed_b
  bit_view<bit> c;           // m x n, none of them empty; k may be 0. Or null, where counts are asked for:
  matrix_view<std::int32_t> counts{};
  bool parity = false;  // xor_and, else or_and
  bool accumulate = false;
  bool transposed_b = false;

  index_t m() const { return a.rows(); }
  index_t k() const { return a.cols(); }
  index_t n() const { return transposed_b ? b.rows() : b.cols(); }
};

}  // namespace kleene::kernels
