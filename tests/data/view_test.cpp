// Views: what they are made of, what they refuse.
#include "kleene/data/view.hpp"

#include "support/equal.hpp"

#include <limits>
#include <numeric>
#include <vector>

namespace kleene::test::view_test {
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
  for (const auto& at : {std::array<index_t, 4>{-1, 0, 1, 1}, {0, -1, 1, 1}, {0, 0, 5, 1}, {0, 3, 1, 3}, {0, 0, -1, 1}})
    (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)all.block(at[0], at[1], at[2], at[3]); });
}

TEST(view, vectors) {
  auto v = counting(24);
  const auto rows = row_major(v.data(), 4, 5, 6);
  EXPECT_EQ(rows.row(1)[2], 8);
  EXPECT_EQ(rows.row(3).size(), 5);
  EXPECT_EQ(rows.column(2)[1], 8);
  EXPECT_EQ(rows.column(4)(3), 22);
  EXPECT_EQ(rows.transposed().row(2)[1], 8);
  for (const index_t outside : {-1, 4})
    (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)rows.row(outside); });
  for (const index_t outside : {-1, 5})
    (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)rows.column(outside); });
  const vector_view<int> backwards(v.data() + 9, {4}, {-3});
  EXPECT_EQ(backwards[3], 0);
  static_assert(decltype(as_view(v))::rank == 1);
  EXPECT_EQ(as_view(v).size(), 24);
  as_view(v)[5] = 100;
  EXPECT_EQ(v[5], 100);
  const auto constant = v;
  static_assert(std::is_same_v<decltype(as_view(constant)), vector_view<const int>>);
  const std::span<int, 3> some(v.data() + 4, 3);
  EXPECT_EQ(as_view(some)[1], 100);
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

constexpr index_t most = std::numeric_limits<index_t>::max();

// Sums and products of extents that an index cannot hold.
TEST(view, extents_and_strides_that_no_memory_has_are_refused) {
  float x = 0;
  const auto said = [](auto call) { return refusal<shape_error>(fault_code::bad_input, call); };
  const matrix_view<float> small(&x, {2, 3});
  EXPECT_EQ(said([&] { (void)small.block(1, 0, most, 1); }),
            "a block of 9223372036854775807 x 1 elements at (1, 0) reaches outside its matrix, which is 2 x 3");
  EXPECT_TRUE(contains(said([&] { (void)small.block(0, most, 1, most); }), "reaches outside"));
  EXPECT_TRUE(contains(said([&] { (void)small.block(-1, 0, 1, 1); }), "at (-1, 0)"));
  EXPECT_TRUE(contains(said([&] { (void)small.block(0, 0, -1, 1); }), "-1 x 1"));
  EXPECT_EQ(small.block(2, 3, 0, 0).rows(), 0);  // behind the last row and column there is room for nothing

  constexpr index_t far = index_t{1} << 32;
  EXPECT_TRUE(contains(said([&] { (void)matrix_view<float>(&x, {far, far}); }), "4294967296 x 4294967296"));
  EXPECT_TRUE(contains(said([&] { (void)batch_view<float>(&x, {0, most, most}); }), "too large to be counted"));
  EXPECT_TRUE(
      contains(said([&] { (void)batch_view<float>(&x, {far, far, far}, {0, 0, 0}); }), "too large to be counted"));
  EXPECT_TRUE(contains(said([&] { (void)matrix_view<float>(&x, {3, 3}, {most / 2, 1}); }), "further than memory"));
  EXPECT_TRUE(contains(said([&] { (void)matrix_view<float>(&x, {2, 2}, {std::numeric_limits<index_t>::min(), 1}); }),
                       "further than memory"));
  EXPECT_EQ((matrix_view<float>(&x, {far, 1 << 20}, {0, 0}).size()), index_t{1} << 52);  // one element, seen often
  EXPECT_EQ((matrix_view<float>(&x, {1, 2}, {most, 1}).cols()), 2);                      // a row has no next

  const auto span = [](std::size_t size) { return std::span<float>(static_cast<float*>(nullptr), size); };
  EXPECT_EQ(said([&] { (void)row_major(span(0), far, far); }),
            "a span of 0 elements is no 4294967296 x 4294967296 matrix");
  EXPECT_EQ(said([&] { (void)row_major(span(64), -2, -32); }), "a span of 64 elements is no -2 x -32 matrix");
  EXPECT_TRUE(contains(said([&] { (void)row_major(span(7), 2, 3); }), "is no 2 x 3"));
  EXPECT_EQ(row_major(span(0), 5, 0).rows(), 5);
}

// As mdspan has them: the handle comes by reference.
struct batch_like {
  int* p;
  int* const& data_handle() const { return p; }
  static constexpr std::size_t rank() { return 3; }
  std::size_t extent(std::size_t r) const { return r + 2; }
  std::size_t stride(std::size_t r) const { return r == 0 ? 12 : r == 1 ? 4 : 1; }
};

TEST(view, of_mdspan_shaped_batches) {
  auto v = counting(24);
  const auto b = as_view(batch_like{v.data()});
  static_assert(decltype(b)::rank == 3);
  EXPECT_EQ(b(1, 2, 3), 23);
  static_assert(std::is_same_v<decltype(b), const batch_view<int>>);
  static_assert(decltype(as_view<memory::device>(batch_like{}))::space == memory::device);
}

TEST(view, of_device_memory_with_a_leading_dimension) {
  float* const p = nullptr;
  const auto a = row_major<memory::device>(p, 0, 5, 8), b = column_major<memory::device>(p, 5, 0, 8);
  static_assert(std::is_same_v<decltype(a), const matrix_view<float, memory::device>>);
  EXPECT_EQ(a.strides(), (std::array<index_t, 2>{8, 1}));
  EXPECT_EQ(b.strides(), (std::array<index_t, 2>{1, 8}));
  EXPECT_EQ(row_major<memory::device>(p, 0, 5).stride(0), 5);
  EXPECT_EQ(column_major<memory::device>(p, 5, 0).stride(1), 5);
  static_assert(decltype(row_major<memory::managed>(std::span<float>(), 0, 0))::space == memory::managed);
}

}  // namespace
}  // namespace kleene::test::view_test
