// Scans and sums of segments over the + of each row of the catalog, on CUDA devices.
#include "kleene/algebra/catalog.hpp"
#include "kleene/streaming/cuda/scan.cuh"
#include "kleene/streaming/cuda/segments.cuh"

#include "device_sequences.hpp"
#include "rows.hpp"
#include "sums.hpp"

namespace kleene::python {

namespace {

// S gives the +, `zero` is the row's own.
template <class S>
void scan(const context& ctx, const device_sequence& x, value_of<S> zero, bool exclusive) {
  using T = value_of<S>;
  const T* const first = static_cast<const T*>(x.values);
  T* const out = static_cast<T*>(x.out);
  const sum_of<S> add;
  if (x.offsets != nullptr) {
    if (exclusive) segmented_exclusive_scan(ctx, first, first + x.count, x.offsets, x.segments, out, zero, add);
    else segmented_inclusive_scan(ctx, first, first + x.count, x.offsets, x.segments, out, add);
  } else if (exclusive) {
    exclusive_scan(ctx, first, first + x.count, out, zero, add);
  } else {
    inclusive_scan(ctx, first, first + x.count, out, add);
  }
}

template <class S>
void reduce_segments(const context& ctx, const device_sequence& x, value_of<S> zero) {
  using T = value_of<S>;
  const T* const first = static_cast<const T*>(x.values);
  segmented_reduce(ctx, first, first + x.count, x.offsets, x.segments, static_cast<T*>(x.out), zero, sum_of<S>());
}

}  // namespace

void scan_on_device(const context& ctx, int row, const device_sequence& x, bool exclusive) {
  using function = void (*)(const context&, const device_sequence&, bool);
  static const auto rows = function_rows<function>([]<class S>(S) -> function {
    return [](const context& c, const device_sequence& s, bool before) {
      scan<typename summing_as<S>::type>(c, s, S::zero(), before);
    };
  });
  function_of(rows, row, "scan")(ctx, x, exclusive);
}

void reduce_segments_on_device(const context& ctx, int row, const device_sequence& x) {
  using function = void (*)(const context&, const device_sequence&);
  static const auto rows = function_rows<function>([]<class S>(S) -> function {
    return [](const context& c, const device_sequence& s) {
      reduce_segments<typename summing_as<S>::type>(c, s, S::zero());
    };
  });
  function_of(rows, row, "segmented_reduce")(ctx, x);
}

}  // namespace kleene::python
