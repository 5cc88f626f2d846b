// join.hpp with the CUDA form: contexts of both machines; brings scan.cuh along. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/join.cuh"
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/scan.cuh"
