// Coordinate lists, compressed rows, transposes.
#include "kleene/data/sparse.hpp"

#include "support/equal.hpp"

#include <cmath>

namespace kleene::test {
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
  EXPECT_EQ(a.offsets, (std::vector<index>{0, 2, 2, 4}));
  EXPECT_EQ(a.columns, (ints{0, 1, 0, 3}));
  EXPECT_EQ(a.values, (std::vector<double>{0, 5, 2, 1}));
  EXPECT_EQ(a.entries(), 4);
  EXPECT_EQ(a.rows, 3);
  EXPECT_EQ(a.view().cols, 4);
}

TEST(sparse, empty) {
  const auto keep = [](int a, int) { return a; };
  const auto none = make_csr(coo<int>{}, keep);
  EXPECT_EQ(none.offsets, std::vector<index>{0});
  EXPECT_EQ(make_csr(coo<int>{2, 5, {}, {}, {}}, keep).offsets, (std::vector<index>{0, 0, 0}));
  EXPECT_EQ(transpose(make_csr(coo<int>{2, 3, {}, {}, {}}, keep).view()).offsets.size(), 4u);
}

TEST(sparse, transposed_twice_is_the_same) {
  coo<int> list{3, 4, {}, {}, {}};
  for (const auto& [i, j] : {std::pair{0, 3}, {2, 1}, {1, 1}, {2, 0}, {0, 0}}) list.add(i, j, 10 * i + j);
  const auto a = make_csr(list, [](int x, int) { return x; });
  const auto t = transpose(a.view());
  EXPECT_EQ(t.rows, 4);
  EXPECT_EQ(t.cols, 3);
  EXPECT_EQ(t.offsets, (std::vector<index>{0, 2, 4, 4, 5}));
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
}

}  // namespace
}  // namespace kleene::test
