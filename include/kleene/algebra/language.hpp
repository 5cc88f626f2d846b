// What Kleene's headers are compiled with, said in a sentence before anything else fails.
#pragma once

#if __cplusplus < 202002L
#error "Kleene needs C++20: compile with -std=c++20 (CMake: link to kleene::kleene or kleene::cuda, which bring it)."
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error \
    "Kleene's device code needs compute capability 8.0: compile with -arch=sm_80 or later, sm_90a for Hopper \
(CMake: CMAKE_CUDA_ARCHITECTURES; kleene_CUDA_ARCHITECTURES has what the library is compiled for)."
#endif
