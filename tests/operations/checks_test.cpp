// Outputs whose elements share an address, and views without data.
#include "kleene/operations/closure.hpp"
#include "kleene/operations/shortest_paths.hpp"

#include "support/equal.hpp"

#include <random>
#include <set>

namespace kleene::test::checks_test {
namespace {

using shortest = min_plus<float>;

std::string refused(auto call) { return refusal<argument_error>(fault_code::bad_input, call); }

bool shares_elements(const batch_view<char>& v) {
  std::set<const char*> seen;
  for (index_t b = 0; b < v.extent(0); ++b)
    for (index_t i = 0; i < v.rows(); ++i)
      for (index_t j = 0; j < v.cols(); ++j)
        if (!seen.insert(v.data() + b * v.stride(0) + i * v.stride(1) + j * v.stride(2)).second) return true;
  return false;
}

// Beside trying all elements: of matrices exactly, of batches never too late.
TEST(checks, shared_elements_are_found) {
  std::mt19937 random(5);
  char memory[4096];
  const auto draw = [&](int low, int high) {
    return index_t{low + static_cast<int>(random() % unsigned(high - low + 1))};
  };
  for (int round = 0; round < 20000; ++round) {
    const bool one = round % 2 == 0;
    const batch_view<char> v(memory + 2048, {one ? 1 : draw(0, 4), draw(0, 6), draw(0, 6)},
                             {draw(-40, 40), draw(-12, 12), draw(-12, 12)});
    const bool found = detail::may_share_elements(v.extents(), v.strides()), shared = shares_elements(v);
    EXPECT_TRUE(found == shared || (found && !one))
        << v.rows() << "x" << v.cols() << ", " << v.stride(1) << ", " << v.stride(2);
  }
  for (const auto& strides :
       {std::array<index_t, 3>{100, 10, 1}, {10, 100, 1}, {1, 10, 100}, {1, -100, 10}, {-100, 1, -10}})
    EXPECT_FALSE(detail::may_share_elements({10, 10, 10}, strides));
}

TEST(checks, outputs_with_shared_elements_are_refused) {
  const context ctx = context::cpu({.threads = 2});
  const matrix<float> a(64, 64, 1.0f), b(64, 64, 2.0f);
  matrix<float> memory(64, 64, 7.0f), c(64, 64);
  matrix<std::int32_t> numbers(64, 64, 7);
  const matrix_view<float> diagonals(memory.data(), {64, 64}, {1, 1});
  const matrix_view<std::int32_t> witness(numbers.data(), {64, 64}, {2, 1});
  EXPECT_EQ(refused([&] { gemm(ctx, shortest{}, a, b, diagonals); }),
            "C is written, but elements of it share an address: it is 64x64 with strides 1, 1");
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, a, b, c, witness); }), "the witness is written"));
  EXPECT_TRUE(contains(refused([&] { (void)closure(ctx, shortest{}, diagonals); }), "A is written"));
  EXPECT_TRUE(contains(refused([&] { (void)closure(ctx, shortest{}, c, witness); }), "predecessor matrix is written"));
  EXPECT_TRUE(contains(refused([&] { (void)shortest_paths(ctx, shortest{}, a, {}, {.distances = diagonals}); }),
                       "target of the distances is written"));
  EXPECT_TRUE(equal(memory, matrix<float>(64, 64, 7.0f)));
  EXPECT_TRUE(equal(numbers, matrix<std::int32_t>(64, 64, 7)));
  // Every other element of every third row: nothing is shared. Nor between rows that interleave.
  gemm(ctx, shortest{}, a.view().block(0, 0, 20, 64), b.view().block(0, 0, 64, 30),
       matrix_view<float>(memory.data(), {20, 30}, {192, 2}));
  gemm(ctx, shortest{}, a.view().block(0, 0, 3, 64), b.view().block(0, 0, 64, 2),
       matrix_view<float>(memory.data(), {3, 2}, {2, 3}));
  EXPECT_EQ(memory(0, 0), 3);
}

TEST(checks, views_without_data_are_refused) {
  const context ctx = context::cpu({.threads = 1});
  matrix<float> a(4, 4, 1.0f), c(4, 4);
  matrix<std::int32_t> p(4, 4);
  const matrix_view<float> none(nullptr, {4, 4});
  const matrix_view<std::int32_t> no_numbers(nullptr, {4, 4});
  EXPECT_EQ(refused([&] { gemm(ctx, shortest{}, none, a, c); }),
            "A has 4 x 4 elements, but its data is a null pointer");
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, a, none, c); }), "B has"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, a, a, none); }), "C has"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, a, a, c, {.source = none}); }), "the source has"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, a, a, c, {.mask = matrix_view<bool>(nullptr, {4, 4})}); }),
                       "the mask has"));
  EXPECT_TRUE(contains(refused([&] { gemm(ctx, shortest{}, a, a, c, no_numbers); }), "the witness has"));
  EXPECT_TRUE(contains(refused([&] { (void)closure(ctx, shortest{}, none); }), "A has"));
  EXPECT_TRUE(contains(refused([&] { (void)closure(ctx, shortest{}, c, no_numbers); }), "predecessor matrix has"));
  EXPECT_TRUE(contains(refused([&] { (void)shortest_paths(ctx, shortest{}, a, {}, {.distances = none}); }),
                       "target of the distances has"));
  gemm(ctx, shortest{}, matrix_view<float>(nullptr, {4, 0}), matrix_view<float>(nullptr, {0, 4}),
       c);  // nothing to read
  EXPECT_EQ(c(3, 3), shortest::zero());
}

}  // namespace
}  // namespace kleene::test::checks_test
