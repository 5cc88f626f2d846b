// Every combination of source, accumulate, alpha, beta, mask, complement, replace and witness, against the reference.
#include "kleene/algebra/catalog.hpp"
#include "support/product.hpp"

namespace kleene::test::gemm_options_test {
namespace {

// Factors in the algebra's domain that are neither identity.
template <class S>
std::pair<value_of<S>, value_of<S>> factors() {
  using T = value_of<S>;
  if constexpr (has_domain<S>)
    if (!S::in_domain(T(2))) return {T(1), T(1)};
  return {T(2), T(3)};
}

// Calls run(case) for each legal combination.
template <class S, class Run>
void every_combination(product_case<S> p, const Run& run) {
  const auto [alpha, beta] = factors<S>();
  for (const int source : {0, 1, 2})
    for (const bool with_alpha : {false, true})
      for (const bool with_beta : {false, true})
        for (const int mask : {0, 1, 2, 3, 4}) {
          if (with_beta && source == 0) continue;
          p.accumulate = source == 1, p.source = source == 2;
          p.alpha.reset(), p.beta.reset();
          if (with_alpha) p.alpha = alpha;
          if (with_beta) p.beta = beta;
          p.mask = mask > 0, p.complement = mask == 2 || mask == 4, p.replace = mask >= 3;
          run(p);
        }
}

TEST(gemm_options, every_combination) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const std::string_view isa : instruction_sets()) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      const double bound = 4 * bound_of<S>(23);
      const auto run = [&](const product_case<S>& p) { check_product<S>(ctx, p, bound); };
      every_combination<S>({.m = 19, .n = 66, .k = 23}, run);
      every_combination<S>({.m = 66, .n = 5, .k = 23, .c = layout::column}, run);
    }
  });
}

TEST(gemm_options, every_combination_with_a_witness) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (is_selective<S>)
      for (const std::string_view isa : instruction_sets()) {
        const context ctx = context::cpu({.threads = 2, .isa = isa});
        const auto run = [&](const product_case<S>& p) { check_product<S>(ctx, p); };
        every_combination<S>({.m = 19, .n = 66, .k = 23, .witness = true}, run);
        every_combination<S>({.m = 7, .n = 65, .k = 9, .values = distribution::infinities, .witness = true}, run);
        every_combination<S>(
            {.m = 7, .n = 65, .k = 9, .c = layout::interleaved, .values = distribution::nans, .witness = true}, run);
      }
  });
}

// Infinite and extreme alpha and beta on integers whose infinity is a number.
TEST(gemm_options, infinite_integer_factors) {
  const context ctx = context::cpu({.threads = 1});
  for (const std::int32_t alpha : {1073741823, -268435000, 0})
    for (const std::int32_t beta : {1073741823, -268435000, 0})
      for (const bool witness : {false, true})
        check_product<min_plus<std::int32_t>>(ctx, {.m = 9,
                                                    .n = 33,
                                                    .k = 7,
                                                    .values = distribution::infinities,
                                                    .source = true,
                                                    .witness = witness,
                                                    .alpha = alpha,
                                                    .beta = beta});
}

TEST(gemm_options, all_terms_tie_and_the_smallest_k_wins) {
  for (const std::string_view isa : instruction_sets())
    for (const index_t k : {1, 8, 9, 511, 513, 1100}) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      const matrix<float> a(20, k, 2.0f), b(k, 70, 3.0f);
      matrix<float> c(20, 70);
      matrix<std::int32_t> w(20, 70, -9);
      gemm(ctx, min_plus<float>{}, a, b, c, w);
      EXPECT_TRUE(equal(c, matrix<float>(20, 70, 5.0f)));
      EXPECT_TRUE(equal(w, matrix<std::int32_t>(20, 70, 0))) << isa << " " << k;
    }
}

}  // namespace
}  // namespace kleene::test::gemm_options_test
