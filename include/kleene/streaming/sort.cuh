// sort.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/sort.cuh"
#include "kleene/streaming/sort.hpp"
