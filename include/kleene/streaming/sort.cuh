// sort.hpp with the CUDA form: contexts of both machines; brings merge.cuh along. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/sort.cuh"
#include "kleene/streaming/merge.cuh"
#include "kleene/streaming/sort.hpp"
