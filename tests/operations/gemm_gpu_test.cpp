// The CUDA product of every algebra of the catalog against the reference: shapes at tile edges, layouts, distributions,
// options, witnesses, batches, split-K. Runs on a machine that has the binary alone: no files beside it.
#include "kleene/operations/gemm.hpp"

#include "kleene/algebra/catalog.hpp"
#include "support/device.hpp"

#include <array>

namespace kleene::test {
namespace {

TEST(gemm_on_cuda, shapes_at_tile_edges) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    constexpr std::array<index_t, 3> shapes[] = {{1, 1, 1},      {1, 1, 0},      {3, 5, 7},     {32, 32, 32},
                                                 {31, 33, 1},    {63, 65, 31},   {64, 64, 32},  {65, 63, 33},
                                                 {127, 64, 16},  {128, 128, 32}, {129, 65, 65}, {128, 127, 48},
                                                 {257, 129, 97}, {1, 300, 64},   {300, 1, 63}};
    for (const auto& [m, n, k] : shapes)
      check_on_device<S>(ctx, {.m = m, .n = n, .k = k, .values = distribution::small_integers}, bound_of<S>(k));
  });
}

TEST(gemm_on_cuda, layouts) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    constexpr layout all[] = {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved};
    for (const layout a : all)
      for (const layout b : all)
        check_on_device<S>(ctx, {.m = 67, .n = 70, .k = 37, .a = a, .b = b, .c = all[(int(a) + int(b)) % 5]},
                           bound_of<S>(37));
    check_on_device<S>(ctx, {.m = 67, .n = 70, .k = 37, .a = layout::broadcast, .b = layout::broadcast},
                       bound_of<S>(37));
  });
}

TEST(gemm_on_cuda, distributions) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const distribution d : problems::all_distributions) {
      if (!is_selective<S> && (d == distribution::uniform || d == distribution::nans)) continue;  // rounding; NaN order
      check_on_device<S>(ctx, {.m = 130, .n = 71, .k = 45, .values = d}, bound_of<S>(45));
      if constexpr (is_selective<S>)
        check_on_device<S>(ctx, {.m = 130, .n = 71, .k = 75, .values = d, .witness = true});
    }
  });
}

TEST(gemm_on_cuda, options) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    const std::optional<T> one = T(S::one()), none;
    const double bound = bound_of<S>(33);
    for (const bool mask : {false, true})
      for (const bool complement : {false, true}) {
        if (complement && !mask) continue;
        for (const bool scaled : {false, true}) {
          const auto factor = scaled ? one : none;
          check_on_device<S>(ctx, {.m = 66, .n = 131, .k = 33, .mask = mask, .complement = complement, .alpha = factor},
                             bound);
          check_on_device<S>(ctx,
                             {.m = 66,
                              .n = 131,
                              .k = 33,
                              .c = layout::padded,
                              .accumulate = true,
                              .mask = mask,
                              .complement = complement,
                              .alpha = factor,
                              .beta = factor},
                             bound);
          check_on_device<S>(ctx,
                             {.m = 66,
                              .n = 132,
                              .k = 33,
                              .source = true,
                              .mask = mask,
                              .complement = complement,
                              .replace = mask,
                              .alpha = factor,
                              .beta = factor},
                             bound);
        }
      }
    check_on_device<S>(ctx, {.m = 128, .n = 128, .k = 32, .accumulate = true}, bound);
    if constexpr (is_selective<S>)
      for (const bool accumulate : {false, true})
        check_on_device<S>(
            ctx, {.m = 66, .n = 70, .k = 33, .accumulate = accumulate, .mask = true, .replace = true, .witness = true});
  });
}

// Few tiles and a long k: the sum is split over blocks and put together again.
TEST(gemm_on_cuda, split_k) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const index_t k : {255, 511, 1000, 2049})
      check_on_device<S>(ctx, {.m = 33, .n = 40, .k = k, .values = distribution::small_integers}, bound_of<S>(k));
    if constexpr (is_selective<S>)
      check_on_device<S>(ctx, {.m = 33, .n = 40, .k = 1000, .accumulate = true, .witness = true});
  });
}

TEST(gemm_on_cuda, batches) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    check_on_device<S>(ctx, {.m = 5, .n = 7, .k = 9, .batch = 33}, bound_of<S>(9));
    check_on_device<S>(ctx, {.m = 33, .n = 17, .k = 40, .batch = 3, .c = layout::column}, bound_of<S>(40));
    check_on_device<S>(ctx, {.m = 32, .n = 32, .k = 32, .batch = 9, .accumulate = true}, bound_of<S>(32));
    check_on_device<S>(ctx, {.m = 28, .n = 20, .k = 44, .batch = 5, .a = layout::column, .b = layout::column},
                       bound_of<S>(44));
    check_on_device<S>(ctx, {.m = 31, .n = 20, .k = 33, .batch = 5, .a = layout::reversed, .b = layout::padded},
                       bound_of<S>(44));
    if constexpr (is_selective<S>) check_on_device<S>(ctx, {.m = 32, .n = 31, .k = 40, .batch = 5, .witness = true});
  });
}

TEST(gemm_on_cuda, numbers_say_their_algebra) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  using shorter = tropical_min<float>;
  const auto a = to_device(ctx, matrix<shorter>{{1, 2}, {3, 4}}), b = to_device(ctx, matrix<shorter>{{5, 1}, {0, 9}});
  EXPECT_TRUE(equal(to_host(ctx, a * b), matrix<shorter>{{2, 2}, {4, 4}}));
  device_matrix<shorter> c(ctx, 2, 2);
  gemm(ctx, a, b, c.view());
  EXPECT_TRUE(equal(to_host(ctx, c), matrix<shorter>{{2, 2}, {4, 4}}));
  const auto parity = to_device(ctx, matrix<gf2>{{true, false}, {true, true}});
  EXPECT_TRUE(equal(to_host(ctx, parity * parity), matrix<gf2>{{true, false}, {false, true}}));
}

// D is as if it were not there, on every row and through every kernel that stores: small, packed, tensor cores.
TEST(gemm_on_cuda, beta_of_zero_does_not_read_c) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    using T = value_of<S>;
    for (const index_t n : {5, 150}) {
      const auto a = to_device(ctx, problems::random_matrix<S>(n, 70, distribution::small_integers, 1));
      const auto b = to_device(ctx, problems::random_matrix<S>(70, n, distribution::small_integers, 2));
      auto c = to_device(ctx, matrix<T>(n, n, poison<T>())), plain = to_device(ctx, matrix<T>(n, n));
      gemm(ctx, s, a, b, c, {.accumulate = true, .beta = S::zero()});
      gemm(ctx, s, a, b, plain);
      EXPECT_TRUE(equal(to_host(ctx, c), to_host(ctx, plain))) << S::name << " " << type_name<T>;
    }
  });
  const auto a = to_device(ctx, problems::random_matrix<plus_times<bf16>>(70, 64, distribution::small_integers, 1));
  auto c = to_device(ctx, matrix<float>(70, 70, poison<float>())), plain = to_device(ctx, matrix<float>(70, 70));
  gemm(ctx, plus_times<bf16>{}, a, a.view().transposed(), c, {.accumulate = true, .beta = 0.0f});
  gemm(ctx, plus_times<bf16>{}, a, a.view().transposed(), plain);
  EXPECT_TRUE(equal(to_host(ctx, c), to_host(ctx, plain)));
}

TEST(gemm_on_cuda_at_large, more_matrices_than_a_grid_has_rows) {
  KLEENE_NEEDS_GPU();
  check_on_device<min_plus<float>>(context::cuda(), {.m = 2, .n = 3, .k = 2, .batch = 70000});
}

TEST(gemm_on_cuda_at_large, many_tiles) {
  KLEENE_NEEDS_GPU();
  const context ctx = context::cuda();
  check_on_device<min_plus<float>>(ctx, {.m = 700, .n = 900, .k = 300, .values = distribution::uniform});
  check_on_device<max_plus<float>>(ctx,
                                   {.m = 700, .n = 900, .k = 300, .values = distribution::uniform, .witness = true});
  check_on_device<min_plus<double>>(ctx, {.m = 500, .n = 300, .k = 300, .values = distribution::uniform});
}

}  // namespace
}  // namespace kleene::test
