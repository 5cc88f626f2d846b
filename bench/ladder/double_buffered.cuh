// The third rung is the library's kernel for devices of sm_80 (gemm/mma/kernel.cuh). Beside the copies, fragments run
// ahead too: those of the next 16 of k are read from shared memory while the tensor cores have these, so that they
// never wait for a read. Its blocks take 128 x 256 elements and its warps 64 x 64, so that a fragment that was read is
// multiplied twice as often; neighbouring blocks share rows and columns in L2. And it takes any size and stride.
#pragma once

#include "kleene/kernels/cuda/gemm/mma/launch.cuh"
#include "ladder/naive.cuh"

namespace kleene::bench {

inline void launch_double_buffered(const context& ctx, const ladder_product& p) {
  kernels::gemm_arguments<plus_times<bf16>, none, float> g;
  g.m = p.m, g.n = p.n, g.k = p.k;
  g.a = p.a, g.b = p.b, g.c = p.c;
  g.sa = {0, p.k, 1}, g.sb = {0, p.n, 1}, g.sc = {0, p.n, 1};
  kernels::cuda::launch_mma<true>(ctx, g);
}

}  // namespace kleene::bench
