// Packed bits on the CPU: the interface. Compiled into the library (src/kernels/bits.cpp).
#pragma once

#include "kleene/data/bit_matrix.hpp"
#include "kleene/kernels/contract/gf2_panel.hpp"

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

// The strongly connected components of a graph, and how many there are. Their numbers are in topological order: arcs
// lead to the same number or a greater one. One thread; `workspace` is 8-byte aligned.
std::size_t component_workspace(index_t n);
index_t find_components(const bit_view<const bit>& a, std::int32_t* component_of, void* workspace) noexcept;

// to's row c = or of all rows v of `from` with class_of[v] == c. Whole words: bits past the last column come along.
void combine_rows(const bit_view<const bit>& from, const std::int32_t* class_of, const bit_view<bit>& to, int threads,
                  instruction_set isa) noexcept;
// to's row v = row class_of[v] of `from`.
void spread_rows(const bit_view<const bit>& from, const std::int32_t* class_of, const bit_view<bit>& to,
                 int threads) noexcept;

// rows = rows closed, where `closed` is reflexive, transitive and lower triangular. A row is followed arc by arc from
// its last one, skipping successors that closures of others have already brought: so it follows the arcs of the
// transitive reduction. After `most` of them the remaining arcs are stored in `left` for the caller to multiply;
// returns whether there are any.
bool follow_rows(const bit_view<bit>& rows, const bit_view<const bit>& closed, const bit_view<bit>& left, index_t most,
                 int threads, instruction_set isa) noexcept;

// A panel of an elimination over GF(2) (kernels/contract/gf2_panel.hpp). Returns the number of its pivots; `workspace`
// is 64-byte aligned.
std::size_t gf2_panel_workspace();
index_t launch_gf2_panel(const gf2_panel& p, void* workspace, int threads, instruction_set isa) noexcept;

}  // namespace kleene::kernels::cpu
