// The order of numbers on CUDA devices: which of the two is said when it runs, and not compiled twice.
#pragma once

#include "orders.hpp"

namespace kleene::python {

struct order_on_device {
  bool descends;
  template <class T>
  KLEENE_FUNCTION bool operator()(const T& a, const T& b) const {
    return stands_before(descends, a, b);
  }
};

}  // namespace kleene::python
