// Coordinate lists, compressed rows, transposes.
#include "kleene/data/sparse.hpp"

#include "support/equal.hpp"

#include <cmath>
#include <limits>

namespace kleene::test::sparse_test {
namespace {

using ints = std::vector<std::int32_t>;

TEST(sparse, rows_are_sorted_and_duplicates_combined_in_file_order) {
  coo<double> list{3, 4, {}, {}, {}};
  list.add(2, 3, 1);
  list.add(0, 1, 10);
  list.add(2, 0, 2);
  list.add(0, 1, 3);
  list.add(0, 0, 0.0);  // an explicit zero is an entry
  list.add(0, 1, 2);
  const auto a = make_csr(list, [](double earlier, double later) { return earlier - later; });
  EXPECT_EQ(a.offsets, (std::vector<index_t>{0, 2, 2, 4}));
  EXPECT_EQ(a.columns, (ints{0, 1, 0, 3}));
  EXPECT_EQ(a.values, (std::vector<double>{0, 5, 2, 1}));
  EXPECT_EQ(a.entries(), 4);
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.view().cols, 4);
}

// A byte each, so that a view points to them; std::vector<bool> holds bits.
TEST(sparse, values_of_bool_can_be_pointed_to) {
  coo<bool> list{2, 3, {}, {}, {}};
  list.add(1, 2, true);
  list.add(0, 1, false);
  list.add(1, 0, false);
  list.add(1, 0, true);
  const csr<bool> a = make_csr(list, [](bool earlier, bool later) { return earlier || later; });
  const csr_view<bool> v = a.view();
  ASSERT_EQ(v.values.size(), 3u);
  EXPECT_EQ((std::vector<bool>(v.values.begin(), v.values.end())), (std::vector<bool>{false, true, true}));
  const csr<bool> t = transpose(v);
  EXPECT_EQ(t.columns, (ints{1, 0, 1}));
  EXPECT_EQ(bool(t.values[0]), true);
  EXPECT_EQ(bool(t.values[1]), false);
}

TEST(sparse, empty) {
  const auto keep = [](int a, int) { return a; };
  const auto none = make_csr(coo<int>{}, keep);
  EXPECT_EQ(none.offsets, std::vector<index_t>{0});
  EXPECT_EQ(make_csr(coo<int>{2, 5, {}, {}, {}}, keep).offsets, (std::vector<index_t>{0, 0, 0}));
  EXPECT_EQ(transpose(make_csr(coo<int>{2, 3, {}, {}, {}}, keep).view()).offsets.size(), 4u);
}

TEST(sparse, transposed_twice_is_the_same) {
  coo<int> list{3, 4, {}, {}, {}};
  for (const auto& [i, j] : {std::pair{0, 3}, {2, 1}, {1, 1}, {2, 0}, {0, 0}}) list.add(i, j, 10 * i + j);
  const auto a = make_csr(list, [](int x, int) { return x; });
  const auto t = transpose(a.view());
  EXPECT_EQ(t.rows, 4);
  EXPECT_EQ(t.cols, 3);
  EXPECT_EQ(t.offsets, (std::vector<index_t>{0, 2, 4, 4, 5}));
  EXPECT_EQ(t.columns, (ints{0, 2, 1, 2, 0}));
  EXPECT_EQ(t.values, (std::vector<int>{0, 20, 11, 21, 3}));
  const auto back = transpose(t.view());
  EXPECT_EQ(back.offsets, a.offsets);
  EXPECT_EQ(back.columns, a.columns);
  EXPECT_EQ(back.values, a.values);
}

TEST(sparse, entries_outside_the_extents_are_refused) {
  const auto keep = [](int a, int) { return a; };
  for (const auto& [i, j] : {std::pair{3, 0}, {0, 4}, {-1, 0}, {0, -1}}) {
    coo<int> list{3, 4, {}, {}, {}};
    list.add(1, 1, 1);
    list.add(i, j, 1);
    const std::string said = refusal<value_error>(fault_code::bad_input, [&] { (void)make_csr(list, keep); });
    EXPECT_TRUE(contains(said, "entry 1 is (" + std::to_string(i) + ", " + std::to_string(j) + ")")) << said;
  }
  (void)refusal<shape_error>(fault_code::bad_input, [&] { (void)make_csr(coo<int>{2, 2, {0}, {0, 1}, {1}}, keep); });
  for (const index_t rows : {index_t{-1}, std::numeric_limits<index_t>::max()})
    EXPECT_TRUE(contains(
        refusal<shape_error>(fault_code::bad_input, [&] { (void)make_csr(coo<int>{rows, 2, {}, {}, {}}, keep); }),
        std::to_string(rows)));
}

// Offsets are looked at in one pass; columns where that is asked for.
TEST(sparse, rows_that_do_not_hang_together_are_refused) {
  struct arrays {
    std::vector<index_t> offsets{0, 2, 2, 3};
    ints columns{0, 3, 1};
    std::vector<int> values{5, 6, 7};
    index_t rows = 3, cols = 4;
  };
  const auto said = [](auto spoil, bool columns_too = false) {
    arrays x;
    spoil(x);
    return refusal<shape_error>(fault_code::bad_input, [&] {
      require_rows(csr_view<int>{x.rows, x.cols, x.offsets, x.columns, x.values}, columns_too);
    });
  };
  const arrays good;
  require_rows(csr_view<int>{3, 4, good.offsets, good.columns, good.values}, true);
  require_rows(csr_view<int>{}, true);
  EXPECT_EQ(said([](arrays& x) { x.offsets = {0}; }), "a csr matrix of 3 rows has 1 offsets, not 3 + 1");
  EXPECT_EQ(said([](arrays& x) { x.offsets = {}; }), "a csr matrix of 3 rows has 0 offsets, not 3 + 1");
  EXPECT_EQ(said([](arrays& x) { x.offsets = {1, 2, 2, 3}; }), "a csr matrix does not start at 0: offset 0 is 1");
  EXPECT_EQ(said([](arrays& x) { x.offsets = {0, 2, 2, 4}; }), "a csr matrix has 3 entries: offset 3 is 4");
  EXPECT_EQ(said([](arrays& x) { x.offsets = {0, 9, 2, 3}; }),
            "a csr matrix has offsets that fall: offset 1 is 9, offset 2 is 2");
  EXPECT_EQ(said([](arrays& x) { x.values = {5}; }), "a csr matrix has 3 columns and 1 values");
  EXPECT_TRUE(contains(said([](arrays& x) { x.rows = std::numeric_limits<index_t>::max(); }), "9223372036854775807"));
  EXPECT_TRUE(contains(said([](arrays& x) { x.cols = -1; }), "3 x -1"));

  const auto column = [](ints columns) {
    const arrays x;
    const csr_view<int> view{3, 4, x.offsets, columns, x.values};
    require_rows(view);  // trusts them
    return refusal<value_error>(fault_code::bad_input, [&] { require_rows(view, true); });
  };
  EXPECT_EQ(column({0, 4, 1}), "entry 1 of a csr matrix of 4 columns is in row 0, column 4");
  EXPECT_EQ(column({0, 3, -7}), "entry 2 of a csr matrix of 4 columns is in row 2, column -7");
  EXPECT_EQ(column({3, 3, 1}),
            "entry 1 of a csr matrix of 4 columns is in row 0, column 3, after column 3: columns of a row ascend");
  const arrays x;
  const ints outside{0, 4, 1};
  EXPECT_TRUE(
      contains(refusal<value_error>(fault_code::bad_input,
                                    [&] { (void)transpose(csr_view<int>{3, 4, x.offsets, outside, x.values}); }),
               "column 4"));
}

}  // namespace
}  // namespace kleene::test::sparse_test
