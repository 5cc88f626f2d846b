// Linear algebra over GF(2) on a CUDA device: the checks of gf2_checks.hpp; then matrices of several panels and steps,
// against the CPU; arguments in the device's memory.
#include "operations/gf2_checks.hpp"
#include "support/device.hpp"

namespace kleene::test::gf2_gpu_test {
namespace {

using namespace gf2_checks;

// Calls a check with a context for the device.
const auto on_device = [](const auto& check) { check(context::cuda()); };

TEST(gf2_gpu, reduced_forms) {
  KLEENE_NEEDS_GPU();
  check_reduced_forms(on_device);
}
TEST(gf2_gpu, null_spaces) {
  KLEENE_NEEDS_GPU();
  check_null_spaces(on_device);
}
TEST(gf2_gpu, solutions) {
  KLEENE_NEEDS_GPU();
  check_solutions(on_device);
}
TEST(gf2_gpu, inverses) {
  KLEENE_NEEDS_GPU();
  check_inverses(on_device);
}

// Everything there is about a matrix, on the device and on the CPU.
void compare_with_cpu(const context& gpu, const bit_matrix& a) {
  const context cpu = context::cpu();
  device_bit_matrix da = to_device(gpu, a);
  bit_matrix reduced = a;
  const std::vector<index_t> pivots = row_reduce(cpu, gf2_field{}, reduced);
  EXPECT_EQ(rank(gpu, gf2_field{}, da), std::ssize(pivots));
  const device_bit_matrix basis = null_space(gpu, gf2_field{}, da);
  EXPECT_TRUE(same_bits(to_host(gpu, basis), null_space(cpu, gf2_field{}, a)));
  const bit_matrix b = product(a.view(), random_bits(a.cols(), 100, 0.5, 3).view());
  bit_matrix x(a.cols(), 100);
  device_bit_matrix dx(gpu, a.cols(), 100);
  EXPECT_TRUE(solve(cpu, gf2_field{}, a, b, x).exists);
  EXPECT_TRUE(solve(gpu, gf2_field{}, da, to_device(gpu, b).view(), dx).exists);
  EXPECT_TRUE(same_bits(to_host(gpu, dx), x));
  if (a.rows() == a.cols()) {
    bit_matrix y(a.rows(), a.rows());
    device_bit_matrix dy = to_device(gpu, y);
    const gf2_info want = inverse(cpu, gf2_field{}, a, y), got = inverse(gpu, gf2_field{}, da, dy);
    EXPECT_EQ(got.exists, want.exists);
    EXPECT_EQ(got.rank, want.rank);
    EXPECT_TRUE(same_bits(to_host(gpu, dy), y));
  }
  EXPECT_EQ(row_reduce(gpu, gf2_field{}, da), pivots);
  EXPECT_TRUE(same_bits(to_host(gpu, da), reduced));
}

TEST(gf2_gpu, several_panels) {
  KLEENE_NEEDS_GPU();
  const context gpu = context::cuda();
  for (const extents& s : {extents{1025, 1030}, {2100, 1500}, {700, 5000}, {6000, 300}, {2050, 2050}})
    for (const named_matrix& kind : matrix_kinds) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << kind.name << ", " << s.m << "x" << s.n);
      compare_with_cpu(gpu, kind.draw(s.m, s.n, 23));
    }
}

// Wider than a step, and rows that no search sees at once.
TEST(gf2_gpu, several_steps) {
  KLEENE_NEEDS_GPU();
  const context gpu = context::cuda();
  for (const extents& s : {extents{5000, 9000}, {9001, 4500}, {8300, 8300}})
    for (const index_t rank : {s.n, index_t{3000}}) {
      if (!sampled()) continue;
      SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << " of rank at most " << rank);
      compare_with_cpu(gpu, rank == s.n ? random_bits(s.m, s.n, 0.5, 29) : of_rank(s.m, s.n, rank, 31));
    }
}

// Rows that repeat, so that many searches pass over the same ones; the last column comes from the last row alone.
TEST(gf2_gpu, rows_that_repeat) {
  KLEENE_NEEDS_GPU();
  const context gpu = context::cuda();
  bit_matrix a = random_bits(9000, 200, 0.5, 37);
  for (index_t i = 0; i < a.rows(); ++i) {
    if (i % 100 != 0) std::copy_n(a.view().row(i - 1), a.view().words(), a.view().row(i));
    a.set(i, 199, i + 1 == a.rows());
  }
  compare_with_cpu(gpu, a);
}

TEST(gf2_gpu, invertible_matrices_of_several_steps) {
  KLEENE_NEEDS_GPU();
  constexpr index_t n = 8500;
  const context gpu = context::cuda();
  bit_matrix lower = random_bits(n, n, 0.5, 41), upper = random_bits(n, n, 0.5, 43);
  for (index_t i = 0; i < n; ++i) {
    for (index_t w = 0; w < lower.view().words(); ++w) {
      bit_word& l = lower.view().row(i)[w];
      bit_word& u = upper.view().row(i)[w];
      if (w > i / bits_per_word) l = 0;
      if (w < i / bits_per_word) u = 0;
      if (w == i / bits_per_word) l &= ~(~bit_word{0} << i % bits_per_word), u &= ~bit_word{0} << i % bits_per_word;
    }
    lower.set(i, i, true), upper.set(i, i, true);
  }
  const bit_matrix a = product(lower.view(), upper.view());
  const device_bit_matrix da = to_device(gpu, a);
  device_bit_matrix x(gpu, n, n), one(gpu, n, n);
  const gf2_info info = inverse(gpu, gf2_field{}, da, x);
  EXPECT_TRUE(info.exists);
  EXPECT_EQ(info.rank, n);
  gemm(gpu, gf2_field{}, da, x, one);
  EXPECT_TRUE(same_bits(to_host(gpu, one), identity_of(n)));
}

TEST(gf2_gpu, extents_of_zero) {
  KLEENE_NEEDS_GPU();
  const context gpu = context::cuda();
  device_bit_matrix no_rows(gpu, 0, 70), no_columns(gpu, 70, 0), none(gpu, 0, 3);
  EXPECT_EQ(rank(gpu, gf2_field{}, no_rows), 0);
  EXPECT_TRUE(row_reduce(gpu, gf2_field{}, no_columns).empty());
  EXPECT_TRUE(same_bits(to_host(gpu, null_space(gpu, gf2_field{}, no_rows)), identity_of(70)));
  EXPECT_EQ(null_space(gpu, gf2_field{}, no_columns).rows(), 0);
  device_bit_matrix x = to_device(gpu, random_bits(70, 3, 0.5, 1));
  EXPECT_FALSE(solve(gpu, gf2_field{}, no_columns, x, none).exists);
  EXPECT_TRUE(solve(gpu, gf2_field{}, no_rows, none, x).exists);
  EXPECT_TRUE(same_bits(to_host(gpu, x), bit_matrix(70, 3)));
  EXPECT_TRUE(solve(gpu, gf2_field{}, no_columns, x, none).exists);
}

TEST(gf2_gpu, refuses_memory_of_the_host) {
  KLEENE_NEEDS_GPU();
  const context gpu = context::cuda();
  bit_matrix a(70, 70);
  EXPECT_TRUE(contains(refusal<error>(fault_code::device, [&] { (void)rank(gpu, gf2_field{}, a); }), "host"));
  device_bit_matrix wide(gpu, 4, 70);
  EXPECT_TRUE(contains(
      refusal<shape_error>(fault_code::bad_input, [&] { (void)inverse(gpu, gf2_field{}, wide, wide); }), "A is 4x70"));
}

}  // namespace
}  // namespace kleene::test::gf2_gpu_test
