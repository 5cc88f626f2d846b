// Operand statistics: what a pass over the values of an operand finds. Plain data, filled by kernels, read by the host.
#pragma once

#include "kleene/algebra/ops.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace kleene::kernels::cuda {

// Bounds are kept as integers that order like the doubles they encode, so that atomicMin and atomicMax serve.
struct operand_report {
  static constexpr double highest = std::numeric_limits<double>::infinity();
  static constexpr unsigned long long no_offender = ~0ull;

  long long low, high;
  unsigned long long offender;  // position in (batch, row, k) order of the first element outside the domain

  KLEENE_FUNCTION static long long key(double value) {
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((bits >> 63) & 0x7fffffffffffffff);
  }
  KLEENE_FUNCTION static double value(long long key) {
    const long long bits = key ^ ((key >> 63) & 0x7fffffffffffffff);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
};

}  // namespace kleene::kernels::cuda
