// Products whose operands are packed once and serve several launches, on a stream of the caller's: what a closure is
// made of. Plain C++; the kernels are those of gemm, compiled with them (panels.cuh).
#pragma once

#include "kleene/algebra/signs.hpp"
#include "kleene/kernels/contract/excluded_range.hpp"

#include <cstddef>

namespace kleene::kernels::cuda {

// One operand to pack: `rows` runs over m of A or n of B (without those in `excluded`), `depth` over k.
template <class T>
struct panel_source {
  const T* data = nullptr;
  index_t rows = 0, depth = 0, stride_row = 0, stride_depth = 0;
  excluded_range excluded{};
  void* panels = nullptr;  // panel_products::bytes of it, 256-byte aligned
};

// C := A B or C := C (+) A B; C has unit column stride.
template <class T>
struct panel_product {
  const void* a = nullptr;  // packed
  const void* b = nullptr;
  index_t m = 0, n = 0, k = 0;
  T* c = nullptr;
  index_t row_stride = 0;
  bool accumulate = false;
  excluded_range excluded_rows{}, excluded_cols{};  // rows and columns of C that A and B do not have
  index_t first_m = 0, first_n = 0;                 // this launch's tiles, as multiples of tile_rows and tile_cols:
  index_t count_m = 0, count_n = 0;                 // count of them from first on,
  excluded_range excluded_tile_rows{}, excluded_tile_cols{};  // without these (counted from first)
  sign_class signs = sign_class::any;                         // what all products are known to be
  unsigned* overflow = nullptr;                               // set to 1 by a finite result that does not fit
  const int* stop = nullptr;                                  // nothing is done once this is not negative
};

template <class S>
struct panel_products {
  using T = value_of<S>;

  // Loads the kernels of pack and multiply onto the device, where their first launch would (a cudaError_t).
  static int load();
  // Rows and columns of a tile: products may be cut at multiples of them.
  static index_t tile_rows();
  static index_t tile_cols();
  // Bytes of packed panels of A (left) or of B.
  static std::size_t bytes(bool left, index_t rows, index_t depth);
  // Packs A and B, or one of them where the other has no rows. `stream`: a cudaStream_t.
  static void pack(void* stream, const panel_source<T>& a, const panel_source<T>& b);
  // A product of packed operands. Throws error(device) where the launch fails.
  static void multiply(void* stream, const panel_product<T>& product);
};

}  // namespace kleene::kernels::cuda
