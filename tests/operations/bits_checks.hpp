// Checks of packed bits, wherever they run: blocks in the middle of larger matrices full of garbage, against plain
// loops.
#pragma once

#include "kleene/kernels/reference/bits.hpp"
#include "kleene/operations/bits.hpp"
#include "support/equal.hpp"
#include "support/problems.hpp"
#include "support/sample.hpp"

#include <cmath>
#include <optional>

namespace kleene::test {

// Bits that are set with probability p, and garbage behind the last column.
inline bit_matrix random_bits(index_t rows, index_t cols, double p, std::uint64_t seed) {
  problems::generator g(seed);
  bit_matrix a(rows, cols);
  const bit_view<bit> v = a.view();
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < v.words() * bits_per_word; ++j) v.set(i, j, g.chance(p));
  return a;
}

// A matrix where a context works: its elements, and a view that any context takes.
template <class T>
struct placed {
  const context& ctx;
  matrix<T> host;
  std::optional<device_matrix<T>> device;

  placed(const context& c, matrix<T> m) : ctx(c), host(std::move(m)) {
    if (ctx.kind() == device_kind::cuda) device.emplace(to_device(ctx, host));
  }
  view<T, 2, memory::managed> at() { return {device ? device->data() : host.data(), host.extents()}; }
  matrix<T> take() const { return device ? to_host(ctx, *device) : host; }
};

// Bits as a block of a larger matrix, row 1 and column 64 on.
struct placed_bits {
  index_t rows, cols;
  bit_matrix parent;  // as it is on the host
  placed<bit_word> words;

  placed_bits(const context& ctx, index_t r, index_t c, double p, std::uint64_t seed)
      : placed_bits(ctx, r, c, random_bits(r + 2, c + 129, p, seed)) {}
  placed_bits(const context& ctx, index_t r, index_t c, bit_matrix whole)
      : rows(r), cols(c), parent(std::move(whole)), words(ctx, words_of(parent)) {}

  static matrix<bit_word> words_of(const bit_matrix& m) {
    const auto v = m.view();
    matrix<bit_word> words(v.rows(), v.words());
    for (index_t i = 0; i < v.rows(); ++i) std::copy_n(v.row(i), v.words(), &words(i, 0));
    return words;
  }
  bit_view<bit, memory::managed> at() {
    return bit_view<bit, memory::managed>(words.at().data(), rows + 2, cols + 129).block(1, 64, rows, cols);
  }
  bit_view<bit> here() { return parent.view().block(1, 64, rows, cols); }  // for the reference
  // Whether all of the matrix, what lies around the block included, is what the reference left in `parent`.
  testing::AssertionResult agrees() const { return equal(words.take(), words_of(parent)); }
};

// Sets about half of the product's bits.
inline double half_of_products(index_t k) { return k < 2 ? 0.5 : std::sqrt(0.7 / static_cast<double>(k)); }

struct bit_shape {
  index_t m, n, k;
};
inline std::vector<bit_shape> bit_shapes() {
  return {{1, 1, 1},       {1, 1, 0},      {5, 70, 0},      {3, 64, 64},   {64, 65, 63},   {65, 127, 128},
          {127, 128, 129}, {128, 256, 1},  {129, 257, 65},  {257, 255, 7}, {33, 31, 1023}, {40, 300, 1024},
          {130, 66, 1025}, {2, 513, 2049}, {97, 193, 2056}, {481, 385, 40}};
}

template <class S>
void check_bit_gemm(const context& ctx, const bit_shape& s, const bit_gemm_options& o) {
  if (!sampled()) return;
  constexpr bool any = std::is_same_v<S, or_and<bit>>;
  SCOPED_TRACE(testing::Message() << name_of<S>() << " " << s.m << "x" << s.n << "x" << s.k
                                  << (o.accumulate ? " accumulate" : "") << (o.transposed_b ? " transposed" : "")
                                  << " on " << ctx.describe());
  const double p = any ? half_of_products(s.k) : 0.5;
  placed_bits a(ctx, s.m, s.k, p, 1), b(ctx, s.k, s.n, p, 2), c(ctx, s.m, s.n, 0.3, 3), bt(ctx, s.n, s.k, p, 4);
  bit_matrix natural(s.k, s.n);
  kernels::reference::transpose(bt.here(), natural.view());
  const bit_view<const bit> b_here =
      o.transposed_b ? bit_view<const bit>(natural.view()) : bit_view<const bit>(b.here());
  if (any) kernels::reference::or_and(a.here(), b_here, c.here(), o.accumulate);
  else kernels::reference::xor_and(a.here(), b_here, c.here(), o.accumulate);
  gemm(ctx, S{}, a.at(), o.transposed_b ? bt.at() : b.at(), c.at(), o);
  EXPECT_TRUE(c.agrees());
}

inline void check_bit_gemms(const context& ctx) {
  for (const bit_shape& s : bit_shapes())
    for (const bool accumulate : {false, true})
      for (const bool transposed : {false, true}) {
        check_bit_gemm<or_and<bit>>(ctx, s, {accumulate, transposed});
        check_bit_gemm<xor_and<bit>>(ctx, s, {accumulate, transposed});
      }
}

inline void check_bit_counts(const context& ctx) {
  for (const bit_shape& s : bit_shapes())
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k << (transposed ? " transposed" : ""));
      placed_bits a(ctx, s.m, s.k, 0.5, 1), b(ctx, s.k, s.n, 0.5, 2), bt(ctx, s.n, s.k, 0.5, 2);
      bit_matrix natural(s.k, s.n);
      kernels::reference::transpose(bt.here(), natural.view());
      matrix<std::int32_t> counts(s.m, s.n);
      for (index_t i = 0; i < s.m; ++i)
        for (index_t j = 0; j < s.n; ++j)
          counts(i, j) = static_cast<std::int32_t>(kernels::reference::count_products(
              a.here(), transposed ? bit_view<const bit>(natural.view()) : bit_view<const bit>(b.here()), i, j));
      for (const int layout : {0, 1, 2}) {  // by row, by column, every other column
        if (!sampled()) continue;
        placed<std::int32_t> c(ctx, matrix<std::int32_t>(s.m + 1, 2 * s.n + 3, -7));
        matrix<std::int32_t> want = c.host;
        const index_t row = layout == 1 ? 1 : 2 * s.n + 3, col = layout == 1 ? s.m : layout == 2 ? 2 : 1;
        count_products(ctx, a.at(), transposed ? bt.at() : b.at(),
                       view<std::int32_t, 2, memory::managed>(c.at().data() + 1, {s.m, s.n}, {row, col}),
                       {.transposed_b = transposed});
        for (index_t i = 0; i < s.m; ++i)
          for (index_t j = 0; j < s.n; ++j) want.data()[1 + i * row + j * col] = counts(i, j);
        EXPECT_TRUE(equal(c.take(), want));
      }
    }
}

inline void check_bit_transposes(const context& ctx) {
  for (const auto& [m, n] : std::vector<std::pair<index_t, index_t>>{
           {1, 1}, {64, 64}, {63, 65}, {65, 1}, {1, 130}, {256, 1024}, {257, 1025}, {300, 2100}, {1000, 33}}) {
    SCOPED_TRACE(testing::Message() << m << "x" << n);
    placed_bits a(ctx, m, n, 0.5, 1), b(ctx, n, m, 0.5, 2);
    kernels::reference::transpose(a.here(), b.here());
    transpose(ctx, a.at(), b.at());
    EXPECT_TRUE(b.agrees());
  }
}

template <class T>
void check_bit_conversions(const context& ctx) {
  for (const auto& [m, n] :
       std::vector<std::pair<index_t, index_t>>{{1, 1}, {3, 64}, {5, 65}, {7, 127}, {40, 1000}, {2, 4099}})
    for (const bool by_column : {false, true}) {
      SCOPED_TRACE(testing::Message() << m << "x" << n << (by_column ? " by column" : ""));
      problems::generator g(7);
      matrix<T> values(m + 1, n + 1);
      for (index_t e = 0; e < values.size(); ++e) values.data()[e] = g.chance(0.5) ? T(1 + g.below(200)) : T(0);
      if constexpr (std::is_same_v<T, float>) values(0, 0) = std::nanf(""), values(m / 2, n / 2) = -0.0f;
      placed<T> in(ctx, values), out(ctx, matrix<T>(m + 1, n + 1, T(1)));
      const std::array<index_t, 2> strides =
          by_column ? std::array<index_t, 2>{1, m + 1} : std::array<index_t, 2>{n + 1, 1};
      placed_bits bits(ctx, m, n, 0.5, 3);
      const bit_view<bit> here = bits.here();
      matrix<T> want(m + 1, n + 1, T(1));
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < here.words() * bits_per_word; ++j) {
          const bool set = j < n && values.data()[i * strides[0] + j * strides[1]] != T(0);
          here.set(i, j, set);
          if (j < n) want.data()[i * strides[0] + j * strides[1]] = T(set);
        }
      pack(ctx, view<T, 2, memory::managed>(in.at().data(), {m, n}, strides), bits.at());
      EXPECT_TRUE(bits.agrees());
      unpack(ctx, bits.at(), view<T, 2, memory::managed>(out.at().data(), {m, n}, strides));
      EXPECT_TRUE(equal(out.take(), want));
    }
}

inline void check_bit_closures(const context& ctx, std::initializer_list<index_t> blocks) {
  for (const index_t n : {1, 2, 63, 64, 65, 130, 300, 700})
    for (const index_t block : blocks) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << " vertices, blocks of " << block);
      placed_bits a(ctx, n, n, 1.2 / static_cast<double>(n), 5);
      kernels::reference::closure(a.here());
      closure(ctx, or_and<bit>{}, a.at(), {.block = block});
      EXPECT_TRUE(a.agrees());
    }
}

}  // namespace kleene::test
