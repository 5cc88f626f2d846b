// load_balance.hpp with the CUDA form: contexts of both machines. Needs nvcc.
#pragma once

#include "kleene/streaming/cuda/load_balance.cuh"
#include "kleene/streaming/load_balance.hpp"
