// reduce.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/reduce.hpp"
