// What a closure is asked for, and what it says of itself: operations/closure.hpp has the meaning.
#pragma once

#include "kleene/data/view.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kleene {

// The default block: small enough that the serial part, the diagonal blocks, stays under a tenth, large enough that the
// bulk runs at the speed of gemm. Diagonal blocks are closed by the same method with blocks of
// closure_leaf (closure_order.hpp).
inline constexpr index_t closure_block = 384;

struct closure_options {
  index_t block = 0;  // 0: closure_block
  bool check_domain = true;
};

struct [[nodiscard]] closure_info {
  bool exists = true;
  index_t diverging = -1;  // a vertex whose star has no value
  index_t block = 0;       // the block size that was asked for; up to it, blocks of closure_leaf are used
  double operations = 0;   // 2 n^3: one add and one mul of the algebra per step; less where it stopped at a divergence
  double seconds = 0;
};

struct closure_batch_options {
  std::span<const std::int32_t> sizes{};  // vertices of each matrix; empty: as many as it has rows
  index_t block = 0;
  bool check_domain = true;
  index_t first = 0;  // what messages call the first matrix: where a batch is closed in parts
};

struct [[nodiscard]] closure_batch_info {
  bool exists = true;  // for all of them
  // For each matrix: -1, or a vertex whose star has no value (its contents are then unspecified); empty: all exist.
  std::vector<std::int32_t> diverging{};
  double operations = 0;  // the sum of 2 n^3
  double seconds = 0;
};

}  // namespace kleene
