// Copies with another order of axes as a device makes them: the plan, and what its threads do, gone through here one
// thread after the other, beside the reference.
#include "kernels/permute_samples.hpp"
#include "kleene/kernels/cuda/permute/tile.hpp"
#include "kleene/kernels/reference/permute.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace kleene::test::permute_tiles_test {
namespace {

using kernels::permute_arguments;
using namespace kernels::cuda;

struct two_words {
  std::uint64_t word[2];
};

// What a block can have on a device of capability 9.0, 8.0 and 8.6.
constexpr std::size_t shared_bytes[] = {227 * 1024, 163 * 1024, 99 * 1024};

void copy_16_bytes(void* to, const void* from) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(to) % 16, 0u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(from) % 16, 0u);
  std::memcpy(to, from, 16);
}

// Byte j of w[i] becomes byte i of w[j].
void turn_bytes(std::uint32_t (&w)[4]) {
  std::uint32_t turned[4] = {};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) turned[j] |= (w[i] >> (8 * j) & 0xff) << (8 * i);
  std::copy(turned, turned + 4, w);
}

template <class E, int In, int Out>
void run_tiles(const permute_plan& p) {
  std::vector<permute_place> entries(static_cast<std::size_t>(p.table_entries()));
  const permute_tables tables(p, entries.data());
  for (int t = 0; t < permute_threads; ++t) {
    tabulate(p.in, tables.in_inner, tables.in_outer, t);
    tabulate(p.out, tables.out_inner, tables.out_outer, t);
  }
  std::vector<permute_thread<In, Out>> threads;
  for (int t = 0; t < permute_threads; ++t) threads.emplace_back(p, tables, t);
  std::vector<two_words> memory(static_cast<std::size_t>(p.tile_units) * sizeof(E) / 16 + 1);
  E* const tile = reinterpret_cast<E*>(memory.data());
  for (index_t n = 0; n < p.tiles; ++n) {
    permute_base base{0, 0, {p.cut[0].block, p.cut[1].block}};
    for (int l = 0; l < p.loops; ++l) {
      const index_t step = step_along(p, l, n);
      base.from += step * p.loop[l].from, base.to += step * p.loop[l].to;
      for (int c = 0; c < 2; ++c)
        if (p.cut[c].loop == l) base.limit[c] = limit_of(p.cut[c], step);
    }
    for (int t = 0; t < permute_threads; ++t)
      if (p.is_direct) copy_tile<E, Out>(p, tables, base, t);
      else if constexpr (sizeof(E) <= 2 && In > 1)
        load_later(p, tables, base, threads[static_cast<std::size_t>(t)], tile, t, copy_16_bytes);
      else load_tile<E>(p, tables, base, threads[static_cast<std::size_t>(t)], tile, t);
    for (int t = 0; t < permute_threads && !p.is_direct; ++t) {
      const auto& mine = threads[static_cast<std::size_t>(t)];
      if constexpr (sizeof(E) == 1 && In > 1 && Out > 1)
        if (p.by_words) {
          store_words(p, tables, base, mine, tile, t, turn_bytes);
          continue;
        }
      store_tile<E>(p, tables, base, mine, tile, t);
    }
  }
}

template <class E>
void run_units(const permute_plan& p) {
  constexpr int most = 16 / sizeof(E);
  if (p.in.vector == 1 && p.out.vector == 1) run_tiles<E, 1, 1>(p);
  else if (p.in.vector == 1) run_tiles<E, 1, most>(p);
  else if (p.out.vector == 1) run_tiles<E, most, 1>(p);
  else run_tiles<E, most, most>(p);
}

void run(const permute_plan& p) {
  if (p.is_run) {
    std::memcpy(p.to, p.from, static_cast<std::size_t>(p.bytes));
  } else if (p.unit == 1) {
    run_units<std::uint8_t>(p);
  } else if (p.unit == 2) {
    run_units<std::uint16_t>(p);
  } else if (p.unit == 4) {
    run_units<std::uint32_t>(p);
  } else if (p.unit == 8) {
    run_units<std::uint64_t>(p);
  } else {
    run_units<two_words>(p);
  }
}

// The same bytes as the reference writes, and none beside them.
void expect_as_reference(permute_arguments p, index_t first, const std::vector<char>& source, std::size_t size,
                         permute_sides sides = {0, 0}) {
  std::vector<char> want(size, 7), got(size, 7);
  p.from = source.data() + first * static_cast<index_t>(p.element);
  p.to = want.data();
  kernels::reference::permute(p);
  p.to = got.data();
  for (const std::size_t most : shared_bytes) {
    std::fill(got.begin(), got.end(), 7);
    const permute_plan plan = sides.in > 0 ? plan_permute(p, most, sides) : plan_permute(p, most);
    run(plan);
    EXPECT_TRUE(got == want) << describe_permute(plan);
    EXPECT_LE(plan.shared_bytes(), permute_room(most)) << describe_permute(plan);
    if (sides.in > 0 && plan.shared_bytes() <= permute_room(99 * 1024)) break;  // the others have the same plan
  }
}

// Whatever the extents: planar pictures, axes that make no whole vectors, axes that do only together.
TEST(permute_tiles, tables_and_tile_fit_shared_memory) {
  alignas(16) static char memory[16];
  const auto fits = [&](const std::vector<index_t>& extents, std::size_t element) {
    const index_t rows = extents[0], cols = extents[1];
    permute_arguments p = permutation(extents, {cols, 1}, {1, rows}, element);
    p.from = p.to = memory;
    for (const std::size_t most : shared_bytes) {
      const permute_plan plan = plan_permute(p, most);
      EXPECT_LE(plan.shared_bytes(), permute_room(most)) << rows << " x " << cols << ": " << describe_permute(plan);
    }
  };
  for (const std::size_t element : {1, 2, 4, 8, 16}) {
    for (index_t rows = 2; rows <= 600; rows += rows < 100 ? 1 : 9)
      for (index_t cols = 2; cols <= 600; cols += cols < 100 ? 3 : 7) fits({rows, cols}, element);
    for (const index_t few : {2, 3, 4, 5, 8, 12, 16, 48, 95, 164, 257})
      for (const index_t many : {280, 360, 1000, 4096, 100000, 1048576, 2073600})
        fits({few, many}, element), fits({many, few}, element);
  }
}

TEST(permute_tiles, random_orders_of_axes_beside_the_reference) {
  std::mt19937 random(3);
  for (int n = 0; n < 1500 && !HasFailure(); ++n) {
    const permute_sample sample = random_permutation(random);
    std::vector<char> source(sample.source);
    for (char& c : source) c = static_cast<char>(random());
    expect_as_reference(sample.p, sample.first, source, sample.size);
    expect_as_reference(sample.p, sample.first, source, sample.size,
                        n % 2 == 0 ? permute_sides{8, 8} : permute_sides{16, n % 3 == 0 ? 8 : 16});
  }
}

// Tiles that are cut on both sides, vectors on either side and on both, runs, and axes of two values.
TEST(permute_tiles, large_ones_beside_the_reference) {
  std::vector<char> source(1 << 21);
  std::mt19937 random(4);
  for (char& c : source) c = static_cast<char>(random());
  for (const std::size_t element : {1, 2, 4, 8, 16}) {
    expect_as_reference(reversed_bits(1 << 18, element), 0, source, (1 << 18) + 64);
    const index_t rows = 61;
    for (const index_t cols : {251, 256, 260}) {
      expect_as_reference(permutation({rows, cols}, {cols, 1}, {1, rows}, element), 0, source, 1 << 19);
      expect_as_reference(permutation({rows, cols}, {cols, 1}, {1, rows + 3}, element), 0, source, 1 << 19);
      expect_as_reference(permutation({rows, cols - 5}, {cols, 1}, {cols - 5, 1}, element), 0, source, 1 << 19);
      expect_as_reference(permutation({2, 32 * cols}, {1, 2}, {32 * cols, 1}, element), 0, source, 1 << 19);
      expect_as_reference(permutation({32 * cols, 2}, {1, 32 * cols}, {2, 1}, element), 0, source, 1 << 19);
      expect_as_reference(permutation({3, rows, cols}, {1, 3 * cols, 3}, {rows, 1, 3 * rows}, element), 0, source,
                          1 << 20);
    }
  }
}

permute_plan plan_of(const permute_arguments& p) { return plan_permute(p, shared_bytes[0]); }

// Matrices of 1 and 2 bytes, transposed, in tiles of their own, which may be cut on both sides.
TEST(permute_tiles, small_units_beside_the_reference) {
  std::vector<char> source(3 << 20);
  std::mt19937 random(6);
  for (char& c : source) c = static_cast<char>(random());
  for (const std::size_t element : {1, 2})
    for (const index_t rows : {100, 256, 500, 512, 777, 1024})
      for (const index_t cols : {96, 144, 336, 512, 1000, 1040})
        expect_as_reference(permutation({rows, cols}, {cols, 1}, {1, rows}, element), 0, source, 3 << 20);
}

// Bytes by words, in tiles that are cut on both sides, along axes that a word has together, and in other sides.
TEST(permute_tiles, bytes_by_words_beside_the_reference) {
  std::vector<char> source(1 << 20);
  std::mt19937 random(5);
  for (char& c : source) c = static_cast<char>(random());
  const permute_arguments samples[] = {
      permutation({208, 336}, {336, 1}, {1, 208}, 1),
      permutation({208, 336, 2}, {672, 2, 1}, {1, 416, 208}, 1),
      permutation({176, 2, 2, 80}, {320, 160, 80, 1}, {1, 176, 352, 704}, 1),
      permutation({128, 3, 48}, {144, 48, 1}, {1, 6144, 128}, 1),
      permutation({144, 6, 24}, {144, 24, 1}, {1, 144, 864}, 1),
      reversed_bits(1 << 19, 1),
  };
  for (const permute_arguments& p : samples) {
    EXPECT_TRUE(plan_of(p).by_words) << describe_permute(plan_of(p));
    expect_as_reference(p, 0, source, 1 << 20);
    for (const int side : {16, 32, 64}) {
      expect_as_reference(p, 0, source, 1 << 20, {side, side});
      expect_as_reference(p, 0, source, 1 << 20, {2 * side, side});
      expect_as_reference(p, 0, source, 1 << 20, {side, 2 * side});
    }
  }
}

TEST(permute_tiles, explains_itself) {
  EXPECT_EQ(describe_permute(plan_of(permutation({64, 64}, {80, 1}, {1, 64}, 4))),
            "permute on a device, 4096 units of 4 bytes: 1 tiles of 64 x 64 by 4 in, 64 x 64 by 4 out");
  EXPECT_EQ(describe_permute(plan_of(permutation({8, 64, 3}, {192, 3, 1}, {192, 3, 1}, 4))),
            "permute on a device, 384 units of 16 bytes: one run");
  EXPECT_EQ(describe_permute(plan_of(permutation({8, 64, 4}, {512, 4, 1}, {256, 4, 1}, 4))),
            "permute on a device, 512 units of 16 bytes: 1 runs of 512 x 1 by 1");
  EXPECT_EQ(describe_permute(plan_of(reversed_bits(4096 << 10, 4))),
            "permute on a device, 1048576 units of 4 bytes: 256 tiles of 64 x 64 by 4 in, 64 x 64 by 4 out");
  EXPECT_EQ(describe_permute(plan_of(reversed_bits(4096 << 10, 1))),
            "permute on a device, 4194304 units of 1 bytes: 64 tiles of 256 x 256 by 16 in, 256 x 256 by 16 out, by "
            "words");
}

}  // namespace
}  // namespace kleene::test::permute_tiles_test
