// What the checks of reductions and scans share: operands in the orders that keys come in, and keys that are structs
// with an equality of their own.
#pragma once

#include "support/sample.hpp"
#include "support/sequences.hpp"

#include <gtest/gtest.h>

namespace kleene {

// n maps in the order of keys of that shape: all alike, few different ones, ascending or descending.
inline std::vector<sequences::affine> affine_maps(sequences::shape s, index_t n) {
  if (s == sequences::shape::random) return sequences::affine_maps(n);
  std::vector<sequences::affine> maps;
  for (std::int32_t key : sequences::keys<std::int32_t>(s, n)) {
    const auto k = static_cast<std::uint32_t>(key);
    maps.push_back({2 * k + 1, k});
  }
  return maps;
}

// Records are one key where their majors are; minors tell which of them was taken.
struct same_major {
  KLEENE_FUNCTION bool operator()(const sequences::record& x, const sequences::record& y) const {
    return x.major == y.major;
  }
};

// check(keys) for runs of records in every segmentation, and for records in every order: a run each, runs of a few, one
// run of all.
template <class Check>
void for_each_run_keys(const Check& check) {
  for (const auto& c : sequences::segment_cases())
    for (auto s : sequences::all_segmentations) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << c.segments << " " << c.count << " " << sequences::to_string(s));
      check(sequences::records(sequences::run_keys(s, c)));
    }
  for (index_t n : sequences::sizes())
    for (auto s : sequences::all_shapes) {
      if (!test::sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " " << sequences::to_string(s));
      check(sequences::records(sequences::keys<std::int32_t>(s, n)));
    }
}

}  // namespace kleene
