# kleene::cuda: what a target with CUDA sources links to, in the build tree and, by kleene-config.cmake, in projects
# that find Kleene.

# kleene_read_by_nvcc(TARGET PRIVATE|INTERFACE): C++20, and constexpr functions in device code. CMake before 3.26 does
# not know that nvcc speaks C++20, and drops CUDA_STANDARD 20 without a word, hence the flag by hand.
function(kleene_read_by_nvcc target scope)
  target_compile_options(${target} ${scope} $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
  if(CMAKE_VERSION VERSION_LESS 3.26)
    target_compile_options(${target} ${scope} $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
  else()
    target_compile_features(${target} ${scope} cuda_std_20)
  endif()
endfunction()

# kleene_cuda_language(LIBRARY): defines kleene::cuda over Kleene's library.
function(kleene_cuda_language library)
  if(TARGET kleene::cuda)
    return()
  endif()
  add_library(kleene::cuda INTERFACE IMPORTED GLOBAL)
  target_link_libraries(kleene::cuda INTERFACE ${library} CUDA::cudart_static)
  kleene_read_by_nvcc(kleene::cuda INTERFACE)
endfunction()
