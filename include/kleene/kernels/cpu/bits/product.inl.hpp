// The product of packed bits: which of its methods a problem takes.
#pragma once

#include "kleene/kernels/cpu/bits/affine.inl.hpp"
#include "kleene/kernels/cpu/bits/byte_tables.inl.hpp"
#include "kleene/kernels/cpu/bits/few_rows.inl.hpp"
#include "kleene/kernels/cpu/bits/tables.inl.hpp"

namespace kleene::kernels::cpu {

struct bit_method {
  std::size_t (*workspace)(const bit_product&);
  void (*launch)(const bit_product&, void* workspace) noexcept;
  std::string (*describe)(const bit_product&);
};
inline constexpr bit_method by_few_rows{few_rows_workspace, launch_few_rows_product, describe_few_rows},
    by_tables{table_workspace, launch_table_product, describe_tables},
    by_byte_tables{byte_table_workspace, launch_byte_table_product, describe_byte_tables},
    by_affine_tiles{affine_workspace, launch_affine_product, describe_affine};

// By measurement. One core of a Zen 5, Tops (2 operations a pair), n = k = m or as it is said:
//
//   m                         64    512   1024   4096  16384   8 x 4096 x 4096   32 x   64 x   128 x
//   few rows                 0.8                               5.7               6.1    6.0    6.1
//   tables                   0.4   13.5   18.1   22.4   18.2   0.5               1.8    3.4    6.2
//   byte tables              0.8   17.7   25.1   37.2   38.4   0.6               2.3    4.5    8.8
//   affine tiles (xor_and)   1.6   17.7   29.3   50.0   44.3   0.8               3.3    6.5   11.2
//
// With AVX2 few rows and tables 3.0 and 2.5 of 64 x 4096 x 4096, without it 1.1 and 1.0. Where C is narrow, or k short,
// few rows are half as fast: 32 x 192 x 4096 2.2, byte tables 1.5, tiles 2.7; 64 x 192 x 4096 2.2, 3.1 and 4.9.
inline const bit_method& method_for(const bit_product& p) {
  const bool avx512 = p.isa == instruction_set::avx512;
  const bool tiles = avx512 && p.parity && has_affine();
  const bool narrow = p.c.words() < 8 || p.a.cols() < bits_per_word;
  if (p.c.rows() <= (tiles ? 32 : 64) / (narrow ? 2 : 1)) return by_few_rows;
  if (tiles) return by_affine_tiles;
  return avx512 && has_byte_tables() ? by_byte_tables : by_tables;
}

inline std::size_t bit_product_workspace(const bit_product& p) { return method_for(p).workspace(p); }

inline void launch_bit_product(const bit_product& p, void* workspace) noexcept { method_for(p).launch(p, workspace); }

inline std::string describe_bit_product(const bit_product& p) {
  return std::string("gemm ") + (p.parity ? "xor_and" : "or_and") + " bits " + std::to_string(p.c.rows()) + "x" +
         std::to_string(p.c.cols()) + "x" + std::to_string(p.a.cols()) + ": " + to_string(p.isa) + ", " +
         std::to_string(p.threads) + " threads, " + method_for(p).describe(p);
}

}  // namespace kleene::kernels::cpu
