// The + of an algebra as an operator of sequences, on the host and on devices.
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <type_traits>

namespace kleene::python {

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

// Minima and maxima pass a NaN over wherever it stands, as np.fmin and np.fmax do: threads and lanes begin anywhere.
// Sums of integers wrap around, as NumPy's do.
template <class S>
struct sum_of {
  using T = value_of<S>;
  static constexpr bool adds_integers =
      std::is_same_v<typename summing_as<S>::type, plus_times<T>> && std::is_integral_v<T>;

  KLEENE_FUNCTION T operator()(const T& a, const T& b) const {
    if constexpr (is_selective<S> && std::is_floating_point_v<T>) {
      return a == a ? S::add(a, b) : b;
    } else if constexpr (adds_integers) {
      using bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
    } else {
      return S::add(a, b);
    }
  }
};

}  // namespace kleene::python
