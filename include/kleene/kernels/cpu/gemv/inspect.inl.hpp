// Elements looked at while they are in the cache: the algebra's domain, and magnitudes whose sums could wrap.
#pragma once

#include "kleene/kernels/cpu/gemv/launch.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <algorithm>
#include <type_traits>

namespace kleene::kernels::cpu {

template <class S>
class matrix_inspection {
  using T = value_of<S>;
  static constexpr bool has_magnitudes = can_wrap<S> && std::is_integral_v<T>;
  // Constant numbers of elements, of which the compiler makes vectors; folding those to one costs as much as four.
  static constexpr int block = 256, rest = 32;
  // Memory would rest while elements in the cache are looked at and added: what comes next is asked for before. (i32
  // min_plus by rows, one busy core: 8.1 GB/s without, 10.9 with, 12.0 with nothing to look for.)
  static constexpr index_t line = sizeof(T) < 64 ? index_t{64 / sizeof(T)} : 1, ahead = 512;

 public:
  static constexpr bool looks = has_domain<S> || has_magnitudes;

  explicit matrix_inspection(const gemv_checks& checks) : checks_(checks) {}

  gemv_status found = gemv_status::ok;

  // Whether all is well so far.
  [[gnu::always_inline]] bool look(const T* from, index_t count) {
    for (index_t n = 0; n < count; n += line) __builtin_prefetch(from + n + ahead);
    if constexpr (has_domain<S>)
      if (checks_.domain && !lie_inside(from, count)) found = gemv_status::outside;
    if constexpr (has_magnitudes)
      if (checks_.wraps && !may_be_summed(from, count)) found = gemv_status::wraps;
    return found == gemv_status::ok;
  }

 private:
  [[gnu::always_inline]] static bool lie_inside(const T* from, index_t count) {
    counter_of<T> outside = 0;
    index_t n = 0;
    for (; n + block <= count; n += block) outside |= outside_of<block>(from + n);
    for (; n + rest <= count; n += rest) outside |= outside_of<rest>(from + n);
    for (; n < count; ++n) outside |= outside_of<1>(from + n);
    return outside == 0;
  }
  template <int Count>
  [[gnu::always_inline]] static counter_of<T> outside_of(const T* from) {
    counter_of<T> outside = 0;
    for (int l = 0; l < Count; ++l) outside |= static_cast<counter_of<T>>(!S::in_domain(from[l]));
    return outside;
  }

  [[gnu::always_inline]] bool may_be_summed(const T* from, index_t count) {
    T low = low_, high = high_;
    index_t n = 0;
    for (; n + block <= count; n += block)
      for (int l = 0; l < block; ++l) low = std::min(low, from[n + l]), high = std::max(high, from[n + l]);
    for (; n + rest <= count; n += rest)
      for (int l = 0; l < rest; ++l) low = std::min(low, from[n + l]), high = std::max(high, from[n + l]);
    for (; n < count; ++n) low = std::min(low, from[n]), high = std::max(high, from[n]);
    if (low == low_ && high == high_) return true;
    low_ = low, high_ = high;
    const double magnitude = std::max(-static_cast<double>(low), static_cast<double>(high));
    return S::sums_fit(1, checks_.product_scale * magnitude + checks_.source, 1);
  }

  const gemv_checks checks_;
  T low_{}, high_{};  // zero is as good as nothing
};

}  // namespace kleene::kernels::cpu
