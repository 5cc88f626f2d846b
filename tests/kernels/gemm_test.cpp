// The CPU product against the reference: every row of the catalog, every instruction set, thread count, size and
// layout.
#include "kleene/algebra/catalog.hpp"
#include "support/product.hpp"

namespace kleene::test::gemm_test {
namespace {

// Every instruction set with 1, 2 and 3 threads.
template <class Run>
void on_every_context(const Run& run) {
  for (const std::string_view isa : instruction_sets())
    for (const int threads : {1, 2, 3}) run(context::cpu({.threads = threads, .isa = isa}));
}

template <class S>
void check(const context& ctx, const product_case<S>& p) {
  check_product<S>(ctx, p, bound_of<S>(p.k));
}

// Values whose products and sums are exact, so that even plus_times is compared bit for bit.
template <class S>
distribution exact() {
  return std::is_floating_point_v<value_of<S>> ? distribution::signed_integers : distribution::small_integers;
}

// Sizes around the edges of each micro-tile: rows 12, 6, 4, 3, 2; columns 8 to 64.
TEST(gemm, sizes_around_tile_edges) {
  constexpr index_t sizes[][3] = {{1, 1, 1},    {1, 1, 7},    {1, 40, 5},   {40, 1, 5},   {2, 3, 1},
                                  {3, 9, 2},    {4, 24, 8},   {5, 23, 9},   {6, 25, 13},  {7, 31, 16},
                                  {11, 32, 17}, {12, 33, 3},  {13, 47, 7},  {17, 48, 31}, {24, 49, 64},
                                  {25, 63, 65}, {37, 65, 29}, {61, 97, 53}, {97, 61, 101}};
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    on_every_context([&](const context& ctx) {
      for (const auto& [m, n, k] : sizes) check<S>(ctx, {.m = m, .n = n, .k = k, .values = exact<S>()});
    });
  });
}

TEST(gemm, witness_at_tile_edges) {
  constexpr index_t sizes[][3] = {{1, 1, 1},    {1, 70, 9},   {6, 32, 8},    {7, 33, 7}, {5, 31, 15},
                                  {13, 17, 16}, {12, 64, 17}, {37, 65, 129}, {61, 3, 5}, {3, 61, 40}};
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (is_selective<S>)
      on_every_context([&](const context& ctx) {
        for (const auto& [m, n, k] : sizes)
          check<S>(ctx, {.m = m, .n = n, .k = k, .values = exact<S>(), .witness = true});
      });
  });
}

// Empty extents, and no terms at all.
TEST(gemm, zero_extents) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    on_every_context([&](const context& ctx) {
      for (const auto& [m, n, k] :
           {std::array<index_t, 3>{0, 5, 5}, {5, 0, 5}, {0, 0, 0}, {5, 7, 0}, {1, 1, 0}, {40, 70, 0}}) {
        check<S>(ctx, {.m = m, .n = n, .k = k});
        check<S>(ctx, {.m = m, .n = n, .k = k, .source = true});
        if constexpr (is_selective<S>) check<S>(ctx, {.m = m, .n = n, .k = k, .witness = true});
      }
      check<S>(ctx, {.m = 3, .n = 4, .k = 5, .batch = 0});
    });
  });
}

// Several passes over k (512 deep), partial sums in between; with sources and masks one deep pass.
TEST(gemm, depths_around_passes) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const std::string_view isa : instruction_sets()) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      for (const index_t k : {511, 512, 513, 1024, 1100}) {
        check<S>(ctx, {.m = 14, .n = 35, .k = k, .values = exact<S>()});
        check<S>(ctx, {.m = 14, .n = 35, .k = k, .c = layout::column, .values = exact<S>()});
        check<S>(ctx, {.m = 9, .n = 35, .k = k, .values = exact<S>(), .source = true});
        if constexpr (is_selective<S>) {
          check<S>(ctx, {.m = 14, .n = 35, .k = k, .values = exact<S>(), .witness = true});
          check<S>(ctx, {.m = 14, .n = 35, .k = k, .values = distribution::sparse, .mask = true, .witness = true});
          check<S>(ctx, {.m = 14, .n = 35, .k = k, .values = distribution::infinities, .witness = true});
        }
      }
    }
  });
}

// Every input layout with every output layout: nobody may touch what lies between and around the elements.
TEST(gemm, layouts) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const std::string_view isa : instruction_sets()) {
      const context ctx = context::cpu({.threads = 2, .isa = isa});
      for (const layout a :
           {layout::row, layout::column, layout::padded, layout::reversed, layout::interleaved, layout::broadcast})
        for (const layout c : output_layouts) {
          const layout b = static_cast<layout>((int(a) + 2) % 6);
          check<S>(ctx, {.m = 29, .n = 67, .k = 19, .a = a, .b = b, .c = c, .values = exact<S>()});
          check<S>(ctx, {.m = 67, .n = 14, .k = 19, .a = b, .b = a, .c = c, .values = exact<S>(), .accumulate = true});
          if constexpr (is_selective<S>)
            check<S>(ctx, {.m = 29, .n = 67, .k = 19, .a = a, .b = b, .c = c, .values = exact<S>(), .witness = true});
        }
    }
  });
}

// Every distribution over selective algebras: infinities, NaN and -0 come out exactly as the reference has them.
TEST(gemm, values) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    if constexpr (is_selective<S>)
      on_every_context([&](const context& ctx) {
        for (const distribution d : problems::all_distributions)
          for (const bool witness : {false, true}) {
            check<S>(ctx, {.m = 26, .n = 66, .k = 45, .values = d, .witness = witness, .seed = 3});
            check<S>(ctx, {.m = 26, .n = 66, .k = 45, .values = d, .accumulate = true, .witness = witness, .seed = 4});
          }
      });
  });
}

// Where sums round or propagate: NaN and infinities as the reference has them, values within the bound.
TEST(gemm, values_of_summing_algebras) {
  on_every_context([&](const context& ctx) {
    for (const distribution d : problems::all_distributions) {
      check_product<log_plus<float>>(ctx, {.m = 26, .n = 66, .k = 45, .values = d}, 1e-4);
      check_product<log_plus<double>>(ctx, {.m = 26, .n = 66, .k = 45, .values = d}, 1e-12);
      check_product<plus_times<float>>(ctx, {.m = 26, .n = 66, .k = 45, .values = d}, 1e-4);
      check_product<plus_times<double>>(ctx, {.m = 26, .n = 66, .k = 45, .values = d}, 1e-13);
    }
  });
}

// |error| <= (k + 2) eps sum_k |A_ik B_kj|, against sums in long double.
TEST(gemm, plus_times_stays_within_its_bound) {
  constexpr index_t m = 37, n = 41, k = 1100;
  auto a = problems::random_matrix<plus_times<float>>(m, k, distribution::uniform, 5);
  const auto b = problems::random_matrix<plus_times<float>>(k, n, distribution::uniform, 6);
  for (index_t i = 0; i < m; ++i)
    for (index_t l = i % 2; l < k; l += 2) a(i, l) = -a(i, l);
  on_every_context([&](const context& ctx) {
    matrix<float> c(m, n);
    gemm(ctx, plus_times<float>{}, a, b, c);
    for (index_t i = 0; i < m; ++i)
      for (index_t j = 0; j < n; ++j) {
        long double sum = 0, size = 0;
        for (index_t l = 0; l < k; ++l) {
          const long double term = static_cast<long double>(a(i, l)) * b(l, j);
          sum += term, size += std::abs(term);
        }
        ASSERT_LE(std::abs(static_cast<long double>(c(i, j)) - sum), (k + 2) * 0x1p-23L * size);
      }
  });
}

TEST(gemm, large_enough_for_many_tasks) {
  for (const std::string_view isa : instruction_sets()) {
    const context ctx = context::cpu({.threads = 3, .isa = isa});
    check_product<min_plus<float>>(ctx,
                                   {.m = 403, .n = 1031, .k = 97, .values = distribution::uniform, .witness = true});
    check_product<max_plus<std::int32_t>>(ctx, {.m = 1031, .n = 403, .k = 97});
    check_product<max_min<double>>(ctx,
                                   {.m = 403, .n = 517, .k = 97, .c = layout::column, .values = distribution::uniform});
  }
}

TEST(gemm, batches) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    on_every_context([&](const context& ctx) {
      check<S>(ctx, {.m = 5, .n = 7, .k = 6, .batch = 9, .values = exact<S>()});
      check<S>(ctx, {.m = 15,
                     .n = 37,
                     .k = 26,
                     .batch = 2,
                     .c = layout::padded,
                     .values = exact<S>(),
                     .source = true,
                     .mask = true});
      if constexpr (is_selective<S>)
        check<S>(ctx,
                 {.m = 5, .n = 40, .k = 600, .batch = 7, .c = layout::column, .values = exact<S>(), .witness = true});
    });
  });
}

// Products that are not packed: every width around those of vectors, rows that follow each other and rows that do not.
TEST(gemm, small_products_of_every_width) {
  for_each_algebra([&](auto s) {
    using S = decltype(s);
    for (const std::string_view isa : instruction_sets()) {
      const context ctx = context::cpu({.threads = 1, .isa = isa});
      for (index_t n = 1; n <= 33; n += n < 18 ? 1 : 5) {
        const index_t m = 1 + n * 7 % 13, k = 1 + n * 5 % 17;
        const layout a = static_cast<layout>(n % 6), b = static_cast<layout>((n + 3) % 6), c = output_layouts[n % 5];
        const auto values = exact<S>();
        check<S>(ctx, {.m = m, .n = n, .k = k, .batch = 3, .values = values});
        check<S>(ctx, {.m = n, .n = n, .k = n, .batch = 2, .values = values, .accumulate = true});
        check<S>(ctx, {.m = m, .n = n, .k = k, .batch = 3, .b = layout::padded, .c = layout::padded, .values = values});
        check<S>(ctx, {.m = m, .n = n, .k = k, .batch = 2, .a = a, .b = b, .c = c, .values = values, .source = true});
        check<S>(ctx, {.m = m, .n = n, .k = k, .c = c, .values = values, .source = true, .mask = true});
        if constexpr (is_selective<S>)
          check<S>(ctx, {.m = m, .n = n, .k = k, .batch = 2, .values = distribution::nans, .accumulate = true});
      }
    }
  });
}

// Matrices one behind the other: rows shorter than a vector are read and written with what follows them, but for the
// last ones of a batch and of a thread's share of it.
template <class S>
void check_small_batches() {
  for (const std::string_view isa : instruction_sets())
    for (const int threads : {1, 3}) {
      const context ctx = context::cpu({.threads = threads, .isa = isa});
      for (index_t n = 1; n <= 17; ++n)
        for (const auto& [m, k] : {std::array<index_t, 2>{n, n}, {1, 1}, {2, n}, {3, 5}, {7, 2}, {n, 1}})
          for (const index_t batch : {1, 2, 37})
            check<S>(ctx, {.m = m, .n = n, .k = k, .batch = batch, .values = exact<S>()});
    }
}
TEST(gemm, small_products_one_behind_the_other) {
  check_small_batches<min_plus<float>>();
  check_small_batches<min_plus<std::int32_t>>();
  check_small_batches<max_min<double>>();
  check_small_batches<or_and<bool>>();
  check_small_batches<plus_times<float>>();
}

// More matrices than 16 bits count.
TEST(gemm, seventy_thousand_small_matrices) {
  const context ctx = context::cpu({.threads = 2});
  check_product<min_plus<float>>(ctx, {.m = 3, .n = 3, .k = 3, .batch = 70000, .values = distribution::uniform});
  check_product<min_plus<std::int32_t>>(ctx, {.m = 3, .n = 3, .k = 3, .batch = 70000, .witness = true});
}

}  // namespace
}  // namespace kleene::test::gemm_test
