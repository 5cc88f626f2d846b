// Counting algebras in einsum: a chain and a ring of variables, beside plain loops over all assignments.
#include "kleene/algebra/counting.hpp"
#include "kleene/operations/own/einsum.inl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace kleene::counting_einsum_test {
namespace {

// What S has for a weight.
template <class S, class T>
value_of<S> element(T weight) {
  if constexpr (requires { S::of(weight); }) return S::of(weight);
  else return static_cast<value_of<S>>(weight);
}

// Three tables over a ring of three variables with n values each, one a variable kept: contracted over S, and summed
// assignment by assignment.
template <class S, class T>
void check_ring(index_t n, T (*weight)(index_t)) {
  tensor<value_of<S>> a({n, n}), b({n, n}), c({n, n});
  for (index_t e = 0; e < n * n; ++e) {
    a.data()[e] = element<S>(weight(e));
    b.data()[e] = element<S>(weight(7 * e + 1));
    c.data()[e] = element<S>(weight(5 * e + 3));
  }
  const context ctx = context::cpu({.threads = 2});
  const auto kept = einsum(ctx, S{}, "ij,jk,ki->i", a, b, c);
  const auto whole = einsum(ctx, S{}, "ij,jk,ki->", a, b, c);
  auto sum = widen<S>(S::zero());
  const auto times = [](const value_of<S>& x, const value_of<S>& y) {
    return normalise<S>(S::mul(widen<S>(x), widen<S>(y)));
  };
  for (index_t i = 0; i < n; ++i) {
    auto here = widen<S>(S::zero());
    for (index_t j = 0; j < n; ++j)
      for (index_t k = 0; k < n; ++k) here = S::add(here, widen<S>(times(times(a(i, j), b(j, k)), c(k, i))));
    EXPECT_TRUE(kept(i) == normalise<S>(here)) << S::name << ", row " << i << " of " << n;
    sum = S::add(sum, here);
  }
  EXPECT_TRUE(whole() == normalise<S>(sum)) << S::name << " of " << n;
}

// Few values, so that many assignments are equally good; one in seven is forbidden.
std::int32_t score(index_t e) { return e % 7 == 3 ? max_plus<std::int32_t>::zero() : std::int32_t(e * e % 5); }
double cost(index_t e) { return e % 7 == 3 ? min_plus<double>::zero() : double(e * e % 11); }
std::uint64_t number(index_t e) { return 1000003u * std::uint64_t(e) * std::uint64_t(e) + 12345u; }

TEST(counting_einsum, the_best_and_how_many) {
  for (const index_t n : {1, 2, 3, 8, 33}) check_ring<counting<max_plus<std::int32_t>>>(n, score);
}
TEST(counting_einsum, the_k_best) {
  for (const index_t n : {1, 2, 3, 8, 33}) check_ring<k_best<min_plus<double>, 4>>(n, cost);
}
TEST(counting_einsum, residues) {
  for (const index_t n : {1, 2, 3, 8, 33}) check_ring<residues<2147483647, 2147483629>>(n, number);
}

// A chain of 70 bits without two ones side by side: Fibonacci's 72nd number of them, at most 35 ones, in 36 ways.
TEST(counting_einsum, a_chain_by_hand) {
  using S = counting<max_plus<std::int32_t>>;
  const std::vector<S::value_type> pair{S::of(0), S::of(0), S::of(0), S::zero()}, bit{S::of(0), S::of(1)};
  const context ctx = context::cpu({.threads = 1});
  const tensor_view<const S::value_type> apart(pair.data(), {2, 2}), weight(bit.data(), {2});
  tensor<S::value_type> end({2});
  std::copy(bit.begin(), bit.end(), end.data());
  for (int i = 1; i < 70; ++i) end = einsum(ctx, S{}, "i,ij,j->j", end, apart, weight);
  const S::value_type best = einsum(ctx, S{}, "i->", end)();
  EXPECT_EQ(best.value, 35);
  EXPECT_EQ(best.count, 36u);
}

TEST(counting_einsum, values_that_no_element_holds_are_refused) {
  using S = counting<max_plus<std::int32_t>>;
  tensor<S::value_type> a({2});
  a(0) = {200000000, 1}, a(1) = {1, 1};
  const context ctx = context::cpu({.threads = 1});
  EXPECT_THROW((void)einsum(ctx, S{}, "i,j->ij", a, a), value_error) << "400000000 is no finite i32 of max_plus";
  a(0) = {1000000000, 1};
  EXPECT_THROW((void)einsum(ctx, S{}, "i,i->", a, a), value_error) << "outside the domain";
}

}  // namespace
}  // namespace kleene::counting_einsum_test
