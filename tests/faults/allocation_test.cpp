// Every allocation of every operation on the CPU fails in turn: each failure is error(memory) with a number of bytes,
// the operation's outputs are as they were, and the same call on the same context then works.
#include "kleene/kernels/reference/closure.hpp"
#include "kleene/operations/bits.hpp"
#include "kleene/operations/epilogues.hpp"
#include "kleene/operations/own/closure.inl.hpp"
#include "kleene/operations/own/gemm.inl.hpp"
#include "kleene/operations/paths.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include "faults/failing_new.hpp"

#include <random>

namespace kleene::test {
namespace {

template <class T>
matrix<T> random_matrix(index_t rows, index_t cols, int bound, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  matrix<T> m(rows, cols);
  for (index_t e = 0; e < m.size(); ++e) m.data()[e] = static_cast<T>(random() % unsigned(bound));
  return m;
}

using shortest = min_plus<float>;

// Scalars of one's own, with a star that is asked for.
struct own {
  using value_type = std::int16_t;
  static constexpr bool is_idempotent = true;
  static constexpr std::int16_t zero() { return 0; }
  static constexpr std::int16_t one() { return 1; }
  static constexpr std::int16_t add(std::int16_t a, std::int16_t b) { return static_cast<std::int16_t>(a | b); }
  static constexpr std::int16_t mul(std::int16_t a, std::int16_t b) {
    return a != 0 && b != 0 ? add(a, b) : std::int16_t{0};
  }
  static constexpr std::int16_t star(std::int16_t a) { return add(1, a); }
};

TEST(allocation, products) {
  const matrix<float> a = random_matrix<float>(90, 70, 9, 1), b = random_matrix<float>(70, 80, 9, 2);
  output<float> c(random_matrix<float>(90, 80, 9, 3));
  output<std::int32_t> witness(matrix<std::int32_t>(90, 80, 7));
  const matrix<float> d = random_matrix<float>(90, 80, 9, 4);
  matrix<bool> mask(90, 80, true);
  mask(3, 4) = false;
  auto twice = [](float value, index_t, index_t) { return 2 * value; };
  const gemm_options<none, decltype(twice)> once{.epilogue = twice};
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { gemm(ctx, shortest{}, a, b, c.value); }, c), 0);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  gemm(ctx, shortest{}, a, b, c.value,
                       {.alpha = 1.0f, .beta = 2.0f, .source = d, .mask = mask, .replace = true});
                },
                c),
            0);
  EXPECT_GT(
      each_allocation_fails([&](const context& ctx) { gemm(ctx, shortest{}, a, b, c.value, {.accumulate = true}); }, c),
      0);
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { gemm(ctx, shortest{}, a, b, c.value, once); }, c), 0);
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { gemm(ctx, shortest{}, a, b, c.value, witness.value); }, c,
                                  witness),
            0);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  gemm(ctx, max_plus<float>{}, a, b, matrix_view<float>(c.value).transposed().transposed());
                },
                c),
            0);
  EXPECT_GT(each_allocation_fails([&](const context&) { (void)multiply(shortest{}, a, b); }), 1);
  output<float> many(random_matrix<float>(9 * 40, 50, 9, 5));
  const matrix<float> left = random_matrix<float>(9 * 40, 45, 9, 6), right = random_matrix<float>(45, 50, 9, 7);
  EXPECT_GT(each_allocation_fails(
                [&](const context& ctx) {
                  gemm(ctx, plus_times<float>{}, batch_view<const float>(left.data(), {9, 40, 45}),
                       batch_view<const float>(right.data(), {9, 45, 50}, {0, 50, 1}),
                       batch_view<float>(many.value.data(), {9, 40, 50}));
                },
                many),
            0);
}

TEST(allocation, closures) {
  for (const index_t n : {40, 70, 130}) {
    const matrix<float> lengths = random_matrix<float>(n, n, 5, 8);  // many ties, along which predecessors are repaired
    output<float> a(lengths);
    output<std::int32_t> p(matrix<std::int32_t>(n, n, 7));
    output<std::int16_t> sets(random_matrix<std::int16_t>(n, n, 4, 9));
    output<std::int32_t> counts(matrix<std::int32_t>(n, n, 0));
    for (index_t i = 0; i + 1 < n; ++i) counts.before(i, i + 1) = i % 9 == 0 ? 2 : 1;
    const auto closes = [](const closure_info& info) { EXPECT_TRUE(info.exists); };
    each_allocation_fails([&](const context& ctx) { closes(closure(ctx, shortest{}, a.value)); }, a);
    each_allocation_fails([&](const context& ctx) { closes(closure(ctx, shortest{}, a.value, {.block = 64})); }, a);
    EXPECT_GT(each_allocation_fails(
                  [&](const context& ctx) { closes(closure(ctx, max_min<float>{}, a.value, p.value)); }, a, p),
              0);
    each_allocation_fails(
        [&](const context& ctx) { closes(closure(ctx, shortest{}, a.value, p.value, {.block = 64})); }, a, p);
    each_allocation_fails([&](const context& ctx) { closes(closure(ctx, own{}, sets.value, {.block = 64})); }, sets);
    each_allocation_fails([&](const context& ctx) { closes(closure(ctx, plus_times<std::int32_t>{}, counts.value)); },
                          counts);
    a.before(1, 0) = -9, a.before(0, 1) = -9;
    each_allocation_fails([&](const context& ctx) { EXPECT_FALSE(closure(ctx, shortest{}, a.value, p.value).exists); },
                          a, p);
  }
}

TEST(allocation, batches_of_closures) {
  constexpr index_t count = 6, n = 100;
  output<float> a(random_matrix<float>(count * n, n, 5, 8));
  output<std::int32_t> p(matrix<std::int32_t>(count * n, n, 7));
  const std::vector<std::int32_t> sizes{100, 0, 70, 100, 13, 65};
  const auto all = [](auto& x) {
    return batch_view<std::remove_cvref_t<decltype(x.value(0, 0))>>(x.value.data(), {count, n, n});
  };
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { EXPECT_TRUE(closure(ctx, shortest{}, all(a)).exists); }, a),
            2);
  EXPECT_GT(
      each_allocation_fails(
          [&](const context& ctx) {
            EXPECT_TRUE(closure(ctx, max_min<float>{}, all(a), all(p), closure_batch_options{.sizes = sizes}).exists);
          },
          a, p),
      2);
}

csr<float> random_graph(std::int32_t vertices, int arcs, float extra = 0) {
  std::mt19937 random(11);
  coo<float> list{vertices, vertices, {}, {}, {}};
  for (int e = 0; e < arcs; ++e)
    list.add(std::int32_t(random() % unsigned(vertices)), std::int32_t(random() % unsigned(vertices)),
             float(random() % 50));
  if (extra < 0) list.add(1, 2, extra), list.add(2, 1, 1);
  return make_csr(list, [](float x, float y) { return std::min(x, y); });
}

TEST(allocation, shortest_paths_and_what_is_asked_of_them) {
  const csr<float> g = random_graph(80, 400), cycle = random_graph(80, 400, -100);
  matrix<float> dense(80, 80, shortest::zero());
  for (index_t i = 0; i < 80; ++i)
    for (index_t e = g.offsets[i]; e < g.offsets[i + 1]; ++e) dense(i, g.columns[e]) = g.values[e];
  const std::vector<std::int32_t> some{3, 5, 70};
  const std::vector<std::pair<std::int32_t, std::int32_t>> pairs(70, {3, 5});
  output<float> d(matrix<float>(80, 80, 7));
  output<std::int32_t> p(matrix<std::int32_t>(80, 80, 7));
  for (const apsp_method method : {apsp_method::floyd_warshall, apsp_method::dijkstra}) {
    const apsp_options with{.method = method, .predecessors = true};
    EXPECT_GT(each_allocation_fails([&](const context& ctx) { (void)shortest_paths(ctx, g, with); }), 2);
    const auto r = shortest_paths(context::cpu({.threads = 2}), g, with);
    EXPECT_GT(each_allocation_fails([&](const context& ctx) {
                (void)summarise(r, ctx);
                EXPECT_EQ(r.path(3, 5).vertices.front(), 3);
                EXPECT_EQ(r.paths(ctx, pairs)[69].vertices.back(), 5);
              }),
              5);
    EXPECT_GT(each_allocation_fails([&](const context& ctx) { (void)shortest_paths(ctx, shortest{}, dense, with); }),
              2);
    EXPECT_GT(each_allocation_fails(
                  [&](const context& ctx) {
                    (void)shortest_paths(ctx, g, with, {.distances = d.value, .predecessors = p.value});
                  },
                  d, p),
              1);
    EXPECT_GT(each_allocation_fails([&](const context& ctx) {
                (void)shortest_paths(ctx, g, {.method = method, .predecessors = true, .sources = some});
              }),
              2);
  }
  csr<std::int32_t> whole{g.rows, g.cols, g.offsets, g.columns, {}};
  for (const float w : g.values) whole.values.push_back(1 + static_cast<std::int32_t>(w));
  EXPECT_GT(each_allocation_fails([&](const context& ctx) {
              (void)shortest_paths(ctx, whole, {.method = apsp_method::hierarchy, .predecessors = true});
            }),
            10);
  EXPECT_GT(each_allocation_fails([&](const context& ctx) {
              EXPECT_FALSE(shortest_paths(ctx, cycle, {.predecessors = true}).negative_cycle.empty());
            }),
            5);
  EXPECT_GT(each_allocation_fails([&](const context&) { (void)transpose(g.view()); }), 3);
  coo<float> list{9, 9, {1, 8, 1}, {2, 0, 2}, {1, 2, 3}};
  EXPECT_GT(each_allocation_fails([&](const context&) { (void)make_csr(list, [](float x, float) { return x; }); }), 5);
  const matrix<std::int32_t> from = [&] {
    auto r = shortest_paths(context::cpu(), g, {.predecessors = true});
    return std::move(r.own_predecessors);
  }();
  EXPECT_GT(each_allocation_fails([&](const context& ctx) { EXPECT_EQ(paths(ctx, from, pairs).count(), 70); }), 2);
}

TEST(allocation, packed_bits) {
  constexpr index_t n = 700;
  std::mt19937 random(4);
  bit_matrix a(n, n), b(n, n), c(n, n);
  for (index_t i = 0; i < n; ++i)
    for (int e = 0; e < 3; ++e) a.set(i, index_t(random() % n), true), b.set(index_t(random() % n), i, true);
  output<std::int32_t> counts(matrix<std::int32_t>(n, n, 7));
  output<float> numbers(matrix<float>(n, n, 7));
  const bit_matrix before = a;
  bit_matrix closed = a;
  closure(context::cpu(), or_and<bit>{}, closed);
  const auto is = [](const bit_matrix& x, const bit_matrix& y) {
    for (index_t i = 0; i < x.rows(); ++i)
      if (!std::equal(x.view().row(i), x.view().row(i) + x.view().words(), y.view().row(i))) return false;
    return true;
  };
  for (const bool transposed : {false, true}) {
    each_allocation_fails([&](const context& ctx) { gemm(ctx, or_and<bit>{}, a, b, c, {.transposed_b = transposed}); });
    each_allocation_fails(
        [&](const context& ctx) { gemm(ctx, xor_and<bit>{}, a, b, c, {.transposed_b = transposed}); });
    each_allocation_fails(
        [&](const context& ctx) { count_products(ctx, a, b, counts.value, {.transposed_b = transposed}); }, counts);
  }
  each_allocation_fails([&](const context& ctx) { transpose(ctx, a, c); });
  each_allocation_fails([&](const context& ctx) { unpack(ctx, a, numbers.value); }, numbers);
  each_allocation_fails([&](const context& ctx) { pack(ctx, numbers.before, c); });
  for (const std::optional<bool> condense :
       {std::optional<bool>{}, std::optional<bool>{true}, std::optional<bool>{false}})
    each_allocation_fails([&](const context& ctx) {
      bit_matrix graph = before;
      try {
        closure(ctx, or_and<bit>{}, graph, {.block = 64, .condense = condense});
        (void)allocations_succeed();
        EXPECT_TRUE(is(graph, closed));
      } catch (...) {
        EXPECT_TRUE(is(graph, before));
        throw;
      }
    });
}

}  // namespace
}  // namespace kleene::test
