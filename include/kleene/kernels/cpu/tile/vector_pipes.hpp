// What a processor does on how many of its vector pipes, where kernels depend on it.
#pragma once

namespace kleene::kernels::cpu {

// Whether this processor has four vector pipes, of which two add and compare floats, two multiply them, and all four
// work on integers: Zen 3, 4 and 5. With AVX-512 an Intel processor has two, which both work on floats, and one of
// which takes minima of integers.
bool has_four_vector_pipes();

}  // namespace kleene::kernels::cpu
