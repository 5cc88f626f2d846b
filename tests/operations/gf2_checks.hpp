// Checks of linear algebra over GF(2), wherever it runs: drawn matrices, as blocks in the middle of larger ones full of
// garbage, against plain loops, and by its own laws. `on_contexts` calls what it is given with each context in
// question.
#pragma once

#include "kleene/kernels/reference/gf2.hpp"
#include "kleene/operations/gf2.hpp"
#include "operations/bits_checks.hpp"

#include <gtest/gtest.h>

namespace kleene::test::gf2_checks {

using gf2_field = xor_and<bit>;

inline bit_matrix identity_of(index_t n) {
  bit_matrix a(n, n);
  for (index_t i = 0; i < n; ++i) a.set(i, i, true);
  return a;
}
inline bit_matrix product(const bit_view<const bit>& a, const bit_view<const bit>& b) {
  bit_matrix c(a.rows(), b.cols());
  gemm(context::cpu({.threads = 1}), gf2_field{}, a, b, c);
  return c;
}
inline testing::AssertionResult same_bits(const bit_matrix& a, const bit_matrix& b) {
  return equal(placed_bits::words_of(a), placed_bits::words_of(b));
}

// What is drawn: each makes an m x n matrix, garbage behind its last column included.
struct named_matrix {
  const char* name;
  bit_matrix (*draw)(index_t m, index_t n, std::uint64_t seed);
};
inline bit_matrix of_rank(index_t m, index_t n, index_t r, std::uint64_t seed) {
  return product(random_bits(m, r, 0.5, seed).view(), random_bits(r, n, 0.5, seed + 1).view());
}
inline const named_matrix matrix_kinds[] = {
    {"random", [](index_t m, index_t n, std::uint64_t seed) { return random_bits(m, n, 0.5, seed); }},
    {"sparse", [](index_t m, index_t n,
                  std::uint64_t seed) { return random_bits(m, n, 2.0 / static_cast<double>(n + 1), seed); }},
    {"zero", [](index_t m, index_t n, std::uint64_t) { return bit_matrix(m, n); }},
    {"half the rank", [](index_t m, index_t n, std::uint64_t seed) { return of_rank(m, n, std::min(m, n) / 2, seed); }},
    {"rank of at most 3", [](index_t m, index_t n, std::uint64_t seed) { return of_rank(m, n, 3, seed); }},
    {"every column twice",
     [](index_t m, index_t n, std::uint64_t seed) {
       bit_matrix a = random_bits(m, n, 0.5, seed);
       for (index_t i = 0; i < m; ++i)
         for (index_t j = 1; j < n; j += 2) a.set(i, j, a(i, j - 1));
       return a;
     }},
    {"identity from below, and zeros",
     [](index_t m, index_t n, std::uint64_t) {
       bit_matrix a(m, n);
       for (index_t i = 0; i < m && i < n; ++i) a.set(m - 1 - i, n - 1 - i / 2, true);
       return a;
     }},
};

struct extents {
  index_t m, n;
};
inline const extents shapes[] = {{1, 1},     {1, 64},    {64, 1},    {63, 63},   {64, 64},   {65, 65},
                                 {63, 130},  {130, 63},  {127, 257}, {257, 127}, {200, 200}, {511, 512},
                                 {530, 601}, {601, 530}, {30, 1100}, {1100, 30}};

template <class Check>
void on_drawn(const Check& check) {
  for (const extents& s : shapes)
    for (const named_matrix& kind : matrix_kinds) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << kind.name << ", " << s.m << "x" << s.n);
      bit_matrix whole = random_bits(s.m + 2, s.n + 129, 0.5, 3);  // garbage around it
      const bit_matrix a = kind.draw(s.m, s.n, 17);
      for (index_t i = 0; i < s.m; ++i)
        for (index_t j = 0; j < s.n; ++j) whole.set(i + 1, j + 64, a(i, j));
      check(whole);
    }
}
inline placed_bits place(const context& ctx, const bit_matrix& whole) {
  return placed_bits(ctx, whole.rows() - 2, whole.cols() - 129, whole);
}

template <class On>
void check_reduced_forms(const On& on_contexts) {
  on_drawn([&](const bit_matrix& whole) {
    std::optional<placed_bits> want;
    std::vector<index_t> pivots;
    on_contexts([&](const context& ctx) {
      SCOPED_TRACE(ctx.describe());
      placed_bits a = place(ctx, whole);
      if (!want) {
        want.emplace(place(ctx, whole));
        pivots = kernels::reference::row_reduce(want->here(), want->cols);
      }
      EXPECT_EQ(rank(ctx, gf2_field{}, a.at()), static_cast<index_t>(pivots.size()));
      EXPECT_TRUE(equal(a.words.take(), placed_bits::words_of(whole)));
      EXPECT_EQ(row_reduce(ctx, gf2_field{}, a.at()), pivots);
      EXPECT_TRUE(equal(a.words.take(), placed_bits::words_of(want->parent)));
      EXPECT_EQ(row_reduce(ctx, gf2_field{}, a.at()), pivots);
      EXPECT_TRUE(equal(a.words.take(), placed_bits::words_of(want->parent)));
    });
  });
}

template <class On>
void check_null_spaces(const On& on_contexts) {
  on_drawn([&](const bit_matrix& whole) {
    std::optional<bit_matrix> want;
    on_contexts([&](const context& ctx) {
      SCOPED_TRACE(ctx.describe());
      placed_bits a = place(ctx, whole);
      if (!want) want = kernels::reference::null_space(a.here());
      const bit_matrix got = null_space(ctx, gf2_field{}, a.at());
      EXPECT_TRUE(same_bits(got, *want));
      EXPECT_EQ(got.rows() + rank(ctx, gf2_field{}, a.at()), a.cols);
      bit_matrix turned(a.cols, got.rows());
      transpose(context::cpu({.threads = 1}), got, turned);
      EXPECT_TRUE(same_bits(product(a.here(), turned.view()), bit_matrix(a.rows, got.rows())));
    });
  });
}

// Right-hand sides that have a solution are products; others nearly always have none where rows depend on each other.
inline bit_matrix draw_sides(const bit_view<const bit>& a, index_t p, bool planted) {
  bit_matrix whole = random_bits(a.rows() + 2, p + 129, 0.5, 5);
  if (!planted) return whole;
  const bit_matrix made = product(a, random_bits(a.cols(), p, 0.5, 9).view());
  for (index_t i = 0; i < a.rows(); ++i)
    for (index_t j = 0; j < p; ++j) whole.set(i + 1, j + 64, made(i, j));
  return whole;
}

template <class On>
void check_solutions(const On& on_contexts) {
  on_drawn([&](const bit_matrix& whole) {
    for (const auto& [p, planted] : {std::pair<index_t, bool>{1, true}, {70, true}, {1, false}}) {
      SCOPED_TRACE(testing::Message() << p << " right-hand sides, " << (planted ? "planted" : "random"));
      const context one = context::cpu({.threads = 1});
      placed_bits a = place(one, whole), want(one, a.cols, p, 0.5, 7);
      const bit_matrix sides = draw_sides(a.here(), p, planted), before = want.parent;
      const bool exists = kernels::reference::solve(a.here(), sides.view().block(1, 64, a.rows, p), want.here());
      EXPECT_TRUE(exists || !planted);
      const index_t r = rank(one, gf2_field{}, a.at());
      const auto check = [&, p = p](const context& ctx) {
        SCOPED_TRACE(ctx.describe());
        placed_bits here = place(ctx, whole), b(ctx, a.rows, p, sides), x(ctx, a.cols, p, before);
        const gf2_info info = solve(ctx, gf2_field{}, here.at(), b.at(), x.at());
        EXPECT_EQ(info.exists, exists);
        EXPECT_EQ(info.rank, r);
        EXPECT_TRUE(equal(x.words.take(), placed_bits::words_of(want.parent)));
      };
      on_contexts(check);
    }
  });
}

// A random square matrix is invertible with probability 0.29: some of these are. With unit triangular factors, all are.
template <class On>
void check_inverses(const On& on_contexts) {
  int inverted = 0, singular = 0;
  for (const index_t n : {1, 2, 63, 64, 65, 129, 511, 513})
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << n << ", seed " << seed);
      bit_matrix drawn_bits = random_bits(n, n, 0.5, seed);
      if (seed > 2) {
        bit_matrix lower = random_bits(n, n, 0.5, seed), upper = random_bits(n, n, 0.5, seed + 10);
        for (index_t i = 0; i < n; ++i)
          for (index_t j = 0; j < n; ++j) {
            if (j >= i) lower.set(i, j, i == j);
            if (j <= i) upper.set(i, j, i == j);
          }
        drawn_bits = product(lower.view(), upper.view());
      }
      bit_matrix whole = random_bits(n + 2, n + 129, 0.5, 5);
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) whole.set(i + 1, j + 64, drawn_bits(i, n - 1 - j));
      std::optional<placed_bits> want;
      bool exists = false;
      on_contexts([&](const context& ctx) {
        SCOPED_TRACE(ctx.describe());
        placed_bits a = place(ctx, whole), x(ctx, n, n, 0.5, 6);
        if (!want) {
          want.emplace(ctx, n, n, x.parent);
          exists = kernels::reference::inverse(a.here(), want->here());
        }
        const gf2_info info = inverse(ctx, gf2_field{}, a.at(), x.at());
        EXPECT_EQ(info.exists, exists);
        EXPECT_EQ(info.exists, info.rank == n);
        EXPECT_EQ(info.rank, rank(ctx, gf2_field{}, a.at()));
        EXPECT_TRUE(equal(x.words.take(), placed_bits::words_of(want->parent)));
        if (!exists) return;
        EXPECT_TRUE(same_bits(product(a.here(), want->here()), identity_of(n)));
        EXPECT_TRUE(same_bits(product(want->here(), a.here()), identity_of(n)));
      });
      ++(exists ? inverted : singular);
    }
  if (sample_one_in() == 1) {
    EXPECT_GE(inverted, 16);
    EXPECT_GE(singular, 4);
  }
}

}  // namespace kleene::test::gf2_checks
