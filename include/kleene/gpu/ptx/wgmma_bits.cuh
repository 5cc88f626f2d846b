// Products of packed bits on the tensor cores of sm_90a (wgmma.cuh has what goes around them). Operands lie in shared
// memory, rows of 128 bytes (1024 bits of k) after each other, their chunks of 16 bytes swizzled. Adding 2 to a
// descriptor goes 256 bits of k further. Source: PTX ISA, "wgmma.mma_async", .b1.
#pragma once

#include "kleene/gpu/ptx/wgmma.cuh"

namespace kleene::gpu {

// Where chunk c of row r stands in its row.
__host__ __device__ constexpr int swizzled_chunk(int row, int chunk) { return chunk ^ (row & 7); }

// 64 x 256 counts of common bits among 256 bits of k, added to `count` (or, without `add`, in its place). Thread t
// holds of row 16 (t / 32) + t % 32 / 4 + 8 h and column 8 g + 2 (t % 4) + e the element 4 g + 2 h + e.
__device__ __forceinline__ void wgmma_bits(int (&count)[128], std::uint64_t a, std::uint64_t b, bool add) {
#define KLEENE_OPERANDS(i)                                                                                            \
  "+r"(count[i]), "+r"(count[i + 1]), "+r"(count[i + 2]), "+r"(count[i + 3]), "+r"(count[i + 4]), "+r"(count[i + 5]), \
      "+r"(count[i + 6]), "+r"(count[i + 7])
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k256.s32.b1.b1.and.popc {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, %128, %129, add; }"
      : KLEENE_OPERANDS(0), KLEENE_OPERANDS(8), KLEENE_OPERANDS(16), KLEENE_OPERANDS(24), KLEENE_OPERANDS(32),
        KLEENE_OPERANDS(40), KLEENE_OPERANDS(48), KLEENE_OPERANDS(56), KLEENE_OPERANDS(64), KLEENE_OPERANDS(72),
        KLEENE_OPERANDS(80), KLEENE_OPERANDS(88), KLEENE_OPERANDS(96), KLEENE_OPERANDS(104), KLEENE_OPERANDS(112),
        KLEENE_OPERANDS(120)
      : "l"(a), "l"(b), "r"(static_cast<int>(add)));
#undef KLEENE_OPERANDS
}

}  // namespace kleene::gpu
