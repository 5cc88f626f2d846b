// sets.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/sets.cuh"
#include "kleene/streaming/sets.hpp"
