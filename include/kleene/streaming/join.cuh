// join.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/join.hpp"
