// Paths on a device from matrices that are no predecessors: every pair ends as it does on the CPU.
#include "kleene/operations/paths.hpp"

#include "kleene/operations/closure.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"

#include <limits>

namespace kleene::test {
namespace {

// Pair by pair, as one bad pair refuses all of a call.
void expect_pairs_like_cpu(const context& ctx, const device_matrix<std::int32_t>& p) {
  const auto host = to_host(ctx, p);
  const auto n = static_cast<std::int32_t>(host.rows());
  index_t found = 0, refused = 0;
  for (std::int32_t s = 0; s < n; ++s)
    for (std::int32_t t = 0; t < n; t += 5) {
      const vertex_pair pair{s, t};
      const std::span<const vertex_pair> one(&pair, 1);
      path_list want;
      try {
        want = paths(context::cpu({.threads = 1}), host, one);
      } catch (const value_error& e) {
        ++refused;
        EXPECT_EQ(refusal<value_error>(fault_code::bad_input, [&] { (void)paths(ctx, p, one); }), e.what());
        continue;
      }
      ++found;
      const path_list got = paths(ctx, p, one);
      EXPECT_EQ(got.offsets, want.offsets) << s << " to " << t;
      EXPECT_EQ(got.vertices, want.vertices) << s << " to " << t;
    }
  EXPECT_GT(found, 0);
  EXPECT_GT(refused, 0);
}

TEST(paths_on_cuda, of_garbage_end) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr index_t n = 40;
  problems::generator g(7);
  matrix<std::int32_t> anything(n, n), vertices(n, n), next(n, n), beyond(n, n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      anything(i, j) = static_cast<std::int32_t>(g.below(std::int64_t{1} << 32) - (std::int64_t{1} << 31));
      vertices(i, j) = static_cast<std::int32_t>(g.below(n + 2) - 1);
      next(i, j) = static_cast<std::int32_t>((j + 1) % n);  // through all vertices, then round without the start
      beyond(i, j) = i % 2 ? static_cast<std::int32_t>(n) : std::numeric_limits<std::int32_t>::min();
    }
  for (index_t i = 0; i < n; i += 3) next(i, i == 0 ? n - 1 : i - 1) = static_cast<std::int32_t>((i + 1) % n);
  for (const auto* p : {&anything, &vertices, &next, &beyond}) expect_pairs_like_cpu(ctx, to_device(ctx, *p));
}

TEST(paths_on_cuda, of_closures_that_do_not_exist_end) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for (const index_t n : {40, 70}) {
    auto graph = closable<min_plus<float>>(n, 4.0 / double(n), 3);
    graph(5, 6) = 1, graph(6, 5) = -2;
    auto a = to_device(ctx, graph);
    device_matrix<std::int32_t> p(ctx, n, n);
    ASSERT_FALSE(closure(ctx, min_plus<float>{}, a, p).exists);
    expect_pairs_like_cpu(ctx, p);
  }
}

}  // namespace
}  // namespace kleene::test
