// scan.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/scan.hpp"
