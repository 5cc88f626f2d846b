# Whether the CUDA kernels are built, and for which architectures.
#
# KLEENE_HAS_CUDA     nvcc 12.3 or newer is there (KLEENE_CUDA=ON insists on it, OFF does not look)
# KLEENE_CUDA_NAMES   "90a 80+": machine code for Hopper, PTX that drivers compile for everything from 8.0 on
# KLEENE_TEST_ARCHITECTURE   the first of them: what tests and examples are compiled for
# KLEENE_HAS_GPU_TESTS       whether the tests that need a GPU are built
#
# CMAKE_CUDA_ARCHITECTURES is respected where the caller sets it. Unsaid, it is what the GPUs of this machine need;
# where there are none, Hopper. The preset `portable` adds PTX for the rest, which costs minutes. A program does not use
# devices that it holds no code for.

# The architectures of the GPUs at hand as far as this nvcc knows them, or nothing. Those below 8.0 do not count; where
# there are no others, kleene_old_gpu is what they have.
function(kleene_gpus_at_hand out)
  set(found)
  set(old)
  find_program(KLEENE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(KLEENE_NVIDIA_SMI)
  if(KLEENE_NVIDIA_SMI AND CMAKE_CUDA_COMPILER)
    execute_process(COMMAND ${KLEENE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capabilities ERROR_QUIET RESULT_VARIABLE failed)
    execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
    foreach(capability IN LISTS capabilities)
      string(REPLACE "." "" name ${capability})
      if(name LESS 80)
        set(old ${capability})
        continue()
      endif()
      string(REGEX MATCH "sm_${name}([^0-9a-z]|$)" fits "${known}")  # nvcc 13 lists 90, and not 90a
      if(name EQUAL 90)
        set(name 90a)  # Hopper's tensor cores
      endif()
      if(failed OR NOT fits)
        set(found)
        break()
      endif()
      list(APPEND found ${name}-real)
    endforeach()
    list(REMOVE_DUPLICATES found)
  endif()
  set(${out} "${found}" PARENT_SCOPE)
  if(found)
    set(old)
  endif()
  set(kleene_old_gpu "${old}" PARENT_SCOPE)
endfunction()

# Asked for less than 8.0, every unit would fail, the first after minutes.
function(kleene_check_architectures)
  foreach(name IN LISTS CMAKE_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" number "${name}")
    if(name MATCHES "^all" OR (number AND number LESS 80))
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES=${name}: Kleene's kernels need compute capability 8.0 (Ampere) or \
later; say 80, 90a-real or what your GPU has, or KLEENE_CUDA=OFF for the CPU alone.")
    endif()
  endforeach()
endfunction()

# AUTO, or what CMake takes for true or false, as AUTO, ON or OFF in the variable `name`.
function(kleene_three_way name)
  string(TOUPPER "${${name}}" word)
  if(word MATCHES "^(ON|YES|TRUE|Y|1)$")
    set(${name} ON PARENT_SCOPE)
  elseif(word MATCHES "^(OFF|NO|FALSE|N|0|)$")
    set(${name} OFF PARENT_SCOPE)
  elseif(word STREQUAL "AUTO")
    set(${name} AUTO PARENT_SCOPE)
  else()
    message(FATAL_ERROR "${name} is AUTO, ON or OFF, and not '${${name}}'")
  endif()
endfunction()
kleene_three_way(KLEENE_CUDA)
set(KLEENE_CHECKS_GPU_TESTS FALSE)  # and makes no code of them, which takes a third of the time
if(KLEENE_GPU_TESTS STREQUAL "SYNTAX")
  set(KLEENE_CHECKS_GPU_TESTS TRUE)
  set(KLEENE_GPU_TESTS ON)
endif()
kleene_three_way(KLEENE_GPU_TESTS)

set(KLEENE_HAS_CUDA FALSE)
if(NOT KLEENE_CUDA STREQUAL "OFF")
  kleene_check_architectures()
  include(CheckLanguage)
  check_language(CUDA)
  set(of_use TRUE)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    kleene_gpus_at_hand(CMAKE_CUDA_ARCHITECTURES)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 90a-real)
    endif()
    if(kleene_old_gpu AND KLEENE_CUDA STREQUAL "AUTO")
      message(STATUS "The GPU here has compute capability ${kleene_old_gpu}, and Kleene's kernels need 8.0 (Ampere) or \
later: they are left out (KLEENE_CUDA=ON builds them for other machines)")
      set(of_use FALSE)
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER AND of_use)
    enable_language(CUDA)
    # nvcc's -O is for host code alone, and overrules what -Xcompiler says of it: hosts launch, and -O3 takes half as
    # long again over the same machine code for devices. In a wheel its size counts: -Os has 45 % less of it.
    set(host_level -O1)
    if(SKBUILD)
      set(host_level -Xcompiler=-Os)
    endif()
    string(REPLACE "-O3" ${host_level} CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")
    find_package(CUDAToolkit)
  endif()
  if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.3)
    set(KLEENE_HAS_CUDA TRUE)
    list(GET CMAKE_CUDA_ARCHITECTURES 0 KLEENE_TEST_ARCHITECTURE)
    set(KLEENE_CUDA_NAMES ${CMAKE_CUDA_ARCHITECTURES})
    list(TRANSFORM KLEENE_CUDA_NAMES REPLACE "^([0-9]+[af]?)(-virtual)?$" "\\1+")  # without a suffix: code and PTX
    list(TRANSFORM KLEENE_CUDA_NAMES REPLACE "-real$" "")
    list(JOIN KLEENE_CUDA_NAMES " " KLEENE_CUDA_NAMES)
  elseif(KLEENE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "KLEENE_CUDA=ON needs nvcc 12.3 or newer and its runtime library")
  endif()
endif()
set(KLEENE_HAS_GPU_TESTS FALSE)
if(KLEENE_HAS_CUDA AND KLEENE_GPU_TESTS STREQUAL "AUTO")
  kleene_gpus_at_hand(gpus)
  if(gpus)
    set(KLEENE_HAS_GPU_TESTS TRUE)
  endif()
elseif(KLEENE_HAS_CUDA AND KLEENE_GPU_TESTS)
  set(KLEENE_HAS_GPU_TESTS TRUE)
endif()
if(KLEENE_HAS_CUDA)
  message(STATUS "Kleene's CUDA kernels: ${KLEENE_CUDA_NAMES}")
else()
  message(STATUS "Kleene's CUDA kernels: none")
endif()

# What every target of our own with CUDA sources needs: what kleene::cuda brings, and warnings.
include(kleene_cuda_language)
function(kleene_cuda_target target)
  kleene_read_by_nvcc(${target} PRIVATE)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-psabi>")
endfunction()
