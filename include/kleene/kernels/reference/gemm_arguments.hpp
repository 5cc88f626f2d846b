// One product as every kernel sees it: pointers, extents, strides, and what to do when storing. A plain value; the
// operation above has checked it.
#pragma once

#include "kleene/algebra/signs.hpp"
#include "kleene/data/context.hpp"
#include "kleene/data/view.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace kleene {

// "no epilogue": the value is stored as it is. (Also the element type of options that name none.)
struct none {};

// How plus_times over f32 may form its products on a device with tensor cores. full: in f32. tf32: operands keep 11
// bits of their 24. split: each operand is a sum of two such numbers and three of the four products are formed, which
// errs about as much as f32 does; infinite operands give NaN there. And how it may sum: f16_sums, over f16, in f16;
// fast_accumulation, over floats of 8 bits, as the units do by themselves, which keep 14 bits. operations/gemm.hpp has
// the bounds.
enum class float_precision : int { full, split, tf32, f16_sums, fast_accumulation };

namespace kernels {

// Floats of 16 bits between operands of 8 and sums of 32.
template <class S, class Out, class A = accumulator_of<S>>
inline constexpr bool narrows_sums = kleene::detail::is_float<Out> && kleene::detail::is_float<A> &&
                                     sizeof(value_of<S>) < sizeof(Out) && sizeof(Out) < sizeof(A);

// Whether C may hold Out without an epilogue: the algebra's values, its accumulators, f32 in place of the wider
// integers that integers are summed in, or f16 or bf16 in place of the f32 that floats of 8 bits are summed in.
template <class S, class Out, class A = accumulator_of<S>>
inline constexpr bool c_may_hold =
    std::is_same_v<Out, value_of<S>> || std::is_same_v<Out, A> || narrows_sums<S, Out> ||
    (std::is_same_v<Out, float> && std::is_integral_v<A> && !std::is_same_v<A, value_of<S>> && requires(Out x) {
      S::add(x, x);
      S::mul(x, x);
    });

// C[b] = epilogue((alpha (x) A[b] B[b]) (+) (beta (x) D[b])), b < batch. A is m x k, B is k x n, the others m x n.
// Strides count elements: {batch, row, column}. Null pointers mean absent. Out is the element type of C.
template <class S, class Epilogue = none, class Out = value_of<S>>
struct gemm_arguments {
  using algebra = S;
  using T = value_of<S>;
  using strides = std::array<index, 3>;

  // Where C holds sums, D holds such sums too, and all that comes after A B happens in their type: nothing is narrowed
  // (but sums into f16 or bf16, at the end).
  static constexpr bool c_holds_sums = std::is_same_v<Epilogue, none> && !std::is_same_v<Out, T>;
  using source = std::conditional_t<c_holds_sums, Out, T>;  // elements of D
  using combined =
      std::conditional_t<c_holds_sums && !narrows_sums<S, Out>, Out, accumulator_of<S>>;  // what add works on
  using scalar = std::conditional_t<c_holds_sums, combined, scalar_of<S>>;                // alpha and beta
  // Where sums have a wider type than values (the algebra says so by its `scalar`), an epilogue gets the sum as it is.
  static constexpr bool keeps_sums =
      c_holds_sums || (!std::is_same_v<Epilogue, none> && !std::is_same_v<scalar_of<S>, T>);
  using finished = std::conditional_t<keeps_sums, combined, T>;  // what C, or the epilogue, is given

  index batch = 1, m = 0, n = 0, k = 0;
  const T* a = nullptr;
  const T* b = nullptr;
  Out* c = nullptr;
  const source* d = nullptr;
  const bool* mask = nullptr;
  std::int32_t* witness = nullptr;
  // Closures: where given (k x n), an improved element's witness becomes lookup(k, j) and other witnesses stay as they
  // were.
  const std::int32_t* lookup = nullptr;
  strides sa{}, sb{}, sc{}, sd{}, smask{}, switness{}, slookup{};
  const scalar* alpha = nullptr;
  const scalar* beta = nullptr;
  bool mask_complement = false;
  bool replace = false;               // masked-out elements become zero() instead of keeping what C held
  bool check_domain = true;           // CUDA: by the kernels, before C is touched
  std::optional<sign_class> signs{};  // CUDA: the caller's word
  float_precision precision = float_precision::full;
  Epilogue epilogue{};

  int threads = 1;
  instruction_set isa = instruction_set::baseline;
};

template <class T>
inline constexpr bool has_epilogue = !std::is_same_v<T, none>;

// An epilogue that reads something for each column may have prepare(column), for even columns: the same function for
// that column and the next, with what it reads for them in registers. Kernels that hold elements in pairs ask for it
// early.
template <class Epilogue>
KLEENE_FUNCTION auto prepared(const Epilogue& epilogue, index column) {
  if constexpr (requires { epilogue.prepare(column); }) return epilogue.prepare(column);
  else return epilogue;
}

// What an epilogue makes of a value that C holds as Out. It may have for_type<Out>(value, row, column): a shorter way
// to a result that differs by less than rounding to Out does.
template <class Out, class Epilogue, class V>
KLEENE_FUNCTION auto applied(const Epilogue& epilogue, const V& value, index row, index column) {
  if constexpr (requires { epilogue.template for_type<Out>(value, row, column); })
    return epilogue.template for_type<Out>(value, row, column);
  else return epilogue(value, row, column);
}

template <class S, class T = value_of<S>>
concept infinite_zero = requires {
  requires kleene::detail::has_infinity<T>;
  typename std::enable_if_t<S::zero() == std::numeric_limits<T>::infinity() ||
                            S::zero() == -std::numeric_limits<T>::infinity()>;
};

// Whether C can hold the algebra's zero(), as replace needs: after an epilogue it may be of any type. (An integer
// cannot hold a float's infinity.)
template <class G, class Out = std::remove_pointer_t<decltype(G::c)>>
inline constexpr bool replaceable = std::is_constructible_v<Out, typename G::finished> &&
                                    !(std::is_integral_v<Out> && infinite_zero<typename G::algebra>);

// Stores finished elements of one product: everything that happens after the sum over k. Shared by all kernels, so that
// they cannot differ in meaning.
template <class G>
struct gemm_writer {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  using X = typename G::combined;

  const G& g;
  index batch = 0;
  bool overflow = false;

  KLEENE_FUNCTION bool masked_out(index i, index j) const {
    return g.mask && g.mask[batch * g.smask[0] + i * g.smask[1] + j * g.smask[2]] == g.mask_complement;
  }
  KLEENE_FUNCTION auto& c_at(index i, index j) const { return g.c[batch * g.sc[0] + i * g.sc[1] + j * g.sc[2]]; }
  KLEENE_FUNCTION std::int32_t& witness_at(index i, index j) const {
    return g.witness[batch * g.switness[0] + i * g.switness[1] + j * g.switness[2]];
  }
  KLEENE_FUNCTION X source_at(index i, index j) const {
    const X d = read(g.d[batch * g.sd[0] + i * g.sd[1] + j * g.sd[2]]);
    return g.beta ? S::mul(factor(*g.beta), d) : d;
  }

  // Elements of D, alpha and beta as they are computed with, zero() likewise; and what is made of what came out.
  KLEENE_FUNCTION static X read(const typename G::source& d) {
    if constexpr (G::c_holds_sums) return d;
    else return widen<S>(d);
  }
  KLEENE_FUNCTION static X factor(const typename G::scalar& f) {
    if constexpr (std::is_same_v<typename G::scalar, value_of<S>>) return widen<S>(f);
    else return f;
  }
  KLEENE_FUNCTION static X zero() { return static_cast<X>(widen<S>(S::zero())); }
  KLEENE_FUNCTION static typename G::finished finished(const X& result) {
    if constexpr (G::keeps_sums) return result;
    else return kleene::normalise<S>(result);
  }

  // Element (i, j) from `sum`, its value of A B. Returns whether the product improves on what was there, i.e. whether a
  // witness exists. The sum stands on the left of add: it is never NaN in a selective algebra, the source may be.
  KLEENE_FUNCTION bool store(index i, index j, A sum) {
    if (masked_out(i, j)) {
      if constexpr (replaceable<G>)
        if (g.replace) c_at(i, j) = static_cast<std::remove_pointer_t<decltype(g.c)>>(finished(zero()));
      return false;
    }
    X product = static_cast<X>(sum);
    if (g.alpha) product = scaled(product);
    const X before = g.d ? source_at(i, j) : zero();
    const X result = g.d ? S::add(product, before) : product;
    overflow |= flags_overflow(result);
    const auto stored = finished(result);
    put(i, j, stored);
    if constexpr (is_selective<S>) return !(stored == finished(before));
    else return false;
  }

  // alpha (x) sum. Integers whose infinity is a number have room for the sum of two finite values, not of three: here
  // zero() absorbs whatever it meets, and a finite total that lands among the infinities is an overflow.
  KLEENE_FUNCTION X scaled(const X& sum) {
    const X alpha = factor(*g.alpha);
    if constexpr (can_overflow<S> && std::is_integral_v<value_of<S>> && !G::keeps_sums) {
      const auto is_zero = [](const X& x) { return !S::overflows(x) && kleene::normalise<S>(x) == S::zero(); };
      if (is_zero(sum) || is_zero(alpha)) return zero();
      const X product = S::mul(alpha, sum);
      overflow |= is_zero(product);
      return product;
    } else {
      return S::add(zero(), S::mul(alpha, sum));
    }
  }

  // The witness of an element just stored: the smallest k that gave its value (ignored unless `improves`).
  KLEENE_FUNCTION void store_witness(index i, index j, bool improves, index k) const {
    const bool kept = g.lookup ? !improves : masked_out(i, j) && !g.replace;
    if (kept) return;
    witness_at(i, j) = !improves   ? -1
                       : !g.lookup ? static_cast<std::int32_t>(k)
                                   : g.lookup[batch * g.slookup[0] + k * g.slookup[1] + j * g.slookup[2]];
  }

  KLEENE_FUNCTION void put(index i, index j, const typename G::finished& value) const {
    using Out = std::remove_pointer_t<decltype(g.c)>;
    if constexpr (has_epilogue<decltype(g.epilogue)>)
      c_at(i, j) = static_cast<Out>(applied<Out>(g.epilogue, value, i, j));
    else c_at(i, j) = static_cast<Out>(value);
  }

  KLEENE_FUNCTION static bool flags_overflow(const X& sum) {
    if constexpr (can_overflow<S> && !G::keeps_sums) return S::overflows(sum);
    else return false;
  }
};

}  // namespace kernels
}  // namespace kleene
