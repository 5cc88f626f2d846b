// segments.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/segments.hpp"
