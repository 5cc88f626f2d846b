// Packed bits on CUDA devices, from above: what src/runtime/bits.cu compiles. Everything is enqueued on the context's stream;
// the operation has checked the arguments.
#pragma once

#include "kleene/data/bit_matrix.hpp"

namespace kleene::kernels::cuda {

struct bit_product {
  bit_view<const bit> a, b;  // m x k; k x n, or n x k where transposed_b
  bit_view<bit> c;           // m x n, none of them empty; k may be 0. Or null, where counts are asked for:
  matrix_view<std::int32_t> counts{};
  bool parity = false;  // xor_and, else or_and
  bool accumulate = false;
  bool transposed_b = false;

  index m() const { return a.rows(); }
  index k() const { return a.cols(); }
  index n() const { return transposed_b ? b.rows() : b.cols(); }
};
void launch_bit_product(const context& ctx, const bit_product& p);

void launch_bit_transpose(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to);

// T: bool, std::uint8_t or float.
template <class T>
void launch_bit_pack(const context& ctx, const matrix_view<const T>& from, const bit_view<bit>& to);
template <class T>
void launch_bit_unpack(const context& ctx, const bit_view<const bit>& from, const matrix_view<T>& to);

// The reflexive and transitive closure of at most closed_bits vertices, in place.
inline constexpr index closed_bits = 1024;
void close_bits(const context& ctx, const bit_view<bit>& a);

// Words of a matrix to another of the same extents.
void copy_bits(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to);

}  // namespace kleene::kernels::cuda
