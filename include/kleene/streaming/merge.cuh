// merge.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/merge.cuh"
#include "kleene/streaming/merge.hpp"
