# Whether the CUDA kernels are built, and for which architectures.
#
# KLEENE_HAS_CUDA     nvcc 12.3 or newer is there (KLEENE_CUDA=ON insists on it, OFF does not look)
# KLEENE_CUDA_NAMES   "90a 80+": machine code for Hopper, PTX that newer and older drivers compile for the rest
#
# CMAKE_CUDA_ARCHITECTURES is respected where the caller sets it.
set(KLEENE_HAS_CUDA FALSE)
if(NOT KLEENE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90a-real 80-virtual)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.3)
    set(KLEENE_HAS_CUDA TRUE)
    string(REPLACE "-real" "" KLEENE_CUDA_NAMES "${CMAKE_CUDA_ARCHITECTURES}")
    string(REPLACE "-virtual" "+" KLEENE_CUDA_NAMES "${KLEENE_CUDA_NAMES}")
    string(REPLACE ";" " " KLEENE_CUDA_NAMES "${KLEENE_CUDA_NAMES}")
  elseif(KLEENE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "KLEENE_CUDA=ON needs nvcc 12.3 or newer and its runtime library")
  endif()
endif()
message(STATUS "Kleene's CUDA kernels: ${KLEENE_HAS_CUDA}")

# What every target with CUDA sources needs.
function(kleene_cuda_target target)
  # CMake before 3.26 does not know that nvcc speaks C++20, hence the flag by hand.
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra,-Wno-psabi>")
endfunction()
