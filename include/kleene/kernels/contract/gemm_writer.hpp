// What storing an element of a product means: mask, D, alpha and beta, the epilogue, overflow, the witness.
#pragma once

#include "kleene/kernels/contract/gemm_arguments.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace kleene::kernels {

template <class S, class T = value_of<S>>
concept infinite_zero = requires {
  requires std::numeric_limits<T>::has_infinity;
  typename std::enable_if_t<S::zero() == std::numeric_limits<T>::infinity() ||
                            S::zero() == -std::numeric_limits<T>::infinity()>;
};

// Whether C can hold the algebra's zero(), as replace needs: after an epilogue it may be of any type. (An integer
// cannot hold a float's infinity.)
template <class G, class Out = std::remove_pointer_t<decltype(G::c)>>
inline constexpr bool replaceable = std::is_constructible_v<Out, typename G::finished> &&
                                    !(std::is_integral_v<Out> && infinite_zero<typename G::algebra>);

// Stores finished elements of one product: everything that happens after the sum over k. All kernels share it, so that
// their results mean the same.
template <class G>
struct gemm_writer {
  using S = typename G::algebra;
  using A = accumulator_of<S>;
  using X = typename G::combined;

  const G& g;
  index_t batch = 0;
  bool overflow = false;

  KLEENE_FUNCTION bool masked_out(index_t i, index_t j) const {
    return g.mask && g.mask[batch * g.smask[0] + i * g.smask[1] + j * g.smask[2]] == g.mask_complement;
  }
  KLEENE_FUNCTION auto& c_at(index_t i, index_t j) const { return g.c[batch * g.sc[0] + i * g.sc[1] + j * g.sc[2]]; }
  KLEENE_FUNCTION std::int32_t& witness_at(index_t i, index_t j) const {
    return g.witness[batch * g.switness[0] + i * g.switness[1] + j * g.switness[2]];
  }
  KLEENE_FUNCTION X source_at(index_t i, index_t j) const {
    const X d = read(g.d[batch * g.sd[0] + i * g.sd[1] + j * g.sd[2]]);
    return g.beta ? S::mul(factor(*g.beta), d) : d;
  }

  // Conversions into the compute type (elements of D, alpha, beta, zero()) and out of it.
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
  KLEENE_FUNCTION bool store(index_t i, index_t j, A sum) {
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
    // (A NaN that was there differs from a zero(), which improves on nothing.)
    if constexpr (is_selective<S>) return !(stored == finished(before)) && !(stored == finished(zero()));
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
  KLEENE_FUNCTION void store_witness(index_t i, index_t j, bool improves, index_t k) const {
    const bool kept = g.lookup ? !improves : masked_out(i, j) && !g.replace;
    if (kept) return;
    witness_at(i, j) = !improves   ? -1
                       : !g.lookup ? static_cast<std::int32_t>(k)
                                   : g.lookup[batch * g.slookup[0] + k * g.slookup[1] + j * g.slookup[2]];
  }

  KLEENE_FUNCTION void put(index_t i, index_t j, const typename G::finished& value) const {
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

}  // namespace kleene::kernels
