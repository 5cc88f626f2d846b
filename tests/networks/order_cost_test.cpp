// The contract of cost_of, describe and predicted_seconds: by hand, and beside plain loops.
#include "networks/order_checks.hpp"
#include "support/equal.hpp"

namespace kleene::test::order_cost_test {
namespace {

constexpr double none = -std::numeric_limits<double>::infinity();

std::string refused(const network& n, const order_pairs& pairs, const std::vector<int>& sliced = {}) {
  return refusal<argument_error>(fault_code::bad_input, [&] { cost_of(n, pairs, sliced); });
}

// A (10 x 100) B (100 x 5) C (5 x 50), the chain of Cormen, Leiserson, Rivest and Stein: (AB)C takes 7500, A(BC) 75000.
const network chain{{10, 100, 5, 50}, {{0, 1}, {1, 2}, {2, 3}}, {0, 3}};

TEST(order_cost, the_textbook_chain) {
  const contraction_cost left = cost_of(chain, {{0, 1}, {3, 2}}), right = cost_of(chain, {{1, 2}, {0, 3}});
  EXPECT_NEAR(std::exp2(left.operations), 7500, 1e-6);
  EXPECT_NEAR(std::exp2(right.operations), 75000, 1e-6);
  EXPECT_NEAR(std::exp2(left.largest), 1000, 1e-6) << "A itself";
  EXPECT_NEAR(std::exp2(right.largest), 5000, 1e-6) << "BC";
  EXPECT_NEAR(std::exp2(left.traffic), (1000 + 500 + 50) + (50 + 250 + 500), 1e-6);
  const contraction_cost sliced = cost_of(chain, {{0, 1}, {3, 2}}, {2});
  EXPECT_NEAR(std::exp2(sliced.operations), 5 * (10 * 100 + 10 * 50), 1e-6) << "five slices of two pairs";
  EXPECT_NEAR(std::exp2(sliced.traffic), 5 * ((1000 + 100 + 10) + (10 + 50 + 500)), 1e-6);
}

TEST(order_cost, an_index_stays_until_nobody_has_it) {
  const network star{{2, 3, 5, 7}, {{0, 1}, {0, 2}, {0, 3}}, {}};  // 0 in three tensors, the rest in one each
  const contraction_cost cost = cost_of(star, {{0, 1}, {3, 2}});
  EXPECT_NEAR(std::exp2(cost.operations), 2 * 3 * 5 + 2 * 7, 1e-9);
  EXPECT_NEAR(std::exp2(cost.largest), 14, 1e-9);
  EXPECT_NEAR(std::exp2(cost.traffic), (6 + 10 + 2) + (2 + 14 + 1), 1e-9);
  const network diagonal{{3}, {{0, 0}, {0}}, {}};
  EXPECT_NEAR(std::exp2(cost_of(diagonal, {{0, 1}}).largest), 3, 1e-9) << "of a diagonal what is read";
}

TEST(order_cost, nothing_to_contract) {
  EXPECT_EQ(cost_of({}, {}).operations, none);
  EXPECT_EQ(cost_of({}, {}).largest, 0);
  const contraction_cost one = cost_of({{3}, {{0}}, {0}}, {});
  EXPECT_EQ(one.operations, none);
  EXPECT_EQ(one.traffic, none);
  EXPECT_NEAR(one.largest, std::log2(3.0), 1e-12);
  const contraction_cost scalars = cost_of({{}, {{}, {}}, {}}, {{0, 1}});
  EXPECT_EQ(scalars.operations, 0);
  EXPECT_NEAR(std::exp2(scalars.traffic), 3, 1e-12);
  const contraction_cost empty = cost_of({{0}, {{0}, {0}}, {}}, {{0, 1}});
  EXPECT_EQ(empty.operations, none);
  EXPECT_NEAR(std::exp2(empty.traffic), 1, 1e-12) << "the scalar that is made";
}

TEST(order_cost, what_is_no_order) {
  EXPECT_EQ(refused(chain, {{0, 1}}), "cost_of: 1 pairs; a network of 3 tensors takes 2");
  EXPECT_EQ(refused(chain, {{0, 1}, {0, 3}}), "cost_of: pair 1 takes tensor 0, which is gone");
  EXPECT_EQ(refused(chain, {{0, 3}, {1, 2}}), "cost_of: pair 0 takes tensor 3, which is not there yet");
  EXPECT_EQ(refused(chain, {{0, -1}, {1, 2}}), "cost_of: pair 0 takes tensor -1, which is not there yet");
  EXPECT_EQ(refused(chain, {{0, 0}, {1, 2}}), "cost_of: pair 0 takes a tensor twice");
  const order_pairs pairs{{0, 1}, {3, 2}};
  for (const std::vector<int>& sliced : {std::vector<int>{0}, {4}, {-1}, {1, 1}})
    EXPECT_TRUE(contains(refused(chain, pairs, sliced), "cannot be sliced")) << sliced[0];
  EXPECT_TRUE(contains(refused({{2}, {{1}}, {}}, {}), "network: tensor 0 has index 1"));
}

TEST(order_cost, plain_loops_say_the_same) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const network n = random_network(9, 7, {1, 2, 3, 7}, seed);
    splitmix64 random{seed};
    order_pairs pairs;
    std::vector<int> left(9), sliced;
    for (int t = 0; t < 9; ++t) left[static_cast<std::size_t>(t)] = t;
    while (left.size() > 1) {
      for (std::size_t k = 0; k < 2; ++k) std::swap(left[k], left[k + random() % (left.size() - k)]);
      pairs.emplace_back(left[0], left[1]);
      left.erase(left.begin());
      left[0] = 8 + static_cast<int>(pairs.size());
    }
    for (int i = 0; i < 7; ++i)
      if (random() % 3 == 0 && std::count(n.open.begin(), n.open.end(), i) == 0) sliced.push_back(i);
    const contraction_cost got = cost_of(n, pairs, sliced);
    const plain_cost want = plain_cost_of(n, pairs, sliced);
    expect_log2(got.operations, want.operations);
    expect_log2(got.largest, want.largest);
    expect_log2(got.traffic, want.traffic);
  }
}

TEST(order_cost, in_words_and_seconds) {
  contraction_order order;
  order.pairs = {{0, 1}, {3, 2}};
  order.cost = {10, 8, 9};
  order.method = "greedy";
  const contraction_rates rates{1024, 512, 2};
  EXPECT_DOUBLE_EQ(predicted_seconds(order, rates), 1 + 1 + 1);
  EXPECT_EQ(describe(order, rates), "2^10 operations, largest tensor 2^8 elements, traffic 2^9, greedy; about 3 s");
  order.sliced = {4, 7};
  order.slices = 4;
  order.cost.operations = 10.5;
  EXPECT_DOUBLE_EQ(predicted_seconds(order, rates), std::exp2(0.5) + 1 + 4);
  EXPECT_EQ(
      describe(order, rates),
      "2^10.5 operations, largest tensor 2^8 elements, traffic 2^9, 4 slices over 2 indices, greedy; about 6.4 s");
  order.sliced = {4};
  EXPECT_TRUE(contains(describe(order, rates), "4 slices over 1 index,"));
}

}  // namespace
}  // namespace kleene::test::order_cost_test
