// reduce.hpp with the CUDA form: contexts of both machines; brings scan.cuh along. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/reduce.cuh"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.cuh"
