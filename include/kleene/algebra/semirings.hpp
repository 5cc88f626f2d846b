// The eleven algebras that Kleene ships, named as GraphBLAS names them: (+)_(x).
//
// Rules that hold for all of them, on every path and machine:
// - "Equal" means equal under ==; -0 equals +0 everywhere and either may be returned.
// - Where (+) is min or max, a NaN is no candidate: a NaN operand is read as zero(), a product that is NaN
//   (inf - inf, 0 * inf) is skipped, and no result is NaN. In plus_times and log_plus a NaN propagates. An algebra with
//   a stated domain refuses NaN with everything else outside it.
// - Floats use the real infinities. Selective algebras over f16 and bf16 compute in f32 and round once, when a result
//   is stored; rounding is monotone, so that is the best of the rounded products, too.
// - Integer min_plus and max_plus use max/2 as infinity and hold finite values below max/8 in magnitude, so the sum of
//   two finite values stays below max/4, infinity plus a finite value stays above 3/8 max, and nothing wraps; an
//   infinity test inside mul would cost half the speed. normalise() maps what lies above the threshold back. Unsigned
//   ones (min_plus alone, as minus infinity has no place) hold up to half of infinity. The largest finite values are so
//   14 in i8, 4,094 in i16, 63 in u8 and 16,383 in u16.
// - Integer algebras whose mul multiplies compute in a wider type; a result that does not fit is reported.
#pragma once

#include "kleene/algebra/concepts.hpp"
#include "kleene/algebra/half.hpp"

#include <concepts>
#include <cstdint>
#include <limits>

namespace kleene {

namespace detail {

// Of any width: std::is_floating_point knows nothing of those of 8 and 16 bits. (Of these f8_e4m3 has no infinity.)
template <class T>
inline constexpr bool is_float = std::numeric_limits<T>::has_quiet_NaN;
template <class T>
inline constexpr bool has_infinity = std::numeric_limits<T>::has_infinity;

// The largest value of T: infinity where there is one.
template <class T>
constexpr T top() {
  if constexpr (has_infinity<T>) return std::numeric_limits<T>::infinity();
  else return std::numeric_limits<T>::max();
}
// The smallest value of T.
template <class T>
constexpr T bottom() {
  if constexpr (has_infinity<T>) return T(-std::numeric_limits<T>::infinity());
  else return std::numeric_limits<T>::lowest();
}

// What integer min_plus and max_plus count as infinite, as too large, and as certainly infinite after one sum.
template <class T>
struct tropical_range {
  static constexpr T infinity = std::numeric_limits<T>::max() / 2;        // 0x3FFFFFFF for i32
  static constexpr T limit = std::numeric_limits<T>::max() / 8;           // finite values lie strictly below
  static constexpr T threshold = std::numeric_limits<T>::max() / 16 * 5;  // between max/4 and 3/8 max
};
template <std::unsigned_integral T>
struct tropical_range<T> {
  static constexpr T infinity = std::numeric_limits<T>::max() / 2;  // 0x7F for u8
  static constexpr T limit = infinity / 2 + 1;
  static constexpr T threshold = infinity - 1;  // the largest sum of two finite values
};

template <class T, class Wide>
constexpr bool out_of_range(Wide sum) {
  return sum > Wide(std::numeric_limits<T>::max()) || sum < Wide(std::numeric_limits<T>::lowest());
}

template <class T>
constexpr bool is_zero_or_one(T value) {
  return value == T(0) || value == T(1);
}

// As in ops.hpp: operands may be wide vectors, and these functions are inlined always, whatever the calling convention.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

// add and mul as functors, templated on the operand so that kernels can call them on whole vectors.
template <class Add, class Mul, class T>
struct operations {
  using value_type = T;
  template <class V>
  requires std::is_invocable_v<Add, const V&, const V&>
  KLEENE_FUNCTION static constexpr V add(const V& a, const V& b) {
    return Add{}(a, b);
  }
  template <class V>
  requires std::is_invocable_v<Mul, const V&, const V&>
  KLEENE_FUNCTION static constexpr V mul(const V& a, const V& b) {
    return Mul{}(a, b);
  }
};

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

struct selective_facts {
  static constexpr bool is_idempotent = true, is_selective = true, is_commutative = true;
};
struct summing_facts {
  static constexpr bool is_idempotent = false, is_selective = false, is_commutative = true;
};

// Floats of 8 and 16 bits are read as f32, and factors of them come in that type, too.
template <class T>
inline constexpr bool is_short_float = is_float<T> && sizeof(T) < sizeof(float);
template <class T>
using selective_accumulator = std::conditional_t<is_short_float<T>, float, T>;
template <class T>
struct selective_facts_of : selective_facts {
  using accumulator = selective_accumulator<T>;
  using scalar = selective_accumulator<T>;
};

// Integer tropical algebras: Sign = +1 where infinity is the zero (min_plus), -1 where minus infinity is (max_plus).
template <class T, int Sign>
struct tropical_integer {
  using range = tropical_range<T>;
  KLEENE_FUNCTION static constexpr T zero() { return T(Sign * range::infinity); }
  KLEENE_FUNCTION static constexpr T normalise(T sum) { return Sign * sum > range::threshold ? zero() : sum; }
  KLEENE_FUNCTION static constexpr bool is_large(T value) {
    // One comparison: with two, compilers do not make vectors of this.
    using U = std::make_unsigned_t<T>;
    constexpr U most = U(range::limit - 1);
    return std::is_unsigned_v<T> ? U(value) > most : U(U(value) + most) > U(2 * most);
  }
  KLEENE_FUNCTION static constexpr bool overflows(T sum) { return Sign * sum <= range::threshold && is_large(sum); }
  KLEENE_FUNCTION static constexpr bool in_domain(T value) { return int{value == zero()} | int{!is_large(value)}; }
};
template <class T, int Sign>
struct tropical_float {
  KLEENE_FUNCTION static constexpr T zero() { return Sign > 0 ? top<T>() : bottom<T>(); }
};
template <class T, int Sign>
using tropical = std::conditional_t<is_float<T>, tropical_float<T, Sign>, tropical_integer<T, Sign>>;

}  // namespace detail

// Shortest paths. zero = +inf, one = 0. star(a) exists for a >= 0.
template <class T>
struct min_plus : detail::operations<ops::min, ops::plus, T>, detail::tropical<T, +1>, detail::selective_facts_of<T> {
  static constexpr const char* name = "min_plus";
  KLEENE_FUNCTION static constexpr T one() { return T(0); }
};

// Longest (critical) paths, Viterbi scores. zero = -inf, one = 0. star(a) exists for a <= 0.
template <class T>
struct max_plus : detail::operations<ops::max, ops::plus, T>, detail::tropical<T, -1>, detail::selective_facts_of<T> {
  static_assert(!std::unsigned_integral<T>, "max_plus needs a type with negative values: minus infinity is its zero");
  static constexpr const char* name = "max_plus";
  KLEENE_FUNCTION static constexpr T one() { return T(0); }
};

namespace detail {
// Integer products are formed in double: exact for every result that T can hold, and infinity comes for free.
template <class T>
using times_accumulator = std::conditional_t<is_float<T>, selective_accumulator<T>, double>;
template <class T>
struct extreme_times_facts : selective_facts_of<T> {
  KLEENE_FUNCTION static constexpr bool in_domain(T value) { return value >= T(0); }
};
}  // namespace detail

// Reliability: the most probable path. Domain: non-negative values. zero = 0, one = 1. star(a) exists for a <= 1.
template <class T>
struct max_times : detail::operations<ops::max, ops::times, T>, detail::extreme_times_facts<T> {
  using accumulator = detail::times_accumulator<T>;
  static constexpr const char* name = "max_times";
  KLEENE_FUNCTION static constexpr T zero() { return T(0); }
  KLEENE_FUNCTION static constexpr T one() { return T(1); }
  KLEENE_FUNCTION static constexpr bool overflows(accumulator sum) {
    return !detail::is_float<T> && detail::out_of_range<T>(sum);
  }
};

// The path of the smallest product. Domain: non-negative values. zero = +inf (integers: the largest value), one = 1.
// star(a) exists for a >= 1.
template <class T>
struct min_times : detail::operations<ops::min, ops::times, T>, detail::extreme_times_facts<T> {
  using accumulator = detail::times_accumulator<T>;
  static constexpr const char* name = "min_times";
  KLEENE_FUNCTION static constexpr T zero() { return detail::top<T>(); }
  KLEENE_FUNCTION static constexpr T one() { return T(1); }
  KLEENE_FUNCTION static constexpr accumulator widen(T value) {
    return value == zero() ? detail::top<accumulator>() : static_cast<accumulator>(value);
  }
  KLEENE_FUNCTION static constexpr T normalise(accumulator sum) {
    return sum == detail::top<accumulator>() ? zero() : static_cast<T>(sum);
  }
  KLEENE_FUNCTION static constexpr bool overflows(accumulator sum) {
    return !detail::is_float<T> && sum >= accumulator(zero()) && sum != detail::top<accumulator>();
  }
};

namespace detail {
// min and max as mul would let a NaN of one side through and drop it on the other; reading it as zero is symmetric.
template <class T>
KLEENE_FUNCTION constexpr T nan_as(T value, T zero) {
  return value == value ? value : zero;
}
}  // namespace detail

// Minimax paths. zero = +inf, one = -inf; integers use the whole range of T. star exists everywhere.
template <class T>
struct min_max : detail::operations<ops::min, ops::max, T>, detail::selective_facts_of<T> {
  static constexpr const char* name = "min_max";
  KLEENE_FUNCTION static constexpr T zero() { return detail::top<T>(); }
  KLEENE_FUNCTION static constexpr T one() { return detail::bottom<T>(); }
  KLEENE_FUNCTION static constexpr detail::selective_accumulator<T> widen(T value) {
    return detail::nan_as(value, zero());
  }
};

// Widest (maximum capacity, bottleneck) paths. zero = -inf, one = +inf; integers use the whole range of T. star exists
// everywhere.
template <class T>
struct max_min : detail::operations<ops::max, ops::min, T>, detail::selective_facts_of<T> {
  static constexpr const char* name = "max_min";
  KLEENE_FUNCTION static constexpr T zero() { return detail::bottom<T>(); }
  KLEENE_FUNCTION static constexpr T one() { return detail::top<T>(); }
  KLEENE_FUNCTION static constexpr detail::selective_accumulator<T> widen(T value) {
    return detail::nan_as(value, zero());
  }
};

// Reachability. Domain {0, 1}. zero = 0, one = 1. star exists everywhere.
template <class T>
struct or_and : detail::operations<ops::logical_or, ops::logical_and, T>, detail::selective_facts {
  using accumulator = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr const char* name = "or_and";
  KLEENE_FUNCTION static constexpr T zero() { return T(0); }
  KLEENE_FUNCTION static constexpr T one() { return T(1); }
  KLEENE_FUNCTION static constexpr bool in_domain(T value)
  requires(!std::is_same_v<T, bool>)
  {
    return detail::is_zero_or_one(value);
  }
};

// GF(2), parity of paths. Domain {0, 1}. zero = 0, one = 1. star(0) = 1; star(1) does not exist.
template <class T>
struct xor_and : detail::operations<ops::exclusive_or, ops::logical_and, T>, detail::summing_facts {
  using accumulator = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr const char* name = "xor_and";
  KLEENE_FUNCTION static constexpr T zero() { return T(0); }
  KLEENE_FUNCTION static constexpr T one() { return T(1); }
  KLEENE_FUNCTION static constexpr bool in_domain(T value)
  requires(!std::is_same_v<T, bool>)
  {
    return detail::is_zero_or_one(value);
  }
  KLEENE_FUNCTION static constexpr bool star_exists(accumulator a) { return a == accumulator(0); }
  KLEENE_FUNCTION static constexpr accumulator star(accumulator) { return accumulator(1); }
};

// Sums over paths of products, in logarithms. zero = -inf, one = 0. Floats only: logarithms of integers are no
// integers. star(a) = -log(1 - e^a) exists for a < 0.
template <class T>
struct log_plus : detail::operations<ops::log_add_exp, ops::plus, T>, detail::summing_facts {
  static constexpr bool is_long = true;
  static_assert(std::is_floating_point_v<T>, "log_plus needs a floating-point type");
  static constexpr const char* name = "log_plus";
  KLEENE_FUNCTION static constexpr T zero() { return detail::bottom<T>(); }
  KLEENE_FUNCTION static constexpr T one() { return T(0); }
  KLEENE_FUNCTION static constexpr bool star_exists(T a) { return a < T(0); }
  KLEENE_FUNCTION static constexpr T star(T a) { return -std::log(-std::expm1(a)); }
};

namespace detail {
// Integer sums are formed in int64, floats of 8 and 16 bits summed in float.
template <class T>
using sum_accumulator = std::conditional_t<!is_float<T>, std::int64_t, std::conditional_t<is_short_float<T>, float, T>>;
// Products of bytes are summed in int32, as processors do it: that cannot wrap for k below 131,072 (unsigned: 33,025),
// and beyond that sums_fit asks for the magnitudes.
template <class T>
inline constexpr bool is_byte = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;
template <class T>
using product_accumulator = std::conditional_t<is_byte<T>, std::int32_t, sum_accumulator<T>>;

template <class T, class Accumulator = sum_accumulator<T>>
struct summing : summing_facts {
  using accumulator = Accumulator;
  KLEENE_FUNCTION static constexpr bool overflows(accumulator sum) { return !is_float<T> && out_of_range<T>(sum); }
};
}  // namespace detail

// Ordinary matrix algebra; over integers it counts paths. zero = 0, one = 1. star(a) = 1 / (1 - a): the closure solves
// X = I + A X, which is the sum of the powers of A wherever that converges. Over integers only star(0) = 1 exists.
// Factors of operands of 8 and 16 bits come in the type of their sums, which are scaled before they are narrowed.
template <class T>
struct plus_times : detail::operations<ops::plus, ops::times, T>, detail::summing<T, detail::product_accumulator<T>> {
  using accumulator = detail::product_accumulator<T>;
  using scalar = std::conditional_t<(sizeof(T) < sizeof(accumulator) && sizeof(accumulator) == 4), accumulator, T>;
  static constexpr const char* name = "plus_times";
  KLEENE_FUNCTION static constexpr T zero() { return T(0); }
  KLEENE_FUNCTION static constexpr T one() { return T(1); }
  KLEENE_FUNCTION static constexpr bool sums_fit(double count, double a, double b) {
    return detail::is_float<T> || count * a * b < (detail::is_byte<T> ? 0x1p31 : 9.2e18);
  }
  KLEENE_FUNCTION static constexpr bool star_exists(accumulator a) {
    return detail::is_float<T> ? a != accumulator(1) : a == accumulator(0);
  }
  KLEENE_FUNCTION static constexpr accumulator star(accumulator a) { return accumulator(1) / (accumulator(1) - a); }
};

// Sums of bottlenecks. Domain: non-negative values. Not a semiring (min does not distribute over +): products only.
template <class T>
struct plus_min : detail::operations<ops::plus, ops::min, T>, detail::summing<T> {
  static constexpr const char* name = "plus_min";
  static constexpr bool is_distributive = false;
  KLEENE_FUNCTION static constexpr T zero() { return T(0); }
  KLEENE_FUNCTION static constexpr T one() { return detail::top<T>(); }
  KLEENE_FUNCTION static constexpr bool in_domain(T value) { return value >= T(0); }
};

}  // namespace kleene
