// Linear algebra over GF(2) on every instruction set of this machine, one thread and several: against plain loops, by
// its own laws, by hand; refusals.
#include "operations/gf2_checks.hpp"

namespace kleene::test::gf2_test {
namespace {

using namespace gf2_checks;

const auto on_cpus = [](const auto& check) {
  for (const auto isa : {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512})
    if (isa <= best_instruction_set())
      for (const int threads : {1, 3}) check(context::cpu({.threads = threads, .isa = to_string(isa)}));
};

bit_matrix from_text(std::initializer_list<const char*> rows) {
  bit_matrix a(static_cast<index_t>(rows.size()), static_cast<index_t>(std::string(*rows.begin()).size()));
  index_t i = 0;
  for (const std::string row : rows) {
    for (index_t j = 0; j < a.cols(); ++j) a.set(i, j, row[static_cast<std::size_t>(j)] == '1');
    ++i;
  }
  return a;
}
std::string text_of(const bit_view<const bit>& a) {
  std::string text;
  for (index_t i = 0; i < a.rows(); ++i, text += i < a.rows() ? " " : "")
    for (index_t j = 0; j < a.cols(); ++j) text += a(i, j) ? '1' : '0';
  return text;
}
TEST(gf2, the_reference_by_hand) {
  bit_matrix a = from_text({"0110", "1101", "1011"});
  EXPECT_EQ(kernels::reference::row_reduce(a.view(), 4), (std::vector<index_t>{0, 1}));
  EXPECT_EQ(text_of(a.view()), "1011 0110 0000");
  bit_matrix with_side = from_text({"011", "110"});
  EXPECT_EQ(kernels::reference::row_reduce(with_side.view(), 2), (std::vector<index_t>{0, 1}));
  EXPECT_EQ(text_of(with_side.view()), "101 011");
  EXPECT_EQ(text_of(kernels::reference::null_space(from_text({"1011", "0110"}).view()).view()), "1110 1001");
  bit_matrix x(2, 2);
  EXPECT_TRUE(kernels::reference::inverse(from_text({"11", "10"}).view(), x.view()));
  EXPECT_EQ(text_of(x.view()), "01 11");
  EXPECT_FALSE(kernels::reference::inverse(from_text({"11", "11"}).view(), x.view()));
  EXPECT_EQ(text_of(x.view()), "01 11");
  bit_matrix y(3, 1);
  EXPECT_TRUE(kernels::reference::solve(from_text({"101", "011"}).view(), from_text({"1", "1"}).view(), y.view()));
  EXPECT_EQ(text_of(y.view()), "1 1 0");
  EXPECT_FALSE(kernels::reference::solve(from_text({"101", "101"}).view(), from_text({"1", "0"}).view(), y.view()));
}

TEST(gf2, by_hand) {
  const context ctx = context::cpu();
  bit_matrix a = from_text({"0110", "1101", "1011"});
  EXPECT_EQ(rank(ctx, gf2_field{}, a), 2);
  EXPECT_EQ(text_of(null_space(ctx, gf2_field{}, a).view()), "1110 1001");
  EXPECT_EQ(row_reduce(ctx, gf2_field{}, a), (std::vector<index_t>{0, 1}));
  EXPECT_EQ(text_of(a.view()), "1011 0110 0000");
  bit_matrix x(2, 2), y(3, 1);
  EXPECT_TRUE(inverse(ctx, gf2_field{}, from_text({"11", "10"}).view(), x).exists);
  EXPECT_EQ(text_of(x.view()), "01 11");
  EXPECT_TRUE(solve(ctx, gf2_field{}, from_text({"101", "011"}).view(), from_text({"1", "1"}).view(), y).exists);
  EXPECT_EQ(text_of(y.view()), "1 1 0");
}

TEST(gf2, reduced_forms) { check_reduced_forms(on_cpus); }
TEST(gf2, null_spaces) { check_null_spaces(on_cpus); }
TEST(gf2, solutions) { check_solutions(on_cpus); }
TEST(gf2, inverses) { check_inverses(on_cpus); }

// Large enough that threads share the panels, too.
TEST(gf2, threads_change_nothing) {
  constexpr index_t m = 5000, n = 1200;
  const context one = context::cpu({.threads = 1});
  for (const named_matrix& kind : matrix_kinds) {
    if (!sampled()) continue;
    SCOPED_TRACE(kind.name);
    const bit_matrix a = kind.draw(m, n, 5);
    bit_matrix want = a;
    const std::vector<index_t> pivots = row_reduce(one, gf2_field{}, want);
    for (const int threads : {2, 5}) {
      const context ctx = context::cpu({.threads = threads});
      bit_matrix reduced = a;
      EXPECT_EQ(row_reduce(ctx, gf2_field{}, reduced), pivots);
      EXPECT_TRUE(same_bits(reduced, want));
      EXPECT_EQ(rank(ctx, gf2_field{}, a), std::ssize(pivots));
    }
  }
}
TEST(gf2, large_inverses) {
  constexpr index_t n = 2500;
  bit_matrix a = identity_of(n), square(n, n), x(n, n), y(n, n);
  for (index_t i = 0; i < n; ++i)  // rows mixed with later ones, then turned upside down
    for (const index_t j : {i + 1, i + 64, i + 700}) a.set(i, std::min(j, n - 1), j < n || i == n - 1);
  gemm(context::cpu({.threads = 1}), gf2_field{}, a, a, square);
  for (index_t i = 0; i < n; ++i) std::copy_n(square.view().row(n - 1 - i), words_for(n), a.view().row(i));
  EXPECT_TRUE(inverse(context::cpu({.threads = 1}), gf2_field{}, a, x).exists);
  EXPECT_TRUE(inverse(context::cpu({.threads = 4}), gf2_field{}, a, y).exists);
  EXPECT_TRUE(same_bits(x, y));
  EXPECT_TRUE(same_bits(product(a.view(), x.view()), identity_of(n)));
}

// The rank of a product of thin factors is, nearly always, their width; several panels, with what they leave over.
TEST(gf2, planted_ranks) {
  const context ctx = context::cpu({.threads = 2});
  for (const index_t r : {0, 1, 63, 64, 65, 500, 1030, 1900}) {
    if (!sampled()) continue;
    SCOPED_TRACE(r);
    bit_matrix a = of_rank(2000, 2100, r, 3);
    const index_t found = rank(ctx, gf2_field{}, a);
    EXPECT_EQ(found, r);
    bit_matrix reduced = a;
    EXPECT_EQ(static_cast<index_t>(row_reduce(ctx, gf2_field{}, reduced).size()), found);
    bit_matrix turned(2100, 2000);
    transpose(ctx, a, turned);
    EXPECT_EQ(rank(ctx, gf2_field{}, turned), found);
    const bit_matrix basis = null_space(ctx, gf2_field{}, a);
    EXPECT_EQ(basis.rows(), 2100 - found);
    EXPECT_EQ(rank(ctx, gf2_field{}, basis), basis.rows());
  }
}

// Everything there is about a drawn matrix.
TEST(gf2, drawn_problems) {
  problems::generator g(11);
  for (int turn = 0; turn < (KLEENE_TEST_LEVEL > 0 ? 2000 : 60); ++turn) {
    if (!sampled()) continue;
    const index_t m = 1 + g.below(180), n = g.chance(0.3) ? m : 1 + g.below(180), p = 1 + g.below(80);
    const int threads = 1 + static_cast<int>(g.below(3));
    const named_matrix& kind = matrix_kinds[g.below(std::ssize(matrix_kinds))];
    SCOPED_TRACE(testing::Message() << turn << ": " << kind.name << ", " << m << "x" << n << ", " << p);
    const context ctx = context::cpu({.threads = threads});
    bit_matrix a = kind.draw(m, n, static_cast<std::uint64_t>(turn)), b = random_bits(m, p, 0.5, 5);
    if (g.chance(0.5)) b = product(a.view(), random_bits(n, p, 0.5, 6).view());
    bit_matrix x(n, p), want_x(n, p), y(m, m), want_y(m, m), reduced = a;
    EXPECT_TRUE(same_bits(null_space(ctx, gf2_field{}, a), kernels::reference::null_space(a.view())));
    EXPECT_EQ(solve(ctx, gf2_field{}, a, b, x).exists, kernels::reference::solve(a.view(), b.view(), want_x.view()));
    EXPECT_TRUE(same_bits(x, want_x));
    if (m == n) {
      EXPECT_EQ(inverse(ctx, gf2_field{}, a, y).exists, kernels::reference::inverse(a.view(), want_y.view()));
      EXPECT_TRUE(same_bits(y, want_y));
    }
    const std::vector<index_t> pivots = kernels::reference::row_reduce(reduced.view(), n);
    EXPECT_EQ(rank(ctx, gf2_field{}, a), std::ssize(pivots));
    EXPECT_EQ(row_reduce(ctx, gf2_field{}, a), pivots);
    EXPECT_TRUE(same_bits(a, reduced));
  }
}

TEST(gf2, extents_of_zero) {
  const context ctx = context::cpu();
  bit_matrix no_rows(0, 70), no_columns(70, 0), nothing(0, 0), x(70, 3), none(0, 3);
  EXPECT_EQ(rank(ctx, gf2_field{}, no_rows), 0);
  EXPECT_EQ(rank(ctx, gf2_field{}, no_columns), 0);
  EXPECT_TRUE(row_reduce(ctx, gf2_field{}, no_rows).empty());
  EXPECT_TRUE(same_bits(null_space(ctx, gf2_field{}, no_rows), identity_of(70)));
  EXPECT_EQ(null_space(ctx, gf2_field{}, no_columns).rows(), 0);
  EXPECT_TRUE(inverse(ctx, gf2_field{}, nothing, bit_matrix(0, 0).view()).exists);
  x.set(4, 2, true);
  EXPECT_TRUE(solve(ctx, gf2_field{}, no_rows, bit_matrix(0, 3).view(), x).exists);
  EXPECT_FALSE(x(4, 2));
  EXPECT_TRUE(solve(ctx, gf2_field{}, no_columns, x, none).exists);
  x.set(4, 2, true);
  EXPECT_FALSE(solve(ctx, gf2_field{}, no_columns, x, none).exists);
  bit_matrix no_sides(70, 0);
  const gf2_info info = solve(ctx, gf2_field{}, identity_of(70).view(), no_columns, no_sides);
  EXPECT_TRUE(info.exists);
  EXPECT_EQ(info.rank, 70);
}

TEST(gf2, refusals) {
  const context ctx = context::cpu();
  bit_matrix wide(4, 70), square(128, 128), other(128, 128), column(4, 1);
  const auto v = square.view();
  const auto wrong_shape = [](const auto& call) { return refusal<shape_error>(fault_code::bad_input, call); };
  const auto overlap = [](const auto& call) { return refusal<argument_error>(fault_code::bad_input, call); };
  EXPECT_TRUE(contains(wrong_shape([&] { (void)inverse(ctx, gf2_field{}, wide, wide); }), "square matrix; A is 4x70"));
  EXPECT_TRUE(contains(wrong_shape([&] { (void)inverse(ctx, gf2_field{}, square, wide); }), "the inverse is 4x70"));
  EXPECT_TRUE(contains(overlap([&] { (void)inverse(ctx, gf2_field{}, square, square); }), "A overlaps the inverse"));
  EXPECT_TRUE(contains(wrong_shape([&] { (void)solve(ctx, gf2_field{}, wide, square, other); }),
                       "A is 4x70, B is 128x128: their rows differ"));
  EXPECT_TRUE(contains(wrong_shape([&] { (void)solve(ctx, gf2_field{}, wide, column, other); }), "70x1 is needed"));
  EXPECT_TRUE(contains(overlap([&] { (void)solve(ctx, gf2_field{}, square, other, square); }), "A overlaps X"));
  EXPECT_TRUE(contains(overlap([&] { (void)solve(ctx, gf2_field{}, square, other, other); }), "B overlaps X"));
  // Blocks beside each other are fine.
  EXPECT_NO_THROW((void)inverse(ctx, gf2_field{}, v.block(0, 0, 64, 64), v.block(0, 64, 64, 64)));
}

}  // namespace
}  // namespace kleene::test::gf2_test
