// Owners of dense memory.
#include "kleene/data/matrix.hpp"

#include "support/equal.hpp"

#include <cstdint>
#include <type_traits>

namespace kleene::test::matrix_test {
namespace {

TEST(matrix, made_filled_and_aligned) {
  const matrix<int> zeroed(2, 3), filled(2, 3, 7), listed{{1, 2}, {3, 4}, {5, 6}};
  EXPECT_TRUE(equal(zeroed, matrix<int>(2, 3, 0)));
  EXPECT_EQ(filled(1, 2), 7);
  EXPECT_EQ(listed(2, 1), 6);
  EXPECT_EQ(listed.rows(), 3);
  EXPECT_EQ(listed.size(), 6);
  for (index_t n : {1, 3, 17}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix<char>(n, n).data()) % 64, 0u);
  batch<int> b(2, 3, 4, 5);
  b(1, 2, 3) = 9;
  EXPECT_EQ(b.data()[23], 9);
  EXPECT_EQ(b.view()[1](2, 3), 9);
}

template <class B>
concept gives_matrices = requires(B&& b) { std::forward<B>(b)[0]; };

TEST(matrix, one_of_a_batch) {
  batch<int> b(3, 2, 4, 5);
  b[1](1, 2) = 9;
  EXPECT_EQ(b(1, 1, 2), 9);
  EXPECT_EQ(b[1].data(), b.data() + 8);
  EXPECT_EQ(b[2].rows(), 2);
  EXPECT_EQ(b[2].cols(), 4);
  const batch<int>& constant = b;
  EXPECT_EQ(constant[1](1, 2), 9);
  static_assert(std::is_same_v<decltype(constant[1]), matrix_view<const int>>);
  static_assert(!gives_matrices<batch<int>>, "a view of a temporary outlives it");
  static_assert(gives_matrices<batch<int>&> && !gives_matrices<matrix<int>&>);
}

TEST(matrix, copies_are_deep_and_moves_leave_nothing) {
  matrix<int> a{{1, 2}, {3, 4}};
  matrix<int> b = a;
  b(0, 0) = 9;
  EXPECT_EQ(a(0, 0), 1);
  const int* where = a.data();
  matrix<int> c = std::move(a);
  EXPECT_EQ(c.data(), where);
  EXPECT_TRUE(a.empty());
  EXPECT_TRUE(a.view().is_null());
  a = c;
  EXPECT_TRUE(equal(a, c));
  a = std::move(b);
  EXPECT_EQ(a(0, 0), 9);
  a = *&a;
  EXPECT_EQ(a(0, 0), 9);
  a = matrix<int>();
  EXPECT_TRUE(matrix<int>(a).empty());
  static_assert(std::is_nothrow_move_constructible_v<matrix<int>>);
}

TEST(matrix, extents_of_zero_are_legal) {
  const matrix<float> none, row(0, 5), column(5, 0);
  EXPECT_TRUE(none.view().is_null());
  EXPECT_TRUE(row.empty() && column.empty());
  EXPECT_EQ(row.cols(), 5);
  EXPECT_EQ(column.rows(), 5);
  EXPECT_TRUE(matrix<float>(column).empty());
  EXPECT_EQ((matrix<float>(std::initializer_list<std::initializer_list<float>>{})).rows(), 0);
}

TEST(matrix, refusals) {
  EXPECT_TRUE(contains(refusal<shape_error>(fault_code::bad_input, [] { matrix<int>(2, -3); }), "-3"));
  (void)refusal<shape_error>(fault_code::bad_input, [] { matrix<int>{{1, 2}, {3}}; });
  const std::string far =
      refusal<error>(fault_code::memory, [] { matrix<double>(index_t{1} << 31, index_t{1} << 31, 0.0); });
  EXPECT_TRUE(contains(far, "36893488147419103232")) << far;
  constexpr index_t most = std::numeric_limits<index_t>::max();
  const std::string none = refusal<shape_error>(fault_code::bad_input, [] { batch<float>(0, most, most); });
  EXPECT_EQ(none, "a matrix of 0 x 9223372036854775807 x 9223372036854775807 elements is too large to be counted");
  EXPECT_EQ(matrix<float>(0, index_t{1} << 60).size(), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers abort instead of returning null
TEST(matrix, an_allocation_that_fails_names_its_bytes) {
  const std::string said =
      refusal<error>(fault_code::memory, [] { matrix<double>(index_t{1} << 29, index_t{1} << 30, uninitialised{}); });
  EXPECT_EQ(said, "cannot allocate 4611686018427387904 bytes");
}
#endif

}  // namespace
}  // namespace kleene::test::matrix_test
