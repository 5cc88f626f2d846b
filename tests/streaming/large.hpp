// What checks of more items than 32 bits count are made of: sequences that hold no memory, and outputs that hold none
// either, but look at what they are given.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"
#include "kleene/streaming/base/grain.hpp"
#include "kleene/streaming/base/order.hpp"
#include "support/place.hpp"

#include <atomic>
#include <iterator>
#include <limits>
#include <vector>

namespace kleene {

inline constexpr index_t two_to_31 = index_t{1} << 31, many = two_to_31 + 5;

KLEENE_FUNCTION constexpr index_t sum_below(index_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n; }

// f(0), f(1), f(2), ...
template <class F>
struct generated {
  using value_type = decltype(std::declval<const F&>()(index_t{}));
  using reference = value_type;
  using pointer = const value_type*;
  using difference_type = index_t;
  using iterator_category = std::random_access_iterator_tag;

  F f;
  index_t at = 0;

  KLEENE_FUNCTION value_type operator[](index_t i) const { return f(at + i); }
  KLEENE_FUNCTION value_type operator*() const { return f(at); }
  KLEENE_FUNCTION generated operator+(index_t n) const { return {f, at + n}; }
  KLEENE_FUNCTION generated& operator++() { return ++at, *this; }
  KLEENE_FUNCTION index_t operator-(const generated& other) const { return at - other.at; }
  KLEENE_FUNCTION bool operator==(const generated& other) const { return at == other.at; }
  KLEENE_FUNCTION bool operator!=(const generated& other) const { return at != other.at; }
};

// One formula for most results and sequences that are not 0, 1, 2, ..., so that devices need few kernels.
struct pattern {
  int shift = 0;
  index_t scale = 1, start = 0, limit = std::numeric_limits<index_t>::max(), before = 0;

  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const {
    const index_t x = ((i + before) >> shift) * scale + start;
    return x < limit ? x : limit;
  }
};
using patterned = generated<pattern>;
inline constexpr counting_iterator<index_t> numbers(0);

// Grains of devices where the tuned ones make long kernels: such compile faster, and tiles are the more.
using small_tiles = grain<128, 5>;
using small_batches = grain<256, 2>;

// How work at a place notes what it is given for item i of an output, and whether it is right; large.cuh has the
// devices'. counts[0]: the items that were not; counts[1]: one of 1,024 that came, the last of `many` too.
constexpr index_t sample = 1024, sampled = 4;
template <class Place>
struct notes;
template <>
struct notes<host_place> {
  static void take(bool right, index_t i, unsigned long long* counts) {
    if (!right) add_one(counts[0]);
    if (i % sample == sampled) add_one(counts[1]);
  }
  static void add_one(unsigned long long& number) { std::atomic_ref(number).fetch_add(1, std::memory_order_relaxed); }
};

// An output whose item i is to be f(i).
template <class F, class Notes>
struct checked {
  using value_type = decltype(std::declval<const F&>()(index_t{}));
  using difference_type = index_t;

  F f;
  unsigned long long* counts;
  index_t at = 0;

  struct place {
    checked to;
    index_t i;
    template <class T>
    KLEENE_FUNCTION void operator=(const T& x) const {
      Notes::take(static_cast<value_type>(x) == to.f(i), i, to.counts);
    }
  };
  KLEENE_FUNCTION place operator[](index_t i) const { return {*this, at + i}; }
  KLEENE_FUNCTION place operator*() const { return {*this, at}; }
  KLEENE_FUNCTION checked operator+(index_t n) const { return {f, counts, at + n}; }
  KLEENE_FUNCTION checked& operator++() { return ++at, *this; }
};

// The counts of an output, where the work runs.
template <class Place>
class witness {
 public:
  explicit witness(Place& place) : counts_(place.room(2, 0ull)) {}

  template <class F>
  checked<F, notes<Place>> of(const F& f) {
    return {f, counts_.data()};
  }
  unsigned long long* counts() { return counts_.data(); }
  // Whether items first, ..., last - 1 came, all as they were to be.
  testing::AssertionResult saw(index_t last, index_t first = 0) {
    const auto came = [](index_t n) { return static_cast<unsigned long long>((n + sample - 1 - sampled) / sample); };
    return holds(counts_, std::vector{0ull, came(last) - came(first)});
  }

 private:
  decltype(std::declval<Place&>().room(index_t{}, 0ull)) counts_;
};

// Runs of 2^shift numbers, the last one cut off behind `many`: what each comes to, added to init.
struct sum_of_run {
  int shift;
  index_t init = 0;
  KLEENE_FUNCTION constexpr index_t operator()(index_t run) const {
    const index_t begin = run << shift, end = (run + 1) << shift;
    return init + sum_below(end < many ? end : many) - sum_below(begin < many ? begin : many);
  }
};
// The numbers of i's run before i, and i itself where `own` is 1.
struct sum_in_run {
  int shift;
  index_t init, own;
  KLEENE_FUNCTION constexpr index_t operator()(index_t i) const {
    return init + sum_below(i + own) - sum_below(i >> shift << shift);
  }
};

// As offsets of segments: every other one is empty, the others have 2^shift items as long as there are any.
constexpr pattern starts_of(int shift) { return {.shift = 1, .scale = index_t{1} << shift, .limit = many}; }
struct sum_of_segment {
  sum_of_run run;
  index_t empty;
  KLEENE_FUNCTION constexpr index_t operator()(index_t s) const { return s % 2 == 0 ? empty : run(s / 2); }
};

}  // namespace kleene
