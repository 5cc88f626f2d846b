// What a CUDA device can do at most with registers alone: the roofs that rates of dense products are divided by.
#pragma once

#include "kleene/data/context.hpp"

#include <string>
#include <vector>

namespace kleene::bench {

// The inner steps that products are made of, named by their instructions on sm_90.
enum class gpu_step : int {
  add_min,           // FADD + FMNMX
  add_add_min3,      // 2 FADD + VIMNMX3, on float bits
  mul_mul_max3,      // 2 FMUL + VIMNMX3
  min_max,           // 2 FMNMX
  min_min_max3,      // 2 FMNMX + VIMNMX3
  add_min_s32,       // VIADDMNMX
  add_min_f64,       // DADD + DSETP + 2 FSEL
  fma_f32,           // FFMA
  dot_bytes,         // IDP4A
  add_min_s16,       // VIADDMNMX on two 16-bit integers
  add_add_min3_f16,  // 2 HADD2 + VHMNMX, two floats of 16 bits each
  min_min_max3_f16,  // 2 HMNMX2 + VHMNMX
  none,              // not measured
};

struct gpu_roof {
  gpu_step step;
  std::string instructions;
  double rate;  // pairs (one add and one mul of the algebra) per second
};

// Each step in an outer product of 8 x 8 elements a thread, two steps of k a turn, 512 threads a multiprocessor; median
// of five. 8 of the 24 operands change each turn (an addition each, inside the time), so that no sum can be carried
// over.
std::vector<gpu_roof> measure_gpu_roofs(const context& ctx);

// The highest clock of the multiprocessors, in Hz.
double gpu_clock(const context& ctx);

}  // namespace kleene::bench
