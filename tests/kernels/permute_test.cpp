// Copies with another order of axes: the reference by hand, and the kernel beside it.
#include "kleene/kernels/reference/permute.hpp"
#include "kleene/kernels/cpu/permute/launch.hpp"

#include "kleene/data/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace kleene::test::permute_test {
namespace {

using kernels::permute_arguments;

void run(const permute_arguments& p) {
  const auto plan = kernels::cpu::plan_permute(p);
  const context ctx = context::cpu({.threads = 1});
  kernels::cpu::launch_permute(plan, ctx.workspace(kernels::cpu::permute_workspace(plan)));
}

permute_arguments arguments(const std::vector<index_t>& extents, const std::vector<index_t>& from,
                            const std::vector<index_t>& to, std::size_t element, int threads = 1) {
  permute_arguments p;
  p.rank = static_cast<int>(extents.size()), p.element = element, p.threads = threads;
  std::copy(extents.begin(), extents.end(), p.extents.begin());
  std::copy(from.begin(), from.end(), p.from_strides.begin());
  std::copy(to.begin(), to.end(), p.to_strides.begin());
  return p;
}

TEST(permute_reference, by_hand) {
  const int from[] = {0, 1, 2, 3, 4, 5};
  int to[6] = {};
  permute_arguments p = arguments({2, 3}, {3, 1}, {1, 2}, sizeof(int));  // transposed
  p.from = from, p.to = to;
  kernels::reference::permute(p);
  EXPECT_EQ(std::vector<int>(to, to + 6), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  p = arguments({2, 3}, {0, -1}, {3, 1}, sizeof(int));  // the first row backwards, twice
  p.from = from + 2, p.to = to;
  kernels::reference::permute(p);
  EXPECT_EQ(std::vector<int>(to, to + 6), (std::vector<int>{2, 1, 0, 2, 1, 0}));
  p = arguments({}, {}, {}, sizeof(int));  // a scalar
  p.from = from + 4, p.to = to;
  kernels::reference::permute(p);
  EXPECT_EQ(to[0], 4);
}

// The same bytes as the reference writes, and none beside them.
void expect_as_reference(permute_arguments p, index_t first, const std::vector<char>& source, std::size_t size) {
  std::vector<char> want(size, 7), got(size, 7);
  p.from = source.data() + first * static_cast<index_t>(p.element);
  p.to = want.data();
  kernels::reference::permute(p);
  p.to = got.data();
  run(p);
  EXPECT_TRUE(got == want) << kernels::cpu::describe_permute(kernels::cpu::plan_permute(p));
}

// Extents of 1 to 8 and now and then to 300; any order on both sides, holes, reversed axes and axes that stand still.
TEST(permute, random_orders_of_axes_beside_the_reference) {
  std::mt19937 random(1);
  const auto draw = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  constexpr std::size_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24};
  for (int n = 0; n < 1500 && !HasFailure(); ++n) {
    const int rank = draw(7), large = draw(3) == 0 ? draw(7) : -1;
    std::vector<index_t> extents, from(static_cast<std::size_t>(rank)), to(from);
    for (int r = 0; r < rank; ++r) extents.push_back(r == large ? 1 + draw(300) : draw(4) == 0 ? 2 : 1 + draw(5));
    std::vector<std::size_t> order(from.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    index_t reach = 1, first = 0;
    for (const std::size_t r : order) {
      if (draw(8) == 0) continue;
      from[r] = reach;
      reach *= extents[r] + (draw(6) == 0);
      if (draw(8) == 0) first += from[r] * (extents[r] - 1), from[r] *= -1;
    }
    std::shuffle(order.begin(), order.end(), random);
    index_t size = 1;
    for (const std::size_t r : order) to[r] = size, size *= extents[r] + (draw(6) == 0);
    const std::size_t element = sizes[draw(10)];
    std::vector<char> source(static_cast<std::size_t>(reach + 1) * element);
    for (char& c : source) c = static_cast<char>(random());
    expect_as_reference(arguments(extents, from, to, element, 1 + draw(3)), first, source,
                        static_cast<std::size_t>(size + 1) * element);
  }
}

// Large enough for writes that bypass the caches, for tiles that are cut on both sides, and for axes of two values.
TEST(permute, large_ones_beside_the_reference) {
  std::vector<char> source(9 << 20);
  std::mt19937 random(2);
  for (char& c : source) c = static_cast<char>(random());
  for (const std::size_t element : {1, 4, 16}) {
    int axes = 0;
    std::vector<index_t> extents, from, to;
    for (; (element << axes) < std::size_t{8 << 20}; ++axes) extents.push_back(2), from.push_back(index_t{1} << axes);
    to.assign(from.rbegin(), from.rend());
    expect_as_reference(arguments(extents, from, to, element, 2), 0, source, (8 << 20) + 64);
    const index_t rows = 1021, cols = (index_t{9} << 20) / index_t(element) / 1021;
    expect_as_reference(arguments({rows, cols}, {cols, 1}, {1, rows}, element, 2), 0, source, 9 << 20);
    expect_as_reference(arguments({rows, cols - 5}, {cols, 1}, {cols - 5, 1}, element, 2), 0, source, 9 << 20);
  }
}

TEST(permute, explains_itself) {
  EXPECT_EQ(kernels::cpu::describe_permute(kernels::cpu::plan_permute(arguments({64, 64}, {80, 1}, {1, 64}, 4))),
            "permute 64 x 64 of 4 bytes: tiles of 4096, runs of 64 in and 4096 out, 4 lanes, 1 thread");
  EXPECT_EQ(
      kernels::cpu::describe_permute(kernels::cpu::plan_permute(arguments({8, 64, 3}, {192, 3, 1}, {192, 3, 1}, 4))),
      "permute 384 of 16 bytes: runs of 384, 1 thread");
}

}  // namespace
}  // namespace kleene::test::permute_test
