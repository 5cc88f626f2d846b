// Algebras that count, and algebras that keep more than the best.
//
//   counting<max_plus<int>>                the best value, and how many assignments have it
//   counting<max_plus<int>, residues<p>>   the same, how many of them modulo primes: exact with networks/residues.hpp
//   k_best<min_plus<double>, 8>            the eight best values, each as often as there are assignments that have it
//   counts   residues<p, q, ...>           how many alone: plain sums and products, which never wrap
//
// All are algebras of one's own: einsum takes them through operations/own/einsum.inl.hpp. Elements are trivially
// copyable.
//
//   counting<S>::of(3)        {3, 1}: one assignment of value 3; {zero(), 0} for zero(), which is nothing at all
//   k_best<S, K>::of(3)       {3, zero(), ...}
//
// S is a selective algebra whose mul preserves order (min_plus, max_plus, max_times, ...): its add prefers one of two.
// Where S has NaN, a NaN is read as zero(), and a product that is NaN is zero(); what S stores no finite result of,
// these report as S does (overflows). Values are equal under ==: over floats, sums that differ by rounding are two
// values, so counts of optima want integers or sums that are exact.
//
// Sources: Huang and Chiang, "Better k-best parsing" (2005), for the k best of sums; counting of optima as in Liu, Gao
// and others, "Computing solution space properties of combinatorial optimization problems via generic tensor networks"
// (2022), whose CountingTropical this is.
#pragma once

#include "kleene/algebra/semirings.hpp"

#include <cstdint>
#include <type_traits>

namespace kleene {

// Natural numbers below 2^64 - 1; whatever is more is `too_many`, and stays it: added to anything, and multiplied by
// anything but 0. (That 0 times too many is 0 is exact.) All laws hold, for numbers from some size on are made one.
struct counts {
  using value_type = std::uint64_t;
  static constexpr const char* name = "counts";
  static constexpr bool is_idempotent = false, is_selective = false, is_commutative = true, is_long = true;
  static constexpr value_type too_many = ~value_type{0};

  KLEENE_FUNCTION static constexpr value_type zero() { return 0; }
  KLEENE_FUNCTION static constexpr value_type one() { return 1; }
  KLEENE_FUNCTION static constexpr value_type add(value_type a, value_type b) {
    return b > too_many - a ? too_many : a + b;
  }
  KLEENE_FUNCTION static constexpr value_type mul(value_type a, value_type b) {
    return b != 0 && a > too_many / b ? too_many : a * b;
  }
};

// Numbers modulo each of the primes P, all at once: words of 32 bits where every one of them is below 2^31 (a product
// is one multiplication, its remainder by a constant three), of 64 below 2^62.
template <std::uint64_t... P>
struct residues {
  static_assert(sizeof...(P) > 0 && ((P > 1 && P < std::uint64_t{1} << 62) && ...), "primes below 2^62");
  static constexpr int size = sizeof...(P);
  static constexpr bool is_small = ((P < std::uint64_t{1} << 31) && ...);
  using word = std::conditional_t<is_small, std::uint32_t, std::uint64_t>;
  using twice = std::conditional_t<is_small, std::uint64_t, unsigned __int128>;

  struct value_type {
    word of[size];  // modulo each prime, below it
    friend constexpr bool operator==(const value_type&, const value_type&) = default;
  };
  static constexpr const char* name = "residues";
  static constexpr bool is_idempotent = false, is_selective = false, is_commutative = true;
  static constexpr word primes[size] = {static_cast<word>(P)...};

  KLEENE_FUNCTION static constexpr value_type zero() { return {}; }
  KLEENE_FUNCTION static constexpr value_type one() { return of(1); }
  KLEENE_FUNCTION static constexpr value_type of(std::uint64_t number) { return {{static_cast<word>(number % P)...}}; }
  KLEENE_FUNCTION static constexpr value_type add(const value_type& a, const value_type& b) {
    int i = 0, j = 0;
    return {{sum<P>(a.of[i++], b.of[j++])...}};
  }
  KLEENE_FUNCTION static constexpr value_type mul(const value_type& a, const value_type& b) {
    int i = 0, j = 0;
    return {{static_cast<word>(static_cast<twice>(a.of[i++]) * b.of[j++] % P)...}};
  }

 private:
  template <std::uint64_t Q>
  KLEENE_FUNCTION static constexpr word sum(word a, word b) {
    const word s = static_cast<word>(a + b);
    return s >= static_cast<word>(Q) ? static_cast<word>(s - static_cast<word>(Q)) : s;
  }
};

namespace detail {

// What the algebras over S below ask of it. `read` and `term` give zero() as the one value widen(zero()): of integers
// there are many that normalise to it.
template <class S>
struct selective_base {
  static_assert(is_selective<S>, "one of two values is the better: min_plus, max_plus, ...");
  using wide = accumulator_of<S>;
  KLEENE_FUNCTION static constexpr wide nothing() { return kleene::widen<S>(S::zero()); }
  // What is too large to be stored is something, and cannot be narrowed to be compared.
  KLEENE_FUNCTION static constexpr bool is_nothing(const wide& a) {
    return !overflows(a) && kleene::normalise<S>(a) == S::zero();
  }
  // Neither NaN nor another zero().
  KLEENE_FUNCTION static constexpr wide proper(const wide& a) {
    const wide candidate = S::add(nothing(), a);
    return is_nothing(candidate) ? nothing() : candidate;
  }
  KLEENE_FUNCTION static constexpr wide read(const value_of<S>& a) { return proper(kleene::widen<S>(a)); }
  KLEENE_FUNCTION static constexpr wide term(const wide& a, const wide& b) { return proper(S::mul(a, b)); }
  KLEENE_FUNCTION static constexpr bool is_better(const wide& a, const wide& b) {
    return !(a == b) && S::add(b, a) == a;
  }
  KLEENE_FUNCTION static constexpr bool overflows(const wide& a) {
    if constexpr (can_overflow<S>) return S::overflows(a);
    else return false;
  }
};

}  // namespace detail

template <class T, class Count>
struct counted {
  T value;
  Count count;
  friend constexpr bool operator==(const counted&, const counted&) = default;
};

// The best value over S, and over C how many assignments have it. add: the better value; of equal ones the counts
// added. mul: values multiplied, and counts. Whatever has the value zero() is {zero(), 0}.
template <product_algebra S, product_algebra C = counts>
struct counting {
  using base = detail::selective_base<S>;
  using value_type = counted<value_of<S>, value_of<C>>;
  using accumulator = counted<accumulator_of<S>, accumulator_of<C>>;
  static constexpr const char* name = "counting";
  static constexpr bool is_idempotent = false, is_selective = false, is_commutative = kleene::is_commutative<S>;
  static constexpr bool is_long = true;

  KLEENE_FUNCTION static constexpr value_type zero() { return {S::zero(), C::zero()}; }
  KLEENE_FUNCTION static constexpr value_type one() { return {S::one(), C::one()}; }
  KLEENE_FUNCTION static constexpr value_type of(const value_of<S>& value) {
    const auto read = base::read(value);
    return {kleene::normalise<S>(read), base::is_nothing(read) ? value_of<C>(C::zero()) : value_of<C>(C::one())};
  }

  KLEENE_FUNCTION static constexpr accumulator widen(const value_type& a) {
    return proper(base::read(a.value), kleene::widen<C>(a.count));
  }
  KLEENE_FUNCTION static constexpr value_type normalise(const accumulator& a) {
    return {kleene::normalise<S>(a.value), kleene::normalise<C>(a.count)};
  }
  KLEENE_FUNCTION static constexpr accumulator add(const accumulator& a, const accumulator& b) {
    if (a.value == b.value) return {a.value, C::add(a.count, b.count)};
    return base::is_better(b.value, a.value) ? b : a;
  }
  KLEENE_FUNCTION static constexpr accumulator mul(const accumulator& a, const accumulator& b) {
    return proper(base::term(a.value, b.value), C::mul(a.count, b.count));
  }
  KLEENE_FUNCTION static constexpr bool overflows(const accumulator& a) {
    if constexpr (can_overflow<C>)
      if (C::overflows(a.count)) return true;
    return base::overflows(a.value);
  }
  KLEENE_FUNCTION static constexpr bool in_domain(const value_type& a)
  requires has_domain<S>
  {
    return S::in_domain(a.value);
  }

 private:
  KLEENE_FUNCTION static constexpr accumulator proper(const accumulator_of<S>& value, const accumulator_of<C>& count) {
    return {value, base::is_nothing(value) ? kleene::widen<C>(C::zero()) : count};
  }
};

template <class T, int K>
struct best_values {
  T value[K];
  friend constexpr bool operator==(const best_values&, const best_values&) = default;
};

// The K best values over S, best first, of assignments that differ: a value that three assignments have is there three
// times. Where there are fewer, zero()s follow. add merges two lists; mul takes the K best products of a value of the
// one with a value of the other. Not idempotent: a + a has every value twice. O(K log K) products, O(K^2) moves.
template <product_algebra S, int K>
struct k_best {
  static_assert(K >= 1 && K <= 16, "1 to 16 of the best values");
  using base = detail::selective_base<S>;
  using value_type = best_values<value_of<S>, K>;
  using accumulator = best_values<accumulator_of<S>, K>;
  static constexpr const char* name = "k_best";
  static constexpr bool is_idempotent = false, is_selective = false, is_commutative = kleene::is_commutative<S>;
  static constexpr bool is_long = true;

  KLEENE_FUNCTION static constexpr value_type zero() { return of(S::zero()); }
  KLEENE_FUNCTION static constexpr value_type one() { return of(S::one()); }
  KLEENE_FUNCTION static constexpr value_type of(const value_of<S>& value) {
    value_type v{};
    v.value[0] = kleene::normalise<S>(base::read(value));
    for (int k = 1; k < K; ++k) v.value[k] = S::zero();
    return v;
  }

  KLEENE_FUNCTION static constexpr accumulator widen(const value_type& a) {
    accumulator w{};
    for (int k = 0; k < K; ++k) w.value[k] = base::read(a.value[k]);
    return w;
  }
  KLEENE_FUNCTION static constexpr value_type normalise(const accumulator& a) {
    value_type v{};
    for (int k = 0; k < K; ++k) v.value[k] = kleene::normalise<S>(a.value[k]);
    return v;
  }
  KLEENE_FUNCTION static constexpr accumulator add(const accumulator& a, const accumulator& b) {
    accumulator sum{};
    for (int k = 0, i = 0, j = 0; k < K; ++k)
      sum.value[k] = base::is_better(b.value[j], a.value[i]) ? b.value[j++] : a.value[i++];
    return sum;
  }
  // (i + 1) (j + 1) products, itself among them, are no worse than that of the i-th and the j-th: where those are more
  // than K, it is not needed.
  KLEENE_FUNCTION static constexpr accumulator mul(const accumulator& a, const accumulator& b) {
    accumulator best{};
    for (int k = 0; k < K; ++k) best.value[k] = base::nothing();
    for (int i = 0; i < K && !base::is_nothing(a.value[i]); ++i)
      for (int j = 0; (i + 1) * (j + 1) <= K; ++j) {
        const accumulator_of<S> product = base::term(a.value[i], b.value[j]);
        if (!base::is_better(product, best.value[K - 1])) break;
        insert(best, product);
      }
    return best;
  }
  KLEENE_FUNCTION static constexpr bool overflows(const accumulator& a) {
    for (int k = 0; k < K; ++k)
      if (base::overflows(a.value[k])) return true;
    return false;
  }
  KLEENE_FUNCTION static constexpr bool in_domain(const value_type& a)
  requires has_domain<S>
  {
    for (int k = 0; k < K; ++k)
      if (!S::in_domain(a.value[k])) return false;
    return true;
  }

 private:
  // In place of the last, which is worse.
  KLEENE_FUNCTION static constexpr void insert(accumulator& best, const accumulator_of<S>& value) {
    int k = K - 1;
    for (; k > 0 && base::is_better(value, best.value[k - 1]); --k) best.value[k] = best.value[k - 1];
    best.value[k] = value;
  }
};

}  // namespace kleene
