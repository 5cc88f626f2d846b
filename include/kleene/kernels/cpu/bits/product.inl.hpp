// The product of packed bits: which of its two methods a problem takes.
#pragma once

#include "kleene/kernels/cpu/bits/affine.inl.hpp"
#include "kleene/kernels/cpu/bits/tables.inl.hpp"

namespace kleene::kernels::cpu {

// Tiles win at every size that was tried. One core of a Zen 4, Tops (2 operations a pair), tiles and tables:
// 64 x 64 x 64 1.0 and 0.2, 1024 x 1024 x 1024 16 and 10, 16384 x 16384 x 16384 23 and 12.5, 8 x 4096 x 4096 0.55 and
// 0.27.
inline bool takes_affine(const bit_product& p) { return p.parity && p.isa == instruction_set::avx512 && has_affine(); }

inline std::size_t bit_product_workspace(const bit_product& p) {
  return takes_affine(p) ? affine_workspace(p) : table_workspace(p);
}

inline void launch_bit_product(const bit_product& p, void* workspace) noexcept {
  if (takes_affine(p)) launch_affine_product(p, workspace);
  else launch_table_product(p, workspace);
}

inline std::string describe_bit_product(const bit_product& p) {
  return std::string("gemm ") + (p.parity ? "xor_and" : "or_and") + " bits " + std::to_string(p.c.rows()) + "x" +
         std::to_string(p.c.cols()) + "x" + std::to_string(p.a.cols()) + ": " + to_string(p.isa) + ", " +
         std::to_string(p.threads) + " threads, " + (takes_affine(p) ? describe_affine() : describe_tables(p));
}

}  // namespace kleene::kernels::cpu
