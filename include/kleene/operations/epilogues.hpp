// Epilogues: what happens to the elements of a product before C is written, in the kernel that sums them.
//
//   using namespace kleene::epilogues;
//   const auto f = then(bias_by_column(bias), gelu{});
//   gemm(ctx, plus_times<bf16>{}, a, b, c, gemm_options{.epilogue = f});      C = gelu(A B + bias), rounded once
//
// On a CUDA context, once, in a file that nvcc compiles (docs/howto/epilogue.md):
//   enable_cuda<plus_times<bf16>, decltype(f), bf16>();
//
//   bias_by_row(p), bias_by_column(p)      value + p[row], value + p[column]
//   scale_by_row(p), scale_by_column(p)    value * p[row], value * p[column]
//   relu{}                                 max(value, 0)
//   gelu{}, gelu_tanh{}                    value Phi(value), Phi the normal distribution; or its form with a tanh
//   clamp<T>{low, high}                    min(max(value, low), high)
//   saturate<T>{}                          to the nearest number of a T of 8 or 16 bits, ties to even
//   then(f, g, ...)                        g(f(value)), and so on
//   row_max(f, p), row_sum(f, p)           f; and p[row] becomes the greatest, or the sum, of the row's elements in C
//   row_max(f, p, magnitude{})             the same of their magnitudes, or of their square{}s
//
// Contract
//   types      values are as gemm gives them: sums of 8 and 16 bits come in f32 and i32. Biases and scales may have
//              another type; the usual arithmetic conversions hold, with bf16 and f16 as floats. gelu makes floats of
//              integers. What comes out last is converted to the element type of C.
//   ownership  p has an element for every row or column of C, in memory that the context can reach (on CUDA: of the
//              device, or managed), unchanged until the product is done. All matrices of a batch share it. (But for
//              results of rows.)
//   NaN        stays one; saturate makes 0 of it.
//   accuracy   gelu, f32: within 3e-7 + 1e-6 |value| of the exact one, and relative to it within 4e-6 from -3 upwards,
//              where its other forms have lost digits. Into C of bf16, which rounds by up to 2e-3: within 1e-6 + 5e-4
//              |value|, in fewer instructions. gelu_tanh: within 1e-6 max(1, |value|) of its formula.
//              f64: as precise as erfc and tanh.
//
// Results of rows
//   what       the elements are taken as C holds them in the end. row_max(p), row_sum(p): of the product itself. They
//              stand outside of all else: row_max(then(f, g), p), not then(row_max(f, p), g); more than one is
//              row_sum(row_max(f, p), q).
//   memory     p has an element for every row of C, those of a batch one matrix after the other: p[matrix * m + row].
//              It is only written, and may overlap neither A, B, C, D nor another p (argument_error), nor what
//              epilogues read.
//   types      p is of floats, or of integers that hold every result: those of row_max of C's type, those of row_sum of
//              64 bits. Sums of f64 are formed in f64, of other floats in f32, of integers in 64 bits, where they do
//              not wrap (C of 64-bit integers has no row_sum). magnitude and square are of floats.
//   accuracy   sums of floats: within (n + 2) eps of the sum of the magnitudes; what p holds is rounded to its type.
//              The order is the same in every run, for any number of threads; other machines, sizes and layouts have
//              another.
//   NaN        in a row makes its results NaN. -0 equals +0 and either may be stored.
//   empty      rows without elements (n of 0) have -infinity (integers: the lowest of C's type), and 0.
//   mask       is refused (argument_error): rows are folded whole.
//   speed      8 and 16 bits on sm_90: in the kernel that stores C, except with split-K. Otherwise, and on
//              the CPU, by a pass over C.
//
// An epilogue of your own is any functor (value, row, column) with KLEENE_FUNCTION before its operator(). If it reads
// something for each column it may have prepare too, see `prepared` in kernels/contract/gemm_arguments.hpp; where a
// type of C asks for fewer digits, for_type: see `applied` there.
// Source of gelu: Hendrycks and Gimpel, "Gaussian error linear units", 2016.
#pragma once

#include "kleene/algebra/half.hpp"
#include "kleene/kernels/contract/row_results.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace kleene::epilogues {

namespace detail {

// An element that is not written meanwhile, converted to a type that has arithmetic; on the device by a read-only load.
template <class T>
KLEENE_FUNCTION auto read(const T* p) {
  if constexpr (requires { p->bits; }) {
    if constexpr (ops::device_pass) return static_cast<float>(T::from_bits(__ldg(&p->bits)));
    else return static_cast<float>(*p);
  } else {
    if constexpr (ops::device_pass) return __ldg(p);
    else return *p;
  }
}
template <class T>
using read_type = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class Op, class V, class T>
KLEENE_FUNCTION auto apply(const V& value, const T& other) {
  using W = decltype(value + other);
  return Op{}(static_cast<W>(value), static_cast<W>(other));
}

// by_column prepared for an even column and the next: their elements in registers.
template <class Op, class R>
struct by_column_pair {
  R first, second;
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t, index_t column) const {
    return apply<Op>(value, column % 2 == 0 ? first : second);
  }
};

}  // namespace detail

template <class Op, class T>
struct by_row {
  const T* values;
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t row, index_t) const {
    return detail::apply<Op>(value, detail::read(values + row));
  }
};

template <class Op, class T>
struct by_column {
  const T* values;
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t, index_t column) const {
    return detail::apply<Op>(value, detail::read(values + column));
  }
  KLEENE_FUNCTION auto prepare(index_t column) const {
    return detail::by_column_pair<Op, detail::read_type<T>>{detail::read(values + column),
                                                            detail::read(values + column + 1)};
  }
};

template <class T>
by_row<ops::plus, T> bias_by_row(const T* bias) {
  return {bias};
}
template <class T>
by_column<ops::plus, T> bias_by_column(const T* bias) {
  return {bias};
}
template <class T>
by_row<ops::times, T> scale_by_row(const T* scale) {
  return {scale};
}
template <class T>
by_column<ops::times, T> scale_by_column(const T* scale) {
  return {scale};
}

struct relu {
  template <class V>
  KLEENE_FUNCTION V operator()(const V& value, index_t, index_t) const {
    return ops::maximum{}(value, V(0));
  }
};

template <class T>
struct clamp {
  T low, high;
  template <class V>
  KLEENE_FUNCTION V operator()(const V& value, index_t, index_t) const {
    return ops::minimum{}(ops::maximum{}(value, static_cast<V>(low)), static_cast<V>(high));
  }
};

// x Phi(x) = max(x, 0) - |x| Phi(-|x|), where nothing cancels in negative x, and log2 Phi(-a) is close to a polynomial:
// minimax, weighted by its share in the result, on [0, 5.5] (for bf16 on [0, 4], two powers less); further out it is
// close enough, as the term vanishes there. One exponential and ten other instructions; erff costs twice that and
// branches.
struct gelu {
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t, index_t) const {
    if constexpr (std::is_same_v<V, double>) return 0.5 * value * std::erfc(value * -0.70710678118654752);
    else return of(static_cast<float>(value));
  }
  template <class Out, class V>
  requires(std::is_same_v<Out, bf16> && !std::is_same_v<V, double>)
  KLEENE_FUNCTION float for_type(const V& value, index_t, index_t) const {
    const float x = static_cast<float>(value), a = bounded(x);
    float q = 0.00276261242f;
    q = q * a - 0.0379890017f;
    q = q * a - 0.478134573f;
    q = q * a - 1.14239132f;
    q = q * a - 1.00070047f;
    return from_logarithm(x, a, q);
  }
  KLEENE_FUNCTION static float of(float x) {
    const float a = bounded(x);
    float q = 3.54745498e-05f;
    q = q * a - 0.000785612501f;
    q = q * a + 0.00811326038f;
    q = q * a - 0.0534150191f;
    q = q * a - 0.458818108f;
    q = q * a - 1.1511656f;
    q = q * a - 0.999998987f;
    return from_logarithm(x, a, q);
  }
  KLEENE_FUNCTION static float bounded(float x) { return ops::min{}(10.0f, std::fabs(x)); }
  KLEENE_FUNCTION static float from_logarithm(float x, float a, float q) {
    return ops::maximum{}(x, 0.0f) - a * ops::power_of_two{}(q);
  }
};

// x / (1 + exp(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3), which is x (1 + tanh(u)) / 2.
struct gelu_tanh {
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t, index_t) const {
    if constexpr (std::is_same_v<V, double>) {
      return value / (1 + std::exp(-1.5957691216057308 * (value + 0.044715 * value * value * value)));
    } else {
      const float x = static_cast<float>(value);
      return x / (1 + ops::power_of_two{}(x * (-2.3022082f - 0.10294324f * (x * x))));
    }
  }
};

template <class T>
requires(std::is_integral_v<T> && sizeof(T) <= 2)
struct saturate {
  template <class V>
  KLEENE_FUNCTION T operator()(const V& value, index_t, index_t) const {
    constexpr V low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
    if constexpr (std::is_integral_v<V>) return static_cast<T>(value < low ? low : high < value ? high : value);
    else return value != value ? T(0) : static_cast<T>(value < low ? low : high < value ? high : std::rint(value));
  }
};

// Its members have addresses of their own: nvcc's two compilers disagree on where members follow that share one
// ([[no_unique_address]]), and kernels then read their arguments from elsewhere.
template <class First, class Second>
struct composed {
  static_assert(!kernels::gives_rows<First> && !kernels::gives_rows<Second>,
                "results of rows stand outside: row_max(then(f, g), p)");
  First first;
  Second second;
  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t row, index_t column) const {
    return second(first(value, row, column), row, column);
  }
  template <class Out, class V>
  KLEENE_FUNCTION auto for_type(const V& value, index_t row, index_t column) const {
    return kernels::applied<Out>(second, first(value, row, column), row, column);
  }
  KLEENE_FUNCTION auto prepare(index_t column) const {
    const auto before = kernels::prepared(first, column);
    const auto after = kernels::prepared(second, column);
    return composed<std::remove_const_t<decltype(before)>, std::remove_const_t<decltype(after)>>{before, after};
  }
};

template <class First, class Second>
composed<First, Second> then(const First& first, const Second& second) {
  return {first, second};
}
template <class First, class Second, class... Others>
auto then(const First& first, const Second& second, const Others&... others) {
  return then(then(first, second), others...);
}

struct identity {
  template <class V>
  KLEENE_FUNCTION V operator()(const V& value, index_t, index_t) const {
    return value;
  }
};

// What row_max and row_sum may apply to each element before they fold it.
struct magnitude {
  template <class V>
  KLEENE_FUNCTION V operator()(const V& x) const {
    return std::fabs(x);
  }
};
struct square {
  template <class V>
  KLEENE_FUNCTION V operator()(const V& x) const {
    return x * x;
  }
};

// Applies First, and gives a result for each row; see kernels/contract/row_results.hpp.
template <class First, class Op, class Map, class R>
struct row_result {
  using row_results = R;

  First first;
  R* results;

  template <class V>
  KLEENE_FUNCTION auto operator()(const V& value, index_t row, index_t column) const {
    return first(value, row, column);
  }
  template <class Out, class V>
  KLEENE_FUNCTION auto for_type(const V& value, index_t row, index_t column) const {
    return kernels::applied<Out>(first, value, row, column);
  }
  KLEENE_FUNCTION auto prepare(index_t column) const { return kernels::prepared(first, column); }

  template <class Out>
  struct fold {
    using own = kernels::row_fold<Op, Map, Out>;
    using others = kernels::inner_fold<First, Out>;
    static_assert(own::template holds<R>,
                  "results of rows are floats, or integers that hold them all: sums have 64 bits");
    using number = typename own::number;
    static constexpr bool of_rounded = own::of_rounded || others::of_rounded;
    using total = kernels::row_totals<typename own::total, typename others::total>;
    KLEENE_FUNCTION static total start() {
      total all;
      all.own = own::start();
      if constexpr (kernels::gives_rows<First>) all.others = others::start();
      return all;
    }
    KLEENE_FUNCTION static void take(total& so_far, const number& x) {
      so_far.own = own::take(so_far.own, x);
      if constexpr (kernels::gives_rows<First>) others::take(so_far.others, x);
    }
    KLEENE_FUNCTION static void join(total& x, const total& y) {
      x.own = own::join(x.own, y.own);
      if constexpr (kernels::gives_rows<First>) others::join(x.others, y.others);
    }
  };
  template <class Out>
  KLEENE_FUNCTION void give(index_t at, const typename fold<Out>::total& all) const {
    results[at] = fold<Out>::own::template result<R>(all.own);
    if constexpr (kernels::gives_rows<First>) first.template give<Out>(at, all.others);
  }
  template <class F>
  void for_each(const F& f) const {
    f(results);
    if constexpr (kernels::gives_rows<First>) first.for_each(f);
  }
};

template <class First, class R, class Map = none>
requires(!std::is_pointer_v<First>)
row_result<First, ops::maximum, Map, R> row_max(const First& first, R* results, Map = {}) {
  return {first, results};
}
template <class First, class R, class Map = none>
requires(!std::is_pointer_v<First>)
row_result<First, ops::plus, Map, R> row_sum(const First& first, R* results, Map = {}) {
  return {first, results};
}
template <class R, class Map = none>
row_result<identity, ops::maximum, Map, R> row_max(R* results, Map = {}) {
  return {{}, results};
}
template <class R, class Map = none>
row_result<identity, ops::plus, Map, R> row_sum(R* results, Map = {}) {
  return {{}, results};
}

}  // namespace kleene::epilogues
