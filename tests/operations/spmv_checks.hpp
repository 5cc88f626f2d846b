// Checks of sparse matrix times vector, wherever it runs: against a plain loop over each row.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/operations/spmv.hpp"
#include "support/place.hpp"
#include "support/sequences.hpp"

namespace kleene {

template <class S, class Place>
void check_spmv_over(Place& place) {
  using T = typename S::value_type;
  for (const auto& c : sequences::segment_cases())
    for (auto s : sequences::all_segmentations) {
      SCOPED_TRACE(testing::Message() << c.segments << " rows, " << c.count << " entries, " << sequences::to_string(s));
      const auto offsets = sequences::offsets<std::int32_t>(s, c.segments, c.count);
      const index cols = 97;
      std::vector<std::int32_t> columns(static_cast<std::size_t>(c.count));
      std::vector<T> values(static_cast<std::size_t>(c.count)), x(static_cast<std::size_t>(cols));
      for (std::size_t e = 0; e < columns.size(); ++e) {
        columns[e] = static_cast<std::int32_t>(e * 31 % static_cast<std::size_t>(cols));
        values[e] = static_cast<T>(e * 7 % 23);
      }
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = static_cast<T>(j * 5 % 13);
      std::vector<T> expected(static_cast<std::size_t>(c.segments), S::zero());
      for (std::size_t r = 0; r < expected.size(); ++r)
        for (auto e = static_cast<std::size_t>(offsets[r]); e < static_cast<std::size_t>(offsets[r + 1]); ++e)
          expected[r] = S::add(expected[r], S::mul(values[e], x[static_cast<std::size_t>(columns[e])]));

      auto at = place.put(offsets);
      auto which = place.put(columns);
      auto v = place.put(values), in = place.put(x);
      auto y = place.room(c.segments + slack, T(-7));
      const csr_arrays a{c.segments, c.count, at.data(), which.data(), v.data()};
      spmv(place.ctx, S{}, a, in.data(), y.data());
      EXPECT_TRUE(holds(y, expected, T(-7)));
    }
}

template <class Place>
void check_spmv_by_hand(Place& place) {
  // 0 3 .      1     6 + 0      min(3 + 2, 0 + 1)
  // . . .  of  2  =  empty
  // 5 . 1      4     5 + 4
  auto at = place.put(std::vector<std::int32_t>{0, 2, 2, 4});
  auto columns = place.put(std::vector<std::int32_t>{0, 1, 0, 2});
  auto values = place.put(std::vector<float>{0, 3, 5, 1});
  auto x = place.put(std::vector<float>{1, 2, 4});
  auto y = place.room(3, -7.0f);
  const csr_arrays a{index{3}, index{4}, at.data(), columns.data(), values.data()};
  spmv(place.ctx, plus_times<float>{}, a, x.data(), y.data());
  EXPECT_TRUE(holds(y, std::vector<float>{6, 0, 9}));
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  spmv(place.ctx, min_plus<float>{}, a, x.data(), y.data());
  EXPECT_TRUE(holds(y, std::vector<float>{1, inf, 5}));
  auto holes = place.put(std::vector<float>{nan, 2, -inf});  // NaN is no candidate
  spmv(place.ctx, min_plus<float>{}, a, holes.data(), y.data());
  EXPECT_TRUE(holds(y, std::vector<float>{5, inf, -inf}));
}

}  // namespace kleene
