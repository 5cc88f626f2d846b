// Closures and shortest paths over integers on a CUDA device that go on in a wider type.
#include "kleene/operations/own/closure.inl.cuh"
#include "kleene/operations/own/shortest_paths.inl.hpp"
#include "kleene/operations/widening.hpp"

#include "operations/widening_graphs.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

namespace kleene::test {
namespace {

void enable_narrow_closures() {
  enable_cuda_closure<min_plus<u8>>();
  enable_cuda_closure<min_plus<u16>>();
  enable_cuda_closure<min_plus<i16>>();
}

template <class S>
matrix<i64> lengths_of(const widened_closure<S>& closed, index_t n) {
  matrix<i64> got(n, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) got(i, j) = closed(i, j);
  return got;
}

// Never in a type that does not hold the lengths; detours may have made it wider.
template <class S>
void straddle_on_device(const context& ctx, int most, i64 limit, const char* narrow) {
  for (const index_t n : {4, 63, 150, 1001})
    for (const i64 beyond : {0, 1}) {
      SCOPED_TRACE(std::string(narrow) + " n " + std::to_string(n) + " beyond " + std::to_string(beyond));
      const auto graph = straddling<S>(n, most, limit + beyond, 5 + n);
      const matrix<i64> want = lengths_over_i64<S>(graph);
      const auto closed = closure(ctx, widening<S>{}, graph);
      ASSERT_TRUE(closed.info.exists);
      EXPECT_EQ(closed.reason.empty(), std::string_view(closed.type()) == narrow);
      if (beyond) {
        EXPECT_FALSE(closed.reason.empty());
      }
      EXPECT_TRUE(equal(lengths_of(closed, n + 1), want));
      matrix<std::int32_t> p(n + 1, n + 1, -7);
      const auto again = closure(ctx, widening<S>{}, graph, p);
      ASSERT_TRUE(again.info.exists);
      const matrix<i64> got = lengths_of(again, n + 1);
      EXPECT_TRUE(equal(got, want));
      EXPECT_TRUE(reaches_source<min_plus<i64>>(over_i64<S>(graph).view(), got.view(), p.view()));
    }
}

TEST(widening_on_cuda, lengths_at_the_limit_of_a_type) {
  KLEENE_NEEDS_GPU();
  enable_narrow_closures();
  const context ctx = context::cuda();
  straddle_on_device<min_plus<u8>>(ctx, 6, 63, "u8");
  straddle_on_device<min_plus<u16>>(ctx, 900, 16383, "u16");
  straddle_on_device<min_plus<i16>>(ctx, 300, 4094, "i16");
}

// Without detours the narrow type is kept, and what is infinite stays so.
TEST(widening_on_cuda, chains) {
  KLEENE_NEEDS_GPU();
  enable_narrow_closures();
  const context ctx = context::cuda();
  for (const index_t n : {22, 23, 200}) {
    const auto graph = chain<min_plus<u8>>(n, 3);
    const auto closed = closure(ctx, widening<min_plus<u8>>{}, graph);
    EXPECT_STREQ(closed.type(), n == 22 ? "u8" : "u16") << n;  // 63, 66, 597
    EXPECT_TRUE(equal(lengths_of(closed, n), lengths_over_i64<min_plus<u8>>(graph))) << n;
  }
}

TEST(widening_on_cuda, negative_chains_and_cycles) {
  KLEENE_NEEDS_GPU();
  enable_narrow_closures();
  const context ctx = context::cuda();
  for (const index_t n : {9, 70, 300}) {
    auto graph = chain<min_plus<i16>>(n, -4000);
    const auto closed = closure(ctx, widening<min_plus<i16>>{}, graph);
    ASSERT_TRUE(closed.info.exists) << n;
    EXPECT_STREQ(closed.type(), "i32");
    EXPECT_TRUE(equal(lengths_of(closed, n), lengths_over_i64<min_plus<i16>>(graph))) << n;
    const auto paths = shortest_paths(ctx, widening<min_plus<i16>>{}, graph, {.predecessors = true});
    const auto end = static_cast<std::int32_t>(n);
    paths.visit([&](const auto& r) { EXPECT_EQ(r.path(end - 1, end - 2).cost, -4000 * (n - 1)); });
    graph(2, 1) = 3999;
    EXPECT_FALSE(closure(ctx, widening<min_plus<i16>>{}, graph).info.exists) << n;
    shortest_paths(ctx, widening<min_plus<i16>>{}, graph).visit([](const auto& r) {
      EXPECT_EQ(r.negative_cycle.size(), 2u);
    });
  }
}

// In place there is no wider type: A is as it was.
TEST(widening_on_cuda, a_refusal_leaves_the_matrix_alone) {
  KLEENE_NEEDS_GPU();
  enable_narrow_closures();
  const context ctx = context::cuda();
  for (const index_t n : {20, 64, 333}) {
    const auto graph = chain<min_plus<u8>>(n, 40);
    auto a = to_device(ctx, graph);
    EXPECT_THROW((void)closure(ctx, min_plus<u8>{}, a), overflow_error) << n;
    EXPECT_TRUE(equal(to_host(ctx, a), graph)) << n;
    device_matrix<std::int32_t> p(ctx, n, n);
    EXPECT_THROW((void)closure(ctx, min_plus<u8>{}, a, p), overflow_error) << n;
    EXPECT_TRUE(equal(to_host(ctx, a), graph)) << n;
  }
}

}  // namespace
}  // namespace kleene::test
