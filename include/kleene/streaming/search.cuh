// search.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/search.cuh"
#include "kleene/streaming/search.hpp"
