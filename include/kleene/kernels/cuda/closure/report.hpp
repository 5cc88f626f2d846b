// What the kernels of a closure find out; the host reads it before the elimination and after it.
#pragma once

#include "kleene/kernels/cuda/tile/operand_report.hpp"

namespace kleene::kernels::cuda {

struct closure_report {
  operand_report values;         // bounds, and the first element that is NaN or outside the domain
  int diverging;                 // -1, or a vertex whose star does not exist
  unsigned overflow;             // a finite result did not fit
  unsigned long long best_arcs;  // arcs that are themselves best paths
  unsigned ties, broken;         // rows whose predecessors may, and do, go round
};

}  // namespace kleene::kernels::cuda
