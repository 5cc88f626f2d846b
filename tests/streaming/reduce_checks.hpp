// Checks of the reductions, wherever they run.
#pragma once

#include "kleene/streaming/reduce.hpp"
#include "streaming/shaped.hpp"
#include "support/place.hpp"
#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <numeric>

namespace kleene {

struct doubled_sum {
  KLEENE_FUNCTION std::int64_t operator()(std::int32_t x) const { return 2 * static_cast<std::int64_t>(x); }
};

// Twelve bytes: a size that does not divide a power of two.
struct triple {
  std::int32_t x, y, z;
  friend bool operator==(const triple& a, const triple& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};
struct triple_sum {
  KLEENE_FUNCTION triple operator()(const triple& a, const triple& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

// Four bytes: the map x -> scale x + shift, modulo 2^16.
struct short_affine {
  std::uint16_t scale = 1, shift = 0;
  friend bool operator==(const short_affine& f, const short_affine& g) {
    return f.scale == g.scale && f.shift == g.shift;
  }
};
struct short_then {
  KLEENE_FUNCTION short_affine operator()(const short_affine& f, const short_affine& g) const {
    const unsigned scale = g.scale;
    return {static_cast<std::uint16_t>(scale * f.scale), static_cast<std::uint16_t>(scale * f.shift + g.shift)};
  }
};

template <class Place>
void check_reduce_by_hand(Place& place) {
  auto x = place.put(std::vector<std::int32_t>{3, 1, 4, 1, 5, 9, 2, 6});
  EXPECT_EQ(reduce(place.ctx, x.data(), x.data() + 8, 100), 131);
  EXPECT_EQ(reduce(place.ctx, x.data(), x.data() + 8, 4, ops::max{}), 9);
  EXPECT_EQ(reduce(place.ctx, x.data(), x.data(), 42), 42);
  EXPECT_EQ(transform_reduce(place.ctx, x.data(), x.data() + 8, std::int64_t{1}, ops::plus{}, doubled_sum{}), 63);
  auto floats = place.put(std::vector<float>{3, 1, 4, 1, 5, 9, 2, 6});
  EXPECT_EQ(arg_min(place.ctx, floats.data(), floats.data() + 8), 1);
  EXPECT_EQ(arg_max(place.ctx, floats.data(), floats.data() + 8), 5);
  EXPECT_EQ(arg_min(place.ctx, floats.data(), floats.data()), -1);
  EXPECT_EQ(arg_max(place.ctx, floats.data(), floats.data()), -1);
  // first 2 x + 1, then x + 3, then 3 x: 6 x + 12
  auto maps = place.put(std::vector<sequences::affine>{{2, 1}, {1, 3}, {3, 0}});
  EXPECT_EQ(ordered_reduce(place.ctx, maps.data(), maps.data() + 3, sequences::affine{}, sequences::then{}),
            (sequences::affine{6, 12}));

  auto keys = place.put(std::vector<std::int32_t>{1, 1, 2, 1, 1, 1});
  auto keys_out = place.room(6, -7), sums = place.room(6, -7);
  EXPECT_EQ(reduce_by_key(place.ctx, keys.data(), keys.data() + 6, x.data(), keys_out.data(), sums.data()), 3);
  EXPECT_TRUE(holds(keys_out, std::vector{1, 2, 1}, -7));
  EXPECT_TRUE(holds(sums, std::vector{4, 4, 15}, -7));
}

// Sums of whole numbers are exact in every type, whatever their order.
template <class In, class T, class Place>
void check_sums(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto items = sequences::keys<In>(s, n);
      const T expected = std::accumulate(items.begin(), items.end(), T{5}, [](T sum, In x) { return T(sum + T(x)); });
      auto x = place.put(items);
      EXPECT_EQ(reduce(place.ctx, x.data(), x.data() + n, T{5}), expected);
      auto result = place.room(2, T{77});
      reduce_to(place.ctx, x.data(), x.data() + n, result.data(), T{5});
      EXPECT_TRUE(holds(result, std::vector<T>{expected}, T{77}));
    }
}

template <class Place>
void check_reduce(Place& place) {
  check_sums<std::int32_t, std::int32_t>(place);
  check_sums<std::uint8_t, std::int64_t>(place);
  check_sums<float, double>(place);
  check_sums<double, double>(place);
  for (index_t n : sequences::sizes()) {
    SCOPED_TRACE(n);
    const counting_iterator<std::int64_t> first(1);
    EXPECT_EQ(reduce(place.ctx, first, first + n, std::int64_t{0}), n * (n + 1) / 2);
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(sequences::to_string(s));
      const auto items = sequences::keys<std::int32_t>(s, n);
      auto x = place.put(items);
      auto result = place.room(2, std::int64_t{-7});
      transform_reduce_to(place.ctx, x.data(), x.data() + n, result.data(), std::int64_t{0}, ops::plus{},
                          doubled_sum{});
      EXPECT_TRUE(holds(result, std::vector{2 * std::accumulate(items.begin(), items.end(), std::int64_t{0})},
                        std::int64_t{-7}));

      std::vector<triple> triples;
      for (std::int32_t item : items) triples.push_back({item, 1, -item});
      const auto expected = std::accumulate(triples.begin(), triples.end(), triple{1, 2, 3}, triple_sum{});
      auto t = place.put(triples);
      EXPECT_EQ(reduce(place.ctx, t.data(), t.data() + n, triple{1, 2, 3}, triple_sum{}), expected);
    }
  }
}

template <class Place>
void check_ordered_reduce(Place& place) {
  for (index_t n : sequences::sizes()) {
    SCOPED_TRACE(n);
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(sequences::to_string(s));
      const auto maps = affine_maps(s, n);
      const auto expected = std::accumulate(maps.begin(), maps.end(), sequences::affine{3, 4}, sequences::then{});
      auto x = place.put(maps);
      EXPECT_EQ(ordered_reduce(place.ctx, x.data(), x.data() + n, sequences::affine{3, 4}, sequences::then{}),
                expected);
      auto result = place.room(2, sequences::affine{7, 7});
      ordered_reduce_to(place.ctx, x.data(), x.data() + n, result.data(), sequences::affine{3, 4}, sequences::then{});
      EXPECT_TRUE(holds(result, std::vector{expected}, sequences::affine{7, 7}));
    }
    const auto matrices = sequences::tropical_matrices(n);
    auto m = place.put(matrices);
    EXPECT_EQ(
        ordered_reduce(place.ctx, m.data(), m.data() + n, sequences::tropical_matrix{}, sequences::tropical_product{}),
        std::accumulate(matrices.begin(), matrices.end(), sequences::tropical_matrix{}, sequences::tropical_product{}));
  }
}

// Vectors of four items, at any alignment; so many items that a warp has several batches of them and a part of one.
template <class Place>
void check_ordered_words(Place& place) {
  auto sizes = sequences::sizes();
  sizes.push_back(5'000'011);
  for (index_t n : sizes) {
    SCOPED_TRACE(n);
    std::vector<short_affine> maps;
    for (const sequences::affine& f : sequences::affine_maps(n))
      maps.push_back({static_cast<std::uint16_t>(f.scale), static_cast<std::uint16_t>(f.shift)});
    auto x = place.put(maps);
    for (index_t start : {index_t{0}, std::min<index_t>(n, 1)}) {
      SCOPED_TRACE(start);
      EXPECT_EQ(ordered_reduce(place.ctx, x.data() + start, x.data() + n, short_affine{5, 9}, short_then{}),
                std::accumulate(maps.begin() + start, maps.end(), short_affine{5, 9}, short_then{}));
    }
  }
}

template <class Place>
void check_arg(Place& place) {
  for (index_t n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      const auto items = sequences::keys<float>(s, n);
      const index_t smallest = n ? std::min_element(items.begin(), items.end()) - items.begin() : -1;
      const index_t largest = n ? std::max_element(items.begin(), items.end()) - items.begin() : -1;
      auto x = place.put(items);
      EXPECT_EQ(arg_min(place.ctx, x.data(), x.data() + n), smallest);
      EXPECT_EQ(arg_max(place.ctx, x.data(), x.data() + n), largest);
      auto result = place.room(3, index_t{-7});
      arg_min_to(place.ctx, x.data(), x.data() + n, result.data());
      arg_max_to(place.ctx, x.data(), x.data() + n, result.data() + 1);
      EXPECT_TRUE(holds(result, std::vector{smallest, largest}, index_t{-7}));
      auto r = place.put(sequences::records(items));
      EXPECT_EQ(arg_max(place.ctx, r.data(), r.data() + n, sequences::by_major{}), largest);
    }
}

// Maps by records that are one key where their majors are: the sums keep the order, the keys are each run's first.
template <class Place>
void check_reduce_by_key(Place& place) {
  for_each_run_keys([&](const std::vector<sequences::record>& keys) {
    const index_t n = static_cast<index_t>(keys.size());
    const auto maps = sequences::affine_maps(n);
    std::vector<sequences::record> runs;
    std::vector<sequences::affine> sums;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0 && keys[i].major == keys[i - 1].major) {
        sums.back() = sequences::then{}(sums.back(), maps[i]);
      } else {
        runs.push_back(keys[i]);
        sums.push_back(maps[i]);
      }
    }
    auto k = place.put(keys);
    auto v = place.put(maps);
    auto keys_out = place.room(n + slack, sequences::poisoned_record);
    auto sums_out = place.room(n + slack, sequences::affine{7, 7});
    const index_t count = static_cast<index_t>(runs.size());
    EXPECT_EQ(reduce_by_key(place.ctx, k.data(), k.data() + n, v.data(), keys_out.data(), sums_out.data(),
                            sequences::then{}, same_major{}),
              count);
    EXPECT_TRUE(holds(keys_out, runs, sequences::poisoned_record));
    EXPECT_TRUE(holds(sums_out, sums, sequences::affine{7, 7}));
    auto counted = place.room(2, index_t{-7});
    reduce_by_key_to(place.ctx, k.data(), k.data() + n, v.data(), keys_out.data(), sums_out.data(), counted.data(),
                     sequences::then{}, same_major{});
    EXPECT_TRUE(holds(counted, std::vector{count}, index_t{-7}));
  });
}

}  // namespace kleene
