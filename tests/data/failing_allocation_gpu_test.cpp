// Operations on a device, with each of their allocations of device and pinned memory failing in turn: what they were to
// write is as it was, the error has the number of bytes, and the same call works afterwards.
#include "kleene/data/detail/failing_allocation.hpp"

#include "kleene/operations/bits.hpp"
#include "kleene/operations/paths.hpp"
#include "kleene/operations/shortest_paths.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"
#include "support/sample.hpp"

namespace kleene::test {
namespace {

// Calls run(ctx) in new contexts with the first, the second, ... allocation failing until all are granted;
// unwritten(ctx) looks at the outputs after each failure.
template <class Run, class Unwritten>
void expect_failures_to_leave_no_trace(const Run& run, const Unwritten& unwritten) {
  constexpr index_t most = 60;
  for (index_t n = 1; n <= most; ++n) {
    if (n < most && !sampled()) continue;
    SCOPED_TRACE("allocation " + std::to_string(n));
    const context ctx = context::cuda();
    bool failed = false;
    detail::fail_device_allocation(n);
    try {
      run(ctx);
    } catch (const error& e) {
      failed = true;
      EXPECT_EQ(static_cast<int>(e.code()), static_cast<int>(fault_code::memory)) << e.what();
      EXPECT_NE(std::string(e.what()).find_first_of("0123456789"), std::string::npos) << e.what();
    }
    const bool granted = detail::fail_device_allocation(0) > 0;
    if (granted) {
      EXPECT_FALSE(failed);
      EXPECT_GT(n, 1) << "nothing was allocated";
      return;
    }
    EXPECT_TRUE(failed);
    unwritten(ctx);
    EXPECT_NO_THROW(run(ctx));
  }
  FAIL() << "more than " << most << " allocations";
}

// One that is given its matrices: closures and products.
template <class T, class Run>
void expect_outputs_untouched(const matrix<T>& initial, const Run& run) {
  const context ctx = context::cuda();
  auto a = to_device(ctx, initial);
  const matrix<std::int32_t> none(initial.rows(), initial.cols(), -9);
  auto p = to_device(ctx, none);
  expect_failures_to_leave_no_trace(
      [&](const context& other) {
        copy(ctx, initial, a), copy(ctx, none, p);
        ctx.synchronise();
        run(other, a, p);
      },
      [&](const context&) {
        EXPECT_TRUE(equal(to_host(ctx, a), initial));
        EXPECT_TRUE(equal(to_host(ctx, p), none));
      });
}

TEST(failing_allocations_on_cuda, closures) {
  KLEENE_NEEDS_GPU();
  for (const index_t n : {60, 64, 300, 900, 1152}) {
    SCOPED_TRACE(n);
    expect_outputs_untouched(closable<min_plus<float>>(n, 4.0 / double(n), 1), [](const context& ctx, auto& a, auto&) {
      ASSERT_TRUE(closure(ctx, min_plus<float>{}, a).exists);
    });
    expect_outputs_untouched(
        closable<min_plus<float>>(n, 4.0 / double(n), 2),
        [](const context& ctx, auto& a, auto& p) { ASSERT_TRUE(closure(ctx, min_plus<float>{}, a, p).exists); });
    expect_outputs_untouched(
        closable<min_plus<double>>(n, 4.0 / double(n), 3),
        [](const context& ctx, auto& a, auto& p) { ASSERT_TRUE(closure(ctx, min_plus<double>{}, a, p).exists); });
  }
}

TEST(failing_allocations_on_cuda, closures_of_batches) {
  KLEENE_NEEDS_GPU();
  for (const index_t n : {20, 100, 420}) {
    SCOPED_TRACE(n);
    const index_t count = 4;
    // Matrix b is rows b n ... b n + n - 1 of a tall one. Later ones are larger, and take more memory than the first.
    const std::vector<std::int32_t> of{static_cast<std::int32_t>(n - 15), static_cast<std::int32_t>(n - 9),
                                       static_cast<std::int32_t>(n - 4), static_cast<std::int32_t>(n - 1)};
    matrix<double> tall(count * n, n);
    for (index_t b = 0; b < count; ++b) {
      const auto one = closable<min_plus<double>>(n, 4.0 / double(n), static_cast<std::uint64_t>(b));
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) tall(b * n + i, j) = one(i, j);
    }
    expect_outputs_untouched(tall, [&](const context& ctx, auto& a, auto& p) {
      const view<double, 3, memory::device> as(a.data(), {count, n, n});
      const view<std::int32_t, 3, memory::device> ps(p.data(), {count, n, n});
      ASSERT_TRUE(closure(ctx, min_plus<double>{}, as, ps, {.sizes = of}).exists);
    });
  }
}

TEST(failing_allocations_on_cuda, products) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const context ctx = context::cuda();
  for (const index_t n : {500, 700}) {
    const auto left = to_device(ctx, closable<S>(n, 0.2, 1)), right = to_device(ctx, closable<S>(n, 0.2, 2));
    expect_outputs_untouched(matrix<float>(n, n, 7.0f), [&](const context& other, auto& c, auto&) {
      gemm(other, S{}, left, right, c);
      other.synchronise();
    });
  }
}

TEST(failing_allocations_on_cuda, bits) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr index_t n = 1500;
  bit_matrix graph(n, n);
  problems::generator g(3);
  for (index_t arc = 0; arc < 2 * n; ++arc) graph.set(g.below(n), g.below(n), true);
  device_bit_matrix a = to_device(ctx, graph), c = to_device(ctx, graph);
  const auto same_bits = [](const bit_matrix& x, const bit_matrix& y) {
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j)
        if (x(i, j) != y(i, j)) return false;
    return true;
  };
  const auto reset = [&] {
    copy(ctx, graph, c);
    ctx.synchronise();
  };
  const auto unwritten = [&](const context&) { EXPECT_TRUE(same_bits(to_host(ctx, c), graph)); };
  expect_failures_to_leave_no_trace(
      [&](const context& other) {
        reset();
        gemm(other, or_and<bit>{}, a, a, c, {.accumulate = true});
        other.synchronise();
      },
      unwritten);
  for (const bool condense : {false, true})
    expect_failures_to_leave_no_trace(
        [&](const context& other) {
          reset();
          closure(other, or_and<bit>{}, c, {.condense = condense});
          other.synchronise();
        },
        unwritten);
}

TEST(failing_allocations_on_cuda, shortest_paths_and_paths) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const index_t n = 300;
  const auto nothing_written = [](const context&) {};
  const auto graph = problems::random_graph<S>(n, 4 * n, 1, [](auto& g, index_t, index_t) { return 1 + g.below(100); });
  const auto want = shortest_paths(context::cpu(), S{}, graph);
  expect_failures_to_leave_no_trace(
      [&](const context& ctx) {
        const auto got = shortest_paths(ctx, S{}, graph, {.predecessors = true});
        ASSERT_TRUE(equal(got.distances, want.distances));
      },
      nothing_written);
  const context ctx = context::cuda();
  auto a = to_device(ctx, closable<S>(n, 0.02, 4));
  device_matrix<std::int32_t> p(ctx, n, n);
  ASSERT_TRUE(closure(ctx, S{}, a, p).exists);
  expect_failures_to_leave_no_trace(
      [&](const context& other) { ASSERT_EQ(paths(other, p, {{0, 1}, {5, 7}}).count(), 2); }, nothing_written);
}

// Large enough for pinned buffers, of several threads; and strides that no block copy follows.
TEST(failing_allocations_on_cuda, copies) {
  KLEENE_NEEDS_GPU();
  matrix<std::int32_t> host(4200, 4001, uninitialised{});
  for (index_t i = 0; i < host.rows(); ++i)
    for (index_t j = 0; j < host.cols(); ++j) host(i, j) = static_cast<std::int32_t>(i * 7919 + j);
  const auto nothing_written = [](const context&) {};
  expect_failures_to_leave_no_trace(
      [&](const context& ctx) {
        const auto there = to_device(ctx, host);
        ASSERT_EQ(to_host(ctx, there)(4199, 4000), host(4199, 4000));
      },
      nothing_written);
  expect_failures_to_leave_no_trace(
      [&](const context& ctx) {
        device_matrix<std::int32_t> there(ctx, 100, 90);
        const matrix_view<const std::int32_t> every_other(host.data(), {100, 90}, {2 * 4001, 3});
        copy(ctx, every_other, there);
        ASSERT_EQ(to_host(ctx, there)(99, 89), host(198, 267));
      },
      nothing_written);
}

TEST(failing_allocations_on_cuda, contexts) {
  KLEENE_NEEDS_GPU();
  detail::fail_device_allocation(1);
  EXPECT_TRUE(contains(refusal<error>(fault_code::memory, [] { (void)context::cuda(); }), "bytes"));
  EXPECT_EQ(detail::fail_device_allocation(0), 0);
  EXPECT_NO_THROW((void)context::cuda());
}

}  // namespace
}  // namespace kleene::test
