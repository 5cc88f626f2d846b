// Checks of the scans, wherever they run.
#pragma once

#include "kleene/algebra/semirings.hpp"
#include "kleene/algebra/small_matrix.hpp"
#include "kleene/streaming/scan.hpp"
#include "streaming/shaped.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <bit>
#include <numeric>

namespace kleene {

template <class Place>
void check_scan_by_hand(Place& place) {
  auto x = place.put(std::vector<std::int32_t>{3, 1, 4, 1, 5});
  auto out = place.room(7, -7);
  EXPECT_EQ(inclusive_scan(place.ctx, x.data(), x.data() + 5, out.data()), out.data() + 5);
  EXPECT_TRUE(holds(out, std::vector{3, 4, 8, 9, 14}, -7));
  auto sums = place.room(7, std::int64_t{-7});
  EXPECT_EQ(exclusive_scan(place.ctx, x.data(), x.data() + 5, sums.data(), std::int64_t{10}), sums.data() + 5);
  EXPECT_TRUE(holds(sums, std::vector<std::int64_t>{10, 13, 14, 18, 19}, std::int64_t{-7}));
  EXPECT_EQ(inclusive_scan(place.ctx, x.data(), x.data(), out.data()), out.data());
  EXPECT_EQ(exclusive_scan(place.ctx, x.data(), x.data(), sums.data(), std::int64_t{1}), sums.data());

  auto keys = place.put(std::vector<std::int32_t>{1, 1, 2, 2, 1});
  EXPECT_EQ(inclusive_scan_by_key(place.ctx, keys.data(), keys.data() + 5, x.data(), out.data()), out.data() + 5);
  EXPECT_TRUE(holds(out, std::vector{3, 4, 4, 5, 5}, -7));
  EXPECT_EQ(exclusive_scan_by_key(place.ctx, keys.data(), keys.data() + 5, x.data(), out.data(), 10), out.data() + 5);
  EXPECT_TRUE(holds(out, std::vector{10, 13, 10, 14, 10}, -7));
}

// Items of type In, whose sums are exact in T.
template <class In, class T, class Place>
void check_plus_scans(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto items = sequences::keys<In>(s, n);
      std::vector<T> exclusive(items.size());
      std::exclusive_scan(items.begin(), items.end(), exclusive.begin(), T{5});
      auto x = place.put(items);
      auto out = place.room(n + slack, T{77});
      EXPECT_EQ(exclusive_scan(place.ctx, x.data(), x.data() + n, out.data(), T{5}), out.data() + n);
      EXPECT_TRUE(holds(out, exclusive, T{77}));

      std::vector<In> inclusive(items.size());  // accumulates in the items' own type, wrapping or exact
      std::partial_sum(items.begin(), items.end(), inclusive.begin(), [](In a, In b) { return In(a + b); });
      EXPECT_EQ(inclusive_scan(place.ctx, x.data(), x.data() + n, x.data()), x.data() + n);
      EXPECT_TRUE(holds(x, inclusive));
    }
}

template <class Place>
void check_scans(Place& place) {
  check_plus_scans<std::int32_t, std::int64_t>(place);
  check_plus_scans<std::uint8_t, std::int64_t>(place);
  check_plus_scans<double, double>(place);
  for (index_t n : sequences::sizes()) {
    std::vector<std::int64_t> expected(static_cast<std::size_t>(n));
    for (index_t i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = i * (i + 1) / 2;
    auto out = place.room(n + slack, std::int64_t{-7});
    const counting_iterator<std::int64_t> first(0);
    inclusive_scan(place.ctx, first, first + n, out.data());
    EXPECT_TRUE(holds(out, expected, std::int64_t{-7})) << n;
  }
}

template <class Place>
void check_ordered_scans(Place& place) {
  using sequences::affine;
  const sequences::then op;
  for (index_t n : sequences::sizes()) {
    SCOPED_TRACE(n);
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(sequences::to_string(s));
      const auto maps = affine_maps(s, n);
      std::vector<affine> inclusive(maps.size()), exclusive(maps.size());
      std::partial_sum(maps.begin(), maps.end(), inclusive.begin(), op);
      std::exclusive_scan(maps.begin(), maps.end(), exclusive.begin(), affine{3, 4}, op);
      auto x = place.put(maps);
      auto out = place.room(n + slack, affine{7, 7});
      EXPECT_EQ(inclusive_scan(place.ctx, x.data(), x.data() + n, out.data(), op), out.data() + n);
      EXPECT_TRUE(holds(out, inclusive, affine{7, 7}));
      EXPECT_EQ(exclusive_scan(place.ctx, x.data(), x.data() + n, x.data(), affine{3, 4}, op), x.data() + n);
      EXPECT_TRUE(holds(x, exclusive));
    }
    const auto matrices = sequences::tropical_matrices(n);
    auto expected = matrices;
    std::partial_sum(matrices.begin(), matrices.end(), expected.begin(), sequences::tropical_product{});
    auto m = place.put(matrices);
    inclusive_scan(place.ctx, m.data(), m.data() + n, m.data(), sequences::tropical_product{});
    EXPECT_TRUE(holds(m, expected));

    // The same by the library's own matrices.
    std::vector<small_matrix<std::int32_t, 2>> small(matrices.size()), sums(matrices.size());
    for (std::size_t i = 0; i < small.size(); ++i) {
      small[i] = std::bit_cast<small_matrix<std::int32_t, 2>>(matrices[i]);
      sums[i] = std::bit_cast<small_matrix<std::int32_t, 2>>(expected[i]);
    }
    auto s = place.put(small);
    inclusive_scan(place.ctx, s.data(), s.data() + n, s.data(), matrix_product<min_plus<std::int32_t>>{});
    EXPECT_TRUE(holds(s, sums));
  }
}

// Maps by records that are one key where their majors are; then the same in place.
template <class Place>
void check_scans_by_key(Place& place) {
  using sequences::affine;
  const sequences::then op;
  const affine init{3, 4}, poison{7, 7};
  for_each_run_keys([&](const std::vector<sequences::record>& keys) {
    const index_t n = static_cast<index_t>(keys.size());
    const auto maps = sequences::affine_maps(n);
    std::vector<affine> inclusive(maps.size()), exclusive(maps.size());
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const bool first = i == 0 || keys[i].major != keys[i - 1].major;
      inclusive[i] = first ? maps[i] : op(inclusive[i - 1], maps[i]);
      exclusive[i] = first ? init : op(init, inclusive[i - 1]);
    }
    auto k = place.put(keys);
    auto v = place.put(maps), again = place.put(maps);
    const auto last = k.data() + n;
    auto out = place.room(n + slack, poison);
    EXPECT_EQ(inclusive_scan_by_key(place.ctx, k.data(), last, v.data(), out.data(), op, same_major{}), out.data() + n);
    EXPECT_TRUE(holds(out, inclusive, poison));
    EXPECT_EQ(exclusive_scan_by_key(place.ctx, k.data(), last, v.data(), out.data(), init, op, same_major{}),
              out.data() + n);
    EXPECT_TRUE(holds(out, exclusive, poison));
    inclusive_scan_by_key(place.ctx, k.data(), last, v.data(), v.data(), op, same_major{});
    EXPECT_TRUE(holds(v, inclusive));
    exclusive_scan_by_key(place.ctx, k.data(), last, again.data(), again.data(), init, op, same_major{});
    EXPECT_TRUE(holds(again, exclusive));
  });
}

}  // namespace kleene
