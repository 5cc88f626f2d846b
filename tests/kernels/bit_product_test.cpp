// Products of packed bits on the CPU: each method that this processor has, also where a call would take another one.
#include "kleene/kernels/cpu/bits/product.inl.hpp"
#include "operations/bits_checks.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace kleene::test::bit_product_test {
namespace {

struct method {
  const kernels::cpu::bit_method& by;
  instruction_set isa;
  bool parity_alone = false;
};

std::vector<method> methods() {
  using namespace kernels::cpu;
  std::vector<method> found;
  const instruction_set best = best_instruction_set();
  for (const auto isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512})
    if (isa <= best) {
      found.push_back({by_few_rows, isa});
      found.push_back({by_tables, isa});
    }
  if (best < instruction_set::avx512) return found;
  if (has_byte_tables()) found.push_back({by_byte_tables, best});
  if (has_affine()) found.push_back({by_affine_tiles, best, true});
  return found;
}

bit_view<bit> whole_view(placed_bits& p) {
  const bit_view<bit, memory::managed> v = p.at();
  return {v.data(), v.rows(), v.cols(), v.stride()};
}

// In a workspace full of ones: nothing in it may be taken for zero.
void run(const method& m, const kernels::cpu::bit_product& p) {
  const std::size_t bytes = (m.by.workspace(p) + 63) / 64 * 64;
  const std::unique_ptr<void, decltype(&std::free)> workspace(std::aligned_alloc(64, bytes), &std::free);
  ASSERT_NE(workspace, nullptr);
  std::fill_n(static_cast<unsigned char*>(workspace.get()), bytes, 0xff);
  m.by.launch(p, workspace.get());
}

void check(const bit_shape& s, bool parity, bool accumulate) {
  const context ctx = context::cpu();
  SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k << (parity ? " xor_and" : " or_and")
                                  << (accumulate ? " accumulate" : ""));
  const double share = parity ? 0.5 : half_of_products(s.k);
  placed_bits a(ctx, s.m, s.k, share, 1), b(ctx, s.k, s.n, share, 2), want(ctx, s.m, s.n, 0.3, 3);
  if (parity) kernels::reference::xor_and(a.here(), b.here(), want.here(), accumulate);
  else kernels::reference::or_and(a.here(), b.here(), want.here(), accumulate);
  for (const method& m : methods())
    for (const int threads : {1, 3}) {
      if (m.parity_alone && !parity) continue;
      placed_bits c(ctx, s.m, s.n, 0.3, 3);
      const kernels::cpu::bit_product p{whole_view(a), whole_view(b), whole_view(c), parity,
                                        accumulate,    threads,       m.isa};
      SCOPED_TRACE(m.by.describe(p) + ", " + std::to_string(threads) + " threads, " + to_string(m.isa));
      run(m, p);
      EXPECT_TRUE(equal(c.words.take(), placed_bits::words_of(want.parent)));
    }
}

// Around six and eight rows of a table, 64 of a word and a vector, 320 of a tile, 384 of k; 512 columns of a strip.
TEST(bit_product, every_method) {
  for (const bit_shape& s : std::vector<bit_shape>{
           {1, 1, 0},      {7, 70, 1},     {1, 8, 5},      {6, 9, 6},       {8, 63, 7},       {63, 64, 8},
           {64, 65, 11},   {65, 127, 12},  {127, 1, 13},   {128, 129, 63},  {129, 191, 64},   {191, 193, 65},
           {193, 255, 66}, {256, 319, 96}, {257, 64, 383}, {319, 40, 384},  {320, 66, 385},   {321, 130, 127},
           {33, 511, 128}, {65, 512, 129}, {5, 513, 767},  {100, 1024, 20}, {130, 1025, 300}, {40, 1600, 769},
           {511, 20, 768}, {512, 33, 40},  {513, 130, 40}})
    for (const bool parity : {false, true})
      for (const bool accumulate : {false, true}) check(s, parity, accumulate);
}

TEST(bit_product, several_tasks) {
  for (const bool parity : {false, true}) check({4500, 520, 9}, parity, true);
}

// Every subset of six rows, and so every entry of a table: C's row is the sum of the rows of the unit matrix that A's
// row has, A's row itself.
TEST(bit_product, every_subset_of_six_rows) {
  constexpr index_t k = 12;
  bit_matrix a(1 << k, k), unit(k, k);
  for (index_t i = 0; i < a.rows(); ++i) a.view().row(i)[0] = static_cast<bit_word>(i);
  for (index_t i = 0; i < k; ++i) unit.set(i, i, true);
  for (const method& m : methods())
    for (const bool parity : {false, true}) {
      if (m.parity_alone && !parity) continue;
      bit_matrix c(a.rows(), k);
      const kernels::cpu::bit_product p{a.view(), unit.view(), c.view(), parity, false, 1, m.isa};
      SCOPED_TRACE(m.by.describe(p) + (parity ? ", xor_and" : ", or_and"));
      run(m, p);
      EXPECT_TRUE(equal(placed_bits::words_of(c), placed_bits::words_of(a)));
    }
}

TEST(bit_product, few_rows_are_added_one_by_one) {
  const auto is_few = [](index_t m, index_t n, index_t k) {
    const kernels::cpu::bit_product p{{nullptr, m, k}, {nullptr, k, n}, {nullptr, m, n}, false, false, 1, {}};
    return &kernels::cpu::method_for(p) == &kernels::cpu::by_few_rows;
  };
  EXPECT_TRUE(is_few(64, 512, 64));
  EXPECT_FALSE(is_few(65, 512, 64));
  EXPECT_TRUE(is_few(32, 448, 64) && is_few(32, 512, 63));
  EXPECT_FALSE(is_few(33, 448, 64) || is_few(33, 512, 63));
}

}  // namespace
}  // namespace kleene::test::bit_product_test
