// The types that widening tries, one wider than the other, and weights in them.
#pragma once

#include "kleene/kernels/contract/closure_overflow.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

namespace kleene {

// The algebra over the next wider type; void: there is none. Specialise it for an algebra of your own.
template <class S>
struct wider_algebra {
  using type = void;
};

namespace detail {

template <class T>
struct wider_integer {};
template <>
struct wider_integer<i8> : std::type_identity<i16> {};
template <>
struct wider_integer<u8> : std::type_identity<u16> {};
template <>
struct wider_integer<i16> : std::type_identity<i32> {};
template <>
struct wider_integer<u16> : std::type_identity<i32> {};
template <>
struct wider_integer<i32> : std::type_identity<i64> {};

}  // namespace detail

template <template <class> class Algebra, class T>
requires(can_overflow<Algebra<T>> && requires { typename detail::wider_integer<T>::type; })
struct wider_algebra<Algebra<T>> {
  using next = typename detail::wider_integer<T>::type;
  using type = std::conditional_t<sizeof(next) == 2 || is_in_catalog<Algebra<next>>, Algebra<next>, void>;
};

namespace detail {

template <class S>
using wider = typename wider_algebra<S>::type;
template <class S>
inline constexpr bool is_widest = std::is_void_v<wider<S>>;

template <class S>
struct widest_of {
  using type = typename widest_of<wider<S>>::type;
};
template <class S>
requires is_widest<S>
struct widest_of<S> {
  using type = S;
};

// Held<S>, Held<wider<S>>, ...: one of them.
template <template <class> class Held, class S, class... Before>
struct one_of_widths : one_of_widths<Held, wider<S>, Before..., Held<S>> {};
template <template <class> class Held, class S, class... Before>
requires is_widest<S>
struct one_of_widths<Held, S, Before...> {
  using type = std::variant<Before..., Held<S>>;
};

template <class S>
struct closed_matrix {
  using algebra = S;
  matrix<value_of<S>> values;
};

// A result, and the graph in its type, which paths are summed along; none where it is the caller's.
template <class S>
struct paths_of_width {
  using algebra = S;
  csr<value_of<S>> sparse;
  matrix<value_of<S>> dense;
  apsp_result<S> result;
};

template <class S, class From>
value_of<S> widen_weight(const value_of<From>& weight) {
  return weight == From::zero() ? value_of<S>(S::zero()) : static_cast<value_of<S>>(weight);
}
template <class S, class From>
void widen_weights(const value_of<From>* from, index_t count, value_of<S>* to) {
  for (index_t e = 0; e < count; ++e) to[e] = widen_weight<S, From>(from[e]);
}

// The first weight that S excludes and a wider type may hold; null: there is none.
template <class S>
const value_of<S>* first_outside(const matrix_view<const value_of<S>>& weights) {
  if constexpr (has_domain<S> && !is_widest<S>)
    for (index_t i = 0; i < weights.rows(); ++i)
      for (index_t j = 0; j < weights.cols(); ++j)
        if (!S::in_domain(weights(i, j))) return &weights(i, j);
  return nullptr;
}
template <class S>
const value_of<S>* first_outside(const csr_view<value_of<S>>& graph) {
  const index_t count = static_cast<index_t>(graph.values.size());
  return first_outside<S>(matrix_view<const value_of<S>>(graph.values.data(), {1, count}));
}

// Whether a path of n arcs, each as long as the longest, fits: then nothing overflows on the way either.
template <class S>
bool always_fits(const matrix<value_of<S>>& a) {
  if constexpr (adds_integers<S>) {
    double largest = 0;
    for (index_t e = 0; e < a.size(); ++e)
      if (a.data()[e] != S::zero()) largest = std::max(largest, std::abs(static_cast<double>(a.data()[e])));
    return largest * static_cast<double>(a.rows()) < static_cast<double>(S::range::limit);
  }
  return true;
}

// A graph in the next wider type.
template <class W, class S>
void widen_graph(const csr_view<value_of<S>>& from, csr<value_of<W>>& to) {
  to.rows = from.rows, to.cols = from.cols;
  to.offsets.assign(from.offsets.begin(), from.offsets.end());
  to.columns.assign(from.columns.begin(), from.columns.end());
  to.values.resize(from.values.size());
  widen_weights<W, S>(from.values.data(), static_cast<index_t>(from.values.size()), to.values.data());
}
template <class W, class S>
void widen_graph(const matrix_view<const value_of<S>>& from, matrix<value_of<W>>& to) {
  to = matrix<value_of<W>>(from.rows(), from.cols(), uninitialised{});
  for (index_t i = 0; i < from.rows(); ++i)
    for (index_t j = 0; j < from.cols(); ++j) to(i, j) = widen_weight<W, S>(from(i, j));
}

}  // namespace detail
}  // namespace kleene
