// Several neighbouring elements of a contraction's result at once: vectors of numbers, or of pairs of a value and a
// count, which are taken apart as they are read.
#pragma once

#include "kleene/algebra/counting.hpp"
#include "kleene/algebra/semirings.hpp"
#include "kleene/kernels/cpu/tile/lanes.hpp"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace kleene::detail {

// As many elements as fit into a vector of Bytes; one, of a type that is no number.
template <class S, int Bytes>
struct pair_lanes {
  using T = value_of<S>;
  using A = accumulator_of<S>;
  using V = kernels::cpu::vector_of<A, Bytes>;
  static constexpr int width = kernels::cpu::lanes<A, Bytes>::count;

  [[gnu::always_inline]] static void repeat(V& v, const A& value) {
    if constexpr (std::is_same_v<V, A>) {
      v = value;
    } else {
      V all{};
      for (int l = 0; l < width; ++l) all[l] = value;
      v = all;
    }
  }
  [[gnu::always_inline]] static void read(V& v, const T* from) {
    if constexpr (std::is_same_v<T, A> && !requires(T x) { S::widen(x); }) {
      kernels::cpu::load(v, from);
    } else {
      A values[width];
      for (int l = 0; l < width; ++l) values[l] = widen<S>(from[l]);
      kernels::cpu::load(v, values);
    }
  }
  [[gnu::always_inline]] static void multiply_add(V& sum, const V& x, const V& y) {
    kernels::cpu::multiply_add<S>(sum, x, y);
  }
  // overflow becomes true where a finite result does not fit.
  [[gnu::always_inline]] static void write(T* to, const V& v, bool& overflow) {
    if constexpr (std::is_same_v<T, A> && !requires(A x) { S::normalise(x); } && (!can_overflow<S> || is_float<T>)) {
      kernels::cpu::store(to, v);
    } else if constexpr (std::is_integral_v<T> && requires { typename S::range; }) {  // tropical
      constexpr T sign = S::zero() > 0 ? 1 : -1;
      const auto infinite = v * sign > S::range::threshold;
      auto large = v >= S::range::limit;
      if constexpr (std::is_signed_v<T>) large |= v <= -S::range::limit;
      if (kernels::cpu::lane_bits(large & ~infinite)) overflow = true;
      V zero;
      repeat(zero, S::zero());
      kernels::cpu::store(to, V(infinite ? zero : v));
    } else {
      A values[width];
      kernels::cpu::store(values, v);
      for (int l = 0; l < width; ++l) {
        if constexpr (can_overflow<S>) overflow |= S::overflows(values[l]);
        to[l] = normalise<S>(values[l]);
      }
    }
  }
};

// Values and counts in floats of one type, a vector of each. What has the value zero() gets the count 0 when it is
// written: until then its count is not looked at, since nothing with another value comes of it.
template <class S, class F, int Bytes>
requires(kernels::cpu::algebra_on_vectors<S, kernels::cpu::vector_of<F, Bytes>> && std::is_same_v<value_of<S>, F> &&
         (std::is_same_v<F, float> || std::is_same_v<F, double>))
struct pair_lanes<counting<S, plus_times<F>>, Bytes> {
  using T = counted<F, F>;
  using A = T;
  using number = kernels::cpu::vector_of<F, Bytes>;
  static constexpr int width = kernels::cpu::lanes<F, Bytes>::count;
  struct V {
    number value, count;
  };

  [[gnu::always_inline]] static void repeat(V& v, const A& value) {
    number values{}, counts{};
    for (int l = 0; l < width; ++l) values[l] = value.value, counts[l] = value.count;
    v.value = values, v.count = counts;
  }
  [[gnu::always_inline]] static void read(V& v, const T* from) {
    number low, high;
    kernels::cpu::load(low, reinterpret_cast<const F*>(from));
    kernels::cpu::load(high, reinterpret_cast<const F*>(from) + width);
    apart(v.value, v.count, low, high, std::make_integer_sequence<int, width>{});
  }
  [[gnu::always_inline]] static void multiply_add(V& sum, const V& x, const V& y) {
    const number value = x.value + y.value, count = x.count * y.count;
    const number best = S::template add<number>(sum.value, value);
    const number with_ties = sum.value == value ? sum.count + count : sum.count;
    sum.count = best == sum.value ? with_ties : count;
    sum.value = best;
  }
  [[gnu::always_inline]] static void write(T* to, const V& v, bool&) {
    number zero{};
    for (int l = 0; l < width; ++l) zero[l] = S::zero();
    const number count = v.value == zero ? number{} : v.count;
    number low, high;
    together(low, high, v.value, count, std::make_integer_sequence<int, width>{});
    kernels::cpu::store(reinterpret_cast<F*>(to), low);
    kernels::cpu::store(reinterpret_cast<F*>(to) + width, high);
  }

 private:
  // Values and counts take turns in memory.
  template <int... L>
  [[gnu::always_inline]] static void apart(number& values, number& counts, const number& low, const number& high,
                                           std::integer_sequence<int, L...>) {
    kernels::cpu::shuffle<(2 * L)...>(values, low, high);
    kernels::cpu::shuffle<(2 * L + 1)...>(counts, low, high);
  }
  template <int... L>
  [[gnu::always_inline]] static void together(number& low, number& high, const number& values, const number& counts,
                                              std::integer_sequence<int, L...>) {
    kernels::cpu::shuffle<(L / 2 + L % 2 * width)...>(low, values, counts);
    kernels::cpu::shuffle<(width / 2 + L / 2 + L % 2 * width)...>(high, values, counts);
  }
};

}  // namespace kleene::detail
