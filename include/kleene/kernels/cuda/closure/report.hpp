// What the kernels of a closure report; the host reads it before and after the elimination.
#pragma once

#include "kleene/kernels/cuda/tile/operand_report.hpp"

namespace kleene::kernels::cuda {

struct closure_report {
  operand_report values;         // bounds, and the first element that is NaN or outside the domain
  unsigned long long best_arcs;  // arcs that are themselves best paths
  int diverging;                 // -1, or a vertex whose star does not exist
  unsigned overflow;             // a finite result did not fit
  unsigned flagged;              // of a batch: whether any matrix diverges or overflows
  unsigned ties, broken;         // rows whose chains of predecessors may have, and do have, a cycle
  unsigned unused;               // without it the struct would end in padding, which is copied and never written
};

}  // namespace kleene::kernels::cuda
