// A planned contraction on a CUDA device, from above: plain C++, found by algebra; null in a library without CUDA.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/data/context.hpp"
#include "kleene/networks/detail/contract_plan.hpp"
#include "kleene/networks/residues.hpp"

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
  // After run(), over selective algebras: of each pair in turn the first values of the indices that it sums over whose
  // product is the element of its result. `values` has one for each index.
  virtual void choose(std::span<const int> pairs, std::span<std::int32_t> values) = 0;
};

// Bytes of the device that it takes beside the plan's: the leaves' elements, and what is summed in parts.
std::size_t device_contraction_bytes(std::size_t leaves, std::size_t element, std::size_t accumulator);
template <class S>
std::size_t device_contraction_bytes(std::size_t leaves) {
  return device_contraction_bytes(leaves, sizeof(value_of<S>), sizeof(accumulator_of<S>));
}

// leaves: the elements of all tensors of the network, on the host.
template <class S>
using device_contraction_maker = std::unique_ptr<device_contraction<value_of<S>>> (*)(
    const context& ctx, const contraction_plan& plan, std::span<const value_of<S>> leaves);

template <class S>
device_contraction_maker<S> find_device_contraction() {
  return nullptr;
}

// What solve.hpp asks: optima and sums, counts, and several of the best.
#define KLEENE_CONTRACTS_VALUES(row)                                                                     \
  row(max_plus<float>) row(max_plus<double>) row(max_plus<std::int32_t>) row(max_plus<std::int64_t>)     \
      row(min_plus<float>) row(min_plus<double>) row(min_plus<std::int32_t>) row(min_plus<std::int64_t>) \
          row(plus_times<double>) row(log_plus<double>) row(or_and<bool>)
#define KLEENE_CONTRACTS_RESIDUES(row)                                                                  \
  row(first_residues<4>) row(first_residues<8, 0>) row(first_residues<8, 8>) row(first_residues<8, 16>) \
      row(first_residues<8, 24>)
#define KLEENE_CONTRACTS_COUNTS_OF(row, T)                                                              \
  row(counting<max_plus<T>, plus_times<double>>) row(counting<max_plus<T>, first_residues<4>>)          \
      row(counting<max_plus<T>, first_residues<8, 0>>) row(counting<max_plus<T>, first_residues<8, 8>>) \
          row(counting<max_plus<T>, first_residues<8, 16>>) row(counting<max_plus<T>, first_residues<8, 24>>)
#define KLEENE_CONTRACTS_COUNTS(row) \
  KLEENE_CONTRACTS_COUNTS_OF(row, double) KLEENE_CONTRACTS_COUNTS_OF(row, std::int64_t) KLEENE_CONTRACTS_RESIDUES(row)
#define KLEENE_CONTRACTS_BEST(row)                                                                          \
  row(k_best<max_plus<double>, 4>) row(k_best<max_plus<std::int64_t>, 4>) row(k_best<max_plus<double>, 16>) \
      row(k_best<max_plus<std::int64_t>, 16>)
#define KLEENE_CONTRACTS_ON_CUDA(row) \
  KLEENE_CONTRACTS_VALUES(row) KLEENE_CONTRACTS_COUNTS(row) KLEENE_CONTRACTS_BEST(row)

#define KLEENE_ROW(...) \
  template <>           \
  device_contraction_maker<__VA_ARGS__> find_device_contraction<__VA_ARGS__>();
KLEENE_CONTRACTS_ON_CUDA(KLEENE_ROW)
#undef KLEENE_ROW

}  // namespace kleene::detail
