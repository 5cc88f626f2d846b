// The one generator of sequences that the tests and benches of streaming/ share: sizes around the edges of tiles, keys
// in the orders that algorithms trip over, segments of skewed sizes, operators that do not commute.
#pragma once

#include "kleene/algebra/ops.hpp"
#include "kleene/data/view.hpp"
#include "support/problems.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <vector>

namespace kleene::sequences {

// How many items a block of that grain takes.
template <class Grain>
inline constexpr index_t tile = index_t{Grain::threads} * Grain::values;

// While it lives, sizes() and segment_cases() also have these tiles, one item less and one item more. Where a kernel's
// last block is full, or has a single item, is a matter of its grain: the tests of kernels name theirs.
class edges {
 public:
  explicit edges(std::initializer_list<index_t> tiles) {
    for (index_t items : tiles) around().insert(around().end(), {items - 1, items, items + 1});
  }
  ~edges() { around().clear(); }
  edges(const edges&) = delete;
  edges& operator=(const edges&) = delete;

  static std::vector<index_t>& around() {
    static std::vector<index_t> sizes;
    return sizes;
  }
};

// Around powers of two and the parts of threads.
inline std::vector<index_t> sizes() {
  std::vector<index_t> all = {0,    1,    2,    3,    127,  128,  129,  255,  256,   257,   1023,  1024,
                              1025, 4095, 4096, 4097, 7679, 7680, 7681, 8193, 20481, 50000, 100003};
  all.insert(all.end(), edges::around().begin(), edges::around().end());
  return all;
}

enum class shape : int { random, duplicates, equal, sorted, reversed };
inline constexpr shape all_shapes[] = {shape::random, shape::duplicates, shape::equal, shape::sorted, shape::reversed};

inline const char* to_string(shape s) {
  constexpr const char* names[] = {"random", "duplicates", "equal", "sorted", "reversed"};
  return names[static_cast<int>(s)];
}

// n small whole numbers, exact in every type; negative ones too where the type has any.
template <class T>
std::vector<T> keys(shape s, index_t n, std::uint64_t seed = 1) {
  problems::generator g(seed + static_cast<std::uint64_t>(n));
  const int low = T(-1) < T(0) ? -1000 : 0;
  const int high = sizeof(T) == 1 ? 120 : 20000;  // sums of a hundred thousand fit 32 bits
  std::vector<T> items(static_cast<std::size_t>(n));
  for (T& item : items) {
    switch (s) {
      case shape::duplicates:
        item = static_cast<T>(g.below(3));
        break;
      case shape::equal:
        item = static_cast<T>(7);
        break;
      default:
        item = static_cast<T>(low + g.below(high - low));
    }
  }
  if (s == shape::sorted) std::sort(items.begin(), items.end());
  if (s == shape::reversed) std::sort(items.begin(), items.end(), [](T x, T y) { return y < x; });
  return items;
}

// Two sorted sequences.
enum class pairing : int { random, duplicates, equal, runs, a_first, b_first, a_empty, b_empty, a_short };
inline constexpr pairing all_pairings[] = {pairing::random,  pairing::duplicates, pairing::equal,
                                           pairing::runs,    pairing::a_first,    pairing::b_first,
                                           pairing::a_empty, pairing::b_empty,    pairing::a_short};

inline const char* to_string(pairing p) {
  constexpr const char* names[] = {"random",  "duplicates", "equal",   "runs",   "a_first",
                                   "b_first", "a_empty",    "b_empty", "a_short"};
  return names[static_cast<int>(p)];
}

template <class T>
struct sorted_pair {
  std::vector<T> a, b;
};

// n items in both together, ascending.
template <class T>
sorted_pair<T> sorted(pairing p, index_t n) {
  const index_t a_count = p == pairing::a_empty   ? 0
                          : p == pairing::b_empty ? n
                          : p == pairing::a_short ? n / 64
                                                  : n / 2;
  problems::generator g(31 * static_cast<std::uint64_t>(n) + 5);
  const auto draw = [&](index_t count, bool is_a) {
    std::vector<T> items(static_cast<std::size_t>(count));
    for (T& item : items) {
      const bool high = p == (is_a ? pairing::b_first : pairing::a_first);
      switch (p) {
        case pairing::duplicates:
          item = static_cast<T>(g.below(3));
          break;
        case pairing::equal:
          item = static_cast<T>(7);
          break;
        case pairing::runs:
          item = static_cast<T>(g.below(std::clamp<index_t>(n / 20, 1, 120)));
          break;
        case pairing::a_first:
        case pairing::b_first:
          item = static_cast<T>(g.below(50) + (high ? 60 : 0));
          break;
        default:
          item = static_cast<T>(g.below(sizeof(T) == 1 ? 120 : std::max<index_t>(n, 1)));
      }
    }
    std::sort(items.begin(), items.end());
    return items;
  };
  return {draw(a_count, true), draw(n - a_count, false)};
}

// A key that is ordered by one of its members only, so that equivalent keys can be told apart.
struct record {
  std::int32_t major;
  float minor;
  char pad;

  friend bool operator==(const record& x, const record& y) {
    return x.major == y.major && x.minor == y.minor && x.pad == y.pad;
  }
  friend std::ostream& operator<<(std::ostream& out, const record& r) {
    return out << "{" << r.major << ", " << r.minor << "}";
  }
};

struct by_major {
  KLEENE_FUNCTION bool operator()(const record& x, const record& y) const { return x.major < y.major; }
};

inline constexpr record poisoned_record{-77, -77, 'p'};

// Records with the keys as major; minor counts from `start` up.
template <class T>
std::vector<record> records(const std::vector<T>& keys, float start = 0) {
  std::vector<record> items;
  items.reserve(keys.size());
  for (const T& key : keys)
    items.push_back({static_cast<std::int32_t>(key), start + static_cast<float>(items.size()), 'r'});
  return items;
}

// The map x -> scale x + shift, modulo 2^32.
struct affine {
  std::uint32_t scale = 1;
  std::uint32_t shift = 0;

  friend bool operator==(const affine& f, const affine& g) { return f.scale == g.scale && f.shift == g.shift; }
  friend std::ostream& operator<<(std::ostream& out, const affine& f) { return out << f.scale << " x + " << f.shift; }
};

// First the left map, then the right one: associative, exact, and not commutative.
struct then {
  KLEENE_FUNCTION affine operator()(const affine& f, const affine& g) const {
    return {g.scale * f.scale, g.scale * f.shift + g.shift};
  }
};

inline std::vector<affine> affine_maps(index_t n, std::uint64_t seed = 3) {
  problems::generator g(seed);
  std::vector<affine> maps(static_cast<std::size_t>(n));
  for (affine& f : maps) f = {static_cast<std::uint32_t>(g.next() | 1), static_cast<std::uint32_t>(g.next())};
  return maps;
}

// 2 x 2 matrices over min-plus, row by row.
struct tropical_matrix {
  std::int32_t at[4] = {0, 1 << 28, 1 << 28, 0};

  friend bool operator==(const tropical_matrix& x, const tropical_matrix& y) {
    return std::equal(x.at, x.at + 4, y.at);
  }
};

struct tropical_product {
  KLEENE_FUNCTION tropical_matrix operator()(const tropical_matrix& x, const tropical_matrix& y) const {
    tropical_matrix z;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const std::int32_t left = x.at[2 * i] + y.at[j], right = x.at[2 * i + 1] + y.at[2 + j];
        z.at[2 * i + j] = right < left ? right : left;
      }
    return z;
  }
};

inline std::vector<tropical_matrix> tropical_matrices(index_t n) {
  problems::generator g(17);
  std::vector<tropical_matrix> matrices(static_cast<std::size_t>(n));
  for (tropical_matrix& m : matrices)
    for (std::int32_t& x : m.at) x = static_cast<std::int32_t>(g.below(100));
  return matrices;
}

// Segments of `count` items.
enum class segmentation : int { even, random, one_giant, empty_ends, mostly_empty };
inline constexpr segmentation all_segmentations[] = {segmentation::even, segmentation::random, segmentation::one_giant,
                                                     segmentation::empty_ends, segmentation::mostly_empty};

inline const char* to_string(segmentation s) {
  constexpr const char* names[] = {"even", "random", "one_giant", "empty_ends", "mostly_empty"};
  return names[static_cast<int>(s)];
}

// segments + 1 offsets from 0 to count.
template <class Offset>
std::vector<Offset> offsets(segmentation s, index_t segments, index_t count) {
  problems::generator g(7 * static_cast<std::uint64_t>(count) + static_cast<std::uint64_t>(segments));
  std::vector<Offset> at(static_cast<std::size_t>(segments) + 1);
  for (index_t i = 0; i <= segments; ++i) {
    index_t offset = segments ? count / segments * i + count % segments * i / segments : 0;  // even
    if (s == segmentation::random) offset = g.below(count + 1);
    if (s == segmentation::one_giant)
      offset = i <= segments / 3 ? i * (count / 8) / segments : count - (segments - i) * (count / 8) / segments;
    if (s == segmentation::empty_ends) offset = i <= segments / 4 ? 0 : i > segments - segments / 4 ? count : offset;
    if (s == segmentation::mostly_empty) offset = offset / (count / 5 + 1) * (count / 5 + 1);
    at[static_cast<std::size_t>(i)] = static_cast<Offset>(offset);
  }
  std::sort(at.begin(), at.end());
  at.front() = 0;
  at.back() = static_cast<Offset>(count);
  return at;
}

struct segment_case {
  index_t segments, count;
};
inline std::vector<segment_case> segment_cases() {
  std::vector<segment_case> all = {{1, 0},       {5, 0},        {1, 1},       {3, 7},         {2, 128},
                                   {128, 1000},  {1000, 128},   {1024, 4096}, {7, 7681},      {1, 20000},
                                   {30000, 500}, {5000, 20000}, {300, 50000}, {70000, 100003}};
  for (index_t total : edges::around()) {
    all.push_back({total / 4, total - total / 4});  // kernels that walk over segments and items together
    all.push_back({7, total});                      // those that divide the items
  }
  return all;
}

// Runs of equal neighbours, as keys.
inline std::vector<std::int32_t> run_keys(segmentation s, const segment_case& c) {
  const std::vector<index_t> at = offsets<index_t>(s, c.segments, c.count);
  std::vector<std::int32_t> items(static_cast<std::size_t>(c.count));
  for (index_t r = 0; r < c.segments; ++r)
    std::fill(items.begin() + at[static_cast<std::size_t>(r)], items.begin() + at[static_cast<std::size_t>(r) + 1],
              static_cast<std::int32_t>(r * 5 % 7 + r));
  return items;
}

}  // namespace kleene::sequences
