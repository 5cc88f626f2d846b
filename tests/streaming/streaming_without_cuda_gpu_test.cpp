// A CUDA context with the headers of g++ alone: each family says which header has the form that runs there, and touches
// nothing.
#include "kleene/streaming/join.hpp"
#include "kleene/streaming/load_balance.hpp"
#include "kleene/streaming/merge.hpp"
#include "kleene/streaming/reduce.hpp"
#include "kleene/streaming/scan.hpp"
#include "kleene/streaming/search.hpp"
#include "kleene/streaming/segments.hpp"
#include "kleene/streaming/sets.hpp"
#include "kleene/streaming/sort.hpp"
#include "support/equal.hpp"

#include <array>

namespace kleene::test {
namespace {

TEST(streaming_without_cuda, is_refused) {
  if (cuda_devices().empty()) GTEST_SKIP() << "no CUDA device";
  const context ctx = context::cuda();
  std::array<int, 3> x = {3, 1, 2}, out = {-7, -7, -7};
  const std::array<index_t, 2> offsets = {0, 3};
  std::array<index_t, 9> left, right;
  left.fill(-7);
  right.fill(-7);
  const auto first = x.begin(), last = x.end();
  const auto is_refused = [&](const char* name, const char* header, auto&& call) {
    EXPECT_EQ(refusal<error>(fault_code::device, call), name + (": this context works on " + ctx.describe()) +
                                                            "; include <kleene/streaming/cuda/" + header +
                                                            ".cuh> and compile with nvcc");
  };
  is_refused("reduce", "reduce", [&] { (void)reduce(ctx, first, last, 0); });
  is_refused("inclusive_scan", "scan", [&] { inclusive_scan(ctx, first, last, out.begin()); });
  is_refused("merge", "merge", [&] { merge(ctx, first, last, first, last, out.begin()); });
  is_refused("merge_sort", "sort", [&] { merge_sort(ctx, first, last); });
  is_refused("radix_sort", "radix_sort", [&] { radix_sort(ctx, first, last); });
  is_refused("lower_bound", "search", [&] { lower_bound(ctx, first, last, first, last, out.begin()); });
  is_refused("load_balancing_search", "load_balance",
             [&] { load_balancing_search(ctx, 3, offsets.begin(), 1, out.begin()); });
  is_refused("join", "join",
             [&] { (void)join(ctx, join_kind::inner, first, last, first, last, left.begin(), right.begin(), 9); });
  is_refused("set_union", "sets", [&] { set_union(ctx, first, last, first, last, out.begin()); });
  is_refused("segmented_reduce", "segments",
             [&] { segmented_reduce(ctx, first, last, offsets.begin(), 1, out.begin(), 0); });
  EXPECT_EQ(x, (std::array{3, 1, 2}));
  EXPECT_EQ(out, (std::array{-7, -7, -7}));
  EXPECT_EQ(left, right);  // all -7
}

}  // namespace
}  // namespace kleene::test
