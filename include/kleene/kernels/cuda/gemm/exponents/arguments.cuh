// The arguments of a product by exponents: operands as lines, what is found about them, panels of codes.
#pragma once

#include "kleene/data/integers.hpp"
#include "kleene/kernels/contract/exponent_code.hpp"
#include "kleene/kernels/contract/gemm_arguments.hpp"
#include "kleene/kernels/cuda/gemm/exponents/policy.hpp"
#include "kleene/kernels/cuda/gemm/raster.hpp"

#include <cstdint>

namespace kleene::kernels::cuda {

// What becomes of the greatest sums: elements of C; keys for a witness; or elements of C where they are less than what
// is there, numbers from clamped_level on not told apart (clamped.cuh).
enum class exponents_kind : int { plain, keyed, clamped };

// Rows of A or columns of B: lines along k.
template <class S>
struct exponent_lines {
  using T = value_of<S>;
  const T* data;
  index_t lines, depth, line_stride, stride;
  std::int32_t *least = nullptr, *most = nullptr;  // of each line, times level_sign; null: levels are the numbers
  bool along;                                      // neighbours in memory are of one line, else of neighbouring lines
  bool fours;  // four neighbours at a time can be read as a vector, and none is left over

  exponent_lines(const T* x, index_t how_many, index_t k, index_t from_line, index_t from_number)
      : data(x), lines(how_many), depth(k), line_stride(from_line), stride(from_number) {
    along = stride == 1 || line_stride != 1;
    const index_t inner = along ? stride : line_stride, outer = along ? line_stride : stride;
    fours = inner == 1 && outer % 4 == 0 && (along ? depth : lines) % 4 == 0 &&
            reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && sizeof(T) % 4 == 0;
  }

  // Four neighbours from `at` on, of which `left` are there; the others are no candidates.
  __device__ __forceinline__ void load_four(const T* at, index_t left, T (&values)[4]) const {
    struct alignas(16) four {
      T x[4];
    };
    if (fours && left > 0) {
      const four read = *reinterpret_cast<const four*>(at);
#pragma unroll
      for (int e = 0; e < 4; ++e) values[e] = read.x[e];
    } else {
      const index_t step = along ? stride : line_stride;
#pragma unroll
      for (int e = 0; e < 4; ++e) values[e] = e < left ? at[e * step] : S::zero();
    }
  }
};

// What is found about the two operands.
struct exponent_findings {
  unsigned done;    // whether C is computed: the operands can be coded. First: launches that follow ask for it
  unsigned others;  // whether something is not to be coded
  int terms;        // products of a sum: 63, 31 or 15; 0 where nothing is computed
};

// Codes of an operand as the kernels want them: panels of `rows` lines, cut into pieces of 64 codes of each, `steps` of
// them (exponent_pieces::steps). A piece, contiguous memory, is a tile of shared memory as it is: rows of 128 bytes,
// whose eight chunks are swizzled.
struct exponent_panels {
  uint4* memory;
  int rows;  // of a panel
  index_t panels;

  __device__ uint4* piece(index_t panel, index_t step, index_t steps) const {
    return memory + (panel * steps + step) * (rows * 8);
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
