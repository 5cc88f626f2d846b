// Random equations beside plain loops: any strides, diagonals, sums in one operand alone, empty extents, accumulation,
// witnesses, several operands in any order.
#include "kleene/algebra/small_matrix.hpp"
#include "kleene/kernels/reference/einsum.hpp"
#include "kleene/operations/own/einsum.inl.hpp"

#include "operations/einsum_samples.hpp"
#include "support/equal.hpp"

#include <vector>

namespace kleene::test::einsum_random_test {
namespace {

using namespace einsum_samples;

// 2 x 2 matrices of integers: the order of a product matters.
struct matrices {
  using value_type = small_matrix<std::uint32_t, 2>;
  static constexpr const char* name = "matrices";
  static constexpr value_type zero() { return {}; }
  static constexpr value_type one() { return {{{1, 0}, {0, 1}}}; }
  static constexpr value_type add(const value_type& a, const value_type& b) {
    return {{{a(0, 0) + b(0, 0), a(0, 1) + b(0, 1)}, {a(1, 0) + b(1, 0), a(1, 1) + b(1, 1)}}};
  }
  static constexpr value_type mul(const value_type& a, const value_type& b) {
    return {{{a(0, 0) * b(0, 0) + a(0, 1) * b(1, 0), a(0, 0) * b(0, 1) + a(0, 1) * b(1, 1)},
             {a(1, 0) * b(0, 0) + a(1, 1) * b(1, 0), a(1, 0) * b(0, 1) + a(1, 1) * b(1, 1)}}};
  }
};

template <class S>
void one_equation(generator& random, S s, int number) {
  using T = value_of<S>;
  const random_equation e(random);
  std::vector<placed_tensor<T>> operands;
  for (const auto& labels : e.operands) operands.emplace_back(random, labels, e.extents, true);
  placed_tensor<T> out(random, e.output, e.extents, false);
  placed_tensor<T> want = out;
  placed_tensor<std::int64_t> terms(random, e.output, e.extents, false);
  placed_tensor<std::int64_t> want_terms = terms;
  const bool accumulate = draw(random, 3) == 0;
  const bool has_witness = is_selective<S> && operands.size() == 2 && draw(random, 2) == 0;

  std::vector<tensor_view<const T>> views;
  std::vector<einsum_tensor<const T>> plain;
  for (auto& x : operands) views.push_back(x.view()), plain.push_back(x.template plain<const T>());
  const auto plain_terms = want_terms.template plain<std::int64_t>();
  kernels::reference::einsum<S>(plain, want.template plain<T>(), e.summed, e.extents, accumulate,
                                has_witness ? &plain_terms : nullptr);

  const einsum_equation equation(e.operands, e.output);
  const auto order = random_order(random, static_cast<int>(views.size()), !is_commutative<S>);
  const einsum_options options{.accumulate = accumulate, .order = order};
  const context ctx = context::cpu({.threads = 1 + draw(random, 3)});
  SCOPED_TRACE("equation " + std::to_string(number) + ": " + equation.text());
  if constexpr (is_selective<S>) {
    if (has_witness) einsum(ctx, s, equation, views[0], views[1], out.view(), terms.view(), options);
    else einsum(ctx, s, equation, views, out.view(), options);
  } else {
    einsum(ctx, s, equation, views, out.view(), options);
  }
  bool same_values = true;
  for (std::size_t x = 0; x < out.bytes.size() / sizeof(T); ++x) same_values &= same(out.data()[x], want.data()[x]);
  EXPECT_TRUE(same_values);  // and nothing was written between its elements
  EXPECT_EQ(terms.bytes, want_terms.bytes);
  if (!accumulate) {
    const tensor<T> fresh = einsum(ctx, s, equation, views, {.order = order});
    const tensor_view<T> held = out.view();
    bool all = fresh.extents() == held.extents();
    std::vector<int> axes;
    for (int r = 0; r < fresh.rank(); ++r) axes.push_back(r);
    std::vector<index_t> index(static_cast<std::size_t>(fresh.rank()));
    std::vector<index_t> extents(fresh.extents().begin(), fresh.extents().end());
    kernels::reference::detail::for_each_value(axes, extents, 0, index,
                                               [&] { all &= same(fresh[index], held[index]); });
    EXPECT_TRUE(all) << "a new tensor";
  }
}

template <class S>
void many(S s, unsigned seed) {
  generator random(seed);
  for (int n = 0; n < 400 && !testing::Test::HasFailure(); ++n) one_equation(random, s, n);
}

TEST(einsum_random, min_plus_i32) { many(min_plus<std::int32_t>{}, 1); }
TEST(einsum_random, max_plus_f32) { many(max_plus<float>{}, 2); }
TEST(einsum_random, plus_times_f64) { many(plus_times<double>{}, 3); }
TEST(einsum_random, or_and_bool) { many(or_and<bool>{}, 4); }
TEST(einsum_random, matrices_that_do_not_commute) { many(matrices{}, 5); }

}  // namespace
}  // namespace kleene::test::einsum_random_test
