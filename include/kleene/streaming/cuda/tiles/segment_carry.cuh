// Sums of stretches of items in which segments may end.
#pragma once

#include <cuda_runtime.h>

namespace kleene::streaming {

// A stretch of items: whether a segment ends in it, and what the items since the last end, if any, come to.
template <class T>
struct segment_carry {
  bool ends, has;
  T value;
};
template <class Op>
struct segment_carry_op {
  Op op;
  template <class T>
  // Without branches; what stands in for a missing value (some value of the user's) is combined and dropped.
  __device__ segment_carry<T> operator()(const segment_carry<T>& a, const segment_carry<T>& b) const {
    const bool fresh = b.ends || !a.has;
    const T both = op(a.value, b.value);
    return {a.ends || b.ends, fresh ? b.has : true, fresh ? b.value : b.has ? both : a.value};
  }
};

}  // namespace kleene::streaming
