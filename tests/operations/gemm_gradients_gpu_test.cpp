// Gradients of products over log_plus on a device, against plain loops: near and far terms, layouts, batches, and that
// they repeat.
#include "kleene/operations/gradients/gemm.hpp"

#include "support/device.hpp"
#include "support/log_sum_gradients.hpp"
#include "support/sample.hpp"

namespace kleene::test::gemm_gradients_gpu_test {
namespace {

template <class T>
auto product_on(const context& ctx) {
  return [&ctx](const matrix<T>& a, const matrix<T>& b) {
    device_matrix<T> c(ctx, a.rows(), b.cols());
    gemm(ctx, log_plus<T>{}, to_device(ctx, a), to_device(ctx, b), c);
    return to_host(ctx, c);
  };
}

template <class T>
void check(const context& ctx, index_t m, index_t n, index_t k, double range, std::uint64_t seed) {
  if (!sampled()) return;
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " within " << range << ", " << type_name<T>);
  const auto p = draw_gradient_problem<T>(m, n, k, range, seed, product_on<T>(ctx));
  const auto a = to_device(ctx, p.a), b = to_device(ctx, p.b), c = to_device(ctx, p.c), g = to_device(ctx, p.g);
  device_matrix<T> to_a(ctx, m, k), to_b(ctx, k, n), again_a(ctx, m, k), again_b(ctx, k, n);
  gemm_gradients(ctx, log_plus<T>{}, a, b, c, g, to_a, to_b);
  gemm_gradients(ctx, log_plus<T>{}, a, b, c, g, again_a, again_b);
  expect_gradients(p, to_host(ctx, to_a), to_host(ctx, to_b));
  EXPECT_TRUE(equal(to_host(ctx, to_a), to_host(ctx, again_a)));
  EXPECT_TRUE(equal(to_host(ctx, to_b), to_host(ctx, again_b)));
}

template <class T>
void check_ranges(const context& ctx) {
  std::uint64_t seed = 1;
  for (const double range : {1.0, 30.0, 300.0, 3000.0})
    for (const auto& [m, n, k] :
         {std::array<index_t, 3>{1, 1, 1}, {5, 4, 3}, {64, 64, 64}, {130, 67, 33}, {65, 3, 300}, {2, 200, 129}})
      check<T>(ctx, m, n, k, range, seed += 3);
}

TEST(gemm_gradients_on_cuda, near_and_far_terms) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_ranges<float>(ctx);
  check_ranges<double>(ctx);
}

// Batches, operands and results transposed in memory.
TEST(gemm_gradients_on_cuda, layouts_and_batches) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const index_t m = 70, n = 50, k = 90;
  const log_sum_gradient_problem<float> each[2] = {
      draw_gradient_problem<float>(m, n, k, 3, 1, product_on<float>(ctx)),
      draw_gradient_problem<float>(m, n, k, 900, 9, product_on<float>(ctx))};
  const auto pair = [&](const matrix<float>& x, const matrix<float>& y) {
    return to_device(ctx, transposed_pair(x, y));
  };
  const auto a = pair(each[0].a, each[1].a), b = pair(each[0].b, each[1].b), c = pair(each[0].c, each[1].c),
             g = pair(each[0].g, each[1].g);
  device_batch<float> to_a(ctx, 2, k, m), to_b(ctx, 2, n, k);
  gemm_gradients(ctx, log_plus<float>{}, a.view().transposed(), b.view().transposed(), c.view().transposed(),
                 g.view().transposed(), to_a.view().transposed(), to_b.view().transposed());
  const auto all_a = to_host(ctx, to_a), all_b = to_host(ctx, to_b);
  for (const int one : {0, 1})
    expect_gradients(each[one], of_transposed_pair(all_a, one), of_transposed_pair(all_b, one));
}

TEST(gemm_gradients_on_cuda, empty_extents) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  const auto a = to_device(ctx, matrix<float>(3, 2, 1.0f));
  const device_matrix<float> b(ctx, 2, 0), c(ctx, 3, 0), g(ctx, 3, 0);
  auto to_a = to_device(ctx, matrix<float>(3, 2, 77.0f));
  device_matrix<float> to_b(ctx, 2, 0);
  gemm_gradients(ctx, log_plus<float>{}, a, b, c, g, to_a, to_b);
  EXPECT_TRUE(equal(to_host(ctx, to_a), matrix<float>(3, 2, 0.0f)));
}

}  // namespace
}  // namespace kleene::test::gemm_gradients_gpu_test
