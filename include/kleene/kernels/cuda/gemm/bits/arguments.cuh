// What the products of packed bits share: what becomes of a count, and where results go.
#pragma once

#include "kleene/data/bit_matrix.hpp"

#include <cstdint>

#include <cuda_runtime.h>

namespace kleene::kernels::cuda {

enum class bit_output : int { any, parity, counts };  // count != 0, count % 2, the count itself

struct bit_result {
  bit_view<bit> bits;                // any, parity
  matrix_view<std::int32_t> counts;  // counts
  bool accumulate;                   // any, parity
  index_t m, n;

  // 64 columns from 64 w on of row i, which is inside.
  template <bit_output Output>
  __device__ void put(index_t i, index_t w, bit_word value) const {
    bit_word* const at = bits.row(i) + w;
    if (accumulate) {
      const bit_word before = w + 1 < bits.words() ? *at : *at & last_word_mask(n);
      value = Output == bit_output::any ? value | before : value ^ before;
    }
    *at = value;
  }
};

}  // namespace kleene::kernels::cuda
