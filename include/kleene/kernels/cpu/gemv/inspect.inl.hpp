// Elements looked at shortly before they are added: the algebra's domain, and magnitudes whose sums could wrap.
#pragma once

#include "kleene/kernels/cpu/gemv/launch.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace kleene::kernels::cpu {

// Whether any byte is not zero.
template <class V>
[[gnu::always_inline]] inline bool any_of(const V& v) {
  if constexpr (sizeof(V) > 16) {
    using half = vector_of<std::int8_t, sizeof(V) / 2>;
    half low, high;
    std::memcpy(&low, &v, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof(low), sizeof(high));
    return any_of(low | high);
  } else {
    std::uint64_t words[2] = {};
    std::memcpy(words, &v, sizeof(V));
    return (words[0] | words[1]) != 0;
  }
}

// What a thread has seen of the matrix, `Lanes` elements at a time. Loops work on a copy, which stays in registers.
template <class S, int Lanes>
class matrix_inspection {
  using T = value_of<S>;
  static constexpr bool has_magnitudes = can_wrap<S> && std::is_integral_v<T>;
  template <class E>
  using lanes_of = vector_of<E, static_cast<int>(sizeof(E)) * Lanes>;
  using magnitude = std::conditional_t<has_magnitudes, T, int>;

 public:
  static constexpr bool looks = has_domain<S> || has_magnitudes;

  explicit matrix_inspection(const gemv_checks& checks) : checks_(checks) {}

  // Never where there is nothing to look for, which the compiler knows: the loops are compiled once then, not twice.
  // (Looking at every domain, asked or not, takes a quarter off the other algebras' compile time, too, and 15 to 80 %
  // on top of a product's time: max_times f32, one Zen 3 core, 128 x 128 1.8 and 3.0 us, 8192 x 8192 10.4 and 13.4 ms.)
  [[gnu::always_inline]] bool is_needed() const { return looks && (checks_.domain || checks_.wraps); }

  gemv_status found = gemv_status::ok;

  [[gnu::always_inline]] void see(const T* from) {
    if constexpr (has_domain<S>) {
      counter_of<T> lane[Lanes];
      for (int l = 0; l < Lanes; ++l) lane[l] = static_cast<counter_of<T>>(!S::in_domain(from[l]));
      lanes_of<counter_of<T>> outside;
      load(outside, lane);
      outside_ |= outside;
    }
    if constexpr (has_magnitudes) {
      lanes_of<T> value;
      load(value, from);
      low_ = value < low_ ? value : low_;
      high_ = high_ < value ? value : high_;
    }
  }
  // Any number of elements.
  [[gnu::always_inline]] void see(const T* from, index_t count) {
    index_t n = 0;
#pragma GCC unroll 1
    for (; n + Lanes <= count; n += Lanes) see(from + n);
#pragma GCC unroll 1
    for (; n < count; ++n) see_one(from[n]);
  }

  // Whether all is well with what was seen so far.
  [[gnu::always_inline]] bool is_well() {
    if constexpr (has_domain<S>)
      if (checks_.domain && any_of(outside_)) found = gemv_status::outside;
    if constexpr (has_magnitudes)
      if (checks_.wraps && any_of((low_ < known_low_) | (known_high_ < high_)) && !may_be_summed())
        found = gemv_status::wraps;
    return found == gemv_status::ok;
  }

 private:
  [[gnu::always_inline]] void see_one(const T& value) {
    if constexpr (has_domain<S>) outside_[0] |= static_cast<counter_of<T>>(!S::in_domain(value));
    if constexpr (has_magnitudes) low_[0] = std::min(low_[0], value), high_[0] = std::max(high_[0], value);
  }

  [[gnu::always_inline]] bool may_be_summed() {
    T low{}, high{};
    for (int l = 0; l < Lanes; ++l) low = std::min(low, low_[l]), high = std::max(high, high_[l]);
    known_low_ = low - lanes_of<T>{}, known_high_ = high - lanes_of<T>{};
    const double most = std::max(-static_cast<double>(low), static_cast<double>(high));
    return S::sums_fit(1, checks_.product_scale * most + checks_.source, 1);
  }

  gemv_checks checks_;
  lanes_of<counter_of<T>> outside_{};                                // 1 where an element was
  lanes_of<magnitude> low_{}, high_{}, known_low_{}, known_high_{};  // zero is as good as nothing
};

// Beside vectors of accumulators.
template <class S, int Bytes>
using inspection_of = matrix_inspection<S, lanes<accumulator_of<S>, Bytes>::count>;

}  // namespace kleene::kernels::cpu
