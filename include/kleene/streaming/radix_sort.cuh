// The radix sorts of sort.hpp with the CUDA form: contexts of both machines. Needs nvcc, and includes CUB.
#pragma once

#include "kleene/streaming/cuda/radix_sort.cuh"
#include "kleene/streaming/sort.hpp"
