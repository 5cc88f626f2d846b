// Tensors: views and owners, where their elements are, and what they refuse.
#include "kleene/data/tensor.hpp"

#include "support/equal.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace kleene::test::tensor_test {
namespace {

template <class Call>
std::string refused(Call&& call) {
  return refusal<argument_error>(fault_code::bad_input, call);
}

tensor<int> counted(const axis_values& extents) {
  tensor<int> t(extents);
  std::iota(t.data(), t.data() + t.size(), 0);
  return t;
}

// The flags of the mapping of this process that holds an address: " rd wr mr mw me ac hg "; empty where nothing says.
std::string flags_of_memory(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  std::ifstream maps("/proc/self/smaps");
  bool is_there = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t first = 0, end = 0;
    char dash = 0;
    if (std::istringstream text(line); text >> std::hex >> first >> dash >> end && dash == '-')
      is_there = first <= address && address < end;
    if (is_there && line.starts_with("VmFlags:")) return line.substr(8) + ' ';
  }
  return "";
}

// 64 MiB in pages of 4 KiB take 16,384 places in a table of some 2,000.
TEST(tensor, large_ones_ask_for_large_pages) {
  const tensor<char> large({index_t{64} << 20}, uninitialised{});
  const std::string flags = flags_of_memory(large.data() + (32 << 20));
  if (flags.empty() || !std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "no large pages here, or nobody says";
  EXPECT_NE(flags.find(" hg "), std::string::npos) << flags;
}

TEST(tensor, owners) {
  tensor<int> t = counted({2, 3, 4});
  EXPECT_EQ(t.rank(), 3);
  EXPECT_EQ(t.size(), 24);
  EXPECT_EQ(t(1, 2, 3), 23);
  EXPECT_EQ(t(1, 0, 2), 14);
  EXPECT_EQ(t[(std::vector<index_t>{1, 0, 2})], 14);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data()) % 64, 0u);
  const tensor<int> copy = t;
  t(1, 0, 2) = 7;
  EXPECT_EQ(copy(1, 0, 2), 14);
  const tensor<int> moved = std::move(t);
  EXPECT_EQ(moved(1, 0, 2), 7);
  EXPECT_TRUE(t.empty());
  EXPECT_EQ(tensor<int>(axis_values{}, 5)(), 5) << "a scalar";
  EXPECT_TRUE(tensor<int>({3, 0, 2}).empty());
  EXPECT_TRUE(tensor<int>().empty());
}

TEST(tensor, views_of_what_is_there) {
  int memory[24];
  std::iota(memory, memory + 24, 0);
  const tensor_view<int> row_major(memory, {2, 3, 4}), column_major(memory, {2, 3, 4}, {1, 2, 6});
  EXPECT_EQ(row_major(1, 2, 3), 23);
  EXPECT_EQ(column_major(1, 0, 0), 1);
  EXPECT_EQ(column_major(0, 1, 1), 8);
  const tensor_view<const int> constant = row_major;
  EXPECT_EQ(constant(0, 1, 0), 4);
  const tensor_view<int> backwards(memory + 23, {24}, {-1}), still(memory + 5, {3, 3}, {0, 0});
  EXPECT_EQ(backwards(0), 23);
  EXPECT_EQ(still(2, 1), 5);
}

TEST(tensor, of_matrices_batches_vectors_and_mdspans) {
  matrix<int> m{{1, 2}, {3, 4}};
  EXPECT_EQ(as_tensor(m)(1, 0), 3);
  EXPECT_EQ(as_tensor(m.view().transposed())(0, 1), 3);
  batch<int> b(2, 2, 2, 9);
  EXPECT_EQ(as_tensor(b).rank(), 3);
  std::vector<int> v{5, 6};
  EXPECT_EQ(as_tensor(v)(1), 6);
  struct mdspan_like {
    int* data;
    int* data_handle() { return data; }
    static constexpr std::size_t rank() { return 4; }
    index_t extent(int) const { return 2; }
    index_t stride(int r) const { return index_t{1} << r; }
  } four{nullptr};
  std::vector<int> sixteen(16);
  std::iota(sixteen.begin(), sixteen.end(), 0);
  four.data = sixteen.data();
  EXPECT_EQ(as_tensor(four)(1, 0, 0, 1), 9);
}

TEST(tensor, permuted) {
  tensor<int> t = counted({2, 3, 4});
  const auto p = t.view().permuted({2, 0, 1});
  EXPECT_EQ(p.extents(), (axis_values{4, 2, 3}));
  EXPECT_EQ(p(3, 1, 2), 23);
  EXPECT_EQ(p(1, 0, 2), 9);
  EXPECT_EQ(refused([&] { (void)t.view().permuted({0, 1}); }), "(0, 1) is no order of the axes of a tensor of rank 3");
  EXPECT_EQ(refused([&] { (void)t.view().permuted({0, 1, 1}); }),
            "(0, 1, 1) is no order of the axes of a tensor of rank 3");
}

TEST(tensor, reshaped_where_strides_allow) {
  tensor<int> t = counted({2, 3, 4});
  const auto view = t.view();
  EXPECT_EQ(view.reshaped({6, 4})(5, 3), 23);
  EXPECT_EQ(view.reshaped({2, 1, 2, 6})(1, 0, 1, 5), 23);
  EXPECT_EQ(view.reshaped({24})(13), 13);
  const auto swapped = view.permuted({1, 0, 2});  // strides 4 12 1
  EXPECT_EQ(swapped.reshaped({3, 2, 2, 2})(2, 1, 1, 0), 22);
  EXPECT_EQ(refused([&] { (void)swapped.reshaped({6, 4}); }),
            "a tensor of 3 x 2 x 4 elements with strides 4 x 12 x 1 cannot be seen as 6 x 4 without a copy");
  EXPECT_EQ(refused([&] { (void)view.reshaped({5, 5}); }), "a tensor of 2 x 3 x 4 elements cannot be seen as 5 x 5");
  EXPECT_EQ(tensor<int>({1, 1}, 4).view().reshaped(axis_values{})(), 4);
  EXPECT_TRUE(tensor<int>({0, 3}).view().reshaped({3, 0, 7}).empty());
}

TEST(tensor, what_no_memory_can_have) {
  const index_t large = index_t{1} << 40;
  EXPECT_EQ(refused([&] { tensor_view<int>(nullptr, {2, -1}); }), "a tensor has a negative extent (-1)");
  EXPECT_EQ(refused([&] { tensor_view<int>(nullptr, {large, 0, large}); }),
            "a tensor of 1099511627776 x 0 x 1099511627776 elements is too large to be counted");
  EXPECT_EQ(refused([&] { tensor_view<int>(nullptr, {2, 3}, {1}); }), "a tensor of 2 extents has 1 strides");
  EXPECT_EQ(refused([&] { tensor_view<int>(nullptr, {large, 2}, {large, 1}); }),
            "a view of 1099511627776 x 2 elements with strides 1099511627776 x 1 reaches further than memory does");
  EXPECT_EQ(refused([&] { tensor_view<int>(nullptr, std::vector<index_t>(65, 1)); }),
            "a tensor of rank 65: at most 64 axes are held");
  EXPECT_EQ(tensor_view<int>(nullptr, std::vector<index_t>(64, 1)).rank(), 64);
  EXPECT_TRUE(contains(refusal<error>(fault_code::memory, [&] { tensor<int>({large, 1024}); }), "bytes"));
}

}  // namespace
}  // namespace kleene::test::tensor_test
