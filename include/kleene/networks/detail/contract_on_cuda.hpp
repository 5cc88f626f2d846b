// A planned contraction on a CUDA device, from above: plain C++, found by algebra; null in a library without CUDA.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/context.hpp"
#include "kleene/networks/detail/contract_plan.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace kleene::detail {

// What runs a plan's pairs on a device; the plan's steps, copies and loops are for processors, and not looked at.
template <class T>
class device_contraction {
 public:
  virtual ~device_contraction() = default;
  // The place of a tensor of the network among `leaves`.
  virtual void set_leaf(std::size_t leaf, const T* data) = 0;
  // Returns when the result is on the host. value_error: an integer result that is too large.
  virtual void run() = 0;
  virtual const T* result() const = 0;
};

// Bytes of the device that it takes beside the plan's: the leaves' elements, and what is summed in parts.
std::size_t device_contraction_bytes(std::size_t leaves, std::size_t element);

// leaves: the elements of all tensors of the network, on the host.
template <class S>
using device_contraction_maker = std::unique_ptr<device_contraction<value_of<S>>> (*)(
    const context& ctx, const contraction_plan& plan, std::span<const value_of<S>> leaves);

template <class S>
device_contraction_maker<S> find_device_contraction() {
  return nullptr;
}
#define KLEENE_CONTRACTS_ON_CUDA(row)                                                                    \
  row(max_plus, float) row(max_plus, double) row(max_plus, std::int32_t) row(max_plus, std::int64_t)     \
      row(min_plus, float) row(min_plus, double) row(min_plus, std::int32_t) row(min_plus, std::int64_t) \
          row(plus_times, double) row(log_plus, double) row(or_and, bool)
#define KLEENE_ROW(algebra, type) \
  template <>                     \
  device_contraction_maker<algebra<type>> find_device_contraction<algebra<type>>();
KLEENE_CONTRACTS_ON_CUDA(KLEENE_ROW)
#undef KLEENE_ROW

}  // namespace kleene::detail
