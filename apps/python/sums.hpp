// The + of an algebra as an operator of sequences, on the host and on devices.
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <type_traits>

namespace kleene::python {

// Minima and maxima pass a NaN over wherever it stands, as np.fmin and np.fmax do: threads and lanes begin anywhere.
template <class S>
struct sum_of {
  KLEENE_FUNCTION value_of<S> operator()(const value_of<S>& a, const value_of<S>& b) const {
    if constexpr (is_selective<S> && std::is_floating_point_v<value_of<S>>) return a == a ? S::add(a, b) : b;
    else return S::add(a, b);
  }
};

// One algebra for all that have its +: kernels of sums are compiled once for these.
template <class S>
struct summing_as {
  using type = S;
};
template <class T>
struct summing_as<min_times<T>> : summing_as<min_max<T>> {};
template <class T>
struct summing_as<min_plus<T>> : summing_as<min_max<T>> {};
template <class T>
struct summing_as<max_times<T>> : summing_as<max_min<T>> {};
template <class T>
struct summing_as<max_plus<T>> : summing_as<max_min<T>> {};
template <class T>
struct summing_as<or_and<T>> : summing_as<max_min<T>> {};
template <class T>
struct summing_as<plus_min<T>> : summing_as<plus_times<T>> {};

}  // namespace kleene::python
