// Views: what they are made of, what they refuse.
#include "kleene/data/view.hpp"

#include "support/equal.hpp"

#include <numeric>
#include <vector>

namespace kleene::test {
namespace {

std::vector<int> counting(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

TEST(view, layouts) {
  auto v = counting(24);
  const auto rows = row_major(v.data(), 4, 5, 6);
  EXPECT_EQ(rows(1, 2), 8);
  EXPECT_EQ(column_major(v.data(), 4, 5)(1, 2), 9);
  EXPECT_EQ(column_major(v.data(), 4, 4, 6)(1, 2), 13);
  EXPECT_EQ(rows.transposed()(2, 1), 8);
  EXPECT_EQ(rows.transposed().rows(), 5);
  const matrix_view<int> backwards(v.data() + 23, {4, 6}, {-6, -1}), constant(v.data() + 3, {4, 6}, {0, 0});
  EXPECT_EQ(backwards(0, 0), 23);
  EXPECT_EQ(backwards(3, 5), 0);
  EXPECT_EQ(constant(3, 5), 3);
  EXPECT_EQ(row_major(std::span<int>(v), 4, 6)(3, 5), 23);
  const batch_view<int> batch(v.data(), {2, 3, 4});
  EXPECT_EQ(batch(1, 2, 3), 23);
  EXPECT_EQ(batch[1](2, 3), 23);
  EXPECT_EQ(batch.transposed()(1, 3, 2), 23);
  const matrix_view<const int> readable = rows;
  EXPECT_EQ(readable(1, 2), 8);
}

TEST(view, blocks) {
  auto v = counting(20);
  const auto all = row_major(v.data(), 4, 5);
  const auto inner = all.block(1, 2, 2, 3);
  EXPECT_EQ(inner(0, 0), 7);
  EXPECT_EQ(inner(1, 2), 14);
  EXPECT_EQ(inner.block(1, 1, 1, 1)(0, 0), 13);
  EXPECT_EQ(all.transposed().block(2, 1, 3, 2)(2, 1), 14);
  EXPECT_TRUE(all.block(4, 5, 0, 0).empty());
  for (const auto& at : {std::array<index, 4>{-1, 0, 1, 1}, {0, -1, 1, 1}, {0, 0, 5, 1}, {0, 3, 1, 3}, {0, 0, -1, 1}})
    (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)all.block(at[0], at[1], at[2], at[3]); });
}

TEST(view, null_and_empty) {
  const matrix_view<float> null;
  EXPECT_TRUE(null.is_null());
  EXPECT_TRUE(null.empty());
  float x = 0;
  const matrix_view<float> empty(&x, {0, 3});
  EXPECT_TRUE(empty.empty());
  EXPECT_FALSE(empty.is_null());
  EXPECT_EQ(null.transposed().rows(), 0);
}

TEST(view, refusals) {
  float x = 0;
  EXPECT_TRUE(contains(refusal<shape_error>(fault_code::bad_input, [&] { matrix_view<float>(&x, {-1, 2}); }), "-1"));
  EXPECT_TRUE(contains(refusal<shape_error>(fault_code::bad_input, [&] { (void)row_major(&x, 2, 5, 4); }),
                       "leading dimension 4"));
  EXPECT_TRUE(contains(refusal<shape_error>(fault_code::bad_input, [&] { (void)column_major(&x, 5, 2, 4); }),
                       "leading dimension 4"));
  (void)row_major(&x, 1, 5, 1);  // one row has no next
  EXPECT_TRUE(
      contains(refusal<shape_error>(fault_code::bad_input, [&] { (void)row_major(std::span<float>(&x, 1), 2, 3); }),
               "a span of 1 elements is no 2 x 3 matrix"));
}

struct batch_like {
  int* p;
  int* data_handle() const { return p; }
  static constexpr std::size_t rank() { return 3; }
  std::size_t extent(std::size_t r) const { return r + 2; }
  std::size_t stride(std::size_t r) const { return r == 0 ? 12 : r == 1 ? 4 : 1; }
};

TEST(view, of_mdspan_shaped_batches) {
  auto v = counting(24);
  const auto b = as_view(batch_like{v.data()});
  static_assert(decltype(b)::rank == 3);
  EXPECT_EQ(b(1, 2, 3), 23);
}

}  // namespace
}  // namespace kleene::test
