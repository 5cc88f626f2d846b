// Products on grids of devices: what one product of the whole matrices gives.
#include "kleene/grid/device_gemm.hpp"

#include "grid/device_grids.hpp"
#include "support/device.hpp"
#include "support/problems.hpp"

#include <cmath>

namespace kleene::test {
namespace {

namespace device_gemm {

struct product_shape {
  index_t m, n, k, mb, nb, kb;
};

template <class S>
void expect_product(const product_shape& s, problems::distribution values, bool accumulate) {
  if (!sampled()) return;
  using T = value_of<S>;
  SCOPED_TRACE(name_of<S>() + " " + type_name<T> + " " + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
               std::to_string(s.k) + (accumulate ? " accumulated" : ""));
  const auto a = problems::random_matrix<S>(s.m, s.k, values, 1), b = problems::random_matrix<S>(s.k, s.n, values, 2),
             c = problems::random_matrix<S>(s.m, s.n, values, 3);
  matrix<T> want = c;
  gemm(context::cpu({.threads = 2}), S{}, a, b, want, {.accumulate = accumulate});
  on_every_device_grid([&](worker& w) {
    const int row = w.rows() - 1, col = w.cols() - 1;
    const auto at_a = spread(w, {s.m, s.k, s.mb, s.kb, row, 0}, a), at_b = spread(w, {s.k, s.n, s.kb, s.nb, 0, col}, b);
    auto at_c = spread(w, {s.m, s.n, s.mb, s.nb, row, col}, c);
    gemm(w, S{}, at_a, at_b, at_c, {.accumulate = accumulate});
    const matrix<T> got = to_host(at_c).gather();
    if (w.rank() == 0) {
      EXPECT_TRUE(same_bits(got, want));
    }
  });
}

}  // namespace device_gemm
using device_gemm::expect_product;

TEST(device_grid_gemm, every_selective_algebra_equals_one_product) {
  KLEENE_NEEDS_GPU();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (is_selective<S>)
      for (const bool accumulate : {false, true})
        expect_product<S>({90, 70, 100, 16, 24, 33}, problems::distribution::small_integers, accumulate);
  });
}

TEST(device_grid_gemm, edges) {
  KLEENE_NEEDS_GPU();
  for (const auto& s : {device_gemm::product_shape{1, 1, 1, 1, 1, 1},
                        {5, 3, 0, 2, 2, 2},
                        {0, 4, 5, 2, 2, 2},
                        {300, 200, 500, 128, 128, 128},
                        {257, 65, 1000, 64, 64, 300}})
    for (const bool accumulate : {false, true})
      expect_product<min_plus<float>>(s, problems::distribution::small_integers, accumulate);
}

TEST(device_grid_gemm, whole_numbers_of_plus_times) {
  KLEENE_NEEDS_GPU();
  expect_product<plus_times<float>>({300, 200, 700, 64, 100, 256}, problems::distribution::small_integers, false);
  expect_product<plus_times<double>>({300, 200, 700, 64, 100, 256}, problems::distribution::small_integers, true);
}

TEST(device_grid_gemm, values_outside_the_domain_are_named_by_all) {
  KLEENE_NEEDS_GPU();
  on_every_device_grid([](worker& w) {
    matrix<float> ones(40, 40, 1.0f), wrong(40, 40, 1.0f);
    wrong(33, 17) = -2;
    const kleene::distribution d{40, 40, 7, 7};
    const auto a = spread(w, d, ones), b = spread(w, d, wrong);
    auto c = spread(w, d, ones);
    try {
      gemm(w, max_times<float>{}, a, b, c);
      FAIL() << "not refused";
    } catch (const value_error& e) {
      EXPECT_STREQ(e.what(), "B(33, 17) = -2 is outside the domain of max_times");
    }
    EXPECT_THROW(gemm(w, max_times<float>{}, a, c, c), argument_error);
  });
}

}  // namespace
}  // namespace kleene::test
