// What the device finds out about operands and results while the host has long gone on; read when the context is
// synchronised. Plain data, shared by kernels and by the code that turns it into an error.
#pragma once

#include "kleene/algebra/signs.hpp"
#include "kleene/kernels/cuda/tile/operand_report.hpp"

namespace kleene::kernels::cuda {

// Everything that one product finds out, at the head of its workspace.
struct gemm_findings {
  enum : int { a = 0, b = 1, source = 2 };
  operand_report reports[3];
  unsigned overflow;  // set by a finite result that does not fit
};

// What the host knows when it enqueues a product.
struct gemm_checks {
  const gemm_findings* found = nullptr;
  bool find_class = false, check_domain = false, check_wrap = false;
  sign_class promised = sign_class::any;
  const int* stop = nullptr;                              // closures: nothing is done once this holds a vertex
  const unsigned* done = nullptr;                         // nothing is done where this is not 0: C is computed already
  double terms = 0, product_scale = 1, source_scale = 0;  // k, |alpha|, |beta| (0: no source), for check_wrap
};

template <class S>
KLEENE_FUNCTION sign_class class_of(const gemm_checks& c) {
  if (!c.find_class) return c.promised;
  const auto bounds = [](const operand_report& r) {
    return operand_bounds{static_cast<float>(operand_report::value(r.low)),
                          static_cast<float>(operand_report::value(r.high))};
  };
  return classify<S>(bounds(c.found->reports[0]), bounds(c.found->reports[1]));
}

// Integer sums: whether they can leave the accumulator.
template <class S>
KLEENE_FUNCTION bool may_wrap(const gemm_checks& c) {
  if constexpr (can_wrap<S>) {
    if (!c.check_wrap) return false;
    const auto magnitude = [](const operand_report& r) {
      const double low = operand_report::value(r.low), high = operand_report::value(r.high);
      return low > high ? 0 : -low > high ? -low : high;  // no elements but zeros: 0
    };
    const double products = c.terms * magnitude(c.found->reports[0]) * magnitude(c.found->reports[1]) * c.product_scale;
    const double source = c.source_scale > 0 ? magnitude(c.found->reports[2]) * c.source_scale : 0;
    return !S::sums_fit(1, products + source, 1);
  }
  return false;
}

template <class S>
KLEENE_FUNCTION bool may_run(const gemm_checks& c) {
  if (c.check_domain)
    for (const operand_report& r : c.found->reports)
      if (r.offender != operand_report::no_offender) return false;
  return !may_wrap<S>(c);
}

}  // namespace kleene::kernels::cuda
