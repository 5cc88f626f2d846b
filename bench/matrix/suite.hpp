// The matrix suite: plus_times on the tensor cores of a GPU, each product beside cuBLASLt in the same process. Plain
// C++; compiled in with -DKLEENE_BENCHES=ON.
#pragma once

#include "streaming/suite.hpp"

namespace kleene::bench {

inline constexpr const char* matrix_definitions =
    "Tops = 2 m n k / seconds. seconds: CUDA events around the whole call gemm(context, plus_times, A, B, C) with "
    "default "
    "options (copies of operands, split-K and its sum inside), median of the rounds after 3 warm-ups; before "
    "each, "
    "256 MB are read, which evicts the L2. Operands: element n of splitmix64 from seed 1 (A) and 2 (B), uniform in "
    "[-1, 1) (f8_e4m3: rounded to it); i8 in [-8, 8). Row-major unless the row says T (stored transposed). C has the "
    "operands' type unless the "
    "row names another. Peer: the first algorithm of cuBLASLt's heuristic with 64 MiB of workspace, the same data, "
    "rounds "
    "and clock; f32 there is multiplied as tf32; split is held against our own f32. 64 elements of each result are "
    "compared with sums in f64. Epilogues are held against our own plain product. Tensors: GB/s count every byte read "
    "and written, the peer copies as many bytes by cudaMemcpyAsync; einsum of min_plus is held against our own gemm of "
    "the same batch, and of 100 calls of small ones the events are around all; of a batch of matrices and vectors GB/s "
    "count both and the results once, and beside it stand one matrix of as many rows, the batch as gemm has it, and "
    "cuBLAS.";

std::vector<streaming_row> run_matrix_suite(const context& ctx, const streaming_suite_options& options,
                                            const std::function<void(const streaming_row&)>& done);

}  // namespace kleene::bench
