// Checks of sparse matrix times vector, wherever it runs: against a plain loop over each row.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/operations/spmv.hpp"
#include "streaming/large.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

namespace kleene {

// Numbers of shortest paths beside their lengths: (d, n) + (e, m) is the shorter of both, of equal ones all.
struct path_count {
  std::int32_t length;
  std::int32_t paths;
  friend bool operator==(const path_count&, const path_count&) = default;
};
struct shortest_counted {
  using value_type = path_count;
  static constexpr path_count zero() { return {1 << 29, 0}; }
  KLEENE_FUNCTION static constexpr path_count add(const path_count& x, const path_count& y) {
    const path_count both{x.length, x.paths + y.paths};
    return x.length < y.length ? x : y.length < x.length ? y : both;
  }
  KLEENE_FUNCTION static constexpr path_count mul(const path_count& x, const path_count& y) {
    return {x.length + y.length, x.paths * y.paths};
  }
};

// Whole numbers as an algebra's values.
template <class T>
struct value_from {
  T operator()(std::size_t x) const { return static_cast<T>(x); }
};
template <>
struct value_from<path_count> {
  path_count operator()(std::size_t x) const {
    return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(x % 3 + 1)};
  }
};

// Offset and Column: the integers that the matrix is stored with.
template <class S, class Offset = std::int32_t, class Column = std::int32_t, class Place>
void check_spmv_over(Place& place) {
  using T = typename S::value_type;
  const value_from<T> value;
  const T poison = value(77);
  for (const auto& c : sequences::segment_cases())
    for (auto s : sequences::all_segmentations) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << c.segments << " rows, " << c.count << " entries, " << sequences::to_string(s));
      const auto offsets = sequences::offsets<Offset>(s, c.segments, c.count);
      const index_t cols = 97;
      std::vector<Column> columns(static_cast<std::size_t>(c.count));
      std::vector<T> values(static_cast<std::size_t>(c.count)), x(static_cast<std::size_t>(cols));
      for (std::size_t e = 0; e < columns.size(); ++e) {
        columns[e] = static_cast<Column>(e * 31 % static_cast<std::size_t>(cols));
        values[e] = value(e * 7 % 23);
      }
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = value(j * 5 % 13);
      std::vector<T> expected(static_cast<std::size_t>(c.segments), S::zero());
      for (std::size_t r = 0; r < expected.size(); ++r)
        for (auto e = static_cast<std::size_t>(offsets[r]); e < static_cast<std::size_t>(offsets[r + 1]); ++e)
          expected[r] = S::add(expected[r], S::mul(values[e], x[static_cast<std::size_t>(columns[e])]));

      auto at = place.put(offsets);
      auto which = place.put(columns);
      auto v = place.put(values), in = place.put(x);
      auto y = place.room(c.segments + slack, poison);
      const csr_arrays a{c.segments, c.count, at.data(), which.data(), v.data()};
      spmv(place.ctx, S{}, a, in.data(), y.data());
      EXPECT_TRUE(holds(y, expected, poison));
    }
}

// No rows, and rows that are all empty.
template <class Place>
void check_spmv_without_entries(Place& place) {
  for (index_t rows : {0, 1, 70001}) {
    SCOPED_TRACE(rows);
    auto at = place.room(rows + 1, std::int32_t{0});
    auto columns = place.room(1, std::int32_t{0});
    auto values = place.room(1, 7.0), x = place.room(1, 7.0), y = place.room(rows + slack, -7.0);
    const csr_arrays a{rows, index_t{0}, at.data(), columns.data(), values.data()};
    spmv(place.ctx, plus_times<double>{}, a, x.data(), y.data());
    EXPECT_TRUE(holds(y, std::vector(static_cast<std::size_t>(rows), 0.0), -7.0));
  }
}

// More entries than 32 bits count, and more columns: entry i is a 3 in column i, where x has an i.
struct three_times {
  sum_of_segment sum;
  KLEENE_FUNCTION constexpr index_t operator()(index_t row) const { return 3 * sum(row); }
};
template <class Place>
void check_large_spmv(Place& place) {
  constexpr index_t rows = 8;  // every other one is empty
  const csr_arrays a{rows, many, patterned{starts_of(30)}, numbers, patterned{{.scale = 0, .start = 3}}};
  witness y(place);
  spmv(place.ctx, plus_times<index_t>{}, a, numbers, y.of(three_times{{{30}, 0}}));
  EXPECT_TRUE(y.saw(rows));
}

template <class Place>
void check_spmv_by_hand(Place& place) {
  // 0 3 .      1     6 + 0      min(3 + 2, 0 + 1)
  // . . .  of  2  =  empty
  // 5 . 1      4     5 + 4
  auto at = place.put(std::vector<std::int32_t>{0, 2, 2, 4});
  auto columns = place.put(std::vector<std::int32_t>{0, 1, 0, 2});
  auto doubles = place.put(std::vector<double>{0, 3, 5, 1}), doubles_in = place.put(std::vector<double>{1, 2, 4});
  auto sums = place.room(3, -7.0);
  spmv(place.ctx, plus_times<double>{}, csr_arrays{index_t{3}, index_t{4}, at.data(), columns.data(), doubles.data()},
       doubles_in.data(), sums.data());
  EXPECT_TRUE(holds(sums, std::vector<double>{6, 0, 9}));
  auto values = place.put(std::vector<float>{0, 3, 5, 1});
  auto x = place.put(std::vector<float>{1, 2, 4});
  auto y = place.room(3, -7.0f);
  const csr_arrays a{index_t{3}, index_t{4}, at.data(), columns.data(), values.data()};
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  spmv(place.ctx, min_plus<float>{}, a, x.data(), y.data());
  EXPECT_TRUE(holds(y, std::vector<float>{1, inf, 5}));
  auto holes = place.put(std::vector<float>{nan, 2, -inf});  // NaN is no candidate
  spmv(place.ctx, min_plus<float>{}, a, holes.data(), y.data());
  EXPECT_TRUE(holds(y, std::vector<float>{5, inf, -inf}));
}

}  // namespace kleene
