// Algebras over 8 and 16 bits that the GPU suite measures: the library is not compiled with them.
#pragma once

namespace kleene::bench {

// Makes their products known to CUDA contexts: min_plus over i16, u16, u8, f16 and bf16, max_min over f16.
void enable_gpu_narrow();

}  // namespace kleene::bench
