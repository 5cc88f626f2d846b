// Tensor cores of sm_90, a warpgroup at a time: a warpgroup (four warps) multiplies a 64 x K tile by a K x N tile, both
// in shared memory, and adds the product to accumulators in its registers, beside whatever else the warps do. K is 32
// bytes of operands. Source: PTX ISA, "Asynchronous warpgroup level matrix instructions". Needs sm_90a.
//
//   wgmma_fence();                                  registers and shared memory are ready
//   wgmma_op<wgmma_type::bf16, 256>::add<...>(...)  any number of them
//   wgmma_commit();
//   wgmma_wait<0>();                                all committed groups but the last 0 are done
#pragma once

#include "kleene/gpu/ptx/mbarrier.cuh"

#include <nv/target>

namespace kleene::gpu {

// What is multiplied, and summed in f32, bytes in i32; f16_sums: f16, summed in f16.
enum class wgmma_type : int { bf16, f16, tf32, s8, u8, f16_sums, e4m3, e5m2 };
constexpr bool is_f8(wgmma_type kind) { return kind == wgmma_type::e4m3 || kind == wgmma_type::e5m2; }
constexpr int bytes_of(wgmma_type kind) {
  switch (kind) {
    case wgmma_type::tf32:
      return 4;
    case wgmma_type::bf16:
    case wgmma_type::f16:
    case wgmma_type::f16_sums:
      return 2;
    default:
      return 1;
  }
}

// Which index of an operand is contiguous: k, or the other one (rows of A, columns of B). Two-byte operands may be
// either.
enum class major : int { k, other };

// Whether the target that is being compiled for has these instructions. Device code only.
__device__ constexpr bool compiled_for_wgmma() {
  NV_IF_ELSE_TARGET(NV_HAS_FEATURE_SM_90a, (return true;), (return false;))
}

__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// Keeps the compiler from reading accumulators before the wait above it.
template <int N>
__device__ __forceinline__ void wgmma_fence_operand(float (&sum)[N]) {
#pragma unroll
  for (int e = 0; e < N; ++e) asm volatile("" : "+f"(sum[e])::"memory");
}
template <class T, int N>
__device__ __forceinline__ void wgmma_fence_operand(T (&sum)[N]) {
#pragma unroll
  for (int e = 0; e < N; ++e) asm volatile("" : "+r"(sum[e])::"memory");
}

// A matrix descriptor: where an operand lies in shared memory, in 128-byte rows swizzled by TMA, 1024-byte aligned in
// groups of eight. k-major: a row is 128 bytes of k. Otherwise a row is 64 neighbours at one k, and `panel` bytes lie
// between one set of 64 and the next.
__device__ __forceinline__ std::uint64_t matrix_descriptor(const void* shared, int panel) {
  constexpr std::uint64_t eight_rows = 1024 >> 4, swizzle_128 = 1;
  return std::uint64_t((shared_address(shared) & 0x3FFFF) >> 4) | std::uint64_t(panel >> 4) << 16 | eight_rows << 32 |
         swizzle_128 << 62;
}
// From one step of k to the next, in the units of a descriptor.
constexpr int descriptor_step(major of) { return (of == major::k ? 32 : 16 * 128) >> 4; }

// Accumulators of a thread: element e of d is row 16 (warp % 4) + lane / 4 + 8 (e / 2 % 2), column 8 (e / 4) +
// 2 (lane % 4) + e % 2 of the 64 x N tile. Sums in f16 are two to a register, the first in its low half.
template <wgmma_type Kind, int N>
struct wgmma_op;

// `add` adds the product to d, `set` overwrites d with it.
// clang-format off
#define KLEENE_NAMES_0 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define KLEENE_NAMES_16 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define KLEENE_NAMES_32 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define KLEENE_NAMES_64 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define KLEENE_NAMES_96 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define KLEENE_REGISTERS_4(c, d, i) c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define KLEENE_REGISTERS_8(c, d, i) KLEENE_REGISTERS_4(c, d, i), KLEENE_REGISTERS_4(c, d, i + 4)
#define KLEENE_REGISTERS_16(c, d, i) KLEENE_REGISTERS_8(c, d, i), KLEENE_REGISTERS_8(c, d, i + 8)
#define KLEENE_REGISTERS_32(c, d, i) KLEENE_REGISTERS_16(c, d, i), KLEENE_REGISTERS_16(c, d, i + 16)
#define KLEENE_LIST_16 KLEENE_NAMES_0
#define KLEENE_LIST_32 KLEENE_LIST_16 ", " KLEENE_NAMES_16
#define KLEENE_LIST_64 KLEENE_LIST_32 ", " KLEENE_NAMES_32
#define KLEENE_LIST_128 KLEENE_LIST_64 ", " KLEENE_NAMES_64 ", " KLEENE_NAMES_96
#define KLEENE_OF_16(c, d) KLEENE_REGISTERS_16(c, d, 0)
#define KLEENE_OF_32(c, d) KLEENE_REGISTERS_32(c, d, 0)
#define KLEENE_OF_64(c, d) KLEENE_REGISTERS_32(c, d, 0), KLEENE_REGISTERS_32(c, d, 32)
#define KLEENE_OF_128(c, d) KLEENE_OF_64(c, d), KLEENE_REGISTERS_32(c, d, 64), KLEENE_REGISTERS_32(c, d, 96)

// Its name; scale-d as a comparison of 0 with 0: eq accumulates, ne overwrites; the rest as below.
#define KLEENE_MATRIX_PRODUCT(function, scale_d, n, count, c, name, rest, pa, pb, ...)                               \
    template <major A, major B>                                                                                     \
    __device__ static __forceinline__ void function(accumulator (&d)[count], std::uint64_t a, std::uint64_t b) {    \
      asm volatile("{\n.reg .pred p;\nsetp." scale_d ".u32 p, 0, 0;\nwgmma.mma_async.sync.aligned.m64n" #n name " {" \
                   KLEENE_LIST_##count "}, %" pa ", %" pb ", p" rest ";\n}"                                         \
                   : KLEENE_OF_##count(c, d) : "l"(a), "l"(b) __VA_ARGS__);                                         \
    }

// kind, N, accumulators, their registers and constraint, "shape and types", what follows the descriptors, numbers of
// the last operands
#define KLEENE_MATRIX_STEP(kind, n, type, count, ...)                                                               \
  template <>                                                                                                       \
  struct wgmma_op<wgmma_type::kind, n> {                                                                            \
    using accumulator = type;                                                                                       \
    static constexpr int registers = count;                                                                         \
    KLEENE_MATRIX_PRODUCT(add, "eq", n, count, __VA_ARGS__)                                                         \
    KLEENE_MATRIX_PRODUCT(set, "ne", n, count, __VA_ARGS__)                                                         \
  };
#define KLEENE_FLOAT "+f"
#define KLEENE_INTEGER "+r"
#define KLEENE_MAJORS , "n"(A == major::other), "n"(B == major::other)
KLEENE_MATRIX_STEP(bf16, 64, float, 32, KLEENE_FLOAT, "k16.f32.bf16.bf16",
                   ", 1, 1, %34, %35", "32", "33", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(f16, 64, float, 32, KLEENE_FLOAT, "k16.f32.f16.f16", ", 1, 1, %34, %35", "32", "33", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(f16_sums, 64, unsigned, 16, KLEENE_INTEGER, "k16.f16.f16.f16",
                   ", 1, 1, %18, %19", "16", "17", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(tf32, 64, float, 32, KLEENE_FLOAT, "k8.f32.tf32.tf32", ", 1, 1", "32", "33")
KLEENE_MATRIX_STEP(s8, 64, int, 32, KLEENE_INTEGER, "k32.s32.s8.s8", "", "32", "33")
KLEENE_MATRIX_STEP(u8, 64, int, 32, KLEENE_INTEGER, "k32.s32.u8.u8", "", "32", "33")
KLEENE_MATRIX_STEP(e4m3, 64, float, 32, KLEENE_FLOAT, "k32.f32.e4m3.e4m3", ", 1, 1", "32", "33")
KLEENE_MATRIX_STEP(e5m2, 64, float, 32, KLEENE_FLOAT, "k32.f32.e5m2.e5m2", ", 1, 1", "32", "33")
KLEENE_MATRIX_STEP(bf16, 128, float, 64, KLEENE_FLOAT, "k16.f32.bf16.bf16",
                   ", 1, 1, %66, %67", "64", "65", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(f16, 128, float, 64, KLEENE_FLOAT, "k16.f32.f16.f16", ", 1, 1, %66, %67", "64", "65", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(f16_sums, 128, unsigned, 32, KLEENE_INTEGER, "k16.f16.f16.f16",
                   ", 1, 1, %34, %35", "32", "33", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(tf32, 128, float, 64, KLEENE_FLOAT, "k8.f32.tf32.tf32", ", 1, 1", "64", "65")
KLEENE_MATRIX_STEP(s8, 128, int, 64, KLEENE_INTEGER, "k32.s32.s8.s8", "", "64", "65")
KLEENE_MATRIX_STEP(u8, 128, int, 64, KLEENE_INTEGER, "k32.s32.u8.u8", "", "64", "65")
KLEENE_MATRIX_STEP(e4m3, 128, float, 64, KLEENE_FLOAT, "k32.f32.e4m3.e4m3", ", 1, 1", "64", "65")
KLEENE_MATRIX_STEP(e5m2, 128, float, 64, KLEENE_FLOAT, "k32.f32.e5m2.e5m2", ", 1, 1", "64", "65")
KLEENE_MATRIX_STEP(bf16, 256, float, 128, KLEENE_FLOAT, "k16.f32.bf16.bf16",
                   ", 1, 1, %130, %131", "128", "129", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(f16, 256, float, 128, KLEENE_FLOAT, "k16.f32.f16.f16",
                   ", 1, 1, %130, %131", "128", "129", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(f16_sums, 256, unsigned, 64, KLEENE_INTEGER, "k16.f16.f16.f16",
                   ", 1, 1, %66, %67", "64", "65", KLEENE_MAJORS)
KLEENE_MATRIX_STEP(tf32, 256, float, 128, KLEENE_FLOAT, "k8.f32.tf32.tf32", ", 1, 1", "128", "129")
KLEENE_MATRIX_STEP(s8, 256, int, 128, KLEENE_INTEGER, "k32.s32.s8.s8", "", "128", "129")
KLEENE_MATRIX_STEP(u8, 256, int, 128, KLEENE_INTEGER, "k32.s32.u8.u8", "", "128", "129")
KLEENE_MATRIX_STEP(e4m3, 256, float, 128, KLEENE_FLOAT, "k32.f32.e4m3.e4m3", ", 1, 1", "128", "129")
KLEENE_MATRIX_STEP(e5m2, 256, float, 128, KLEENE_FLOAT, "k32.f32.e5m2.e5m2", ", 1, 1", "128", "129")
#undef KLEENE_MATRIX_STEP
#undef KLEENE_MATRIX_PRODUCT
#undef KLEENE_FLOAT
#undef KLEENE_INTEGER
#undef KLEENE_MAJORS
#undef KLEENE_REGISTERS_8
#undef KLEENE_REGISTERS_4
#undef KLEENE_REGISTERS_16
#undef KLEENE_REGISTERS_32
#undef KLEENE_LIST_16
#undef KLEENE_LIST_32
#undef KLEENE_LIST_64
#undef KLEENE_LIST_128
#undef KLEENE_OF_16
#undef KLEENE_OF_32
#undef KLEENE_OF_64
#undef KLEENE_OF_128
#undef KLEENE_NAMES_0
#undef KLEENE_NAMES_16
#undef KLEENE_NAMES_32
#undef KLEENE_NAMES_64
#undef KLEENE_NAMES_96
// clang-format on

}  // namespace kleene::gpu
