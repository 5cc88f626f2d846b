// find_order within a limit of elements: what is sliced, and what cannot be made to fit.
#include "networks/order_checks.hpp"
#include "support/equal.hpp"

namespace kleene::test::order_limit_test {
namespace {

std::string refused(const network& n, const order_options& options) {
  return refusal<error>(fault_code::memory, [&] { find_order(n, options); });
}

TEST(order_limit, slices_until_it_fits) {
  const network n = grid_network(9);
  for (const int most : {2, 3, 4, 6, 8}) {
    SCOPED_TRACE(most);
    for (const int sweeps : {0, 40}) {
      const contraction_order order =
          find_order(n, {.seconds = 0, .most_elements = index_t{1} << most, .threads = 1, .sweeps = sweeps});
      expect_order(n, order);
      EXPECT_LE(order.cost.largest, most);
      EXPECT_FALSE(order.sliced.empty());
    }
  }
  const contraction_order whole = find_order(n, {.most_elements = index_t{1} << 12, .threads = 1, .sweeps = 40});
  expect_order(n, whole);
  EXPECT_TRUE(whole.sliced.empty()) << "that much is not needed";
}

TEST(order_limit, no_slice_that_memory_does_not_need) {
  const network n = grid_network(7);
  const contraction_order order = find_order(n, {.most_elements = 32, .threads = 1, .sweeps = 40});
  for (std::size_t k = 0; k < order.sliced.size(); ++k) {
    std::vector<int> fewer = order.sliced;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_GT(plain_cost_of(n, order.pairs, fewer).largest, 32);
  }
  EXPECT_GE(order.sliced.size(), 2u) << "a grid of 7 needs 2^7 elements";
}

TEST(order_limit, extents_that_are_no_powers_of_two) {
  network n = grid_network(6);
  for (std::size_t i = 0; i < n.extents.size(); ++i) n.extents[i] = 3 + static_cast<index_t>(i % 3);
  const contraction_order order = find_order(n, {.most_elements = 1000, .threads = 1, .sweeps = 30});
  expect_order(n, order);
  EXPECT_LE(plain_cost_of(n, order.pairs, order.sliced).largest, 1000);
}

TEST(order_limit, operands_count) {
  const network one{{16, 4}, {{0, 1}}, {1}};
  const contraction_order order = find_order(one, {.most_elements = 5});
  expect_order(one, order);
  EXPECT_EQ(order.sliced, std::vector<int>{0});
  EXPECT_EQ(order.slices, 16);
}

TEST(order_limit, open_indices_are_never_sliced) {
  network n = grid_network(5);
  n.open = {0, 4, 20, 24};
  const contraction_order order = find_order(n, {.most_elements = 16, .threads = 1, .sweeps = 20});
  expect_order(n, order);
  EXPECT_LE(order.cost.largest, 4);
  EXPECT_EQ(refused(n, {.most_elements = 8, .sweeps = 20}),
            "find_order: the smallest order found has a tensor of 2^4.0 elements; at most 8 (2^3.0) may be");
  const network one{{16, 4}, {{0, 1}}, {1, 0}};
  EXPECT_TRUE(contains(refused(one, {.most_elements = 63}), "2^6.0 elements; at most 63"));
}

TEST(order_limit, slices_that_cannot_be_counted) {
  network n;  // 70 tensors of one index each of 2^10: a limit of one element slices all of them
  for (int i = 0; i < 70; ++i) n.extents.push_back(1024), n.tensors.push_back({i});
  EXPECT_TRUE(contains(refused(n, {.seconds = 0, .most_elements = 1}), "2^10.0 elements; at most 1 "));
}

TEST(order_limit, slices_of_an_order_that_is_there) {
  const network n = grid_network(8);
  const contraction_order whole = find_order(n, {.seconds = 0, .threads = 1});
  ASSERT_GE(whole.cost.largest, 8);
  contraction_order order = whole;
  for (const int most : {5, 3, 6, 2, 8}) {  // fewer slices again, too
    SCOPED_TRACE(most);
    order = slice_order(n, order, index_t{1} << most);
    expect_order(n, order);
    EXPECT_LE(order.cost.largest, most);
    EXPECT_EQ(order.method, whole.method);
    for (const int i : order.sliced) {
      std::vector<int> fewer = order.sliced;
      std::erase(fewer, i);
      EXPECT_GT(plain_cost_of(n, order.pairs, fewer).largest, 1 << most) << "index " << i << " need not be sliced";
    }
  }
  order = slice_order(n, order, std::numeric_limits<index_t>::max());
  EXPECT_TRUE(order.sliced.empty());
  EXPECT_EQ(order.cost.operations, whole.cost.operations);
  EXPECT_EQ(order.cost.largest, whole.cost.largest);
}

TEST(order_limit, slices_of_what_is_no_order) {
  const network n = grid_network(3);
  const contraction_order whole = find_order(n, {.seconds = 0, .threads = 1});
  const auto said = [&](const contraction_order& order, index_t most) {
    return refusal<argument_error>(fault_code::bad_input, [&] { (void)slice_order(n, order, most); });
  };
  contraction_order short_of_one = whole;
  short_of_one.pairs.pop_back();
  EXPECT_TRUE(contains(said(short_of_one, 4), "10 pairs; a network of 12 tensors takes 11"));
  EXPECT_EQ(said(whole, 0), "slice_order: at most 0 elements; a scalar has one");
  network open = n;
  open.open = {0, 2, 6};
  const std::string large =
      refusal<error>(fault_code::memory, [&] { (void)slice_order(open, find_order(open, {.seconds = 0}), 4); });
  EXPECT_EQ(large, "slice_order: the smallest order found has a tensor of 2^3.0 elements; at most 4 (2^2.0) may be");
}

TEST(order_limit, what_has_no_elements_fits) {
  network n = grid_network(6);
  for (index_t& extent : n.extents) extent = 0;
  const contraction_order order = find_order(n, {.most_elements = 1, .threads = 1, .sweeps = 10});
  expect_order(n, order);
  EXPECT_TRUE(order.sliced.empty());
}

}  // namespace
}  // namespace kleene::test::order_limit_test
