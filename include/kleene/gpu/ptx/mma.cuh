// Tensor cores of sm_80 and later, a warp at a time: a warp multiplies a 16 x K tile of A, k next to each other, by a K
// x 8 tile of B, likewise, and adds the product to its accumulators; all in registers. K is 32 bytes of 8 and 16 bits,
// 8 doubles. ldmatrix loads 8 x 8 tiles of 2-byte elements (or 8 x 16 of bytes) from shared memory into that order,
// transposing them where asked. Source: PTX ISA, "Warp level matrix multiply-accumulate instructions".
#pragma once

#include "kleene/algebra/half.hpp"
#include "kleene/gpu/ptx/mbarrier.cuh"

namespace kleene::gpu {

// With g = lane / 4 and q = lane % 4, a thread holds of the tiles
//   C   four elements: rows g and (e / 2) 8 + g, columns 2 q + e % 2
//   A   rows g and g + 8; B: column g; of k, 4 bytes at q and at 4 + q of each 32 bytes
// and of doubles those with k = q and 4 + q.
template <class T>
struct mma_op;

#define KLEENE_MMA_OP(type, sum, constraint, name)                                                            \
  template <>                                                                                                 \
  struct mma_op<type> {                                                                                       \
    using accumulator = sum;                                                                                  \
    __device__ static __forceinline__ void add(sum (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { \
      asm("mma.sync.aligned." name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"         \
          : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), "+" constraint(d[3])            \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                \
    }                                                                                                         \
    /* In place of what was there. */                                                                         \
    __device__ static __forceinline__ void set(sum (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) { \
      asm("mma.sync.aligned." name " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"     \
          : "=" constraint(d[0]), "=" constraint(d[1]), "=" constraint(d[2]), "=" constraint(d[3])            \
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), constraint(sum(0)));            \
    }                                                                                                         \
  };
KLEENE_MMA_OP(bf16, float, "f", "m16n8k16.row.col.f32.bf16.bf16.f32")
KLEENE_MMA_OP(f16, float, "f", "m16n8k16.row.col.f32.f16.f16.f32")
KLEENE_MMA_OP(std::int8_t, int, "r", "m16n8k32.row.col.s32.s8.s8.s32")
KLEENE_MMA_OP(std::uint8_t, int, "r", "m16n8k32.row.col.s32.u8.u8.s32")
#undef KLEENE_MMA_OP

// sm_80 multiplies 8 x 4 by 4 x 8 doubles: four of those. (sm_90 has products of 16 x 8 x 16, too, whose operands leave
// no registers for the next ones: 50 Tops at 8192 instead of 60.)
template <>
struct mma_op<double> {
  using accumulator = double;
  __device__ static __forceinline__ void add(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
    NV_IF_ELSE_TARGET(
        NV_PROVIDES_SM_90,
        (asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
             "{%0, %1, %2, %3};" : "+d"(d[0]),
             "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));),
        (for (int k = 0; k < 2; ++k) add_4(d[0], d[1], a[2 * k], b[k]), add_4(d[2], d[3], a[2 * k + 1], b[k]);))
  }

 private:
  __device__ static __forceinline__ void add_4(double& d0, double& d1, double a, double b) {
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(d0), "+d"(d1)
        : "d"(a), "d"(b));
  }
};

// Four 8 x 8 tiles of 2-byte elements: lane l gives the address of row l % 8 of tile l / 8 (16 bytes, aligned), and
// gets of each tile the two elements 2 (l % 4) of row l / 4; transposed: of column l / 4.
__device__ __forceinline__ void ldmatrix(unsigned (&to)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void ldmatrix_transposed(unsigned (&to)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_shared(double& to, std::uint32_t address) {
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(to) : "r"(address) : "memory");
}
__device__ __forceinline__ void load_shared(int& to, std::uint32_t address) {
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(to) : "r"(address) : "memory");
}
__device__ __forceinline__ void store_shared(std::uint32_t address, int value) {
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

}  // namespace kleene::gpu
