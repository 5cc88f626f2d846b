// Log-sum-exp products that are streamed as a whole, f32 and f64, against sums of exact terms in long double: tiles of
// every size, k in parts, batches, infinities and NaN; and small products by gemm.
#include "kleene/kernels/cuda/gemm/log_sums/stream_launch.cuh"

#include "kleene/algebra/catalog.hpp"
#include "kleene/operations/gemm.hpp"
#include "support/log_sums_on_device.hpp"

namespace kleene::test::log_stream_gpu_test {
namespace {

constexpr auto launch = [](const context& ctx, const auto& g) { kernels::cuda::launch_log_stream(ctx, g); };

template <class T>
void check_ranges(const context& ctx) {
  constexpr index_t shapes[][3] = {{1, 1, 1},      {5, 7, 3},     {16, 16, 9000}, {17, 33, 700},
                                   {300, 200, 66}, {530, 500, 9}, {1100, 1090, 7}};
  std::uint64_t seed = 1;
  for (const auto& [m, n, k] : shapes)
    for (const double range : {0.5, 30.0, 1e4})
      for (const double none : {0.0, 0.3, 0.97}) {
        seed += 2;
        SCOPED_TRACE(testing::Message() << "range " << range << ", none " << none);
        check_log_product(ctx, launch, drawn<T>(m, k, seed, within(range, none)),
                          drawn<T>(k, n, seed + 1, within(range, none)));
      }
  const auto a = drawn<T>(70, 90, 1, within(20)), b = drawn<T>(90, 40, 2, within(20));
  for (const layout la : output_layouts)
    for (const layout lb : output_layouts) check_log_product(ctx, launch, a, b, la, lb, la);
}
TEST(log_stream_on_cuda, ranges_and_layouts) {
  KLEENE_NEEDS_GPU();
  check_ranges<float>(context::cuda());
  check_ranges<double>(context::cuda());
}

template <class T>
void check_million(const context& ctx) {
  const draw_number same = [](problems::generator&) { return 0.1; };
  for (const double range : {0.01, 1e4}) {
    check_log_product(ctx, launch, drawn<T>(2, 1 << 20, 3, within(range)), drawn<T>(1 << 20, 2, 4, same));
    check_log_product(ctx, launch, drawn<T>(2, 1 << 20, 3, within(range)), drawn<T>(1 << 20, 1, 4, within(range)));
  }
}
TEST(log_stream_on_cuda, a_million_terms) {
  KLEENE_NEEDS_GPU();
  check_million<float>(context::cuda());
  check_million<double>(context::cuda());
}

TEST(log_stream_on_cuda, infinities_and_nan) {
  KLEENE_NEEDS_GPU();
  check_log_infinities<float>(context::cuda(), launch);
  check_log_infinities<double>(context::cuda(), launch);
}

// Split-K: slices without a term, beside others.
TEST(log_stream_on_cuda, parts_of_nothing) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  auto a = drawn<double>(4, 5000, 5, within(3)), b = drawn<double>(5000, 4, 6, within(3));
  for (index_t k = 0; k < 5000; ++k)
    for (index_t i = 0; i < 4; ++i)
      if (k < 1500 || (i == 2 && k != 3333)) a(i, k) = -std::numeric_limits<double>::infinity();
      else a(i, k) -= 1000;
  check_log_product(ctx, launch, a, b);
  check_log_product(ctx, launch, drawn<float>(3, 5000, 1, within(0, 1)), drawn<float>(5000, 3, 2, within(1)));
}

template <class T>
void check_batches(const context& ctx) {
  for (const auto& [m, n, k] : {std::array<index_t, 3>{4, 4, 4}, {33, 20, 40}, {3, 3, 3000}}) {
    constexpr index_t batch = 5;
    const auto a = drawn<T>(batch * m, k, 7, within(9)), b = drawn<T>(batch * k, n, 8, within(9));
    const auto da = to_device(ctx, a), db = to_device(ctx, b);
    device_batch<T> dc(ctx, batch, m, n);
    const view<const T, 3, memory::device> va(da.data(), {batch, m, k}, {m * k, k, 1}),
        vb(db.data(), {batch, k, n}, {k * n, n, 1});
    gemm(ctx, log_plus<T>{}, va, vb, dc);
    ctx.synchronise();
    for (index_t e = 0; e < batch; ++e) {
      matrix<T> one(m, k), other(k, n), c(m, n);
      std::copy_n(a.data() + e * m * k, m * k, one.data());
      std::copy_n(b.data() + e * k * n, k * n, other.data());
      ASSERT_EQ(cudaMemcpy(c.data(), dc.data() + e * m * n, sizeof(T) * static_cast<std::size_t>(m * n),
                           cudaMemcpyDeviceToHost),
                cudaSuccess);
      expect_log_sums(one, other, c);
    }
  }
}
TEST(log_stream_on_cuda, batches_through_gemm) {
  KLEENE_NEEDS_GPU();
  check_batches<float>(context::cuda());
  check_batches<double>(context::cuda());
}

}  // namespace
}  // namespace kleene::test::log_stream_gpu_test
