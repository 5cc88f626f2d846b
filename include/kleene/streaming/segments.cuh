// segments.hpp with the CUDA form: contexts of both machines; brings scan.cuh along. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/segments.cuh"
#include "kleene/streaming/scan.cuh"
#include "kleene/streaming/segments.hpp"
