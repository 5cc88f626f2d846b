// A tensor network contracted over an algebra, by an order.
//
//   tensor<double> z = contract(ctx, plus_times<double>{}, n, tensors, order);
//   configuration<float> best = best_configuration(ctx, max_plus<float>{}, n, tensors, order);
//
// The element of the result at an index is the sum (+), over all values of the indices that are not open, of the
// product (x) of all tensors' elements.
//
// Contract
//   algebra    mul commutes and distributes over add, and there is one(): the compiler refuses others. The catalog's
//              are compiled into the library; for one of your own include kleene/networks/own/contract.inl.hpp.
//   tensors    one for each of the network's, of the same rank and extents (shape_error), with any strides; they are
//              only read. A network of none is one(). Indices in no tensor are not summed over.
//   order      as find_order gives it: `pairs` and `sliced`. argument_error: pairs that contract no such network to
//              one tensor, a sliced index that is open, there twice, or in no tensor.
//   result     row-major, its axes those of n.open.
//   slices     each thread contracts one where there are enough of them and memory for a workspace each, else all
//              threads one after the other; they are added to the result in their order. Over selective algebras and
//              over integers the result is equal whatever the order, slices, threads and machine; other floats are
//              rounded pair by pair as gemm's.
//   memory     all of it is counted before anything runs: error(memory) with the bytes where that is above
//              options.memory. The tensors themselves are not counted, nor what gemm packs (megabytes).
//   values     domains, NaN, infinities, and what is too large as gemm has them; value_error names the tensor.
//   CUDA       what solve.hpp asks: max_plus, min_plus (f32, f64, i32, i64), plus_times and log_plus f64, or_and; over
//              max_plus (f64, i64) counting of counts in f64 or in residues, residues alone, and k_best of 4 and of 16.
//              Its processor contracts what is below small pairs (options.small_on_processor), all of a network that
//              has no others; what is left is copied to the device, and the result back. `memory` is the device's.
//              Other algebras are error(device).
//
// best_configuration, over selective algebras and networks without open indices: a value for each index such that the
// product of all tensors there is the result. Of equal ones the same whatever threads, machine and memory; `exists` is
// false where the result is zero(). It keeps the intermediate results of one slice; where they do not fit into
// options.memory, those that are missing are contracted again once the indices above them are known.
#pragma once

#include "kleene/networks/detail/contract_network.hpp"

namespace kleene {

template <contractible S>
[[nodiscard]] tensor<value_of<S>> contract(const context& ctx, S, const network& n,
                                           std::span<const tensor_view<const value_of<S>>> tensors,
                                           const contraction_order& order, const contract_options& options = {}) {
  return detail::with_memory("contract", 256.0 * n.size(),
                             [&] { return detail::network_contraction<S>(ctx, n, tensors, order, options).value(); });
}

template <contractible S>
[[nodiscard]] configuration<value_of<S>> best_configuration(const context& ctx, S, const network& n,
                                                            std::span<const tensor_view<const value_of<S>>> tensors,
                                                            const contraction_order& order,
                                                            const contract_options& options = {}) {
  static_assert(is_selective<S>, "a configuration needs a selective algebra: one term gives the result");
  return detail::with_memory("best_configuration", 256.0 * n.size(),
                             [&] { return detail::network_contraction<S>(ctx, n, tensors, order, options).best(); });
}

}  // namespace kleene
