// Every allocation of an einsum fails in turn: error(memory) with a number of bytes, outputs as they were, and the same
// call then works.
#include "kleene/operations/einsum.hpp"

#include "faults/failing_new.hpp"

#include <vector>

namespace kleene::test {
namespace {

using shortest = min_plus<float>;

TEST(allocation_tensors, contractions) {
  const tensor<float> a({2, 30, 40, 3}, 1.0f), b({40, 3, 50}, 2.0f);
  output<float> c(matrix<float>(30, 100, 7.0f));
  output<std::int64_t> w(matrix<std::int64_t>(30, 100, 7));
  const auto as_cube = [](auto& x) { return as_tensor(x.value).reshaped({30, 50, 2}); };
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) { einsum(ctx, shortest{}, "bijk,jkl->ilb", a, b, as_cube(c), {}); }, c),
            3);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  einsum(ctx, shortest{}, "bikj,kjl->ilb", a, b, as_cube(c), as_cube(w), {.accumulate = true});
                },
                c, w),
            3);
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { (void)einsum(ctx, shortest{}, "bijk,jkl->kb", a, b); }), 3);
}

TEST(allocation_tensors, copies_and_networks) {
  const tensor<float> a({30, 10, 10}, 1.0f);
  output<float> c(matrix<float>(100, 30, 7.0f)), d(matrix<float>(10, 10, 7.0f));
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  einsum(ctx, shortest{}, "ijk->kji", a, as_tensor(c.value).reshaped({10, 10, 30}), {});
                },
                c),
            2);
  const std::vector<tensor_view<const float>> three{a.view(), a.view(), a.view()};
  const std::vector<std::pair<int, int>> pairs{{1, 2}, {0, 3}};
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  einsum(ctx, shortest{}, "iab,ibc,jcd->ad", three, d.value, {.accumulate = true, .order = pairs});
                },
                d),
            5);
}

}  // namespace
}  // namespace kleene::test
