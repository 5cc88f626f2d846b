// Products of f16 whose sums may be rounded to f16: equal to the reference where such sums are exact, within their
// stated error of sums in f64 elsewhere, and as full everywhere but over f16.
#include "kleene/algebra/catalog.hpp"
#include "support/product_error.hpp"

#include <array>

namespace kleene::test {
namespace {

using S = plus_times<f16>;

// Sums of -1, 0 and 1, at most 2048 of them.
template <class Out>
void check_exact(const context& ctx, product_case<S, Out> p) {
  p.values = distribution::negative_zeros;
  check_on_device<S, Out>(ctx, p, 0, {}, float_precision::f16_sums);
}
template <class Visit>
void for_each_out(const Visit& visit) {
  visit(std::type_identity<f16>{});
  visit(std::type_identity<float>{});
}

TEST(gemm_f16_sums_on_cuda, sizes_around_tile_edges) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr std::array<index_t, 3> sizes[] = {{1, 1, 1},      {1, 1, 0},      {5, 7, 3},      {64, 64, 64},
                                              {63, 65, 63},   {128, 64, 128}, {127, 129, 33}, {257, 264, 136},
                                              {1, 300, 2048}, {300, 1, 80}};
  for_each_out([&](auto out) {
    using Out = typename decltype(out)::type;
    for (const auto& [m, n, k] : sizes) check_exact<Out>(ctx, {.m = m, .n = n, .k = k});
  });
}

TEST(gemm_f16_sums_on_cuda, layouts_and_batches) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr layout all[] = {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved};
  for_each_out([&](auto out) {
    using Out = typename decltype(out)::type;
    for (const layout a : all)
      for (const layout b : all) {
        const layout c = all[(int(a) + int(b)) % 5];
        check_exact<Out>(ctx, {.m = 136, .n = 144, .k = 80, .a = a, .b = b, .c = c});
        check_exact<Out>(ctx, {.m = 67, .n = 70, .k = 37, .batch = 3, .a = a, .b = b, .c = c});
      }
  });
}

// Tiles of 128 and of 256 columns on 132 multiprocessors, against sums in f32.
TEST(gemm_f16_sums_on_cuda, wide_tiles) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_out([&](auto out) {
    using Out = typename decltype(out)::type;
    for (const bool ta : {false, true})
      for (const bool tb : {false, true})
        for (const index_t n : {1544, 2051, 2056})
          check_precision<S, Out>(ctx, 1151, n, 200, ta, tb, float_precision::f16_sums);
  });
}

TEST(gemm_f16_sums_on_cuda, split_k_and_options) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_out([&](auto out) {
    using Out = typename decltype(out)::type;
    for (const index_t k : {40, 3001})
      for (const layout c : {layout::row, layout::column, layout::padded}) {
        product_case<S, Out> p{.m = 70, .n = 24, .k = k, .c = c};
        check_exact(ctx, p);
        p.accumulate = true;
        check_exact(ctx, p);
        p.alpha = 2;
        check_exact(ctx, p);
        p.accumulate = false, p.source = true, p.beta = 3;
        check_exact(ctx, p);
        p.mask = p.complement = p.replace = true;
        check_exact(ctx, p);
      }
  });
}

TEST(gemm_f16_sums_on_cuda, errs_no_more_than_stated) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  constexpr std::array<index_t, 3> sizes[] = {{1, 1, 1}, {130, 72, 200}, {65, 260, 33}, {128, 16, 5000}};
  for (const std::array<index_t, 3>& size : sizes) {
    SCOPED_TRACE(std::to_string(size[0]) + " " + std::to_string(size[1]) + " " + std::to_string(size[2]));
    const double k = double(size[2]), steps = double((size[2] + 15) / 16);
    EXPECT_LE(error_of<f16>(ctx, size, -1, float_precision::f16_sums), (steps + 1) * 0x1p-11);
    EXPECT_LE(error_of<f16>(ctx, size, -1, float_precision::full), (k + 2) * 0x1p-23);
  }
}

// What it does not mean: f32 is multiplied in f32, f16 by other precisions of f32 summed in f32.
TEST(gemm_f16_sums_on_cuda, elsewhere_means_full) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  EXPECT_LE(error_of<float>(ctx, {70, 90, 500}, -1, float_precision::f16_sums), 502 * 0x1p-23);
  for (const float_precision other : {float_precision::tf32, float_precision::split})
    EXPECT_LE(error_of<f16>(ctx, {70, 90, 500}, -1, other), 502 * 0x1p-23);
}

}  // namespace
}  // namespace kleene::test
