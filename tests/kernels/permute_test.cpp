// Copies with another order of axes: the reference by hand, and the kernel beside it.
#include "kleene/kernels/reference/permute.hpp"
#include "kleene/kernels/cpu/permute/launch.hpp"

#include "kernels/permute_samples.hpp"
#include "kleene/data/context.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace kleene::test::permute_test {
namespace {

using kernels::permute_arguments;

void run(const kernels::cpu::permute_plan& plan, instruction_set isa) {
  const context ctx = context::cpu({.threads = 1});
  kernels::cpu::launch_permute(plan, ctx.workspace(kernels::cpu::permute_workspace(plan)), isa);
}

// Those that this machine has.
std::vector<instruction_set> instruction_sets() {
  std::vector<instruction_set> all;
  for (int set = 0; set <= static_cast<int>(best_instruction_set()); ++set) all.push_back(instruction_set{set});
  return all;
}

TEST(permute_reference, by_hand) {
  const int from[] = {0, 1, 2, 3, 4, 5};
  int to[6] = {};
  permute_arguments p = permutation({2, 3}, {3, 1}, {1, 2}, sizeof(int));  // transposed
  p.from = from, p.to = to;
  kernels::reference::permute(p);
  EXPECT_EQ(std::vector<int>(to, to + 6), (std::vector<int>{0, 3, 1, 4, 2, 5}));
  p = permutation({2, 3}, {0, -1}, {3, 1}, sizeof(int));  // the first row backwards, twice
  p.from = from + 2, p.to = to;
  kernels::reference::permute(p);
  EXPECT_EQ(std::vector<int>(to, to + 6), (std::vector<int>{2, 1, 0, 2, 1, 0}));
  p = permutation({}, {}, {}, sizeof(int));  // a scalar
  p.from = from + 4, p.to = to;
  kernels::reference::permute(p);
  EXPECT_EQ(to[0], 4);
}

// The same bytes as the reference writes, and none beside them.
void expect_as_reference(permute_arguments p, index_t first, const std::vector<char>& source, std::size_t size,
                         kernels::cpu::permute_limits limits = {0, 0, 0}, std::size_t skipped = 0) {
  std::vector<char> want(size, 7), got(size, 7);
  p.from = source.data() + first * static_cast<index_t>(p.element);
  p.to = want.data() + skipped;
  kernels::reference::permute(p);
  p.to = got.data() + skipped;
  for (const instruction_set isa : instruction_sets()) {
    std::fill(got.begin(), got.end(), 7);
    const auto plan = limits.stream_bytes > 0 ? kernels::cpu::plan_permute(p, limits) : kernels::cpu::plan_permute(p);
    run(plan, isa);
    EXPECT_TRUE(got == want) << kernels::cpu::describe_permute(plan) << ", " << to_string(isa);
  }
}

TEST(permute, random_orders_of_axes_beside_the_reference) {
  std::mt19937 random(1);
  for (int n = 0; n < 1500 && !HasFailure(); ++n) {
    const permute_sample sample = random_permutation(random);
    std::vector<char> source(sample.source);
    for (char& c : source) c = static_cast<char>(random());
    expect_as_reference(sample.p, sample.first, source, sample.size);
  }
}

// Small ones that bypass the caches all the same, read where they lie or gathered, from any address to any other.
TEST(permute, random_ones_past_the_caches_beside_the_reference) {
  constexpr index_t never = index_t{1} << 62;
  std::mt19937 random(6);
  for (int n = 0; n < 1500 && !HasFailure(); ++n) {
    const permute_sample sample = random_permutation(random);
    std::vector<char> source(sample.source);
    for (char& c : source) c = static_cast<char>(random());
    expect_as_reference(sample.p, sample.first, source, sample.size, {1, n % 4 == 0 ? never : 1, 1});
  }
}

// Groups of tiles that are gathered together: axes of two values, and long axes, whole and with shorter last tiles.
TEST(permute, gathered_ones_beside_the_reference) {
  std::vector<char> source(3 << 20);
  std::mt19937 random(7);
  for (char& c : source) c = static_cast<char>(random());
  for (const std::size_t element : {1, 2, 4, 8, 16}) {
    const auto bits = reversed_bits(1 << 20, element);
    const index_t units = index_t{16} / static_cast<index_t>(element);
    const permute_arguments samples[] = {
        bits,
        permutation({256 * units, 512}, {512, 1}, {1, 256 * units}, element, 2),
        permutation({61 * units, 1024}, {1024, 1}, {1, 61 * units}, element, 2),
        permutation({129, 517}, {517, 1}, {1, 129}, element, 2),
        permutation({2, 64, 2, 512}, {65536, 1024, 512, 1}, {64, 1, 65536, 128}, element, 2),
    };
    EXPECT_GT(kernels::cpu::plan_permute(bits, {1, 1, 1}).group, 1);
    EXPECT_EQ(kernels::cpu::plan_permute(bits, {1, 1, 1000}).pitch, 0);
    for (const permute_arguments& p : samples)
      for (const std::size_t first : {0, 1})
        expect_as_reference(p, static_cast<index_t>(first), source, 3 << 20, {1, 1, 1}, first * element);
  }
}

// Large enough for writes that bypass the caches, for tiles that are cut on both sides, and for axes of two values.
TEST(permute, large_ones_beside_the_reference) {
  std::vector<char> source(9 << 20);
  std::mt19937 random(2);
  for (char& c : source) c = static_cast<char>(random());
  for (const std::size_t element : {1, 2, 4, 8, 16}) {
    expect_as_reference(reversed_bits(8 << 20, element), 0, source, (8 << 20) + 64);
    const index_t rows = 1021, cols = (index_t{9} << 20) / index_t(element) / 1021;
    expect_as_reference(permutation({rows, cols}, {cols, 1}, {1, rows}, element, 2), 0, source, 9 << 20);
    expect_as_reference(permutation({rows, cols - 5}, {cols, 1}, {cols - 5, 1}, element, 2), 0, source, 9 << 20);
  }
}

// Copies that pass by the caches, with inner loops along short axes of both sides: each axis is a bit of the index.
template <class T>
void reverses_bits(int axes) {
  const index_t count = index_t{1} << axes;
  std::vector<index_t> twos(static_cast<std::size_t>(axes), 2), rising, falling;
  for (int r = 0; r < axes; ++r) rising.push_back(index_t{1} << r), falling.push_back(count >> (r + 1));
  std::vector<T> from(static_cast<std::size_t>(count)), to(from.size());
  for (index_t e = 0; e < count; ++e) from[static_cast<std::size_t>(e)] = static_cast<T>(e * 0x9e3779b1);
  permute_arguments p = permutation(twos, rising, falling, sizeof(T));
  p.from = from.data(), p.to = to.data();
  run(kernels::cpu::plan_permute(p), best_instruction_set());
  bool all = true;
  for (index_t e = 0; e < count; ++e) {
    index_t reversed = 0;
    for (int r = 0; r < axes; ++r) reversed |= (e >> r & 1) << (axes - 1 - r);
    all &= to[static_cast<std::size_t>(reversed)] == from[static_cast<std::size_t>(e)];
  }
  EXPECT_TRUE(all) << axes << " axes of " << sizeof(T) << " bytes";
}
TEST(permute, reverses_bits_past_the_caches) {
  reverses_bits<std::uint8_t>(23);
  reverses_bits<std::uint16_t>(22);
  reverses_bits<std::uint32_t>(21);
  reverses_bits<std::uint64_t>(20);
}

// Extents whose divisors near a tile's side are odd: 3000 = 24 x 125.
TEST(permute, long_axes_take_whole_vectors) {
  std::vector<char> source(3000 * 1111);
  std::mt19937 random(8);
  for (char& c : source) c = static_cast<char>(random());
  const permute_arguments p = permutation({3000, 1111}, {1111, 1}, {1, 3000}, 1, 2);
  EXPECT_EQ(kernels::cpu::plan_permute(p).tiles[0].lanes, 16);
  expect_as_reference(p, 0, source, source.size());
  expect_as_reference(p, 0, source, source.size(), {1, 1, 1});
}

TEST(permute, explains_itself) {
  EXPECT_EQ(kernels::cpu::describe_permute(kernels::cpu::plan_permute(permutation({64, 64}, {80, 1}, {1, 64}, 4))),
            "permute 64 x 64 of 4 bytes: tiles of 4096, runs of 64 in and 4096 out, 4 lanes, 1 thread");
  EXPECT_EQ(
      kernels::cpu::describe_permute(kernels::cpu::plan_permute(permutation({8, 64, 3}, {192, 3, 1}, {192, 3, 1}, 4))),
      "permute 384 of 16 bytes: runs of 384, 1 thread");
}

}  // namespace
}  // namespace kleene::test::permute_test
