// Batches and graphs spread over devices: what one machine makes of them.
#include "kleene/grid/batch.hpp"
#include "kleene/grid/shortest_paths.hpp"

#include "grid/device_grids.hpp"
#include "support/closable.hpp"
#include "support/device.hpp"
#include "support/equal.hpp"

#include <limits>

namespace kleene::test {
namespace {

namespace device_batches {

template <class T>
testing::AssertionResult same_batch(const batch<T>& got, const batch<T>& want) {
  for (index_t b = 0; b < want.extent(0); ++b)
    if (const auto each = equal(got[b], want[b]); !each)
      return testing::AssertionFailure() << b << ": " << each.message();
  return testing::AssertionSuccess();
}

template <class S>
batch<value_of<S>> graphs(index_t count, index_t n) {
  batch<value_of<S>> all(count, n, n);
  for (index_t b = 0; b < count; ++b) {
    const auto one = closable<S>(n, 0.2, 3 + b % 50);
    std::copy_n(one.data(), one.size(), &all(b, 0, 0));
  }
  return all;
}

// Predecessors are those that one device finds.
template <class S>
void expect_closures(index_t count, index_t n) {
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + ", " + std::to_string(count) + " of " + std::to_string(n));
  const auto all = graphs<S>(count, n);
  const context one = context::cuda();
  auto there = to_device(one, all);
  device_batch<std::int32_t> before(one, count, n, n);
  ASSERT_TRUE(closure(one, S{}, there, before).exists);
  const batch<value_of<S>> want = to_host(one, there);
  const batch<std::int32_t> from = to_host(one, before);
  on_every_device_grid([&](worker& w) {
    auto got = w.rank() == 0 ? all : batch<value_of<S>>();
    batch<std::int32_t> p(w.rank() == 0 ? count : 0, n, n);
    const closure_batch_info info = closure(w, S{}, got, p);
    EXPECT_TRUE(info.exists);
    EXPECT_EQ(info.operations, 2.0 * double(count) * double(n * n * n));
    if (w.rank() != 0) return;
    EXPECT_TRUE(same_batch(got, want));
    EXPECT_TRUE(same_batch(p, from));
  });
}

}  // namespace device_batches
using namespace device_batches;

// 2,000 matrices of 64 vertices are several parts for each device.
TEST(device_batch, closures_with_predecessors) {
  KLEENE_NEEDS_GPU();
  expect_closures<min_plus<float>>(1, 20);
  expect_closures<min_plus<float>>(2000, 64);
  expect_closures<max_min<double>>(30, 33);
  expect_closures<min_plus<std::int64_t>>(7, 150);
}

TEST(device_batch, negative_cycles_sizes_and_what_is_refused) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  auto all = graphs<S>(1500, 64);
  all(2, 3, 4) = -100, all(2, 4, 3) = 1;
  all(1400, 0, 0) = -1;
  std::vector<std::int32_t> sizes(1500, 64);
  sizes[7] = 10, sizes[8] = 0;
  auto want = all;
  const closure_batch_info one = closure(context::cpu({.threads = 2}), S{}, want, {.sizes = sizes});
  on_every_device_grid([&](worker& w) {
    auto got = all;
    const closure_batch_info info = closure(w, S{}, got, {.sizes = sizes});
    ASSERT_EQ(info.diverging.size(), 1500u);
    for (std::size_t b = 0; b < 1500; ++b) EXPECT_EQ(info.diverging[b] < 0, one.diverging[b] < 0) << b;
    if (w.rank() != 0) return;
    for (index_t b = 0; b < 1500; ++b) {
      if (one.diverging[static_cast<std::size_t>(b)] >= 0) continue;
      ASSERT_TRUE(equal(got[b], want[b])) << b;
    }
  });
  all(1201, 2, 5) = std::numeric_limits<float>::quiet_NaN();
  on_every_device_grid([&](worker& w) {
    auto got = all;
    try {
      (void)closure(w, S{}, got);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const value_error& e) {
      EXPECT_STREQ(e.what(), "A(1201, 2, 5) is NaN");
    }
  });
}

TEST(device_batch, products) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<float>;
  const auto numbers = [](index_t count, index_t rows, index_t cols) {
    batch<float> all(count, rows, cols);
    for (index_t e = 0; e < all.size(); ++e) all.data()[e] = static_cast<float>(e * 7919 % 101);
    return all;
  };
  for (const index_t lefts : {index_t{1}, index_t{900}})
    for (const bool accumulate : {false, true}) {
      const auto a = numbers(lefts, 70, 50), b = numbers(900, 50, 60);
      auto want = numbers(900, 70, 60);
      gemm(context::cpu({.threads = 2}), S{}, a, b, want, {.accumulate = accumulate});
      on_every_device_grid([&](worker& w) {
        auto c = numbers(900, 70, 60);
        gemm(w, S{}, a, b, c, {.accumulate = accumulate});
        if (w.rank() == 0) {
          EXPECT_TRUE(same_batch(c, want)) << lefts << accumulate;
        }
      });
    }
}

TEST(device_batch, shortest_paths_of_a_list_of_graphs) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<double>;
  std::vector<csr<double>> list;
  for (const index_t n : {30, 1, 12, 500, 7, 22, 5, 40})
    list.push_back(problems::random_signed_graph<S>(n, 3 * n, 4 + static_cast<std::uint64_t>(n)));
  coo<double> loop{3, 3, {}, {}, {}};
  loop.add(0, 1, 1), loop.add(1, 2, 1), loop.add(2, 0, -3);
  list.push_back(make_csr(loop, [](double a, double) { return a; }));
  on_every_device_grid([&](worker& w) {
    const auto found = shortest_paths(w, S{}, list, {.predecessors = true});
    ASSERT_EQ(found.size(), w.rank() == 0 ? list.size() : 0);
    for (std::size_t g = 0; g < found.size(); ++g) {
      const auto want = shortest_paths(context::cpu({.threads = 2}), S{}, list[g], {.predecessors = true});
      EXPECT_EQ(found[g].negative_cycle, want.negative_cycle) << g;
      if (want.negative_cycle.empty()) {
        EXPECT_TRUE(equal(found[g].distances, want.distances)) << g;
      }
    }
  });
}

// One graph, by all devices.
TEST(device_shortest_paths, are_those_of_one_machine) {
  KLEENE_NEEDS_GPU();
  using S = min_plus<std::int32_t>;
  const std::vector<std::int32_t> some{5, 0, 5};
  for (const index_t n : {1, 90, 700}) {
    const auto graph = problems::random_signed_graph<S>(n, 5 * n, 3);
    const auto dense = problems::dense_of<S>(graph);
    const auto want = shortest_paths(context::cpu({.threads = 2}), S{}, graph, {.predecessors = true});
    on_every_device_grid([&](worker& w) {
      const auto got = shortest_paths(w, S{}, graph, {.predecessors = true});
      const auto rows = shortest_paths(w, S{}, graph, {.sources = std::span(some).first(n > 5 ? 3 : 0)});
      if (w.rank() != 0) return;
      EXPECT_TRUE(equal(got.distances, want.distances));
      EXPECT_TRUE(reaches_source<S>(dense.view(), got.distances, got.predecessors));
      for (index_t k = 0; k < (n > 5 ? 3 : 0); ++k)
        for (index_t j = 0; j < n; ++j)
          ASSERT_EQ(rows.distances(k, j), want.distances(some[static_cast<std::size_t>(k)], j));
    });
  }
}

TEST(device_shortest_paths, cycles_and_errors) {
  KLEENE_NEEDS_GPU();
  coo<double> loop{300, 300, {}, {}, {}};
  loop.add(0, 1, 1), loop.add(1, 2, 1), loop.add(2, 0, -3), loop.add(200, 299, 2);
  const auto keep = [](auto a, auto) { return a; };
  const auto cycle = make_csr(loop, keep);
  coo<double> far{3, 3, {}, {}, {}};
  far.add(0, 1, 1e308), far.add(1, 2, 1e308);
  const auto too_far = make_csr(far, keep);
  coo<std::int32_t> chain{10, 10, {}, {}, {}};
  for (std::int32_t v = 0; v < 9; ++v) chain.add(v, v + 1, 200'000'000);
  const auto too_long = make_csr(chain, keep);
  on_every_device_grid([&](worker& w) {
    const auto got = shortest_paths(w, min_plus<double>{}, cycle);
    if (w.rank() == 0) {
      EXPECT_EQ(got.negative_cycle.size(), 3u);
    }
    EXPECT_THROW((void)shortest_paths(w, min_plus<double>{}, too_far), value_error);
    EXPECT_THROW((void)shortest_paths(w, min_plus<std::int32_t>{}, too_long), overflow_error);
  });
}

}  // namespace
}  // namespace kleene::test
