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

// Values and counts in floats of one type, a vector of each. Not in the order of memory: AVX2 moves floats within 16
// bytes by one instruction, and across them by several slow ones, which were half the time. (Largest independent sets
// of a 3-regular graph of 200 vertices counted, two Zen 3 cores: 1.25 s, now 0.63.) What has the value zero() gets the
// count 0 when it is written: until then its count is not looked at, since nothing with another value comes of it.
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
    const number best = S::template add<number>(sum.value, value), none{};
    const number kept = best == sum.value ? sum.count : none, added = best == value ? count : none;
    sum.count = kept + added;
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
  // Values and counts take turns in memory. A vector has those of each 16 bytes of `low`, then of `high`.
  static constexpr int together_in_memory = 16 / sizeof(F), half = together_in_memory / 2;
  static constexpr int lane_in_memory(int l) {
    const int block = l / together_in_memory * together_in_memory, at = l % together_in_memory;
    return at < half ? block + 2 * at : width + block + 2 * (at - half);
  }
  static constexpr int lane_in_vector(int l) {
    const int block = l / together_in_memory * together_in_memory, at = l % together_in_memory;
    return block + at / 2 + at % 2 * width;
  }
  template <int... L>
  [[gnu::always_inline]] static void apart(number& values, number& counts, const number& low, const number& high,
                                           std::integer_sequence<int, L...>) {
    kernels::cpu::shuffle<lane_in_memory(L)...>(values, low, high);
    kernels::cpu::shuffle<(lane_in_memory(L) + 1)...>(counts, low, high);
  }
  template <int... L>
  [[gnu::always_inline]] static void together(number& low, number& high, const number& values, const number& counts,
                                              std::integer_sequence<int, L...>) {
    kernels::cpu::shuffle<lane_in_vector(L)...>(low, values, counts);
    kernels::cpu::shuffle<(half + lane_in_vector(L))...>(high, values, counts);
  }
};

}  // namespace kleene::detail
