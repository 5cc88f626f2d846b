// Packed bits on the CPU: every instruction set of this machine, one thread and several; by hand; refusals.
#include "kleene/kernels/cuda/bits/pivots.hpp"
#include "operations/bits_graphs.hpp"

#include <gtest/gtest.h>

namespace kleene::test::bits_test {
namespace {

template <class Check>
void on_cpus(const Check& check) {
  for (const auto isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512})
    if (isa <= best_instruction_set())
      for (const int threads : {1, 3}) check(context::cpu({.threads = threads, .isa = to_string(isa)}));
}

bit_matrix bits(std::initializer_list<std::initializer_list<int>> rows) {
  bit_matrix a(static_cast<index_t>(rows.size()), static_cast<index_t>(rows.begin()->size()));
  index_t i = 0;
  for (const auto& row : rows) {
    index_t j = 0;
    for (const int x : row) a.set(i, j++, x != 0);
    ++i;
  }
  return a;
}

TEST(bits, the_reference_by_hand) {
  const bit_matrix a = bits({{1, 1, 0}, {0, 1, 1}}), b = bits({{1, 0}, {1, 1}, {0, 1}});
  bit_matrix c = bits({{1, 0}, {0, 0}});
  kernels::reference::or_and(a.view(), b.view(), c.view(), false);
  EXPECT_EQ(c.view().row(0)[0], 3u);  // 1 1
  EXPECT_EQ(c.view().row(1)[0], 3u);  // 1 1
  kernels::reference::xor_and(a.view(), b.view(), c.view(), false);
  EXPECT_EQ(c.view().row(0)[0], 2u);  // 0 1
  EXPECT_EQ(c.view().row(1)[0], 1u);  // 1 0
  kernels::reference::xor_and(a.view(), b.view(), c.view(), true);
  EXPECT_EQ(c.view().row(0)[0], 0u);
  kernels::reference::or_and(a.view(), bits({{0, 0}, {0, 0}, {0, 0}}).view(), c.view(), true);
  EXPECT_EQ(c.view().row(1)[0], 0u);
  EXPECT_EQ(kernels::reference::count_products(a.view(), b.view(), 0, 0), 2);
  EXPECT_EQ(kernels::reference::count_products(a.view(), b.view(), 1, 0), 1);
  bit_matrix t(3, 2), path = bits({{0, 1, 0}, {0, 0, 1}, {0, 0, 0}});
  kernels::reference::transpose(a.view(), t.view());
  EXPECT_EQ(t.view().row(0)[0], 1u);
  EXPECT_EQ(t.view().row(1)[0], 3u);
  EXPECT_EQ(t.view().row(2)[0], 2u);
  kernels::reference::closure(path.view());
  EXPECT_EQ(path.view().row(0)[0], 7u);
  EXPECT_EQ(path.view().row(1)[0], 6u);
  EXPECT_EQ(path.view().row(2)[0], 4u);
}

TEST(bits, products) { on_cpus(check_bit_gemms); }
TEST(bits, products_of_several_tasks) {
  const context one = context::cpu({.threads = 1}), many = context::cpu({.threads = 3});
  const bit_matrix a = random_bits(9000, 130, 0.1, 1), b = random_bits(130, 1100, 0.1, 2);
  bit_matrix c(9000, 1100), d(9000, 1100);
  gemm(one, xor_and<bit>{}, a, b, c);
  gemm(many, xor_and<bit>{}, a, b, d);
  EXPECT_TRUE(equal(placed_bits::words_of(c), placed_bits::words_of(d)));
  for (const index_t i : {0, 4095, 8191, 8192, 8999})
    for (index_t j = 0; j < 1100; ++j)
      ASSERT_EQ(c(i, j), kernels::reference::count_products(a.view(), b.view(), i, j) % 2 != 0);
}
TEST(bits, counts) { on_cpus(check_bit_counts); }
TEST(bits, transposition) { check_bit_transposes(context::cpu({.threads = 2})); }
TEST(bits, conversions) {
  const context ctx = context::cpu({.threads = 2});
  check_bit_conversions<bool>(ctx);
  check_bit_conversions<std::uint8_t>(ctx);
  check_bit_conversions<float>(ctx);
}
TEST(bits, closures) {
  on_cpus([](const context& ctx) { check_bit_closures(ctx, {0, 64, 128}); });
}

TEST(bits, condensed_closures) {
  on_cpus([](const context& ctx) { check_condensed_closures(ctx, {1, 2, 63, 64, 65, 200}); });
}
TEST(bits, condensed_closures_of_several_blocks) { check_large_condensed_closures(context::cpu({.threads = 2}), 1800); }
// Half of all arcs of an order, and all arcs.
TEST(bits, condensed_closures_of_dense_graphs) {
  const context ctx = context::cpu({.threads = 2});
  for (const bool cycles : {false, true}) {
    constexpr index_t n = 1500;
    bit_matrix a(n, n);
    problems::generator g(3);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) a.set(i, j, cycles || (j * 7 % n < i * 7 % n && g.chance(0.5)));
    bit_matrix b = a;
    closure(ctx, or_and<bit>{}, a, {.condense = true});
    closure(ctx, or_and<bit>{}, b, {.condense = false});
    EXPECT_TRUE(equal(placed_bits::words_of(a), placed_bits::words_of(b)));
  }
}

// The host's side of the search on a device, with sweeps by plain loops.
TEST(bits, classes_of_pivots) {
  constexpr index_t n = 150;
  for (const named_graph& graph : component_graphs())
    for (const index_t sweeps : {index_t{0}, index_t{3}, n}) {
      SCOPED_TRACE(testing::Message() << graph.name << ", " << sweeps << " sweeps a round");
      const arc_list arcs = shuffled_arcs(graph, n, 13);
      const bit_matrix reached = reach_by_search(n, arcs);
      std::vector<std::int32_t> class_of(n);
      kernels::cuda::pivot_search search(class_of);
      std::vector<std::uint32_t> marks(n);
      for (int round = 0; round < 10; ++round) {
        search.begin(marks);
        std::vector<std::uint32_t> forward = marks, backward = marks;
        for (index_t s = 0; s < sweeps; ++s)
          for (const auto& [from, to] : arcs) {
            if (forward[from] != search.settled) forward[to] |= forward[from];
            if (backward[to] != search.settled) backward[from] |= backward[to];
          }
        const index_t before = search.alone(), found = search.end(forward.data(), backward.data());
        EXPECT_EQ(search.alone(), before - found);
      }
      const index_t classes = search.finish();
      std::vector<index_t> first(static_cast<std::size_t>(classes), -1);
      index_t alone = 0;  // of their component
      for (index_t v = 0; v < n; ++v) {
        ASSERT_TRUE(class_of[v] >= 0 && class_of[v] < classes);
        index_t& other = first[class_of[v]];
        if (other < 0) other = v;
        EXPECT_TRUE(reached(v, other) && reached(other, v)) << v << " and " << other;
        index_t mates = 0;
        for (index_t w = 0; w < n; ++w) mates += reached(v, w) && reached(w, v) && class_of[w] != class_of[v];
        alone += mates > 0;
      }
      EXPECT_TRUE(std::all_of(first.begin(), first.end(), [](index_t v) { return v >= 0; }));
      if (sweeps == n) {  // many small components need more rounds than there are
        EXPECT_LT(alone, n / 2);
      }
    }
}

TEST(bits, views) {
  bit_matrix a(3, 200);
  a.set(2, 130, true);
  EXPECT_TRUE(a(2, 130));
  EXPECT_FALSE(a(2, 131));
  EXPECT_TRUE(a.view().block(1, 128, 2, 72)(1, 2));
  EXPECT_TRUE(
      contains(refusal<shape_error>(fault_code::bad_input, [&] { (void)a.view().block(0, 3, 1, 1); }), "not at 3"));
  (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)a.view().block(0, 64, 4, 1); });
  (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)bit_view<bit>(a.view().data(), 2, 65, 1); });
  (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)bit_matrix(1, -1); });
  const bit_matrix b = a;
  a.set(2, 130, false);
  EXPECT_TRUE(b(2, 130));
}

TEST(bits, refusals) {
  const context ctx = context::cpu();
  bit_matrix a(4, 70), b(70, 90), c(4, 90), square(128, 128);
  EXPECT_TRUE(contains(refusal<shape_error>(fault_code::bad_input, [&] { gemm(ctx, or_and<bit>{}, a, c, c); }),
                       "inner extents 70 and 4 differ"));
  EXPECT_TRUE(
      contains(refusal<shape_error>(fault_code::bad_input, [&] { gemm(ctx, or_and<bit>{}, a, b, a); }), "C is 4x70"));
  EXPECT_TRUE(contains(refusal<argument_error>(fault_code::bad_input,
                                               [&] {
                                                 const auto v = square.view();
                                                 gemm(ctx, xor_and<bit>{}, v.block(0, 0, 64, 64),
                                                      v.block(64, 0, 64, 64), v.block(32, 0, 64, 64));
                                               }),
                       "A overlaps C"));
  const auto v = square.view();  // beside each other is fine
  EXPECT_NO_THROW(gemm(ctx, xor_and<bit>{}, v.block(0, 0, 64, 64), v.block(64, 0, 64, 64), v.block(0, 64, 64, 64)));
  matrix<std::int32_t> counts(4, 90);
  EXPECT_TRUE(contains(refusal<shape_error>(fault_code::bad_input, [&] { count_products(ctx, a, c, counts); }),
                       "inner extents"));
  (void)refusal<shape_error>(fault_code::bad_input, [&] { transpose(ctx, a, b); });
  (void)refusal<argument_error>(fault_code::bad_input, [&] { transpose(ctx, v, v); });
  (void)refusal<shape_error>(fault_code::bad_input, [&] { closure(ctx, or_and<bit>{}, a); });
  (void)refusal<argument_error>(fault_code::bad_input, [&] { closure(ctx, or_and<bit>{}, square, {.block = 100}); });
  (void)refusal<shape_error>(fault_code::bad_input, [&] { pack(ctx, matrix<bool>(3, 3), a); });
  matrix<float> out(3, 3);
  (void)refusal<shape_error>(fault_code::bad_input, [&] { unpack(ctx, a, out); });
  bit_matrix nothing(0, 90), none(4, 0), c0(4, 90, uninitialised{});
  EXPECT_NO_THROW(gemm(ctx, or_and<bit>{}, bit_matrix(0, 70).view(), b, nothing));
  EXPECT_NO_THROW(closure(ctx, or_and<bit>{}, bit_matrix(0, 0).view()));
}

}  // namespace
}  // namespace kleene::test::bits_test
