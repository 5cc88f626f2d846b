// What a processor does on how many of its vector pipes, where kernels depend on it.
#pragma once

namespace kleene::kernels::cpu {

// Whether it has four, of which two add floats and compare them, two multiply them, and all four work on integers: Zen
// 3, 4 and 5. An Intel processor has two for vectors of AVX-512, both for floats and one for minima of integers.
bool has_four_vector_pipes();

}  // namespace kleene::kernels::cpu
