// Batches that stay as they are while their copies are closed: the same bits as in place, what is wrong is named, and
// the largest magnitude among the arcs is known.
#include "kleene/operations/closure.hpp"

#include "kleene/algebra/catalog.hpp"
#include "support/closable.hpp"
#include "support/product.hpp"

#include <cstring>
#include <limits>

namespace kleene::test::closure_copies_test {
namespace {

template <class T>
bool same_bits(const batch<T>& x, const batch<T>& y) {
  return std::memcmp(x.data(), y.data(), sizeof(T) * static_cast<std::size_t>(x.size())) == 0;
}

// Six graphs of n vertices, `apart` elements between neighbours in a row: each closed in place, and as a copy.
template <class S>
void expect_as_in_place(const context& ctx, index_t n, index_t apart) {
  using T = value_of<S>;
  SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " n " + std::to_string(n) + " " + ctx.describe());
  batch<T> wide({6, n, n * apart}, S::zero()), want({6, n, n}, S::zero()), found({6, n, n}, S::zero());
  const batch_view<T> arcs(wide.data(), {6, n, n}, {n * n * apart, n * apart, apart});
  for (index_t b = 0; b < 6; ++b) {
    const auto graph = closable<S>(n, 0.1 + 0.1 * double(b), 3 + b);
    for (index_t i = 0; i < n; ++i)
      for (index_t j = 0; j < n; ++j) arcs(b, i, j) = want(b, i, j) = graph(i, j);
  }
  const auto before = wide;
  double largest = 0;
  if constexpr (is_selective<S> && has_unit_star<S>) {
    batch<std::int32_t> p({6, n, n}, -7), q({6, n, n}, -8);
    ASSERT_TRUE(closure(ctx, S{}, want, p).exists);
    ASSERT_TRUE(detail::run_closure_of_copies<S>(ctx, arcs, found.view(), q.view(), {}, largest).exists);
    EXPECT_TRUE(same_bits(p, q));
  } else {
    ASSERT_TRUE(closure(ctx, S{}, want).exists);
    ASSERT_TRUE(detail::run_closure_of_copies<S>(ctx, arcs, found.view(), {}, {}, largest).exists);
  }
  EXPECT_TRUE(same_bits(want, found));
  EXPECT_TRUE(same_bits(wide, before));
}

TEST(closure_copies, are_closed_as_in_place) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (closed_semiring<S> && is_idempotent<S>)
      for (const std::string_view isa : instruction_sets())
        for (const index_t n : {1, 5, 16, 31, 32, 64, 66})
          for (const index_t apart : {1, 2}) expect_as_in_place<S>(context::cpu({.threads = 2, .isa = isa}), n, apart);
  });
}

template <class T>
double largest_of(const batch<T>& arcs, bool check = true) {
  batch<T> a(arcs.view().extent(0), arcs.view().rows(), arcs.view().cols());
  double largest = 0;
  EXPECT_TRUE(detail::run_closure_of_copies<min_plus<T>>(context::cpu({.threads = 2}), arcs.view(), a.view(), {},
                                                         {.check_domain = check}, largest)
                  .exists);
  return largest;
}

TEST(closure_copies, say_the_largest_finite_magnitude) {
  constexpr float none = std::numeric_limits<float>::infinity();
  for (const index_t n : {3, 20, 70}) {  // a vertex at a time, panels of them, blocks
    batch<float> arcs({3, n, n}, none);
    EXPECT_EQ(largest_of(arcs), 0);
    arcs(1, 2, 0) = 3e38f;
    EXPECT_EQ(largest_of(arcs), 3e38f);
    arcs(1, 2, 0) = 5, arcs(2, 0, 1) = 9, arcs(2, 1, 0) = -9;
    EXPECT_EQ(largest_of(arcs, false), 9);
    arcs(0, n - 1, n - 1) = 17;
    EXPECT_EQ(largest_of(arcs), 17);
  }
  batch<double> wide({1, 18, 18}, none);
  wide(0, 17, 3) = -1e300;
  EXPECT_EQ(largest_of(wide), 1e300);
  EXPECT_EQ(largest_of(batch<std::int32_t>({1, 18, 18}, 1000)), 0) << "of floats alone";
}

TEST(closure_copies, name_the_first_value_that_is_refused) {
  for (const index_t n : {7, 40, 65}) {
    batch<float> arcs(500, n, n, 1), a(500, n, n);
    arcs(451, 2, 3) = arcs(450, 6, 5) = std::numeric_limits<float>::quiet_NaN();
    double largest = 0;
    EXPECT_EQ(refusal<value_error>(fault_code::bad_input,
                                   [&] {
                                     (void)detail::run_closure_of_copies<min_plus<float>>(context::cpu({.threads = 2}),
                                                                                          arcs.view(), a.view(), {},
                                                                                          {.first = 1000}, largest);
                                   }),
              "A(1450, 6, 5) is NaN");
  }
  batch<std::int32_t> arcs(2, 20, 20, 1), a(2, 20, 20);
  arcs(1, 19, 4) = 2'000'000'000;
  double largest = 0;
  EXPECT_EQ(refusal<value_error>(fault_code::bad_input,
                                 [&] {
                                   (void)detail::run_closure_of_copies<min_plus<std::int32_t>>(
                                       context::cpu(), arcs.view(), a.view(), {}, {}, largest);
                                 }),
            "A(1, 19, 4) = 2000000000 is outside the domain of min_plus");
}

TEST(closure_copies, say_which_matrices_diverge) {
  batch<float> arcs({300, 33, 33}, min_plus<float>::zero()), a(300, 33, 33);
  arcs(7, 20, 30) = 1, arcs(7, 30, 20) = -2;
  arcs(250, 32, 32) = -1;
  double largest = 0;
  const closure_batch_info info = detail::run_closure_of_copies<min_plus<float>>(
      context::cpu({.threads = 2}), arcs.view(), a.view(), {}, {}, largest);
  EXPECT_FALSE(info.exists);
  ASSERT_EQ(info.diverging.size(), 300u);
  for (index_t b = 0; b < 300; ++b) EXPECT_EQ(info.diverging[b], b == 7 ? 30 : b == 250 ? 32 : -1);
}

}  // namespace
}  // namespace kleene::test::closure_copies_test
