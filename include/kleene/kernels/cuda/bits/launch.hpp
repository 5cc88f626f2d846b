// Packed bits on CUDA devices: what src/kernels/bits.cu compiles. Everything is enqueued on the context's stream; the
// operation has checked the arguments.
#pragma once

#include "kleene/data/bit_matrix.hpp"
#include "kleene/kernels/contract/bit_product.hpp"

#include <span>

namespace kleene::kernels::cuda {

// Bytes of the context's workspace that the product takes; only its extents matter, and no less where one of them is
// greater.
std::size_t bit_product_workspace(const context& ctx, const bit_product& p);
void launch_bit_product(const context& ctx, const bit_product& p);

void launch_bit_transpose(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to);

// T: bool, std::uint8_t or float.
template <class T>
void launch_bit_pack(const context& ctx, const matrix_view<const T>& from, const bit_view<bit>& to);
template <class T>
void launch_bit_unpack(const context& ctx, const bit_view<const bit>& from, const matrix_view<T>& to);

// The reflexive and transitive closure of at most closed_bits vertices, in place.
inline constexpr index_t closed_bits = 1024;
void close_bits(const context& ctx, const bit_view<bit>& a);
// Loads the code of the kernels that write to the matrix of a closure; error(memory) where it does not fit.
void load_bit_closure(const context& ctx);

// Finds classes of vertices that all reach each other: class_of[v] becomes the number of v's class; returns how many
// there are. Vertices that reach each other may still be in different classes: the search ends when at most `enough`
// vertices are alone, or when a round found little. Waits for the device. `transposed` is scratch of a's extents,
// `workspace` is in the device's memory.
std::size_t class_workspace(index_t n);
index_t find_classes(const context& ctx, const bit_view<const bit>& a, const bit_view<bit>& transposed,
                     std::span<std::int32_t> class_of, index_t enough, void* workspace);

// to's row c = or of all rows v of `from` with class_of[v] == c; to's row v = row class_of[v] of `from`. class_of is in
// the device's memory.
void combine_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                  const bit_view<bit>& to);
void spread_rows(const context& ctx, const bit_view<const bit>& from, const std::int32_t* class_of,
                 const bit_view<bit>& to);

// Words of a matrix to another of the same extents.
void copy_bits(const context& ctx, const bit_view<const bit>& from, const bit_view<bit>& to);

}  // namespace kleene::kernels::cuda
