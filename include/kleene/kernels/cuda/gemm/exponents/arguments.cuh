// The arguments of a product by exponents: operands as lines, what is found about them, panels of codes.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/exponent_code.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/exponents/policy.hpp"
#include "kleene/kernels/cuda/gemm/raster.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

// Rows of A or columns of B: lines along k.
template <class S>
struct exponent_lines {
  const value_of<S>* data;
  index_t lines, depth, line_stride, stride;
  std::int32_t* least;  // of each line
};

// What is found about the two operands. All of it zero before.
struct exponent_findings {
  int most_a, most_b;  // the highest levels
  unsigned others;     // whether there is an element that is not to be coded

  template <int Terms>
  KLEENE_FUNCTION bool coded() const {
    return !others && exponent_code<Terms>::holds(most_a, most_b);
  }
};

// Codes of an operand as wgmma wants them: panels of `rows` lines, cut into pieces of 64 numbers of each. A piece,
// contiguous memory, is a tile of shared memory as it is: rows of 128 bytes, whose eight chunks are swizzled.
struct exponent_panels {
  uint4* memory;
  int rows;  // of a panel
  index_t panels, steps;

  KLEENE_FUNCTION index_t piece_chunks() const { return index_t{rows} * 8; }
  __device__ uint4* piece(index_t panel, index_t step) const {
    return memory + (panel * steps + step) * piece_chunks();
  }
};

template <class G>
struct exponents_arguments {
  G g;  // without alpha and beta; one matrix
  exponent_panels a, b;
  const std::int32_t *least_a, *least_b;
  const exponent_findings* found;
  unsigned tiles_m, tiles_n;

  __device__ unsigned tiles() const { return tiles_m * tiles_n; }
  __device__ raster_tile place(unsigned tile) const { return rasterise(tile, tiles_m, tiles_n, exponents_sm90::group); }
};

}  // namespace kleene::kernels::cuda
