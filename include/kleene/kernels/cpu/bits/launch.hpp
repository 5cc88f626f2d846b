// Packed bits on the CPU, from above. Compiled into the library (src/runtime/bits.cpp).
#pragma once

#include "kleene/data/bit_matrix.hpp"

#include <cstddef>
#include <string>

namespace kleene::kernels::cpu {

struct bit_product {
  bit_view<const bit> a, b;  // m x k, k x n
  bit_view<bit> c;           // m x n, none of them empty; k may be 0
  bool parity;               // xor_and, else or_and
  bool accumulate;
  int threads;
  instruction_set isa;
};

std::size_t bit_product_workspace(const bit_product& p);
void launch_bit_product(const bit_product& p, void* workspace) noexcept;  // 64-byte aligned
std::string describe_bit_product(const bit_product& p);

// c(i, j) = how many k have a(i, k) and bt(j, k).
void launch_bit_counts(const bit_view<const bit>& a, const bit_view<const bit>& bt, const matrix_view<std::int32_t>& c,
                       int threads, instruction_set isa) noexcept;

void launch_bit_transpose(const bit_view<const bit>& from, const bit_view<bit>& to, int threads) noexcept;

// T: bool, std::uint8_t or float.
template <class T>
void launch_bit_pack(const matrix_view<const T>& from, const bit_view<bit>& to, int threads) noexcept;
template <class T>
void launch_bit_unpack(const bit_view<const bit>& from, const matrix_view<T>& to, int threads) noexcept;

// The reflexive and transitive closure of a small matrix, in place, by one thread. Writes whole words.
void close_bits(const bit_view<bit>& a, instruction_set isa) noexcept;

}  // namespace kleene::kernels::cpu
