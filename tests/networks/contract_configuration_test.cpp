// One best configuration of a network: evaluated again, beside plain loops over all assignments.
#include "networks/contract_samples.hpp"

namespace kleene::test::contract_configuration_test {
namespace {

template <class S, class Draw>
void finds_a_configuration(const Draw& draw) {
  splitmix64 random{11};
  int found = 0;
  for (int trial = 0; trial < 400; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 7), 1 + below(random, 9), 4, 4, 0}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    const auto want = by_plain_loops<S>(s).data()[0];
    const auto got = best_configuration(two_threads(), S{}, s.n, s.views(), s.order);
    ASSERT_EQ(got.value, want) << "trial " << trial;
    ASSERT_EQ(got.exists, !(want == S::zero()));
    if (!got.exists) continue;
    ++found;
    ASSERT_EQ(got.values.size(), s.n.extents.size());
    ASSERT_EQ(normalise<S>(product_at<S>(s, got.values)), want) << "trial " << trial;
  }
  EXPECT_GT(found, 200);
}

TEST(contract_configuration, finds_a_configuration) {
  finds_a_configuration<min_plus<std::int32_t>>(small_or_zero<min_plus<std::int32_t>>);
  finds_a_configuration<max_plus<float>>(small_or_zero<max_plus<float>>);
  finds_a_configuration<likeliest>([](splitmix64& random) { return below(random, 9) * 0.5; });
  finds_a_configuration<or_and<bool>>([](splitmix64& random) { return below(random, 8) > 0; });
}

// A chain, of which each result is 4 KiB and more: as little memory as the value itself takes is enough, whatever has
// to be contracted again.
TEST(contract_configuration, finds_a_configuration_in_little_memory) {
  using S = min_plus<std::int32_t>;
  splitmix64 random{13};
  sample<std::int32_t> s;
  const int length = 12;
  s.n.extents.assign(length + 2, 40);
  for (int t = 0; t <= length; ++t) {
    s.n.tensors.push_back({t, t + 1});
    s.tensors.emplace_back(axis_values{40, 40});
    for (index_t e = 0; e < 1600; ++e) s.tensors.back().data()[e] = below(random, 100000);
  }
  s.n.tensors.push_back({0, length + 1});
  s.tensors.emplace_back(axis_values{40, 40}, 0);
  for (int t = 1; t < length + 2; ++t) s.order.pairs.push_back({t == 1 ? 0 : length + t, t});
  contraction_report all, little;
  const auto want = best_configuration(two_threads(), S{}, s.n, s.views(), s.order, {.report = &all});
  std::size_t needed = all.bytes;
  while (needed > 0) {
    try {
      const auto got = best_configuration(two_threads(), S{}, s.n, s.views(), s.order,
                                          {.memory = needed * 3 / 4, .report = &little});
      ASSERT_EQ(got.value, want.value);
      ASSERT_EQ(normalise<S>(product_at<S>(s, got.values)), want.value);
      ASSERT_LE(little.bytes, needed * 3 / 4);
      needed = needed * 3 / 4;
    } catch (const error& e) {
      EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(fault_code::memory));
      break;
    }
  }
  EXPECT_LT(needed * 3, all.bytes);
}

}  // namespace
}  // namespace kleene::test::contract_configuration_test
