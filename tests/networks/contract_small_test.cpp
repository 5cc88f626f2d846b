// Small pairs of a network contracted apart from the others, as a device's processor does: with what is left they are
// the whole network, of large networks of small tensors next to nothing is left.
#include "kleene/networks/detail/contract_small.hpp"

#include "networks/contract_samples.hpp"

namespace kleene::test {
namespace {

using detail::find_small_pairs;
using detail::network_axis;
using detail::network_operands;
using detail::small_forest;
using detail::small_pairs;

template <class T>
network_operands<T> operands_of(const network& n, const std::vector<tensor_view<const T>>& views) {
  network_operands<T> all;
  all.axes = detail::network_axes(n, std::vector<detail::tensor_facts>(views.begin(), views.end()));
  for (const auto& v : views) all.data.push_back(v.data());
  return all;
}

std::vector<std::uint8_t> kept_of(const network& n, const contraction_order& order) {
  std::vector<std::uint8_t> kept(n.extents.size(), 0);
  for (const std::vector<int>* labels : {&n.open, &order.sliced})
    for (const int label : *labels) kept[static_cast<std::size_t>(label)] = 1;
  return kept;
}

// What a forest leaves, as a network with its order.
template <class S>
struct rest_of {
  using T = value_of<S>;
  network n;
  std::vector<tensor_view<const T>> views;
  contraction_order order;

  rest_of(const small_forest<S>& forest, const network& whole, const contraction_order& whole_order) {
    n.extents = whole.extents;
    order.pairs = forest.pairs_of_rest(), order.slices = whole_order.slices;
    const auto add_longer = [&](const std::vector<int>& labels, std::vector<int>& to) {  // the others are in no tensor
      for (const int label : labels)
        if (whole.extents[static_cast<std::size_t>(label)] > 1) to.push_back(label);
    };
    add_longer(whole.open, n.open), add_longer(whole_order.sliced, order.sliced);
    const network_operands<T> rest = forest.rest();
    for (std::size_t t = 0; t < rest.data.size(); ++t) {
      n.tensors.emplace_back();
      axis_values extents, strides;
      for (const network_axis& x : rest.axes[t])
        n.tensors.back().push_back(x.label), extents.push_back(x.extent), strides.push_back(x.stride);
      views.push_back({rest.data[t], extents, strides});
    }
  }
};

template <class S, class Draw>
void agrees_with_the_whole(const Draw& draw) {
  splitmix64 random{3};
  int parted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    auto s = random_sample<value_of<S>>(random, {2 + below(random, 8), 2 + below(random, 9), 4, 4, trial % 3}, draw);
    if (trial % 2) slice(random, s.n, s.order);
    const auto views = s.views();
    const network_operands<value_of<S>> operands = operands_of(s.n, views);
    const small_forest<S> forest(two_threads(), operands, s.order.pairs, kept_of(s.n, s.order),
                                 double(1 << below(random, 12)));
    if (forest.is_all()) continue;
    const rest_of<S> rest(forest, s.n, s.order);
    ASSERT_EQ(rest.order.pairs.size() + 1, rest.views.size());
    parted += rest.views.size() < views.size();
    const auto got_all = contract(two_threads(), S{}, rest.n, rest.views, rest.order);
    const auto want_all = contract(two_threads(), S{}, s.n, views, s.order);
    ASSERT_EQ(got_all.size(), want_all.size());
    ASSERT_TRUE(std::equal(got_all.data(), got_all.data() + got_all.size(), want_all.data())) << trial;
    if (!s.n.open.empty()) continue;
    const auto want = best_configuration(two_threads(), S{}, s.n, views, s.order);
    auto got = best_configuration(two_threads(), S{}, rest.n, rest.views, rest.order);
    ASSERT_EQ(got.exists, want.exists);
    if (!got.exists) continue;
    forest.choose(got.values);
    ASSERT_EQ(got.values, want.values) << trial;
  }
  EXPECT_GT(parted, 40);
}

TEST(contract_small, with_what_is_left_is_the_whole) {
  agrees_with_the_whole<min_plus<std::int32_t>>(small_or_zero<min_plus<std::int32_t>>);
  agrees_with_the_whole<max_plus<float>>(small_or_zero<max_plus<float>>);
  agrees_with_the_whole<or_and<bool>>([](splitmix64& random) { return below(random, 8) > 0; });
}

// How many pairs a device is left with of a network's: those with more products, and those above.
int pairs_left(const network& n, const contraction_order& order, double most) {
  std::vector<std::vector<network_axis>> leaves;
  for (const std::vector<int>& labels : n.tensors) {
    leaves.emplace_back();
    for (const int label : labels) leaves.back().push_back({label, n.extents[static_cast<std::size_t>(label)], 1});
  }
  return static_cast<int>(find_small_pairs(leaves, order.pairs, kept_of(n, order), most).rest.size());
}

// Strips of a lattice, 2 * rows * columns tables and as many that are variables', taken column by column: each of some
// 10^5 pairs is small where the strip is narrow.
network strip(int rows, int columns) {
  network n;
  n.extents.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), 2);
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      const int v = c * rows + r;
      if (r + 1 < rows) n.tensors.push_back({v, v + 1});
      if (c + 1 < columns) n.tensors.push_back({v, v + rows});
    }
  return n;
}
contraction_order one_after_the_other(const network& n) {
  contraction_order order;
  for (int t = 1; t < n.size(); ++t) order.pairs.push_back({t == 1 ? 0 : n.size() + t - 2, t});
  return order;
}

TEST(contract_small, hundred_thousand_small_tensors_are_not_launched) {
  const network narrow = strip(8, 6700);
  EXPECT_EQ(narrow.size(), 100492);
  EXPECT_EQ(pairs_left(narrow, one_after_the_other(narrow), detail::most_of_small_pair<max_plus<float>>), 0);
  // A core that is worth a device: some pairs of it, and of what hangs on it none.
  network n = strip(16, 12);
  const int core = n.size(), last = n.indices() - 1;
  contraction_order order = one_after_the_other(n);
  for (int t = 0; t < 100000; ++t) {  // a tree of tables, whose root is a vertex of the core
    n.extents.push_back(2);
    n.tensors.push_back({t == 0 ? last : last + 1 + (t - 1) / 2, last + 1 + t});
  }
  order.pairs.clear();
  std::vector<int> below(100000);  // for each table of the tree what it has become, from the leaves upwards
  std::iota(below.begin(), below.end(), core);
  int next = n.size();
  for (int t = 99999; t > 0; --t) {
    const auto parent = static_cast<std::size_t>((t - 1) / 2);
    order.pairs.push_back({below[parent], below[static_cast<std::size_t>(t)]});
    below[parent] = next++;
  }
  int stem = 0;
  for (int t = 1; t < core; ++t) order.pairs.push_back({stem, t}), stem = next++;
  order.pairs.push_back({stem, below[0]});
  ASSERT_EQ(static_cast<int>(order.pairs.size()), n.size() - 1);
  const int left = pairs_left(n, order, detail::most_of_small_pair<max_plus<float>>);
  EXPECT_GT(left, 0);
  EXPECT_LT(left, core);
}

// By an order as it is found: what is asked of a device in contract_gpu_test.cpp.
TEST(contract_small, orders_that_are_found_leave_the_core) {
  splitmix64 random{23};
  network n = strip(16, 16);
  const int core = n.size(), vertices = n.indices();
  for (int t = 0; t < 20000; ++t) {
    n.extents.push_back(2);
    n.tensors.push_back({below(random, vertices + t), vertices + t});
  }
  order_options quick;
  quick.seconds = 0, quick.sweeps = 1;
  const int left = pairs_left(n, find_order(n, quick), detail::most_of_small_pair<min_plus<std::int32_t>>);
  EXPECT_GT(left, 0);
  EXPECT_LT(left, core);
}

// By hand: pairs of four products, of eight, and of two.
TEST(contract_small, pairs_by_hand) {
  network n;
  n.extents = {2, 2, 2, 2};
  n.tensors = {{0, 1}, {1}, {1, 2}, {2, 3}};
  contraction_order order;
  order.pairs = {{0, 1}, {2, 3}, {4, 5}};
  std::vector<std::vector<network_axis>> leaves;
  for (const auto& labels : n.tensors) {
    leaves.emplace_back();
    for (const int label : labels) leaves.back().push_back({label, 2, 1});
  }
  const std::vector<std::uint8_t> none(4, 0);
  const auto pairs = [](std::initializer_list<std::pair<int, int>> all) {
    return std::vector<std::pair<int, int>>(all);
  };
  const small_pairs four = find_small_pairs(leaves, order.pairs, none, 4);
  EXPECT_EQ(four.forest, pairs({{0, 1}}));
  EXPECT_EQ(four.tensors, (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(four.rest, pairs({{0, 1}, {2, 3}}));  // the last one is small, but above one that is not
  const small_pairs eight = find_small_pairs(leaves, order.pairs, none, 8);
  EXPECT_EQ(eight.forest, order.pairs);
  EXPECT_TRUE(eight.rest.empty());
}

}  // namespace
}  // namespace kleene::test
