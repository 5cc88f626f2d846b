// The one generator of problems that tests and benches share: a seed and a named distribution always give the same
// values, on every machine and with every standard library (splitmix64; Steele, Lea, Flood 2014), and never leave an
// algebra's domain.
#pragma once

#include "kleene/algebra/catalog.hpp"
#include "kleene/data/matrix.hpp"
#include "kleene/data/sparse.hpp"
#include "kleene/data/splitmix64.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace kleene::problems {

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_{seed} {}

  std::uint64_t next() { return random_(); }
  // In [0, 1), 53 bits.
  double real() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In [0, count).
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }
  bool chance(double p) { return real() < p; }

 private:
  splitmix64 random_;
};

enum class distribution : int {
  uniform,          // reals in [0, 1); integers in [0, 1000)
  small_integers,   // 0 .. 9: products and their sums are exact in every element type
  signed_integers,  // -9 .. 9
  infinities,       // signed, a quarter infinite, of both signs (integers: the algebra's zero() and one())
  negative_zeros,   // -1, -0, +0, 1
  nans,             // signed, one in eight NaN (integers have none)
  sparse,           // four fifths zero(), else 0 .. 9
};
inline constexpr distribution all_distributions[] = {
    distribution::uniform,        distribution::small_integers, distribution::signed_integers, distribution::infinities,
    distribution::negative_zeros, distribution::nans,           distribution::sparse};

inline const char* to_string(distribution d) {
  constexpr const char* names[] = {"uniform",        "small_integers", "signed_integers", "infinities",
                                   "negative_zeros", "nans",           "sparse"};
  return names[static_cast<int>(d)];
}

namespace detail {

template <class S>
value_of<S> infinite(generator& g) {
  using T = value_of<S>;
  if constexpr (kleene::detail::is_float<T>)
    return static_cast<T>(g.chance(0.5) ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
  else return g.chance(0.5) ? T(S::zero()) : T(S::one());
}

template <class S>
value_of<S> any(distribution d, generator& g) {
  using T = value_of<S>;
  const auto integer = [&](std::int64_t low, std::int64_t high) {
    return static_cast<T>(low + g.below(high - low + 1));
  };
  switch (d) {
    case distribution::uniform:
      return kleene::detail::is_float<T> ? static_cast<T>(g.real()) : integer(0, 999);
    case distribution::small_integers:
      return integer(0, 9);
    case distribution::signed_integers:
      return integer(-9, 9);
    case distribution::infinities:
      return g.chance(0.25) ? infinite<S>(g) : integer(-9, 9);
    case distribution::negative_zeros: {
      const T one_or_zero = integer(0, 1);
      return g.chance(0.5) ? static_cast<T>(-one_or_zero) : one_or_zero;
    }
    case distribution::nans:
      return kleene::detail::is_float<T> && g.chance(0.125) ? std::numeric_limits<T>::quiet_NaN() : integer(-9, 9);
    case distribution::sparse:
      return g.chance(0.8) ? T(S::zero()) : integer(0, 9);
  }
  return T{};
}

}  // namespace detail

// One value, moved into the algebra's domain: negatives lose their sign, what still does not fit becomes 0 or 1.
template <class S>
value_of<S> draw(distribution d, generator& g) {
  using T = value_of<S>;
  T value = detail::any<S>(d, g);
  if constexpr (has_domain<S>) {
    if (!S::in_domain(value) && S::in_domain(static_cast<T>(-value))) value = static_cast<T>(-value);
    if (!S::in_domain(value)) value = static_cast<T>(g.below(2));
  }
  return value;
}

// E is the algebra's element type or one that holds its values.
template <class S, int Rank, class E>
void fill(const view<E, Rank>& v, distribution d, std::uint64_t seed) {
  generator g(seed);
  if constexpr (Rank == 3) {
    for (index_t b = 0; b < v.extent(0); ++b)
      for (index_t i = 0; i < v.rows(); ++i)
        for (index_t j = 0; j < v.cols(); ++j) v(b, i, j) = static_cast<E>(draw<S>(d, g));
  } else {
    for (index_t i = 0; i < v.rows(); ++i)
      for (index_t j = 0; j < v.cols(); ++j) v(i, j) = static_cast<E>(draw<S>(d, g));
  }
}

template <class S>
matrix<value_of<S>> random_matrix(index_t rows, index_t cols, distribution d, std::uint64_t seed) {
  matrix<value_of<S>> a(rows, cols, uninitialised{});
  fill<S, 2>(a.view(), d, seed);
  return a;
}

// `arcs` arcs drawn evenly over n vertices (self loops and duplicates included; a duplicate keeps the better weight),
// each weighted by weight(generator, from, to).
template <class S, class Weight>
csr<value_of<S>> random_graph(index_t n, index_t arcs, std::uint64_t seed, Weight&& weight) {
  generator g(seed);
  coo<value_of<S>> list{n, n, {}, {}, {}};
  for (index_t e = 0; e < arcs; ++e) {
    const auto u = static_cast<std::int32_t>(g.below(n)), v = static_cast<std::int32_t>(g.below(n));
    list.add(u, v, static_cast<value_of<S>>(weight(g, u, v)));
  }
  return make_csr(list, [](auto a, auto b) { return normalise<S>(S::add(widen<S>(a), widen<S>(b))); });
}

// Signed weights without a negative cycle: a non-negative base, shifted by the difference of two potentials.
template <class S>
csr<value_of<S>> random_signed_graph(index_t n, index_t arcs, std::uint64_t seed, std::int64_t base = 10) {
  generator g(seed ^ 0x5eed);
  std::vector<std::int64_t> height(n);
  for (auto& h : height) h = g.below(100);
  return random_graph<S>(n, arcs, seed,
                         [&](generator& r, index_t u, index_t v) { return r.below(base) + height[u] - height[v]; });
}

// A graph as the dense matrix that closures take: zero() where there is no arc.
template <class S>
matrix<value_of<S>> dense_of(const csr<value_of<S>>& g) {
  matrix<value_of<S>> a(g.rows, g.cols, S::zero());
  for (index_t i = 0; i < g.rows; ++i)
    for (index_t e = g.offsets[i]; e < g.offsets[i + 1]; ++e) a(i, g.columns[e]) = g.values[e];
  return a;
}

}  // namespace kleene::problems
