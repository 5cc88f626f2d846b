// Batches spread over a grid: what one context makes of the whole batch, bit by bit.
#include "kleene/grid/batch.hpp"

#include "grid/grids.hpp"
#include "support/closable.hpp"
#include "support/equal.hpp"

#include <limits>

namespace kleene::test::grid_batch {
namespace {

const context& one_machine() {
  static const context ctx = context::cpu({.threads = 1});
  return ctx;
}

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
    const auto one = closable<S>(n, 0.2, 3 + b);
    std::copy_n(one.data(), one.size(), &all(b, 0, 0));
  }
  return all;
}

// On grids whose workers have the same number of matrices, and not; the batch is worker 0's.
template <class S>
void expect_closures(index_t count, index_t n) {
  SCOPED_TRACE(name_of<S>() + " " + type_name<value_of<S>> + ", " + std::to_string(count) + " of " + std::to_string(n));
  const auto all = graphs<S>(count, n);
  auto want = all;
  batch<std::int32_t> from(count, n, n);
  ASSERT_TRUE(closure(one_machine(), S{}, want, from).exists);
  on_every_grid([&](worker& w) {
    auto got = w.rank() == 0 ? all : batch<value_of<S>>();
    batch<std::int32_t> p(w.rank() == 0 ? count : 0, n, n);
    const closure_batch_info info = closure(w, S{}, got, p);
    EXPECT_TRUE(info.exists);
    EXPECT_TRUE(info.diverging.empty());
    EXPECT_EQ(info.operations, 2.0 * double(count) * double(n * n * n));
    if (w.rank() != 0) return;
    EXPECT_TRUE(same_batch(got, want));
    EXPECT_TRUE(same_batch(p, from));
  });
}

TEST(grid_batch, closures_with_predecessors) {
  for (const index_t count : {0, 1, 5, 13}) expect_closures<min_plus<float>>(count, 20);
  expect_closures<max_min<double>>(7, 33);
  expect_closures<min_plus<std::int64_t>>(6, 9);
  expect_closures<or_and<bool>>(6, 17);
}

TEST(grid_batch, closures_of_a_grid_in_one_call) {
  using S = min_plus<float>;
  const auto all = graphs<S>(11, 24);
  auto want = all;
  ASSERT_TRUE(closure(one_machine(), S{}, want).exists);
  for (const grid_shape s : shapes()) {
    auto got = all;
    EXPECT_TRUE(closure(make_grid(s), S{}, got).exists);
    if (is_first_process()) {
      EXPECT_TRUE(same_batch(got, want));
    }
  }
}

// Matrices 2 and 8 have negative cycles; all workers know of both.
TEST(grid_batch, negative_cycles_are_told_by_matrix) {
  using S = min_plus<float>;
  auto all = graphs<S>(9, 12);
  all(2, 3, 4) = -100, all(2, 4, 3) = 1;
  all(8, 0, 0) = -1;
  auto want = all;
  const closure_batch_info one = closure(one_machine(), S{}, want);
  ASSERT_EQ(one.diverging.size(), 9u);
  ASSERT_EQ(one.diverging[8], 0);
  on_every_grid([&](worker& w) {
    auto got = all;
    const closure_batch_info info = closure(w, S{}, got);
    EXPECT_FALSE(info.exists);
    EXPECT_EQ(info.diverging, one.diverging);
    if (w.rank() != 0) return;
    for (const index_t b : {0, 1, 3, 4, 5, 6, 7}) EXPECT_TRUE(equal(got[b], want[b])) << b;
  });
}

// Strides of the caller's, sizes, and elements beyond them, which stay.
TEST(grid_batch, sizes_and_strides) {
  using S = min_plus<double>;
  const std::vector<std::int32_t> sizes{0, 5, 10, 3, 10, 1, 7};
  const auto all = graphs<S>(7, 10);
  auto want = all;
  batch<std::int32_t> from(7, 10, 10);
  for (index_t e = 0; e < from.size(); ++e) from.data()[e] = -9;
  ASSERT_TRUE(closure(one_machine(), S{}, want, from, {.sizes = sizes}).exists);
  on_every_grid([&](worker& w) {
    batch<double> room(10, 7, 10);  // row, matrix, column
    const batch_view<double> a(room.data(), {7, 10, 10}, {10, 70, 1});
    batch<std::int32_t> p(7, 10, 10);
    for (index_t e = 0; e < p.size(); ++e) p.data()[e] = -9;
    for (index_t b = 0; b < 7; ++b)
      for (index_t i = 0; i < 10; ++i)
        for (index_t j = 0; j < 10; ++j) a(b, i, j) = all(b, i, j);
    EXPECT_TRUE(closure(w, S{}, a, p, {.sizes = sizes}).exists);
    if (w.rank() != 0) return;
    for (index_t b = 0; b < 7; ++b) EXPECT_TRUE(equal(a[b], want[b])) << b;
    EXPECT_TRUE(same_batch(p, from));
  });
}

template <class T>
batch<T> numbers(index_t count, index_t rows, index_t cols) {
  batch<T> all(count, rows, cols);
  for (index_t e = 0; e < all.size(); ++e) all.data()[e] = static_cast<T>(e * 7919 % 101);
  return all;
}

TEST(grid_batch, products) {
  using S = min_plus<std::int32_t>;
  for (const index_t count : {0, 1, 4, 9})
    for (const bool accumulate : {false, true})
      for (const index_t lefts : {count, index_t{1}}) {
        const auto a = numbers<std::int32_t>(lefts, 5, 7), b = numbers<std::int32_t>(count, 7, 6);
        auto want = numbers<std::int32_t>(count, 5, 6);
        gemm(one_machine(), S{}, a, b, want, {.accumulate = accumulate});
        on_every_grid([&](worker& w) {
          auto c = numbers<std::int32_t>(count, 5, 6);
          gemm(w, S{}, a, b, c, {.accumulate = accumulate});
          if (w.rank() == 0) {
            EXPECT_TRUE(same_batch(c, want)) << count << " by " << lefts;
          }
        });
      }
}

// Thrown by all workers, with the place in the whole batch.
TEST(grid_batch, errors_are_those_of_all_workers) {
  using S = min_plus<float>;
  on_every_grid([](worker& w) {
    const auto refusal = [&](const auto& call) -> std::string {
      try {
        call();
      } catch (const std::exception& e) {
        return e.what();
      }
      return "";
    };
    auto all = graphs<S>(9, 6);
    all(7, 2, 5) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(refusal([&] { (void)closure(w, S{}, all); }), "A(7, 2, 5) is NaN");
    batch<float> oblong(3, 4, 5), other(3, 5, 4), square(2, 4, 4);
    EXPECT_EQ(refusal([&] { (void)closure(w, S{}, oblong); }), "a closure needs a square matrix; A is 4x5");
    EXPECT_NE(refusal([&] { gemm(w, S{}, oblong, other, square); }), "");
    const std::vector<std::int32_t> few{1, 2};
    EXPECT_EQ(refusal([&] { (void)closure(w, S{}, all, {.sizes = few}); }), "2 sizes for 9 matrices");
  });
}

TEST(grid_batch, shortest_paths_of_a_list_of_graphs) {
  using S = min_plus<double>;
  std::vector<csr<double>> list;
  for (const index_t n : {30, 1, 12, 50, 7, 22, 5, 40})
    list.push_back(problems::random_signed_graph<S>(n, 3 * n, 4 + static_cast<std::uint64_t>(n)));
  coo<double> loop{3, 3, {}, {}, {}};
  loop.add(0, 1, 1), loop.add(1, 2, 1), loop.add(2, 0, -3);
  list.push_back(make_csr(loop, [](double a, double) { return a; }));
  const apsp_options options{.method = apsp_method::floyd_warshall, .predecessors = true};
  on_every_grid([&](worker& w) {
    const auto found = shortest_paths(w, S{}, list, options);
    ASSERT_EQ(found.size(), w.rank() == 0 ? list.size() : 0);
    for (std::size_t g = 0; g < found.size(); ++g) {
      const auto want = shortest_paths(one_machine(), S{}, list[g], options);
      EXPECT_EQ(found[g].negative_cycle, want.negative_cycle) << g;
      EXPECT_EQ(found[g].arcs, want.arcs);
      EXPECT_EQ(found[g].reason, "as asked");
      if (!want.negative_cycle.empty()) continue;
      EXPECT_TRUE(equal(found[g].distances, want.distances)) << g;
      EXPECT_TRUE(equal(found[g].predecessors, want.predecessors)) << g;
      EXPECT_EQ(found[g].path(0, 0).vertices, std::vector<std::int32_t>{0});
    }
    EXPECT_TRUE(shortest_paths(w, S{}, std::vector<csr<double>>{}).empty());
  });
}

TEST(grid_batch, a_graph_of_a_list_that_is_refused_is_named) {
  using S = min_plus<double>;
  std::vector<csr<double>> list(5, problems::random_signed_graph<S>(6, 9, 4));
  list[3].values.front() = std::numeric_limits<double>::quiet_NaN();
  on_every_grid([&](worker& w) {
    try {
      (void)shortest_paths(w, S{}, list);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const value_error& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("graph 3 of the list: the arc ")) << e.what();
    }
  });
}

}  // namespace
}  // namespace kleene::test::grid_batch
